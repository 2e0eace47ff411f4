/* Self-tests of kernel families, and the memory that they were passed. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/cache.h"
#include "num/cuda/selftest.h"
#include "num/cuda/settings.h"
#include "num/device.h"

#define FAMILY(name) &gpu_selftest_##name,
static struct gpu_selftest *const families[] = {GPU_SELFTEST_FAMILIES(FAMILY)};
#undef FAMILY

enum { FAMILIES = sizeof families / sizeof families[0], MARK = 128 };

/** The file that says which build passed the test on the device in use; NULL: nowhere to keep it. */
static char *mark_of(const struct gpu_selftest *t)
{
	const int id = gpu_current();
	char *name = mem_printf("selftest-%s-%s-%d", t->name, device_name(id), device_capability(id));

	for (char *p = name; *p; p++)
		if ('/' == *p || ' ' == *p)
			*p = '_';

	char *path = strcmp(device_toolkit(), "emulated") ? cache_path(name) : NULL;

	free(name);

	return path;
}

static void line_of(char line[MARK])
{
	snprintf(line, MARK, "%s driver %d", gpu_build(), gpu_driver_version());
}

static bool is_marked(const char *mark)
{
	char line[MARK], found[MARK] = "";
	FILE *f = (NULL == mark) ? NULL : fopen(mark, "r");

	if (NULL == f)
		return false;

	line_of(line);

	const bool read = NULL != fgets(found, sizeof found, f);

	fclose(f);

	return read && 0 == strcmp(line, found);
}

/** Under its name at once, as others may do the same; failing only means a test more. */
static void write_mark(const char *mark)
{
	char line[MARK], *temporary = mem_printf("%s.%ld", mark, (long)getpid());
	FILE *f = fopen(temporary, "w");

	if (NULL != f) {
		line_of(line);

		const bool written = 0 <= fputs(line, f);

		if (0 != fclose(f) || !written || 0 != rename(temporary, mark))
			unlink(temporary);
	}

	free(temporary);
}

static void run(struct gpu_selftest *t)
{
	char why[256] = "";

	if (!t->fn(why, sizeof why))
		error("GPU: the self-test '%s' fails on %s: %s; the results of this GPU, driver and build "
		      "cannot be "
		      "trusted; --device cpu computes without it",
		        t->name, device_name(gpu_current()), why);
}

void gpu_selftest(struct gpu_selftest *t)
{
	bool *passed = &t->passed[gpu_current()];

	if (*passed)
		return;

	*passed = true; // first: the test uses the family
	char *mark = mark_of(t);

	if (!is_marked(mark)) {
		run(t);

		if (NULL != mark)
			write_mark(mark);
	}

	free(mark);
}

int device_selftests(void)
{
	return FAMILIES;
}

const char *device_selftest_name(int i)
{
	return families[i]->name;
}

bool device_selftest(int i, char *why, size_t room)
{
	return families[i]->fn(why, room);
}
