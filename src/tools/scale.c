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
	        .details = "If FACTOR is an integer, OUT has the type of IN (int8 for bool). A product of "
	                   "integers that does not fit is clipped, and a warning is printed. If "
	                   "FACTOR is a fraction, integers of 8 and 16 bits become float32, and "
	                   "larger integers become float64. A complex FACTOR makes OUT complex. "
	                   "The option --type chooses another type. Spacing, origin, quantity and "
	                   "unit are kept.",
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
