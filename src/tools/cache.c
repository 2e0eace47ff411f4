/** The cache of compiled kernels. */

#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/device/cache.h"

int main_cache(int argc, char *argv[]);

int main_cache(int argc, char *argv[])
{
	bool clear = false;

	const struct opt opts[] = {
	        OPT_FLAG(0, "clear", &clear, "remove all entries"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "cache",
	        .group = GROUP_RUN,
	        .about = "Show or clear the cache of compiled kernels",
	        .details = "On a GPU, each new form of an expression is compiled to a kernel once. Compiling "
	                   "a kernel takes some tenths of a second. The compiled kernels are kept in a "
	                   "folder. The folder is $GANTRY_CACHE, or else $XDG_CACHE_HOME/gantry, or else "
	                   "~/.cache/gantry. Each kernel is valid for one version of Gantry, one kind of GPU "
	                   "and one compiler. Damaged kernels are compiled again. The command prints the "
	                   "folder, the number of entries and their total size in bytes.",
	        .examples = "gantry cache\n"
	                    "gantry cache --clear",
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	char *folder = cache_folder();

	if (NULL == folder)
		error("no folder for a cache (set GANTRY_CACHE, XDG_CACHE_HOME or HOME)");

	if (tool_plan())
		tool_print_plan("text", 0);

	if (clear) {
		long n = cache_clear();

		info("%ld files removed from %s", n, folder);
	} else {
		double bytes;
		long n = cache_count(&bytes);

		printf("folder %s\nentries %ld\nbytes %.0f\n", folder, n, bytes);
	}

	free(folder);
	leave(EXIT_DONE);
}
