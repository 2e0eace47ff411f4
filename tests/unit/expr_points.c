/* Expressions at points: what expressions of arrays give, and bounds that hold. */

#include <math.h>

#include "check.h"
#include "num/array/array.h"
#include "num/expr/expr_points.h"

enum { POINTS = 16, TIMES = 200 };

static const char *const names[] = {"v", "g", "x"};
static const char *const texts[] = {"v", "0.05*(v > 0.2)*(x < 1)", "max(0, v - 0.3)", "1/v + g", "sqrt(v*x)",
        "where(x > 0, v, -v)", "not(min(sqrt(x), 0) >= 0)", "exp(-x^2) - 1", "abs(v) - abs(x)",
        "floor(x) % 3", "v > 0 && x <= 0.5 || g == 0", "clamp(v, 0, x)", "-sqrt(abs(x))", "log(v) + tanh(x)",
        "sin(x)/x", "a = v + x; b = 0.25; c = g*v*x + 2", "round(v) - trunc(x) + ceil(g)",
        "1 - (min(log(x), 0) < 1)"};

static unsigned state = 7;

static float draw(void)
{
	state = state * 1664525u + 1013904223u;
	return (float)(state >> 8) / (float)(1 << 22) - 2.f;
}

static struct expr *parse(const char *text)
{
	struct expr_error err;
	struct expr *e = expr_parse(text, &err);

	if (!e || !expr_resolve(e, 3, names, &err)) {
		check(false, "%s: %s", text, err.text);
		exit(1);
	}

	return e;
}

/* Values between lo and hi for every operand, and bounds. */
static void fill(float in[3][POINTS], double lo[3], double hi[3])
{
	for (int i = 0; i < 3; i++) {
		const float a = draw(), b = draw(), l = fminf(a, b), h = fmaxf(a, b);

		lo[i] = (double)l;
		hi[i] = (double)h;

		for (int k = 0; k < POINTS; k++)
			in[i][k] = 0 == k ? l : 1 == k ? h : fminf(h, l + (h - l) * (draw() + 2.f) / 4.f);
	}
}

static void test(const char *text)
{
	struct expr *e = parse(text);
	struct expr_points *p = expr_points_create(e, "--transfer", POINTS, 1);
	const int outputs = expr_outputs(e), inputs = expr_inputs(e);
	bool same = true, bounded = true;

	for (int t = 0; t < fewer(TIMES); t++) {
		float in[3][POINTS], got[3][POINTS], want[3][POINTS];
		const float *from[3];
		float *to[3];
		double all_lo[3], all_hi[3], lo[3], hi[3];
		const struct array *a[3];
		struct array *b[3];

		fill(in, all_lo, all_hi);

		for (int i = 0; i < inputs; i++) {
			const int k = 'v' == expr_input(e, i)[0] ? 0 : 'g' == expr_input(e, i)[0] ? 1 : 2;

			from[i] = in[k];
			lo[i] = all_lo[k];
			hi[i] = all_hi[k];
		}

		for (int i = 0; i < 3; i++)
			a[i] = array_borrow(DT_FLOAT32, 1, (const long[]){POINTS}, NULL, in[i]);

		for (int i = 0; i < outputs; i++) {
			const bool one = 1 < outputs && 1 == i; // b = 0.25

			to[i] = got[i];
			b[i] = array_borrow(DT_FLOAT32, 1, (const long[]){one ? 1 : POINTS}, NULL, want[i]);

			for (int k = 1; one && k < POINTS; k++)
				want[i][k] = .25f;
		}

		expr_points_run(p, 0, POINTS, to, from);
		expr_eval(text, outputs, b, 3, names, a, array_default);

		for (int i = 0; i < outputs; i++) {
			double low, high;

			expr_points_bounds(p, i, lo, hi, &low, &high);
			same &= 0 == memcmp(got[i], want[i], sizeof got[i]);

			for (int k = 0; k < POINTS; k++)
				bounded &= isnan(got[i][k]) ||
				           (low <= (double)got[i][k] && (double)got[i][k] <= high);
		}

		for (int i = 0; i < 3; i++)
			array_free((struct array *)a[i]);

		for (int i = 0; i < outputs; i++)
			array_free(b[i]);
	}

	check(same, "%s: as of arrays", text);
	check(bounded, "%s: within its bounds", text);
	expr_points_free(p);
	expr_free(e);
}

/* Bounds that leave out what cannot be: else nothing is gained. */
static void test_tight(const char *text, double lo, double hi, double most)
{
	struct expr *e = parse(text);
	struct expr_points *p = expr_points_create(e, "--transfer", POINTS, 1);
	double low, high;

	expr_points_bounds(p, 0, &lo, &hi, &low, &high);
	check(high <= most, "%s of %g to %g is at most %g (%g)", text, lo, hi, most, high);
	expr_points_free(p);
	expr_free(e);
}

static const char *refused;

static void create(void)
{
	expr_points_create(parse(refused), "--transfer", POINTS, 1);
}

static void refuse(const char *text, const char *why)
{
	refused = text;
	check_ends(2, why, create, text);
}

int main(void)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		test(texts[i]);

	test_tight("0.05*(v > 0.2)", 0, .1, 0);
	test_tight("max(0, v - 0.3)", -1, .25, 0);
	test_tight("where(v < 1, 0, v)", 0, .5, 0);
	test_tight("v >= 1 && v < 5", 6, 7, 0);
	test_tight("clamp(v/4 - 1, 0, 1)", 0, 3.9, 0);
	refuse("v[1, 0, 0]", "neighbours, indices and reductions are not supported");
	refuse("v - mean(v)", "reductions are not supported");
	refuse("v + 1i", "expected real numbers");
	return 0 != checks_failed;
}
