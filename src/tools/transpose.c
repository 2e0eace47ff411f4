#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/shape/shaping.h"

int main_transpose(int argc, char *argv[]);

int main_transpose(int argc, char *argv[])
{
	int a = 0, b = 0;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_DIM("DIM1", &a, "a dimension, by number or name"),
	        ARG_DIM("DIM2", &b, "dimension to exchange it with"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "same elements and type, the two dims exchanged"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "transpose",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "swapaxes",
	                  .about = "Exchange two dimensions of an array",
	                  .details = "Spacing and origin move with their dimension. If the header has a "
	                             "section # Direction, the axes in this section are exchanged, and the "
	                             "origin is kept.",
	                  .examples =
	                          "gantry transpose y z volume turned\ngantry transpose 0 1 image transposed",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	struct cfl *x = shaping_open(&s, &h, in);

	int order[DIMS];

	for (int d = 0; d < DIMS; d++)
		order[d] = a == d ? b : b == d ? a : d;

	shaping_permute(&s, &h, order);
	shaping_write(&s, &h, a == b ? 0 : 1UL << a | 1UL << b, x, out, "transposing");
	leave(EXIT_DONE);
}
