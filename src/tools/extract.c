#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"

int main_extract(int argc, char *argv[]);

int main_extract(int argc, char *argv[])
{
	struct opt_list pairs = {0};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_PAIRS("DIM RANGE", &pairs,
	                "dimension (number or name), and the range START:STOP[:STEP] to keep"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the elements inside the ranges, same type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "extract",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "crop cut trim subset",
	                  .about = "Extract a part of an array",
	                  .details = "The index STOP itself is excluded. Negative numbers count from the "
	                             "end of the dimension. A range without START or without STOP extends "
	                             "to the border of the dimension. A single number in place of a range "
	                             "keeps only that index. A negative STEP reverses the order of the "
	                             "elements. Every kept element stays at its position in mm, except in "
	                             "a reversed dimension. In a reversed dimension, the kept elements "
	                             "are mirrored within their grid.",
	                  .examples = "gantry extract z 100:200 volume part\ngantry extract u 10:-10 view "
	                              "::2 projections fewer",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	unsigned long seen = 0;
	struct cfl *x = shaping_open(&s, &h, in);

	for (int k = 0; k < pairs.n; k += 2) {
		int d = shaping_pair(&pairs, k, &seen);
		struct shaping_dim *e = &s.dim[d];

		parse_range(pairs.v[k + 1], h.dims[d], &e->start, &e->step, &e->n, "RANGE");
		e->size = e->n;
		shaping_subrange(&h, d, e->start, e->step, e->n);
	}

	shaping_write(&s, &h, seen, x, out, "extracting");
	leave(EXIT_DONE);
}
