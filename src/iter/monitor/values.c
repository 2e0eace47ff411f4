#include <complex.h>
#include <math.h>

#include "iter/monitor/values.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/kern/convert.h"

enum { BLOCK = 4096 };

struct values values_scan(enum dtype type, long n, const void *data)
{
	long nonfinite = 0;
	long negative = 0;
	double min = INFINITY;
	const int threads = threads_for(2. * (double)n);

	// counts and minima: no order of summation to keep
#pragma omp parallel for schedule(static) reduction(+ : nonfinite, negative) reduction(min : min) num_threads(threads)
	for (long first = 0; first < n; first += BLOCK) {
		complex double v[BLOCK];
		long m = n - first < BLOCK ? n - first : BLOCK;

		convert(DT_COMPLEX128, v, type, (const char *)data + first * (long)dtype_size(type), m,
		        NARROW_SATURATE);

		for (long i = 0; i < m; i++) {
			if (!isfinite(creal(v[i])) || !isfinite(cimag(v[i])))
				nonfinite++;
			else if (creal(v[i]) < 0.)
				negative++;

			if (isfinite(creal(v[i])) && creal(v[i]) < min)
				min = creal(v[i]);
		}
	}

	return (struct values){.nonfinite = nonfinite, .negative = negative, .min = min};
}

static bool is_nonfinite(struct values s)
{
	return s.nonfinite > 0;
}

static bool is_negative(struct values s)
{
	return s.negative > 0;
}

/* The index of the first element that is `bad`, as "(3, 0, 7)"; the caller frees the text. */
static char *first_bad(const struct cfl *f, const void *data, bool (*bad)(struct values))
{
	size_t size = dtype_size(f->hdr.type);
	long i = 0;

	while (i < f->count - 1 && !bad(values_scan(f->hdr.type, 1, (const char *)data + i * (long)size)))
		i++;

	struct str s = {0};
	int rank = hdr_rank(&f->hdr);

	for (int d = 0; d < rank; d++) {
		str_printf(&s, "%s%ld", d > 0 ? ", " : "(", i % f->hdr.dims[d]);
		i /= f->hdr.dims[d];
	}

	str_add(&s, ")");

	return s.data;
}

struct values values_expect_finite(struct cfl *f)
{
	const void *data = cfl_map(f);
	struct values s = values_scan(f->hdr.type, f->count, data);

	if (s.nonfinite > 0)
		error("%s: %ld of %ld values are NaN or infinite, the first at %s, expected finite values",
		        f->name, s.nonfinite, f->count, first_bad(f, data, is_nonfinite));

	return s;
}

struct values values_expect_nonnegative(struct cfl *f)
{
	struct values s = values_expect_finite(f);

	if (s.negative > 0)
		error("%s: %ld of %ld values are negative, the first at %s, expected values >= 0", f->name,
		        s.negative, f->count, first_bad(f, cfl_map(f), is_negative));

	return s;
}
