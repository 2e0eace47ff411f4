/* Limits of control groups, of either version. */

#include <limits.h>
#include <sys/stat.h>

#include "check.h"

#include "misc/file/memory.h"
#include "misc/mem.h"

static char root[SCRATCH];

/* A file below the root, with its folders. */
static void put(const char *path, const char *text)
{
	char *name = mem_printf("%s/%s", root, path);

	for (char *slash = name + strlen(root) + 1; NULL != (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(name, 0700);
	}

	FILE *f = fopen(name, "w");

	if (!f || EOF == fputs(text, f) || 0 != fclose(f))
		abort();

	free(name);
}

static void expect(long limit, const char *groups, const char *name)
{
	char *file = mem_printf("%s/groups", root);

	put("groups", groups);

	const long found = memory_group_limit(file, root);

	check(limit == found, "%s: %ld", name, found);
	free(file);
}

int main(void)
{
	if (!mkdtemp(scratch_name(root)))
		abort();

	put("a/memory.max", "5000000\n");
	put("a/b/memory.max", "max\n");
	put("a/b/c/memory.max", "7000000\n");
	put("low/memory.max", "3000000\n");
	put("zero/memory.max", "0\n");
	put("memory/x/memory.limit_in_bytes", "2000000\n");
	put("memory/x/y/memory.limit_in_bytes", "9223372036854771712\n");

	expect(LONG_MAX, "", "no group");
	expect(LONG_MAX, "0::/\n", "version 2: the root without a limit");
	expect(LONG_MAX, "0::/none\n", "version 2: a group without a limit");
	expect(5000000, "0::/a\n", "version 2: a limit");
	expect(5000000, "0::/a/b/c\n", "version 2: the limit of a group around it");
	expect(3000000, "0::/low\n", "version 2: another group");
	expect(LONG_MAX, "0::/zero\n", "version 2: 0 is none");
	expect(2000000, "4:memory:/x\n", "version 1: a limit");
	expect(2000000, "9:cpu,cpuacct:/a\n8:pids:/a\n4:cpuset,memory:/x/y\n", "version 1: among others");
	expect(LONG_MAX, "9:cpu,cpuacct:/x\n1:name=systemd:/a\n", "version 1: no group of memory");
	expect(2000000, "4:memory:/x\n0::/low\n", "both versions: the smaller one");
	expect(3000000, "4:memory:/none\n0::/low\n", "both versions: the only one");
	expect(3000000, "damaged\n:\n::\n0::/low\n", "lines that are none");
	put("memory.max", "1000000\n");
	expect(1000000, "0::/a/b\n", "version 2: the root");

	char *gone = mem_printf("%s/gone", root);

	check(LONG_MAX == memory_group_limit(gone, root), "no file of groups");
	check(memory_available() > 0 && memory_private() > 0, "this process");
	free(gone);

	char *clean = mem_printf("rm -r '%s'", root);

	check(0 == system(clean), "the folder is removed");
	free(clean);

	return checks_failed > 0;
}
