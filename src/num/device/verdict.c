/** Verdicts of self-tests: a file with two lines, what the verdict depends on, and "passed" or "failed: WHY".
 */

#include "num/device/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/mem.h"
#include "num/device/cache.h"

static const char passed_word[] = "passed", failed_word[] = "failed: ";

/** The path of the file; NULL: no folder. */
static char *path_of(const char *family, const char *device)
{
	char *name = mem_printf("selftest-%s-%s", family, device);

	for (char *p = name; *p; p++)
		if (*p == '/' || *p == ' ')
			*p = '_';

	char *path = cache_path(name);

	free(name);
	return path;
}

/** The first line: build and state. The kernels are in the running program or in the library, and both are
 * installed together. */
static char *head_of(const char *state)
{
	struct stat st;
	const bool known = 0 == stat("/proc/self/exe", &st);
	char *head = mem_printf("%s-%lx %s", GANTRY_VERSION, known ? (long)st.st_mtime : 0l, state);

	for (char *p = head; *p; p++)
		if (*p == '\n')
			*p = ' ';

	return head;
}

static bool read_line(char *line, size_t room, FILE *f)
{
	if (!fgets(line, (int)room, f))
		return false;

	line[strcspn(line, "\n")] = 0;
	return true;
}

enum verdict verdict_read(const char *family, const char *device, const char *state, char *why, size_t room)
{
	char *path = path_of(family, device), *head = head_of(state), first[1024], second[512];
	FILE *f = path ? fopen(path, "r") : NULL;
	enum verdict v = VERDICT_UNKNOWN;

	if (f && read_line(first, sizeof first, f) && 0 == strcmp(first, head) &&
	        read_line(second, sizeof second, f)) {
		if (0 == strcmp(second, passed_word))
			v = VERDICT_PASSED;

		if (0 == strncmp(second, failed_word, strlen(failed_word))) {
			snprintf(why, room, "%s", second + strlen(failed_word));
			v = VERDICT_FAILED;
		}
	}

	if (f)
		fclose(f);

	free(path);
	free(head);
	return v;
}

void verdict_write(const char *family, const char *device, const char *state, bool passed, const char *why)
{
	char *path = path_of(family, device);

	if (!path)
		return;

	char *temporary = mem_printf("%s.XXXXXX", path), *head = head_of(state);
	char *text = mem_printf("%s\n%s%s\n", head, passed ? passed_word : failed_word, passed ? "" : why);
	const int fd = mkstemp(temporary);

	if (fd >= 0) {
		const ssize_t bytes = (ssize_t)strlen(text);
		const bool written = bytes == write(fd, text, (size_t)bytes);

		if (0 != close(fd) || !written || 0 != rename(temporary, path))
			unlink(temporary);
	}

	free(text);
	free(head);
	free(temporary);
	free(path);
}
