/* Transfer functions as expressions: tables of their results at values and gradients. */

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/expr/expr.h"
#include "num/expr/expr_points.h"
#include "volume/render/transfer.h"

enum {
	OPACITY = TRANSFER_OPACITY,
	RED = TRANSFER_RED,
	GREEN = TRANSFER_GREEN,
	BLUE = TRANSFER_BLUE,
	PARTS = TRANSFER_PARTS
};

static const char *const parts[PARTS] = {"opacity", "red", "green", "blue"};
static const char *const given[TRANSFER_GIVEN] = {"v", "g", "x", "y", "z"};

bool transfer_is_expression(const char *text)
{
	char *end;

	if (strchr("0123456789.+-", text[0]) && (strtod(text, &end), end > text && '\0' == *end))
		return true; // a number

	return NULL != strpbrk(text, "()*=<>+ ;") || (strchr("vgxyz", text[0]) && strchr("-/^", text[1]));
}

/* Output of an expression: which part it is; an expression without a name is the opacity. */
static int part_of(const char *name)
{
	for (int i = 0; i < PARTS; i++)
		if (0 == strcmp(parts[i], name))
			return i;

	if ('\0' != name[0])
		usage_error("--transfer: unknown name '%s' (valid: opacity, red, green, blue)", name);

	return OPACITY;
}

static int given_of(const char *name)
{
	for (int i = 0; i < TRANSFER_GIVEN; i++)
		if (0 == strcmp(given[i], name))
			return i;

	return -1;
}

static struct expr *parse(const char *text)
{
	struct expr_error err;
	struct expr *e = expr_parse(text, &err);

	if (!e)
		usage_error("--transfer: column %ld: %s", err.column, err.text);

	if (!expr_resolve(e, TRANSFER_GIVEN, given, &err))
		usage_error("--transfer: column %ld: %s. Valid names are v (value), g (gradient magnitude "
		            "per mm), and x, y, z (position in mm)",
		        err.column, err.text);

	return e;
}

static bool reads(const struct expr *e, const char *name)
{
	for (int i = 0; i < expr_inputs(e); i++)
		if (0 == strcmp(name, expr_input(e, i)))
			return true;

	return false;
}

/* The values, or gradients, of all entries. */
static struct array *tabulate(const struct transfer *t, bool gradient)
{
	struct array *a = array_create(DT_FLOAT64, 2, (const long[2]){t->values, t->levels});
	double *x = (double *)a->data;

	for (int l = 0; l < t->levels; l++)
		for (int i = 0; i < t->values; i++) {
			const double s = 1 < t->levels ? (double)l / (t->levels - 1) : 0.;

			*x++ = gradient ? t->steep * s * s : t->lo + (t->hi - t->lo) * i / (t->values - 1);
		}

	return a;
}

/* All outputs at all entries, in float64. */
static void transfer_expression_run(struct expr *e, const struct transfer *t, struct array *out[])
{
	const struct array *in[2];
	struct expr_operand operand[2];
	const int n = expr_inputs(e);

	for (int i = 0; i < n; i++) {
		in[i] = tabulate(t, 'g' == expr_input(e, i)[0]);
		expr_operand_of(&operand[i], in[i]);
	}

	struct expr_plan *plan = expr_bind(e, operand, array_default);

	expr_points_expect(plan, "--transfer");

	for (int i = 0; i < expr_outputs(e); i++) {
		long dims[DIMS];
		enum dtype type;

		expr_plan_output(plan, i, dims, &type);

		if (dtype_is_complex(type))
			usage_error("--transfer: a result is complex, expected real numbers");

		out[i] = array_create(DT_FLOAT64, DIMS, dims);
	}

	expr_run(plan, out, in);
	expr_plan_free(plan);

	for (int i = 0; i < n; i++)
		array_free(in[i]);
}

/* ---- programs ---- */

struct transfer_program {
	struct expr_points *points;
	int inputs, outputs;
	int given[EXPR_OPERANDS]; // of an input
	int part[EXPR_OPERANDS];  // of an output
	bool colored;
	int opacity; // the output
};

static bool reads_place(const struct expr *e)
{
	return reads(e, "x") || reads(e, "y") || reads(e, "z");
}

static struct transfer_program *program_create(struct expr *e, const char *text)
{
	struct transfer_program *p = NEW(struct transfer_program);

	p->inputs = expr_inputs(e);
	p->outputs = expr_outputs(e);
	p->opacity = -1;

	for (int i = 0; i < p->inputs; i++)
		p->given[i] = given_of(expr_input(e, i));

	for (int i = 0; i < p->outputs; i++) {
		p->part[i] = part_of(expr_output(e, i));
		p->colored |= OPACITY != p->part[i];
		p->opacity = OPACITY == p->part[i] ? i : p->opacity;
	}

	if (0 > p->opacity)
		usage_error("--transfer: '%s' does not define opacity", text);

	p->points = expr_points_create(e, "--transfer", TRANSFER_SAMPLES, omp_get_max_threads());
	return p;
}

void transfer_program_free(struct transfer_program *p)
{
	if (p)
		expr_points_free(p->points);

	free(p);
}

bool transfer_reads_gradient(const struct transfer *t)
{
	for (int i = 0; i < t->program->inputs; i++)
		if (TRANSFER_G == t->program->given[i])
			return true;

	return false;
}

void transfer_run(
        const struct transfer *t, long n, float in[][TRANSFER_SAMPLES], float out[][TRANSFER_SAMPLES])
{
	const struct transfer_program *p = t->program;
	const float *from[EXPR_OPERANDS];
	float *to[EXPR_OPERANDS];

	for (int i = 0; i < PARTS; i++)
		for (long k = 0; k < n; k++)
			out[i][k] = p->colored ? 0.f : 1.f;

	for (int i = 0; i < p->inputs; i++)
		from[i] = in[p->given[i]];

	for (int i = 0; i < p->outputs; i++)
		to[i] = out[p->part[i]];

	expr_points_run(p->points, omp_get_thread_num(), n, to, from);

	for (int i = 0; i < PARTS; i++)
		for (long k = 0; k < n; k++) // a NaN becomes 0
			out[i][k] = out[i][k] > 0.f ? (out[i][k] < 1.f ? out[i][k] : 1.f) : 0.f;
}

bool transfer_may_see(const struct transfer *t, const double lo[], const double hi[])
{
	const struct transfer_program *p = t->program;
	double from[EXPR_OPERANDS], to[EXPR_OPERANDS], low, high;

	for (int i = 0; i < p->inputs; i++) {
		from[i] = lo[p->given[i]];
		to[i] = hi[p->given[i]];
	}

	expr_points_bounds(p->points, p->opacity, from, to, &low, &high);
	return high > 0.;
}

/* ---- tables ---- */

struct transfer *transfer_expression(const char *text, double lo, double hi, double steep)
{
	struct expr *e = parse(text);

	if (reads_place(e)) {
		struct transfer *place = transfer_create(1, 1, lo, hi);

		place->program = program_create(e, text);
		place->steep = steep;
		expr_free(e);
		return place;
	}

	const bool both = reads(e, "g");
	struct transfer *t = transfer_create(
	        both ? TRANSFER_PAIRS : TRANSFER_VALUES, both ? TRANSFER_GRADIENTS : 1, lo, hi);
	struct array *out[EXPR_OPERANDS], *part[PARTS] = {NULL};

	t->steep = steep;
	transfer_expression_run(e, t, out);

	for (int i = 0; i < expr_outputs(e); i++)
		part[part_of(expr_output(e, i))] = out[i];

	if (!part[OPACITY])
		usage_error("--transfer: '%s' does not define opacity", text);

	const bool colored = part[RED] || part[GREEN] || part[BLUE];

	for (int k = 0; k < t->values * t->levels; k++) {
		double x[PARTS];

		for (int i = 0; i < PARTS; i++)
			x[i] = part[i] ? ((const double *)part[i]->data)[1 < array_count(part[i]) ? k : 0]
			               : (colored ? 0. : 1.);

		transfer_set(t, k, x[OPACITY], x + RED);
	}

	for (int i = 0; i < expr_outputs(e); i++)
		array_free(out[i]);

	expr_free(e);
	return t;
}
