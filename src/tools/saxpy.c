#include <complex.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "num/md/saxpy.h"
#include "num/shape/merge_header.h"

int main_saxpy(int argc, char *argv[]);

int main_saxpy(int argc, char *argv[])
{
	complex double s = 0;
	const char *x_name = NULL, *y_name = NULL, *out = NULL;
	int type = -1;

	const struct opt opts[] = {
	        OPT_TYPE(&type),
	        ARG_COMPLEX("SCALE", &s, "factor of X: 2, -0.5, 1+2i"),
	        ARG_IN("X", &x_name, "any array"),
	        ARG_IN("Y", &y_name, "array of the same size; dimensions of length 1 are repeated"),
	        ARG_OUT("OUT", &out, "SCALE X + Y"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "saxpy",
	        .group = GROUP_CALCULATE,
	        .synonyms = "axpy add",
	        .about = "Add a multiple of an array to another",
	        .details = "OUT is SCALE X + Y, element by element. X and Y may have different "
	                   "types. The result has the smallest type that holds the types of both. "
	                   "If SCALE is an integer, integers stay integers, and bool becomes int8. "
	                   "An integer sum that "
	                   "does not fit is clipped, and a warning is printed. If SCALE is a "
	                   "fraction, integers of 8 and 16 bits become float32, and larger "
	                   "integers become float64. A complex SCALE makes the result complex. "
	                   "The option --type chooses another type. Spacing, origin, quantity and "
	                   "unit are kept if X and Y agree. OUT may be the same array as X or Y.",
	        .examples = "gantry saxpy -1 reconstruction phantom difference\ngantry saxpy 2 x y y",
	        .by_parts = true,
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	struct cfl *x = cfl_open(x_name), *y = cfl_open(y_name);
	const struct hdr *const both[] = {&x->hdr, &y->hdr};
	struct hdr h;

	merge_grid(&h, 2, both);
	merge_quantity(&h, 2, both);
	h.type = (0 <= type) ? (enum dtype)type : saxpy_type(dtype_promote(x->hdr.type, y->hdr.type), s);

	struct cfl *z = cfl_create(out, &h);

	saxpy_run(z, s, x, y);
	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	cfl_close(z);
	leave(EXIT_DONE);
}
