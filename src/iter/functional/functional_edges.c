/* Sums of lengths of differences, for gradient descent. */

#include <math.h>
#include <stdlib.h>

#include "iter/functional/regularisers.h"

#include "iter/step/fold.h"
#include "misc/error.h"
#include "misc/mem.h"

struct edges {
	enum dtype type;
	long n; // places
	int K;  // differences at each
	double delta;
};

struct pass {
	const struct edges *e;
	void *dst; // NULL: values are summed
	const void *src;
};

/** Of a difference: what remains of its square. */
static double weight(const struct edges *e, double z)
{
	return (e->delta > 0.) ? exp(-(z / e->delta) * (z / e->delta)) : 1.;
}

#define EDGES(T)                                                                                             \
	static void block_##T(void *ctx, long first, long n, double sum[FOLD_SUMS])                          \
	{                                                                                                    \
		const struct pass *p = ctx;                                                                  \
		const struct edges *e = p->e;                                                                \
		const T *z = p->src;                                                                         \
		T *dst = p->dst;                                                                             \
                                                                                                             \
		for (long i = first; i < first + n; i++) {                                                   \
			double w[DIMS], length = 0.;                                                         \
                                                                                                             \
			for (int d = 0; d < e->K; d++) {                                                     \
				const double v = (double)z[i + d * e->n];                                    \
                                                                                                             \
				w[d] = weight(e, v);                                                         \
				length += w[d] * v * v;                                                      \
			}                                                                                    \
                                                                                                             \
			length = sqrt(length);                                                               \
			sum[0] += length;                                                                    \
                                                                                                             \
			for (int d = 0; NULL != dst && d < e->K; d++)                                        \
				dst[i + d * e->n] =                                                          \
				        (length > 0.) ? (T)(w[d] * (double)z[i + d * e->n] / length) : 0;    \
		}                                                                                            \
	}
EDGES(float)
EDGES(double)

static double edges_run(const struct edges *e, void *dst, const void *src)
{
	double sum[FOLD_SUMS];

	fold(e->n, (DT_FLOAT32 == e->type) ? block_float : block_double, &(struct pass){e, dst, src}, sum);

	return sum[0];
}

static double value(const void *self, const void *x)
{
	return edges_run(self, NULL, x);
}

static void gradient(const void *self, void *dst, const void *src)
{
	edges_run(self, dst, src);
}

struct functional *functional_edges_create(enum dtype type, int D, const long dims[], double delta)
{
	static const struct functional_ops ops = {
	        .name = "edges", .value = value, .gradient = gradient, .destroy = free};

	if (dtype_is_complex(type))
		error("the gradient of total variation needs a real type, found %s", dtype_name(type));

	struct edges *e = NEW(struct edges);
	struct functional *g = functional_create(&ops, e, type, D, dims);

	*e = (struct edges){
	        .type = type, .n = functional_size(g) / dims[D - 1], .K = (int)dims[D - 1], .delta = delta};

	return g;
}
