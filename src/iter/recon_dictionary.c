#include <stdlib.h>
#include <string.h>

#include "iter/recon_dictionary.h"

#include "iter/recon_words.h"
#include "linops/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/parse.h"

enum { SPACE = 3, LEVELS = 3 };

struct linop *recon_dictionary_create(const char *text, enum dtype type, const long dims[3])
{
	if (NULL == text || 0 == strcmp(text, "voxels"))
		return NULL;

	char *copy = mem_strdup(text), *rest = copy;
	int family = WAVELET_HAAR;
	long levels = LEVELS;

	if (0 != strcmp(strsep(&rest, ":"), "wavelet"))
		usage_error(
		        "--dictionary %s: expected voxels or wavelet[:levels=N][:family=haar|db2|db4]", text);

	for (char *part; NULL != (part = strsep(&rest, ":"));)
		if (0 == strncmp(part, "levels=", 7))
			levels = parse_long(part + 7, "--dictionary levels");
		else if (0 == strncmp(part, "family=", 7))
			family = recon_wavelet_family("--dictionary", part + 7);
		else
			usage_error("--dictionary %s: '%s' is not understood", text, part);

	free(copy);

	if (levels < 1)
		usage_error("--dictionary %s: levels=%ld, expected at least 1", text, levels);

	unsigned long flags = 0;

	for (int d = 0; d < SPACE; d++)
		flags |= (1 < dims[d]) ? 1ul << d : 0;

	const long most = wavelet_max_levels(SPACE, dims, flags);

	if (most < 1)
		usage_error("--dictionary %s: the volume is a single voxel, expected more", text);

	return linop_wavelet_create(type, SPACE, dims, flags, (enum wavelet_family)family, WAVELET_PERIODIC,
	        (levels < most) ? levels : most);
}
