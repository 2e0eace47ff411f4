/* Self-tests of kernel families, and the memory that they were passed. */

#include <fcntl.h>
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

enum { FAMILIES = sizeof families / sizeof families[0] };

/** The file that says that this build passed the test on the device in use; NULL: nowhere to keep it. */
static char *mark_of(const struct gpu_selftest *t)
{
	const int id = gpu_current();
	char *name = mem_printf("selftest-%s-%s-%s-%d-%d", t->name, gpu_build(), device_name(id),
	        device_capability(id), gpu_driver_version());

	for (char *p = name; *p; p++)
		if ('/' == *p || ' ' == *p)
			*p = '_';

	char *path = cache_path(name);

	free(name);

	return path;
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

	if (NULL == mark || 0 != access(mark, F_OK)) {
		run(t);

		const int fd = (NULL == mark) ? -1 : open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

		if (fd >= 0)
			close(fd);
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
