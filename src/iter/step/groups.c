#include <math.h>

#include "iter/step/groups.h"

#include "iter/step/fold.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/multind.h"

enum { RUN = 512 }; // groups that are looked at together

/** Adds an outermost dim. */
static int add_dim(int n, long dims[], long strs[], long len, long step)
{
	if (1 == len)
		return n;

	if (0 < n && step == strs[n - 1] * dims[n - 1]) {
		dims[n - 1] *= len;
		return n;
	}

	dims[n] = len;
	strs[n] = step;

	return n + 1;
}

void groups_init(struct groups *g, enum dtype type, int D, const long dims[DIMS], unsigned long flags)
{
	*g = (struct groups){.real = dtype_real(type), .kdims[0] = 1, .gdims[0] = 1};

	long step = dtype_is_complex(type) ? 2 : 1;

	g->inside = add_dim(0, g->gdims, g->gstrs, step, 1);

	for (int d = 0; d < D; d++) {
		if (flags & (1ul << d))
			g->inside = add_dim(g->inside, g->gdims, g->gstrs, dims[d], step);
		else
			g->kept = add_dim(g->kept, g->kdims, g->kstrs, dims[d], step);

		step *= dims[d];
	}

	g->count = md_calc_size(g->kept, g->kdims);
}

/** The next position inside a group along its dims but the first; false after the last. */
static bool next(const struct groups *g, long pos[], long *at)
{
	for (int d = 1; d < g->inside; d++) {
		*at += g->gstrs[d];

		if (++pos[d] < g->gdims[d])
			return true;

		*at -= g->gdims[d] * g->gstrs[d];
		pos[d] = 0;
	}

	return false;
}

#define INLINE static inline __attribute__((always_inline))

#define REAL        float
#define NAMED(name) name##_float
#include "iter/step/groups_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "iter/step/groups_impl.inc"

struct pass {
	const struct groups *g;
	enum groups_rule rule;
	double radius;
	void *dst; // NULL: values are summed
	const void *src;
};

INLINE void apply_rule(enum groups_rule rule, double radius, long n, double *s)
{
	for (long i = 0; i < n; i++)
		s[i] = groups_apply(rule, radius, sqrt(s[i]));
}

/** What the rule says of n squared norms: loops that know their rule. */
static void apply(enum groups_rule rule, double radius, long n, double *s)
{
	if (GROUPS_PROJECT == rule)
		apply_rule(GROUPS_PROJECT, radius, n, s);
	else if (GROUPS_SHRINK == rule)
		apply_rule(GROUPS_SHRINK, radius, n, s);
	else
		apply_rule(rule, radius, n, s);
}

/** n neighbouring groups, the first of which begins at number `at`. */
static double groups_run(const struct pass *p, long at, long n)
{
	const struct groups *g = p->g;
	const long step = (0 == g->kept) ? 1 : g->kstrs[0];
	double s[RUN], sum = 0.;

	if (DT_FLOAT32 == g->real)
		squares_float(g, n, step, s, (const float *)p->src + at);
	else
		squares_double(g, n, step, s, (const double *)p->src + at);

	apply(p->rule, p->radius, n, s);

	if (NULL == p->dst) {
		for (long i = 0; i < n; i++)
			sum += s[i];

		return sum;
	}

	if (DT_FLOAT32 == g->real)
		multiply_float(g, n, step, s, (float *)p->dst + at, (const float *)p->src + at);
	else
		multiply_double(g, n, step, s, (double *)p->dst + at, (const double *)p->src + at);

	return sum;
}

static void block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct pass *p = ctx;
	const struct groups *g = p->g;
	long len, pos[DIMS + 1] = {0};

	for (; n > 0; n -= len, first += len) {
		md_unravel_index(g->kept, pos, ~0ul, g->kdims, first);
		len = g->kdims[0] - pos[0];
		len = (len < n) ? len : n;
		len = (len < RUN) ? len : RUN;

		long at = 0;

		for (int d = 0; d < g->kept; d++)
			at += pos[d] * g->kstrs[d];

		sum[0] += groups_run(p, at, len);
	}
}

void groups_scale(const struct groups *g, enum groups_rule rule, double radius, void *dst, const void *src)
{
	double sum[FOLD_SUMS];

	if (device_holds(src))
		iter_passes_gpu.groups_scale(g, rule, radius, dst, src);
	else
		fold(g->count, block, &(struct pass){g, rule, radius, dst, src}, sum);
}

double groups_sum(const struct groups *g, enum groups_rule rule, double radius, const void *src)
{
	double sum[FOLD_SUMS];

	if (device_holds(src)) {
		double *there = device_alloc(sizeof *there);

		iter_passes_gpu.groups_sum(g, rule, radius, src, there);

		return number_take(there);
	}

	fold(g->count, block, &(struct pass){g, rule, radius, NULL, src}, sum);

	return sum[0];
}

void groups_sum_to(const struct groups *g, enum groups_rule rule, double radius, const void *src, double *out)
{
	if (device_holds(src))
		iter_passes_gpu.groups_sum(g, rule, radius, src, out);
	else
		*out = groups_sum(g, rule, radius, src);
}
