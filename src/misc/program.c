/** The path of the running program. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/program.h"

const char *program_path(void)
{
	static char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	if (n >= 0)
		path[n] = '\0';
	else if (!realpath((const char *)getauxval(AT_EXECFN), path)) // a chroot without /proc
		error("%s: %s", (const char *)getauxval(AT_EXECFN), strerror(errno));

	return path;
}

const char *program_folder(void)
{
	static char folder[PATH_MAX];

	strcpy(folder, program_path());
	*strrchr(folder, '/') = '\0';
	return folder;
}
