/* Bounds of elements. */

#include <float.h>
#include <math.h>

#include "iter/functional/functionals.h"

#include "iter/functional/pointwise.h"
#include "misc/error.h"
#include "num/md/flpmath.h"

/* param: bounds, and bounds with room for the roundings of the type */

static double box_value(const double param[POINT_PARAMS], const struct point_block *k)
{
	for (long i = 0; i < k->n; i++)
		if (!(k->x[i] >= param[2] && k->x[i] <= param[3]))
			return INFINITY;

	return 0.;
}

static void box_prox(const double param[POINT_PARAMS], double gamma, const struct point_block *k)
{
	(void)gamma;

	for (long i = 0; i < k->n; i++) {
		const double v = k->x[i];

		k->x[i] = (v < param[0]) ? param[0] : (v > param[1]) ? param[1] : v;
	}
}

static void box_prox_all(
        const double param[POINT_PARAMS], double gamma, enum dtype type, long n, void *dst, const void *src)
{
	struct md_chain f = {0};
	const int x = chain_operand(&f, type), lo = chain_constant(&f, type, param[0]),
	          hi = chain_constant(&f, type, param[1]);

	(void)gamma;
	chain_op3(&f, OP_CLAMP, x, lo, hi);
	vec_chain(&f, type, n, dst, (const void *const[]){src});
}

struct functional *functional_box_create(enum dtype type, int D, const long dims[], double lo, double hi)
{
	static const struct point_kernels kernels = {
	        "box", box_value, box_prox, NULL, NULL, NULL, NULL, POINT_BOX, box_prox_all, NULL};
	const double eps = 4. * ((DT_FLOAT64 == type) ? DBL_EPSILON : (double)FLT_EPSILON);

	if (dtype_is_complex(type))
		error("bounds need elements of a real type, found %s", dtype_name(type));

	if (!(lo <= hi) || INFINITY == lo || -INFINITY == hi)
		error("bounds %g and %g, expected the lower one first", lo, hi);

	return pointwise_create(&kernels, type, D, dims,
	        (const double[POINT_PARAMS]){lo, hi, lo - eps * fabs(lo), hi + eps * fabs(hi)}, INFINITY,
	        NULL, NULL, NULL);
}

struct functional *functional_nonneg_create(enum dtype type, int D, const long dims[])
{
	return functional_box_create(type, D, dims, 0., INFINITY);
}
