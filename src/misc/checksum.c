#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/checksum.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl_io.h"
#include "misc/file/history.h"
#include "misc/mem.h"

#include <xxhash.h>

#ifdef XXH_STAND_IN
static const char method[] = "fnv1a-128";
#else
static const char method[] = "xxh3-128";
#endif

static const char title[] = "# Checksum\n";

bool checksum_wanted(void)
{
	const char *asked = getenv("GANTRY_CHECKSUM");

	return asked && 0 == strcmp(asked, "1");
}

void checksum_make(char value[CHECKSUM_TEXT], const char *header, const char data[HASH_TEXT])
{
	struct hasher *h = hash_begin();
	char own[HASH_TEXT];

	hash_add(h, header, strlen(header));
	hash_add(h, data, HASH_TEXT - 1);
	hash_end(h, own);
	snprintf(value, CHECKSUM_TEXT, "%s %s %s", method, data, own);
}

/* Cuts the section out of the text: its value (malloc'd), or NULL. */
static char *cut(char *text)
{
	char *at = strstr(text, title);

	if (!at || (at > text && '\n' != at[-1]))
		return NULL;

	char *value = at + strlen(title), *end = strchrnul(value, '\n');
	char *copy = mem_printf("%.*s", (int)(end - value), value);

	memmove(at, end + ('\n' == *end), strlen(end + ('\n' == *end)) + 1);
	return copy;
}

/* A long history stands in a file of its own. The header ends with a line about it that has its hash. */
static void compare_history(const struct pair *p, const char *header)
{
	static const char pointer[] = "\n# History\nbeside ";
	const char *at = strstr(header, pointer);

	if (!at)
		return;

	if (!history_stands_beside(at + strlen("\n# History\n"), p->history))
		error("%s is missing or does not match the hash in %s", p->history, p->hdr);
}

static void compare(const struct pair *p)
{
	char kind[32], data[HASH_TEXT], own[HASH_TEXT], found[HASH_TEXT], want[CHECKSUM_TEXT];
	char *header = file_read_text(p->hdr), *value = cut(header);
	size_t n;

	if (!value)
		error("%s: no checksum (set GANTRY_CHECKSUM=1 when the array is written)", p->hdr);

	if (3 != sscanf(value, "%31s %32s %32s", kind, data, own))
		error("%s: the checksum in the header is damaged", p->hdr);

	if (0 != strcmp(kind, method))
		error("%s: unknown kind of checksum '%s' (this build supports %s)", p->hdr, kind, method);

	checksum_make(want, header, data);

	const void *elements = file_map(p->cfl, &n);

	hash_text(found, elements, n);
	file_unmap(elements);

	const bool same = 0 == strcmp(found, data);

	if (0 != strcmp(want, value))
		error("%s: does not match its checksum: the header was changed or damaged (%s)", p->hdr,
		        same ? "the data are intact" : "the data cannot be checked");

	if (!same)
		error("%s: does not match the checksum in %s: the data were changed or damaged", p->cfl,
		        p->hdr);

	compare_history(p, header);
	free(value);
	free(header);
}

void checksum_verify(const char *name)
{
	const struct container *c;
	char *stem = NULL;
	struct pair p;

	if (IO_PAIR != cfl_kind(name, &c, &stem))
		error("%s: no checksum (only arrays stored as NAME.hdr and NAME.cfl have one)", name);

	pair_init(&p, stem);
	pair_finish(&p);
	compare(&p);
	pair_free(&p);
	free(stem);
}
