#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"

int main_circshift(int argc, char *argv[]);

int main_circshift(int argc, char *argv[])
{
	struct opt_list pairs = {0};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_PAIRS("DIM N", &pairs,
	                "dimension (number or name), and by how many places elements move up"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "same dims and type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "circshift",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "roll shift",
	                  .about = "Shift the elements along dimensions cyclically",
	                  .details = "In a dimension of n elements, element i becomes element (i + N) mod "
	                             "n. The shift N may be negative, and may be larger than n. The data "
	                             "move within an unchanged grid: spacing and origin are kept.",
	                  .examples = "gantry circshift x 10 volume shifted\n"
	                              "gantry circshift u -3 view 90 projections turned",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	unsigned long seen = 0;
	struct cfl *x = shaping_open(&s, &h, in);

	for (int k = 0; k < pairs.n; k += 2) {
		int d = shaping_pair(&pairs, k, &seen);

		shaping_wrap(&s, d, -(parse_long(pairs.v[k + 1], pairs.v[k]) % h.dims[d]), h.dims[d]);
	}

	shaping_write(&s, &h, seen, x, out, "shifting");
	leave(EXIT_DONE);
}
