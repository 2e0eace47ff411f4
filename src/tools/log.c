/* Minus logarithm of transmissions. */

#include <math.h>

#include "correct/normalize.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/md/flpmath.h"
#include "num/shape/slabs.h"

int main_log(int argc, char *argv[]);

struct logarithm {
	double air, floor;
	long low, bad;
};

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct logarithm *l = ctx;
	const double *x = in[0];
	double *y = out;
	long low = 0, bad = 0;

	(void)first;

	for (long i = 0; i < n; i++) {
		const double t = x[i] / l->air;

		bad += !isfinite(t);
		low += t < l->floor;
		y[i] = 0. - log(t < l->floor ? l->floor : t);
	}

#pragma omp atomic
	l->low += low;
#pragma omp atomic
	l->bad += bad;
}

/** How many of n values are as the operator on them and a number says. */
static long count(enum op op, long n, const void *x, double number)
{
	struct md_chain f = {0};
	const struct md_reduction r = {.red = RED_COUNT, .type = DT_FLOAT64, .pre = &f};
	const long strs[1] = {sizeof(double)}, none[1] = {0};
	double found = 0.;
	int v = chain_operand(&f, DT_FLOAT64);

	chain_op2(&f, op, v, chain_constant(&f, DT_FLOAT64, number));
	md_reduction_t(
	        &r, DT_FLOAT64, 1, &n, 1, none, &found, 1, (const long *const[]){strs}, (const void *[]){x});

	return (long)found;
}

static void block_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct logarithm *l = ctx;
	const long strs[1] = {sizeof(double)};
	struct md_chain t = {0}, f = {0};
	int x = chain_operand(&t, DT_FLOAT64);

	(void)first;
	chain_op2(&t, OP_DIV, x, chain_constant(&t, DT_FLOAT64, l->air));
	md_chain(&t, DT_FLOAT64, 1, &n, strs, out, (const long *const[]){strs}, in);
	l->bad += vec_count_nonfinite(DT_FLOAT64, n, out);
	l->low += count(OP_LT, n, out, l->floor);

	x = chain_operand(&f, DT_FLOAT64);
	x = chain_op1(&f, OP_LOG, chain_op2(&f, OP_MAX, x, chain_constant(&f, DT_FLOAT64, l->floor)));
	chain_op2(&f, OP_SUB, chain_constant(&f, DT_FLOAT64, 0.), x);
	md_chain(&f, DT_FLOAT64, 1, &n, strs, out, (const long *const[]){strs}, (const void *const[]){out});
}

int main_log(int argc, char *argv[])
{
	struct logarithm l = {.air = NAN, .floor = NORMALIZE_FLOOR};
	int type = -1;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLE('a', "air", &l.air, "I0", 1e-300, 1e300,
	                "value without object, needed for counts (default: 1)"),
	        OPT_DOUBLE('f', "floor", &l.floor, "T", 1e-300, 1, "lower limit of transmissions"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "transmission, or counts with --air"),
	        ARG_OUT("OUT", &out, "line integrals"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "log",
	                  .group = GROUP_CORRECT,
	                  .about = "Convert transmission to line integrals by the logarithm",
	                  .details = "The line integral is p = -log(IN / I0), by the Beer-Lambert law. "
	                             "Transmissions below --floor, including zero and negative "
	                             "transmissions, are raised to --floor. The number of raised "
	                             "transmissions is reported. Values that are not finite are an error. "
	                             "To correct counts for dark and flat fields, use 'gantry normalize'.",
	                  .examples = "gantry log transmission proj\ngantry log --air 65535 counts proj",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);

	if (isnan(l.air))
		cfl_expect(x, 1u << Q_TRANSMISSION, "run gantry normalize --no-log first, or give --air");
	else
		cfl_expect(x, 1u << Q_TRANSMISSION | 1u << Q_COUNTS,
		        "the logarithm is of counts or transmission");

	l.air = isnan(l.air) ? 1. : l.air;
	hdr_copy(&h, &x->hdr);
	h.type = (0 <= type) ? (enum dtype)type : dtype_compute(h.type);
	h.quantity = Q_LINE_INTEGRAL;
	h.unit[0] = '\0';

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	slabs_run_anywhere(y, DT_FLOAT64, 1, (struct cfl *const[]){x}, (const enum dtype[]){DT_FLOAT64},
	        block, block_on_device, &l, "log");

	ranks_sum(&l.bad, 1);
	ranks_sum(&l.low, 1);

	if (l.bad)
		error("%s: %ld of %ld values are not finite, expected transmissions; run gantry outliers "
		      "first",
		        x->name, l.bad, x->count);

	if (l.low)
		warn("%s: %ld of %ld transmissions are below %g and are raised to this limit", x->name, l.low,
		        x->count, l.floor);

	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
