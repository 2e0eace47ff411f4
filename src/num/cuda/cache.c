/* The user's cache folder. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/mem.h"
#include "num/cuda/cache.h"

static char *folder(void)
{
	const char *own = getenv("GANTRY_CACHE"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (NULL != own && *own)
		return mem_strdup(own);

	if (NULL != shared && *shared)
		return mem_printf("%s/gantry", shared);

	return (NULL != home && *home) ? mem_printf("%s/.cache/gantry", home) : NULL;
}

/** Makes the folder and those above it. */
static bool make_folder(char *path)
{
	for (char *p = strchr(path + 1, '/'); NULL != p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(path, 0755);
		*p = '/';
	}

	mkdir(path, 0755);

	return 0 == access(path, W_OK | X_OK);
}

char *gpu_cache_path(const char *name)
{
	char *path = folder(), *full = NULL;

	if (NULL != path && make_folder(path))
		full = mem_printf("%s/%s", path, name);

	free(path);

	return full;
}
