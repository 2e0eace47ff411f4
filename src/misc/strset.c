#include <stdlib.h>
#include <string.h>

#include "misc/strset.h"

#include "misc/hash.h"
#include "misc/mem.h"

/* The position of the text in the table, or the empty position where it belongs. */
static size_t place(const struct strset *s, const char *text)
{
	size_t i = hash_number(text, strlen(text)) & (s->room - 1);

	while (s->table[i] && 0 != strcmp(s->table[i], text))
		i = (i + 1) & (s->room - 1);

	return i;
}

static void grow(struct strset *s)
{
	const struct strset old = *s;

	s->room = old.room ? 2 * old.room : 64;
	s->table = mem_calloc(s->room, sizeof *s->table);

	for (size_t i = 0; i < old.room; i++)
		if (old.table[i])
			s->table[place(s, old.table[i])] = old.table[i];

	free(old.table);
}

bool strset_add(struct strset *s, const char *text)
{
	if (2 * s->n >= s->room)
		grow(s);

	const size_t i = place(s, text);

	if (s->table[i])
		return false;

	s->table[i] = mem_strdup(text);
	s->n++;
	return true;
}

bool strset_has(const struct strset *s, const char *text)
{
	return s->room > 0 && s->table[place(s, text)];
}

void strset_free(struct strset *s)
{
	for (size_t i = 0; i < s->room; i++)
		free(s->table[i]);

	free(s->table);
	*s = (struct strset){0};
}
