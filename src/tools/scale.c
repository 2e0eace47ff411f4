#include <complex.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "num/md/saxpy.h"

int main_scale(int argc, char *argv[]);

int main_scale(int argc, char *argv[])
{
	complex double factor = 0;
	const char *in = NULL, *out = NULL;
	int type = -1;

	const struct opt opts[] = {
	        OPT_TYPE(&type),
	        ARG_COMPLEX("FACTOR", &factor, "number: 2, -0.5, 1+2i"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "FACTOR IN"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "scale",
	        .group = GROUP_CALCULATE,
	        .synonyms = "mul multiply",
	        .about = "Multiply an array by a number",
	        .details = "The type is kept, except that integers times a fraction become float32 (8 and 16 "
	                   "bits) or float64, and real data times a complex number become complex. Integers "
	                   "times an integer are clipped, with a warning, if they do not fit; --type gives "
	                   "another type. Spacing, origin, quantity and unit are kept.",
	        .examples =
	                "gantry scale 0.02 phantom attenuation\ngantry scale --type float32 2 counts doubled",
	        .by_parts = true,
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	hdr_copy(&h, &x->hdr);
	h.type = (0 <= type) ? (enum dtype)type : saxpy_type(h.type, factor);

	struct cfl *y = cfl_create(out, &h);

	saxpy_run(y, factor, x, NULL);
	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
