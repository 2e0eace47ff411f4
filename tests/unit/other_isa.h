#ifndef TESTS_UNIT_OTHER_ISA_H
#define TESTS_UNIT_OTHER_ISA_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/** Runs this program again with argument "-" and another instruction set, which is chosen when a program
 * starts. */
static void test_isa(char *self, const char *isa)
{
	char *const arg[] = {self, "-", NULL};
	int status = -1;

	fflush(stdout);

	const pid_t child = fork();

	if (0 == child) {
		setenv("GANTRY_ISA", isa, 1);
		execv(self, arg);
		_exit(127);
	}

	check(child > 0 && child == waitpid(child, &status, 0) && WIFEXITED(status) && !WEXITSTATUS(status),
	        "the same with %s", isa);
}

#endif
