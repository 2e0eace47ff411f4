/* Removes part of the component of vectors along given ones. */

#include <stdlib.h>

#include "linops/directions.h"

#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/md/flpmath.h"

enum { COMPONENTS = DIMS };

struct directions {
	enum dtype type;
	long places;
	int K; // components of a vector
	void *xi;
};

#define PROJECT(T)                                                                                           \
	static void project_##T(const struct directions *o, T *dst, const T *src, long parts)                \
	{                                                                                                    \
		const T *xi = o->xi;                                                                         \
                                                                                                             \
		_Pragma("omp parallel for num_threads(threads_for(4. * (double)(o->places * o->K)))") for (  \
		        long i = 0; i < o->places * parts; i++)                                              \
		{                                                                                            \
			T along = 0;                                                                         \
                                                                                                             \
			for (int k = 0; k < o->K; k++)                                                       \
				along += xi[i / parts + k * o->places] * src[i + k * o->places * parts];     \
                                                                                                             \
			for (int k = 0; k < o->K; k++)                                                       \
				dst[i + k * o->places * parts] = src[i + k * o->places * parts] -            \
				                                 xi[i / parts + k * o->places] * along;      \
		}                                                                                            \
	}
PROJECT(float)
PROJECT(double)

/** Self-adjoint. */
static void apply(const void *self, void *dst, const void *src)
{
	const struct directions *o = self;
	const long parts = dtype_is_complex(o->type) ? 2 : 1;

	if (DT_FLOAT32 == dtype_real(o->type))
		project_float(o, dst, src, parts);
	else
		project_double(o, dst, src, parts);
}

static void destroy(void *self)
{
	struct directions *o = self;

	free(o->xi);
	free(o);
}

struct linop *linop_directions_create(enum dtype type, int D, const long dims[], const void *xi)
{
	static const struct linop_ops ops = {
	        .name = "directions", .forward = apply, .adjoint = apply, .destroy = destroy};

	if (D < 1 || dims[D - 1] > COMPONENTS)
		error("the vectors have %ld components, expected 1 to %d", D < 1 ? 0 : dims[D - 1],
		        COMPONENTS);

	struct directions *o = NEW(struct directions);
	const long size = md_calc_size(D, dims);

	o->type = type;
	o->K = (int)dims[D - 1];
	o->places = size / dims[D - 1];
	o->xi = mem_alloc((size_t)size * dtype_size(dtype_real(type)));
	vec_copy(dtype_real(type), size, o->xi, xi);

	return linop_create(&ops, o, type, D, dims, D, dims);
}
