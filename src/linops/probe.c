#include "linops/probe.h"

#include "misc/mem.h"
#include "misc/threads.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

void *probe_vector(enum dtype type, long n, unsigned long seed)
{
	const long reals = n * (dtype_is_complex(type) ? 2 : 1);
	void *x = mem_alloc((size_t)n * dtype_size(type));

#pragma omp parallel for schedule(static) num_threads(threads_for(4. * (double)reals))
	for (long i = 0; i < reals; i++) {
		const double r = rand_normal(seed, (uint64_t)i);

		if (DT_FLOAT32 == dtype_real(type))
			((float *)x)[i] = (float)r;
		else
			((double *)x)[i] = r;
	}

	return x;
}

complex double probe_dot(enum dtype type, bool real, long n, const void *a, const void *b)
{
	long strs[1];

	md_calc_strides(1, strs, &n, dtype_size(type));

	const complex double d = md_scalar_t(type, 1, &n, strs, a, strs, b);

	return real ? creal(d) : d;
}

double probe_distance(enum dtype type, long n, const void *a, const void *b, double scale)
{
	long strs[1];

	md_calc_strides(1, strs, &n, dtype_size(type));

	const double d = md_norme_t(type, 1, &n, strs, a, strs, b);

	return (scale > 0.) ? d / scale : d;
}
