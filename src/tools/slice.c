#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"

int main_slice(int argc, char *argv[]);

static long parse_index(const char *text, long n, const char *dim)
{
	long i = parse_long(text, "INDEX");

	if (i < -n || i >= n)
		usage_error("index %ld of dimension %s, expected 0..%ld (or -%ld..-1 from the end)", i, dim,
		        n - 1, n);

	return i < 0 ? i + n : i;
}

int main_slice(int argc, char *argv[])
{
	struct opt_list pairs = {0};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_PAIRS("DIM INDEX", &pairs, "dimension (number or name), and the index to keep"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the slice, same type; the named dimensions have length 1"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "slice",
	                .group = GROUP_SHAPE,
	                .synonyms = "select",
	                .about = "Select one index along each of some dimensions",
	                .details = "A negative INDEX counts from the end of the dimension. The selected "
	                           "dimensions are kept, with length 1. The slice keeps its position in "
	                           "mm.",
	                .examples =
	                        "gantry slice z 128 volume middle\ngantry slice v 0 view -1 projections line",
	                .by_parts = true,
	                .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	unsigned long seen = 0;
	struct cfl *x = shaping_open(&s, &h, in);

	for (int k = 0; k < pairs.n; k += 2) {
		int d = shaping_pair(&pairs, k, &seen);
		long i = parse_index(pairs.v[k + 1], h.dims[d], pairs.v[k]);

		s.dim[d] = (struct shaping_dim){.src = d, .start = i, .step = 1, .n = 1, .size = 1};
		shaping_subrange(&h, d, i, 1, 1);
	}

	shaping_write(&s, &h, seen, x, out, "slicing");
	leave(EXIT_DONE);
}
