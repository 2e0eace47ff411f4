#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/** Shared by the unit programs: prints one line per check, and checks functions that end the process. */

static int checks_failed = 0;

/** Whether GANTRY_TEST_SHORT requests fewer and smaller cases. It is set for the slow sanitizers, which
 * repeat a part of the cases that the full tests run. */
__attribute__((unused)) static bool short_tests(void)
{
	const char *s = getenv("GANTRY_TEST_SHORT");

	return s && *s;
}

/** How many of n random cases to run. */
__attribute__((unused)) static long fewer(long n)
{
	return short_tests() ? (n + 15) / 16 : n;
}

/** Prints "ok NAME" or "not ok NAME: why"; the name is a printf format. */
__attribute__((format(printf, 2, 3), unused)) static void check(bool good, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%s ", good ? "ok" : "not ok");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
	checks_failed += !good;
}

enum { SCRATCH = 4096 };

/** A name for mkstemp() or mkdtemp(), in the folder for temporary files at the time of the first call. */
__attribute__((unused)) static char *scratch_name(char name[SCRATCH])
{
	static char folder[SCRATCH - 32];
	const char *tmp = getenv("TMPDIR");

	if (!*folder)
		snprintf(folder, sizeof folder, "%s", tmp && *tmp ? tmp : "/tmp");

	snprintf(name, SCRATCH, "%s/gantry-unit.XXXXXX", folder);
	return name;
}

/** Runs fn() in a child process and returns its exit status, -1 after a signal. Its standard error is written
 * to text[0..room). */
__attribute__((unused)) static int status_of(void (*fn)(void), char *text, size_t room)
{
	char path[SCRATCH];
	const int fd = mkstemp(scratch_name(path));
	int status;

	unlink(path);
	fflush(stdout);
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(fd, STDERR_FILENO);
		fn();
		_exit(100);
	}
	waitpid(pid, &status, 0);
	const ssize_t n = pread(fd, text, room - 1, 0);
	text[n > 0 ? n : 0] = 0;
	close(fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/** Checks that fn() ends the process with the given status and a message that contains `part`. */
__attribute__((unused)) static void check_ends(
        int status, const char *part, void (*fn)(void), const char *name)
{
	char text[4096];
	const int got = status_of(fn, text, sizeof text);
	const bool good = got == status && strstr(text, part);

	check(good, "%s%s%s", name, good ? "" : ": said: ", good ? "" : text);
}

#endif
