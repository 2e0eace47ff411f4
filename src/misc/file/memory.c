/** Available memory: /proc and the control groups, version 1 and 2. */

#include "misc/file/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/mem.h"

/** The number behind `key` on a line of its own in a file of /proc, in KiB there [bytes]; -1: none. */
static long kibibytes(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	char line[256];
	long found = -1;

	while (f && found < 0 && fgets(line, sizeof line, f))
		if (0 == strncmp(line, key, strlen(key)))
			found = strtol(line + strlen(key), NULL, 10);

	if (f)
		fclose(f);

	return (found >= 0 && found < LONG_MAX / 1024) ? found * 1024 : -1;
}

/** A limit in a file: a number, or "max". */
static long limit_of(const char *folder, const char *group, const char *file)
{
	char *path = mem_printf("%s%s/%s", folder, group, file);
	FILE *f = fopen(path, "re");
	long limit = LONG_MAX;

	if (f && (1 != fscanf(f, "%ld", &limit) || limit <= 0))
		limit = LONG_MAX;

	if (f)
		fclose(f);

	free(path);
	return limit;
}

/** The smallest limit of a group and those around it. */
static long smallest(const char *folder, char *group, const char *file)
{
	long limit = LONG_MAX;

	for (;;) {
		const long here = limit_of(folder, group, file);
		char *slash = strrchr(group, '/');

		limit = (here < limit) ? here : limit;

		if (!slash)
			return limit;

		*slash = 0;
	}
}

long memory_group_limit(const char *groups, const char *root)
{
	FILE *f = fopen(groups, "re");
	char line[4096], *split = mem_printf("%s/memory", root);
	long limit = LONG_MAX;

	while (f && fgets(line, sizeof line, f)) {
		char *kinds = strchr(line, ':'), *group = kinds ? strchr(kinds + 1, ':') : NULL;
		long here = LONG_MAX;

		if (!group)
			continue;

		*group++ = 0;
		group[strcspn(group, "\n")] = 0;

		if (0 == strcmp(kinds, ":"))
			here = smallest(root, group, "memory.max");
		else if (strstr(kinds, "memory"))
			here = smallest(split, group, "memory.limit_in_bytes");

		limit = (here < limit) ? here : limit;
	}

	if (f)
		fclose(f);

	free(split);
	return limit;
}

long memory_available(void)
{
	const long machine = kibibytes("/proc/meminfo", "MemAvailable:"),
	           group = memory_group_limit("/proc/self/cgroup", "/sys/fs/cgroup");

	return (machine >= 0 && machine < group) ? machine : group;
}

long memory_private(void)
{
	FILE *f = fopen("/proc/self/statm", "re"); // several times faster than the file "status"
	long all = 0, of_files = 0;

	if (f && 2 != fscanf(f, "%*s %ld %ld", &all, &of_files))
		all = of_files = 0;

	if (f)
		fclose(f);

	return (all - of_files) * sysconf(_SC_PAGESIZE);
}
