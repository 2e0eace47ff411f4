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
	                  .details =
	                          "VIEW is a chain of steps, each applied to the result of the step before; "
	                          "the first dot may be omitted:\n"
	                          "\n"
	                          "[2:-2, ::-1, 5] takes a range START:STOP[:STEP] or an index per "
	                          "dimension, dimension 0 first. STOP is excluded, and negative numbers "
	                          "count from the end. An ellipsis (...) means all dimensions in between. "
	                          "Unlike in NumPy a dimension with an index keeps its position with length "
	                          "1.\n"
	                          "\n"
	                          "[:, [0, 3, 5:9]] takes a list; [:, index] takes the indices in the array "
	                          "--index; [:, mask] takes the indices at which the array --mask is not 0. "
	                          "Only one list, index or mask is allowed, in the last step; its dimension "
	                          "keeps its position. Several lists, which NumPy takes as pairs of "
	                          "indices, are refused.\n"
	                          "\n"
	                          ".real .imag .flip(x,z) .transpose(x,y) .permute(2,0,1) .T (all dimensions "
	                          "reversed) .squeeze (those of length 1 go last) .reshape(64,-1) "
	                          ".diagonal(x,y[,OFFSET]) (elements (k, k + OFFSET), stored along the "
	                          "first dimension).\n"
	                          "\n"
	                          "Elements stay at their position in mm; flip mirrors them in an unchanged "
	                          "grid; reshape, diagonal and lists without a constant step give an array "
	                          "without a grid.",
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
