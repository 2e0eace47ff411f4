#include <math.h>

#include "iter/step/basis.h"

#include "iter/step/updates.h"

static long numbers_of(const struct run *r, long n)
{
	return dtype_is_complex(r->type) ? 2 * n : n;
}

int basis_ask_normalise(struct run *r, long n, void *v)
{
	const int place = run_ask_norm(r, n, v);

	run_mix(r, n, v, factor_of(0.), NULL, factor_over(1., r->asked + place), NULL);

	return place;
}

int basis_ask_orthogonal(struct run *r, long n, long k, void *const v[])
{
	const enum dtype real = dtype_real(r->type);
	const struct iter_updates *u = iter_updates_of(v[k]);
	const void *const *before = (const void *const *)v;
	const long m = numbers_of(r, n);
	int place;
	double *part = run_ask_some(r, (int)(2 * k + 1), &place);

	u->inner(real, m, k, before, v[k], part);
	u->combine(real, m, v[k], v[k], -1., k, before, part, true, NULL);
	u->inner(real, m, k, before, v[k], part + k);
	u->combine(real, m, v[k], v[k], -1., k, before, part + k, true, part + 2 * k);

	return place;
}

double basis_told_part(const struct run *r, int place, long k, long i)
{
	return run_told(r, place + (int)i) + run_told(r, place + (int)(k + i));
}

double basis_told_rest(const struct run *r, int place, long k)
{
	return sqrt(run_told(r, place + (int)(2 * k)));
}

void basis_normalise_rest(struct run *r, int place, long k, long n, void *v)
{
	run_mix(r, n, v, factor_of(0.), NULL, factor_over_root(1., r->asked + place + 2 * k), NULL);
}

void basis_combine(const struct run *r, long n, void *y, const void *x, double sign, long k, void *const v[],
        const double c[])
{
	iter_updates_of(x)->combine(
	        dtype_real(r->type), numbers_of(r, n), y, x, sign, k, (const void *const *)v, c, false, NULL);
}
