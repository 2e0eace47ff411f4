/** Norms. */

#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/md/number.h"
#include "num/shape/reduce_dims.h"

int main_norm(int argc, char *argv[]);

static void print(const struct reduce_dims *r)
{
	char value[16] __attribute__((aligned(16)));

	tool_plan_text();

	const enum dtype t = reduce_dims_value(r, value, "norm");
	char *text = number_text(t, value);

	printf("%s\n", text);
	free(text);
}

static void write_along(const struct reduce_dims *r, int type, const char *out)
{
	struct hdr h;

	hdr_copy(&h, &r->in[0]->hdr);
	h.type = (0 <= type) ? (enum dtype)type : reduce_dims_type(r);
	h.quantity = Q_UNKNOWN;
	h.has_detector = false;
	reduce_dims_header(&h, r->dims);

	tool_needs(reduce_dims_memory(r), 0);

	struct cfl *y = cfl_create(out, &h);

	reduce_dims(r, y, "norm");
	hdr_free(&h);
	cfl_close(y);
}

int main_norm(int argc, char *argv[])
{
	const struct fold_spec kinds[] = {
	        {.red = RED_NORM}, {.red = RED_NORM1}, {.red = RED_MAX, .magnitude = true}};
	const char *in = NULL, *out = NULL;
	unsigned long dims = ~0ul;
	bool along = false;
	int kind = 0, type = -1;

	const struct opt opts[] = {
	        OPT_CHOICE(0, "kind", &kind, "2|1|max", "kind of norm"),
	        {0, "dims", OPT_KIND_DIMS, &dims, "DIMS", "along these only: z or 0,1; needs OUT", 0, 0, 0,
	                &along},
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT_OPTIONAL("OUT", &out, "norms along DIMS (without it: of all elements)"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "norm",
	                .group = GROUP_CALCULATE,
	                .about = "Norm of an array",
	                .details = "2: the root of the sum of |x|^2 (the default).\n"
	                           "1: the sum of |x| over the elements.\n"
	                           "max: the largest |x| of all elements.\n\n"
	                           "Sums are computed in float64 in a fixed order. If an element is NaN, "
	                           "the norm is NaN. Without OUT, the norm is printed. OUT has length 1 "
	                           "along the dimensions of --dims. For float and complex elements, OUT "
	                           "has the float type of |x|, but at least float32. For integers, OUT has "
	                           "the type float64.",
	                .examples = "gantry norm x\n"
	                            "gantry norm --kind max --dims x,y residual per-slice",
	                .memory = "a few tens of MiB. Sums of a stream need up to another 512 MiB",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	if (NULL == out && (along || 0 <= type))
		usage_error("--%s needs an output array: gantry norm --dims DIMS IN OUT",
		        along ? "dims" : "type");

	struct reduce_dims r = {.spec = kinds[kind], .dims = dims, .nin = 1, .in = {cfl_open(in)}};

	if (NULL != out)
		write_along(&r, type, out);
	else
		print(&r);

	cfl_close(r.in[0]);
	leave(EXIT_DONE);
}
