#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_dictionary.h"

#include "iter/recon/recon_words.h"
#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

enum { SPACE = 3, LEVELS = 3 };

/** wavelet[:levels=N][:family=F]: the levels, 0 if omitted. */
static long parse_wavelet(const char *text, int *family)
{
	char *copy = mem_strdup(text), *rest = copy;
	long levels = 0;

	if (0 != strcmp(strsep(&rest, ":"), "wavelet"))
		usage_error(
		        "--dictionary %s: expected voxels or wavelet[:levels=N][:family=haar|db2|db4]", text);

	for (char *part; NULL != (part = strsep(&rest, ":"));)
		if (0 == strncmp(part, "levels=", 7)) {
			levels = parse_long(part + 7, "--dictionary levels");

			if (levels < 1)
				usage_error("--dictionary %s: levels=%ld, expected at least 1", text, levels);
		} else if (0 == strncmp(part, "family=", 7)) {
			*family = recon_wavelet_family("--dictionary", part + 7);
		} else {
			usage_error(
			        "--dictionary %s: unknown key '%s' (valid: levels=N, family=F)", text, part);
		}

	free(copy);

	return levels;
}

struct linop *recon_dictionary_create(const char *text, enum dtype type, const long dims[3], bool dry_run)
{
	if (NULL == text || 0 == strcmp(text, "voxels"))
		return NULL;

	int family = WAVELET_HAAR;
	long levels = parse_wavelet(text, &family);
	unsigned long flags = 0;

	for (int d = 0; d < SPACE; d++)
		flags |= (1 < dims[d]) ? 1ul << d : 0;

	const long most = wavelet_max_levels(SPACE, dims, flags);

	if (most < 1)
		usage_error("--dictionary %s: the volume is a single voxel, expected at least two", text);

	if (levels > most && !dry_run)
		usage_error(
		        "--dictionary %s: levels=%ld, but the volume has at most %ld", text, levels, most);

	if (0 == levels)
		levels = LEVELS;

	return linop_wavelet_create(type, SPACE, dims, flags, (enum wavelet_family)family, WAVELET_PERIODIC,
	        (levels < most) ? levels : most);
}
