/** Recipes: divides a text into lines and words by the rules of a shell. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/recipe.h"
#include "misc/mem.h"

/** A place in the text. */
struct reader {
	struct recipe *r;
	const char *p;
	long number; // of the line where p is
};

static _Noreturn void __attribute__((format(printf, 2, 3)))
wrong(const struct reader *t, const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	usage_error("%s line %ld: %s", t->r->name, t->number, s.data);
}

/* A character of the shell that means more than itself, unquoted or in double quotes. */
static void refuse_sign(const struct reader *t, bool quoted, bool begins)
{
	const char c = *t->p;

	if ('$' == c || '`' == c)
		wrong(t,
		        "%c: a recipe has no variables and no results of commands; a literal %c is written "
		        "\\%c or in '...'",
		        c, c, c);

	if (quoted)
		return;

	if (strchr("|&;<>()", c))
		wrong(t,
		        "%c: a line of a recipe is one command, without pipes and redirections; a literal %c "
		        "is written '%c'",
		        c, c, c);

	if (strchr("*?", c) || (begins && '~' == c))
		wrong(t, "%c: file names are not expanded in a recipe; a literal %c is written '%c'", c, c,
		        c);
}

/* A backslash and what it quotes; at the end of a line both go. */
static void take_escape(struct reader *t, struct str *s, bool quoted)
{
	const char c = t->p[1];

	if (!c)
		wrong(t, "a backslash at the end of the text, expected another character or line");

	t->p += 2;

	if ('\n' == c) {
		t->number++;
		return;
	}

	if (quoted && !strchr("\\\"$`", c))
		str_add(s, "\\");

	str_addn(s, &c, 1);
}

static void take_quoted(struct reader *t, struct str *s)
{
	const char quote = *t->p++;
	const long first = t->number;

	while (quote != *t->p) {
		if (!*t->p) {
			t->number = first;
			wrong(t, "unbalanced %c", quote);
		}

		if ('"' == quote && '\\' == *t->p) {
			take_escape(t, s, true);
			continue;
		}

		if ('"' == quote)
			refuse_sign(t, true, false);

		t->number += '\n' == *t->p;
		str_addn(s, t->p++, 1);
	}

	t->p++;
}

static char *take_word(struct reader *t)
{
	struct str s = {0};
	const char *start = t->p;

	str_add(&s, "");

	while (*t->p && !isspace((unsigned char)*t->p)) {
		if ('\'' == *t->p || '"' == *t->p) {
			take_quoted(t, &s);
		} else if ('\\' == *t->p) {
			take_escape(t, &s, false);
		} else {
			refuse_sign(t, false, start == t->p);
			str_addn(&s, t->p++, 1);
		}
	}

	return s.data;
}

/* To the next word of this command, or its end: a line feed or the end of the text. */
static void skip_blanks(struct reader *t)
{
	for (;; t->p++) {
		if ('\\' == *t->p && '\n' == t->p[1]) {
			t->number++;
			t->p++;
		} else if ('\n' == *t->p || !isspace((unsigned char)*t->p)) {
			break;
		}
	}

	if ('#' == *t->p)
		t->p += strcspn(t->p, "\n");
}

static void add_word(struct recipe_line *l, char *word)
{
	l->argv = mem_realloc(l->argv, (size_t)(l->argc + 2) * sizeof *l->argv);
	l->argv[l->argc++] = word;
	l->argv[l->argc] = NULL;
}

static void take_line(struct reader *t, struct recipe_line *l)
{
	for (skip_blanks(t); *t->p && '\n' != *t->p; skip_blanks(t)) {
		if (0 == l->argc)
			l->number = t->number;

		add_word(l, take_word(t));
	}

	if (0 == l->argc || 0 != strcmp(l->argv[0], "gantry"))
		return;

	if (1 == l->argc)
		usage_error("%s line %ld: 'gantry' without a command", t->r->name, l->number);

	free(l->argv[0]);
	memmove(l->argv, l->argv + 1, (size_t)l->argc-- * sizeof *l->argv);
}

void recipe_parse(struct recipe *r, const char *name, const char *text)
{
	struct reader t = {.r = r, .p = text, .number = 1};

	*r = (struct recipe){.name = name};

	for (; *t.p; t.p += '\n' == *t.p, t.number++) {
		struct recipe_line l = {0};

		take_line(&t, &l);

		if (0 == l.argc)
			continue;

		r->lines = mem_realloc(r->lines, (size_t)(r->n + 1) * sizeof *r->lines);
		r->lines[r->n++] = l;
	}
}

void recipe_free(struct recipe *r)
{
	for (long i = 0; i < r->n; i++) {
		for (int k = 0; k < r->lines[i].argc; k++)
			free(r->lines[i].argv[k]);

		free(r->lines[i].argv);
	}

	free(r->lines);
	*r = (struct recipe){0};
}

char *recipe_place(const struct recipe *r, long number)
{
	return mem_printf("%s line %ld: ", r->name, number);
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || '_' == c || '-' == c;
}

char *recipe_next_name(const char **at)
{
	const char *word = *at;

	for (const char *p = strchr(word, '@'); p; p = strchr(p + 1, '@')) {
		size_t n = 1;

		if ((p > word && in_name(p[-1])) || !in_name(p[1]))
			continue;

		while (in_name(p[n]))
			n++;

		*at = p + n;
		return mem_printf("%.*s", (int)n, p);
	}

	return NULL;
}

static bool word_has_name(const char *word, const char *name)
{
	char *found;

	while ((found = recipe_next_name(&word))) {
		const bool same = 0 == strcmp(found, name);

		free(found);

		if (same)
			return true;
	}

	return false;
}

bool recipe_has_name(const struct recipe *r, long i, const char *name)
{
	for (; i < r->n; i++)
		for (int k = 1; k < r->lines[i].argc; k++)
			if (word_has_name(r->lines[i].argv[k], name))
				return true;

	return false;
}
