/** Scalar products. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/md/number.h"
#include "num/shape/product_header.h"
#include "num/shape/reduce_dims.h"

int main_dot(int argc, char *argv[]);

/** A sum of integers that stopped at the end of their range is no result. */
static void check_range(enum dtype t, const void *value)
{
	const bool over =
	        (DT_INT64 == t) ? INT64_MAX == *(const int64_t *)value || INT64_MIN == *(const int64_t *)value
	                        : (DT_UINT64 == t && UINT64_MAX == *(const uint64_t *)value);

	if (over)
		error("the sum does not fit into %s: cast one of the arrays to float64 first", dtype_name(t));
}

static void print(const struct reduce_dims *r)
{
	char value[16] __attribute__((aligned(16)));

	tool_plan_text();

	const enum dtype t = reduce_dims_value(r, value, "dot");

	check_range(t, value);

	char *text = number_text(t, value);

	printf("%s\n", text);
	free(text);
}

static void write_along(struct reduce_dims *r, int type, const char *out)
{
	struct hdr h;

	product_header(&h, r->in[0], r->in[1]);
	h.type = (0 <= type) ? (enum dtype)type : reduce_dims_type(r);
	h.quantity = Q_UNKNOWN;
	r->spec.as_float = 0 <= type && !dtype_is_integer(h.type);
	reduce_dims_header(&h, r->dims);

	tool_needs(reduce_dims_memory(r), 0);

	struct cfl *y = cfl_create(out, &h);

	reduce_dims(r, y, "dot");
	hdr_free(&h);
	cfl_close(y);
}

int main_dot(int argc, char *argv[])
{
	const char *x = NULL, *y = NULL, *out = NULL;
	unsigned long dims = ~0ul;
	bool along = false;
	int type = -1;

	const struct opt opts[] = {
	        {0, "dims", OPT_KIND_DIMS, &dims, "DIMS", "sum along these only: z or 0,1; needs OUT", 0, 0,
	                0, &along},
	        OPT_TYPE(&type),
	        ARG_IN("X", &x, "any array"),
	        ARG_IN("Y", &y, "array of the same size; dimensions of length 1 are repeated"),
	        ARG_OUT_OPTIONAL("OUT", &out, "scalar products along DIMS (without it: of all elements)"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "dot",
	                .group = GROUP_CALCULATE,
	                .synonyms = "inner vdot",
	                .about = "Scalar product of two arrays",
	                .details = "The scalar product is the sum of x conj(y). The sum is computed in "
	                           "float64 in a fixed order. Sums of integers are exact. Without OUT, "
	                           "the number is printed, as in 1.5 or 1.5-2i. OUT has length 1 along "
	                           "the dimensions of --dims. For integers, the type of OUT is int64 or "
	                           "uint64. For other types, OUT has the float type that holds both "
	                           "inputs, but at least float32.",
	                .examples = "gantry dot x y\n"
	                            "gantry dot --dims u,v proj simulated per-view",
	                .memory = "a few tens of MiB. Sums of a stream need up to another 512 MiB",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	if (NULL == out && (along || 0 <= type))
		usage_error("--%s needs an output array: gantry dot --dims DIMS X Y OUT",
		        along ? "dims" : "type");

	struct reduce_dims r = {
	        .spec = {.red = RED_DOT}, .dims = dims, .nin = 2, .in = {cfl_open(x), cfl_open(y)}};

	if (NULL != out)
		write_along(&r, type, out);
	else
		print(&r);

	cfl_close(r.in[0]);
	cfl_close(r.in[1]);
	leave(EXIT_DONE);
}
