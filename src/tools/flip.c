#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/shape/shaping.h"

int main_flip(int argc, char *argv[]);

int main_flip(int argc, char *argv[])
{
	unsigned long flags = 0;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_DIMS("DIM[,DIM..]", &flags, "dimensions to reverse, by number or name"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "same dims and type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "flip",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "reverse mirror fliplr flipud",
	                  .about = "Reverse the order of the elements along dimensions",
	                  .details = "In a dimension of n elements, element i becomes element n-1-i. The "
	                             "data are mirrored in an unchanged grid, so that left and right are "
	                             "exchanged. Spacing, origin and the header section # Direction are "
	                             "kept.",
	                  .examples = "gantry flip v projections flipped\ngantry flip x,y volume turned",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	struct cfl *x = shaping_open(&s, &h, in);

	for (int d = 0; d < DIMS; d++)
		if (flags & 1UL << d) {
			s.dim[d].start = h.dims[d] - 1;
			s.dim[d].step = -1;
		}

	shaping_write(&s, &h, flags, x, out, "flipping");
	leave(EXIT_DONE);
}
