#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"

int main_repmat(int argc, char *argv[]);

int main_repmat(int argc, char *argv[])
{
	struct opt_list pairs = {0};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_PAIRS("DIM COUNT", &pairs, "dimension (number or name), and the number of copies"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the copies, same type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "repmat",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "tile repeat",
	                  .about = "Repeat an array along dimensions",
	                  .details = "The grid of the result continues the grid of the input. Elements of "
	                             "the input keep their position in mm. Arithmetic does not need repmat: "
	                             "saxpy, expr and other commands repeat dimensions of length 1 "
	                             "automatically.",
	                  .examples = "gantry repmat view 360 flat flats\ngantry repmat x 2 y 3 tile pattern",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	unsigned long seen = 0;
	struct cfl *x = shaping_open(&s, &h, in);

	for (int k = 0; k < pairs.n; k += 2) {
		int d = shaping_pair(&pairs, k, &seen);
		long count = parse_long(pairs.v[k + 1], "COUNT");

		if (count < 1)
			usage_error("%ld copies along dimension %s, expected at least 1", count, pairs.v[k]);

		long size = mul_checked(h.dims[d], count, out);

		shaping_wrap(&s, d, 0, size);
		shaping_subrange(&h, d, 0, 1, size);
	}

	hdr_count(&h, out);
	shaping_write(&s, &h, seen, x, out, "repeating");
	leave(EXIT_DONE);
}
