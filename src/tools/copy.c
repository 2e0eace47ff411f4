#include <string.h>

#include "misc/describe.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/progress.h"

int main_copy(int argc, char *argv[]);

/* Blocks small enough to stay in the cache of a pipe, large enough to hide the calls. */
enum { BLOCK_BYTES = 4 << 20 };

static void copy_elements(struct cfl *out, struct cfl *in)
{
	long size = (long)dtype_size(in->hdr.type);
	long block = BLOCK_BYTES / size;

	progress_start("copy", in->count);

	for (long first = 0; first < in->count; first += block) {
		long n = in->count - first < block ? in->count - first : block;
		const void *src = cfl_next(in, n);

		memcpy(cfl_slab(out, n), src, (size_t)(n * size));
		cfl_done_with(in, first, n);
		progress_add(n);
	}

	progress_end();
}

int main_copy(int argc, char *argv[])
{
	const char *in_name = NULL, *out_name = NULL;
	struct describe_opts about = {0};

	const struct opt opts[] = {
	        OPT_DESCRIBE(&about),
	        ARG_IN("IN", &in_name, "any array"),
	        ARG_OUT("OUT", &out_name, "the same array: type, elements and header sections"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "copy",
	                .group = GROUP_MAKE,
	                .synonyms = "cp",
	                .about = "Copy an array between files, containers and pipes",
	                .details = "OUT keeps the element type, dimensions, grid, quantity, unit and "
	                           "unknown header sections of IN. The name OUT gives the format. NAME or "
	                           "NAME.cfl means a pair of files, NAME.hdr and NAME.cfl. X.npy and X.ra "
	                           "are single files, and - is a stream. The formats .npy and .ra lose "
	                           "grid, quantity and unit. The options --spacing, --origin, --quantity "
	                           "and --unit set the lost properties again.",
	                .examples = "gantry copy vol vol.npy\n"
	                            "gantry copy --spacing 0.2:0.2:0.2 --quantity attenuation vol.npy vol\n"
	                            "gantry copy vol - | ssh host gantry copy - vol",
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *in = cfl_open(in_name);
	struct hdr h;

	hdr_copy(&h, &in->hdr);
	describe(&h, &about);

	struct cfl *out = cfl_create(out_name, &h);

	copy_elements(out, in);
	cfl_close(in);
	cfl_close(out);
	hdr_free(&h);
	leave(EXIT_DONE);
}
