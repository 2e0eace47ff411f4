/** A part or a view of an array, as a new array. */

#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/shape/viewing.h"

int main_view(int argc, char *argv[]);

int main_view(int argc, char *argv[])
{
	const char *index = NULL, *mask = NULL, *text = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_ARRAY(0, "index", &index, "FILE", "array of the indices that [:, index] takes"),
	        OPT_ARRAY(0, "mask", &mask, "FILE", "mask of [:, mask], as long as the dimension"),
	        ARG_STRING("VIEW", &text, "steps like '[2:-2, ::-1]', real, 'diagonal(x,y)', '[..., 0].T'"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the selected elements, same type (real part of complex: real)"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "view",
	                  .group = GROUP_SHAPE,
	                  .about = "Slice an array with NumPy syntax",
	                  .details = "VIEW is a chain of steps. Each step is applied to the result of the "
	                             "step before. The first dot may be omitted. These steps select "
	                             "ranges:\n\n"
	                             "[2:-2, ::-1, 5]: a range START:STOP[:STEP] or an index for each "
	                             "dimension, dimension 0 first. STOP is excluded. Negative numbers "
	                             "count from the end.\n"
	                             "[..., 0]: an ellipsis (...) means all dimensions in between.\n\n"
	                             "Unlike in NumPy, a dimension with an index is kept, with length 1. "
	                             "These steps select single indices:\n\n"
	                             "[:, [0, 3, 5:9]]: the indices in a list.\n"
	                             "[:, index]: the indices in the array --index.\n"
	                             "[:, mask]: the indices at which the array --mask is not 0.\n\n"
	                             "Only one dimension of the last step may have a list, index or mask. A "
	                             "dimension with a list, index or mask keeps its place. Several lists "
	                             "are refused; NumPy takes several lists as pairs of indices. The other "
	                             "steps are:\n\n"
	                             ".real, .imag: real or imaginary part.\n"
	                             ".flip(x,z): the order of elements is reversed along x and z.\n"
	                             ".transpose(x,y): two dimensions are exchanged.\n"
	                             ".permute(2,0,1): the dimensions get a new order.\n"
	                             ".T: the order of all dimensions is reversed.\n"
	                             ".squeeze: dimensions of length 1 go last.\n"
	                             ".reshape(64,-1): the sizes are changed, and the elements keep their "
	                             "order.\n"
	                             ".diagonal(x,y[,OFFSET]): the elements (k, k + OFFSET), stored along "
	                             "the first dimension.\n\n"
	                             "Elements keep their position in mm, except in flip. The step flip "
	                             "mirrors the elements within an unchanged grid. The array has no grid "
	                             "after reshape, after diagonal, and after a list without a constant "
	                             "step.",
	                  .examples = "gantry view '[::2, ::2, 10:20]' volume fewer\n"
	                              "gantry view real spectrum re\n"
	                              "gantry view 'diagonal(x,y)' volume diagonal\n"
	                              "gantry view '[..., -1].T' projections last\n"
	                              "gantry view --index order '[:, :, index]' projections sorted",
	                  .opts = opts},
	        argc, argv);

	const char *names[] = {in, index, mask};
	struct cfl *x[3] = {NULL};
	struct array *all[3] = {NULL};

	for (int i = 0; i < 3; i++) {
		if (!names[i])
			continue;

		x[i] = cfl_open(names[i]);
		all[i] = array_open(x[i]);
	}

	struct viewing w = {.index = all[1], .mask = all[2], .v = all[0]};

	hdr_copy(&w.h, &x[0]->hdr);
	viewing_run(&w, text);

	struct cfl *y = cfl_create(out, &w.h);
	struct array *a = array_out(y);

	viewing_copy(a, &w);
	viewing_free(&w);
	array_free(a);

	for (int i = 0; i < 3; i++)
		if (x[i])
			cfl_close(x[i]);

	array_free(all[1]);
	array_free(all[2]);
	cfl_close(y);
	leave(EXIT_DONE);
}
