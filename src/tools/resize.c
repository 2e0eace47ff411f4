#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"

int main_resize(int argc, char *argv[]);

/* The input's elements are shifted by `shift` in the output. */
static void resize_dim(struct shaping_dim *e, long size, long shift)
{
	long from = shift < 0 ? -shift : 0, at = shift > 0 ? shift : 0;
	long n = e->n - from < size - at ? e->n - from : size - at;

	*e = (struct shaping_dim){.src = e->src, .start = from, .step = 1, .at = at, .n = n, .size = size};
}

int main_resize(int argc, char *argv[])
{
	struct opt_list pairs = {0};
	bool center = false;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_FLAG('c', "center", &center, "cut and pad at both ends instead of at the end"),
	        ARG_PAIRS("DIM SIZE", &pairs, "dimension, by number or name, and its new size"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the resized array, same type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "resize",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "crop zeropad",
	                  .about = "Cut or zero-pad an array to new sizes",
	                  .details = "New elements beyond the old size are zero. Without -c, element 0 "
	                             "stays element 0. With -c, element n/2 of the old size n becomes "
	                             "element m/2 of the new size m. The numbers n/2 and m/2 are rounded "
	                             "down. Every kept element keeps its position in mm.",
	                  .examples = "gantry resize x 512 y 512 volume larger\ngantry resize -c u 1024 "
	                              "projections padded",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	unsigned long seen = 0;
	struct cfl *x = shaping_open(&s, &h, in);

	for (int k = 0; k < pairs.n; k += 2) {
		int d = shaping_pair(&pairs, k, &seen);
		long size = parse_long(pairs.v[k + 1], "SIZE");

		if (size < 1)
			usage_error("size %ld of dimension %s, expected at least 1", size, pairs.v[k]);

		long shift = center ? size / 2 - h.dims[d] / 2 : 0;

		resize_dim(&s.dim[d], size, shift);
		shaping_subrange(&h, d, -shift, 1, size);
	}

	hdr_count(&h, out);
	shaping_write(&s, &h, seen, x, out, "resizing");
	leave(EXIT_DONE);
}
