/** Quantiles of an array, or along dimensions. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/md/number.h"
#include "num/array/part.h"
#include "num/shape/order.h"
#include "num/shape/reduce_dims.h"

int main_quantile(int argc, char *argv[]);

static void print(const struct opt_doubles *q, struct cfl *x)
{
	const enum dtype t = quantile_type(x->hdr.type);
	const long size = (long)dtype_size(t);
	char *result = mem_alloc((size_t)(q->n * size));

	tool_plan_text();
	md_quantile_shared(x->hdr.type, DIMS, x->hdr.dims, q->n, q->v, result, cfl_map(x));

	for (int k = 0; k < q->n; k++) {
		char *text = number_text(t, result + k * size);

		printf("%s\n", text);
		free(text);
	}

	free(result);
}

/** Several quantiles lie along the first of the dims. */
static void write_along(const struct opt_doubles *q, unsigned long dims, struct cfl *x, const char *out)
{
	const enum dtype t = quantile_type(x->hdr.type);
	const int first = __builtin_ctzl(dims);
	long istrs[DIMS], ostrs[DIMS];
	struct hdr h;

	hdr_copy(&h, &x->hdr);
	reduce_dims_header(&h, dims);
	h.type = t;
	h.has_detector = false;
	h.quantity = (Q_GEOMETRY == h.quantity) ? Q_UNKNOWN : h.quantity;

	if (1 < q->n) {
		h.dims[first] = q->n;
		h.spacing[first] = 1.;
		h.origin[first] = NAN;
	}

	const struct part p = part_choose(h.dims, dims, 0, 0);

	tool_needs(part_open_memory(&p, x, x->hdr.type) + part_out_memory(&p, &h, t, out), 0.);

	struct cfl *y = cfl_create(out, &h);
	struct array *a = part_open(&p, x, x->hdr.type, false), *b = part_out(&p, y, t, false);

	md_calc_strides(DIMS, istrs, a->dims, dtype_size(x->hdr.type));
	md_calc_strides(DIMS, ostrs, b->dims, dtype_size(t));
	md_quantile2(
	        x->hdr.type, DIMS, a->dims, dims, q->n, q->v, ostrs, ostrs[first], b->data, istrs, a->data);
	array_free(a);
	part_finish(&p, y, b);
	hdr_free(&h);
	cfl_close(y);
}

int main_quantile(int argc, char *argv[])
{
	struct opt_doubles q = {0};
	unsigned long dims = 0;
	bool along = false;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        {0, "dims", OPT_KIND_DIMS, &dims, "DIMS", "along these only: z or 0,1; needs OUT", 0, 0, 0,
	                &along},
	        {0, "Q", OPT_KIND_DOUBLES, &q, 0,
	                "fractions from 0 (minimum) over 0.5 (median) to 1 (maximum)", OPT_IS_ARG, 0, 1, 0},
	        ARG_IN("IN", &in, "any real array"),
	        ARG_OUT_OPTIONAL("OUT", &out, "quantiles along DIMS (without it: of all elements)"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "quantile",
	                .group = GROUP_CALCULATE,
	                .synonyms = "percentile median",
	                .about = "Quantiles of an array, or along dimensions",
	                .details =
	                        "The quantile Q of the sorted values x[0] <= .. <= x[n-1] is x[Q (n - 1)]. "
	                        "If Q (n - 1) is not an integer, neighbours are interpolated linearly, as "
	                        "by default in numpy.quantile. If any of the values is NaN, the result is "
	                        "NaN. Without OUT, the quantiles of the whole array are printed, one per "
	                        "line.\n\n"
	                        "With --dims DIMS, the quantiles are stored along the first dimension of "
	                        "DIMS. The other dimensions of DIMS get length 1. If IN has the type "
	                        "float16, float32 or integers of up to 16 bits, the result has the type "
	                        "float32. For other types of IN, the result has the type float64.\n\n"
	                        "The results are exact. If a quantile is taken over 65536 or more "
	                        "elements, the elements are not sorted. Instead, each pass over the array "
	                        "finds 16 more bits of the quantile by histograms. The histograms need a "
	                        "few MiB per thread. A stream is copied to a temporary file.",
	                .examples = "gantry quantile 0.5 volume\n"
	                            "gantry quantile 0.01:0.99 volume\n"
	                            "gantry quantile --dims view 0.5 flats flat",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	if (along && NULL == out)
		usage_error("--dims needs an output array: gantry quantile --dims DIMS Q IN OUT");

	struct cfl *x = cfl_open(in);

	cfl_expect_real(x);

	if (NULL != out)
		write_along(&q, along ? dims : (1ul << DIMS) - 1, x, out);
	else
		print(&q, x);

	cfl_close(x);
	leave(EXIT_DONE);
}
