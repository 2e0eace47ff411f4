/* Algorithms and formats, walked by their lists: each is found by what names it and says what it needs. */

#include <ctype.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_kinds.h"
#include "misc/formats/source.h"
#include "misc/formats/target.h"
#include "misc/mem.h"

static bool is_name(const char *s)
{
	for (; '\0' != *s; s++)
		if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && '-' != *s)
			return false;

	return true;
}

static void test_algorithm(const struct algorithm *a)
{
	check(is_name(a->name) && algorithm_find(a->name) == a, "%s: is found by its name", a->name);
	check(NULL != a->about && '\0' != *a->about && '.' != a->about[strlen(a->about) - 1],
	        "%s: says what it is", a->name);
	check(NULL != a->begin && NULL != a->iterate, "%s: begins and iterates", a->name);
	check(0 <= a->volumes && 0 <= a->projections && 0 <= a->terms, "%s: counts its vectors", a->name);
	check((0 < a->basis) == (0 != (a->takes & (KEEPS_VOLUMES | KEEPS_PROJECTIONS))),
	        "%s: a basis where it keeps one", a->name);
	check(0 == a->subsets || (a->takes & TAKES_SUBSETS), "%s: subsets where it takes some", a->name);

	for (int i = 0; NULL != a->words && NULL != a->words[i]; i++)
		check(NULL != recon_kind_find(a->words[i]), "%s: its term %s is known", a->name, a->words[i]);
}

static void test_format(const struct format *f, int number)
{
	static const unsigned char zeros[FORMAT_HEAD];

	check(NULL != f->name && NULL != f->probe && NULL != f->open, "%s: is probed and opened", f->name);
	check(!f->probe(zeros, 0, "empty") && !f->probe(zeros, FORMAT_HEAD, "zeros"),
	        "%s: is not seen in an empty file or in zeros", f->name);

	for (int i = 0; i < number; i++)
		check(0 != strcmp(formats[i]->name, f->name), "%s: another name than %s", f->name,
		        formats[i]->name);
}

/** Every extension that export names is one of a kind, whatever stands before it. */
static void test_targets(void)
{
	char *all = target_extensions(), *rest = all;

	for (char *extension; NULL != (extension = strsep(&rest, " "));) {
		char *path = mem_printf("folder.x/name%s", extension);
		const struct target_kind *k = target_kind(path);

		check(NULL != k && 0 == strcmp(k->extension, extension) && NULL != k->create && 0 != k->types,
		        "%s: a kind of files with types", extension);
		free(path);
	}

	check(NULL == target_kind("name.none-such"), "no kind for another extension");
	free(all);
}

int main(void)
{
	for (int i = 0; NULL != algorithms[i]; i++)
		test_algorithm(algorithms[i]);

	for (int i = 0; NULL != formats[i]; i++)
		test_format(formats[i], i);

	test_targets();

	return 0 != checks_failed;
}
