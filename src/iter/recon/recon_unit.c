#include "iter/recon/recon_unit.h"

#include <math.h>
#include <stdlib.h>

#include "iter/monitor/noise_level.h"
#include "iter/step/fold.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"
#include "num/md/multind.h"
#include "num/md/rand.h"

enum { SEED = 2, SAMPLES = 1 << 18, FEW = 1 << 14, PROBES = 64 };

/** v = random signs times the roots of the weights w; complex elements have a sign in each part. */
struct signs {
	enum dtype type;
	uint64_t from; // of the random numbers
	const void *w;
	void *v;
};

static void sign_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct signs *p = ctx;
	const int parts = dtype_is_complex(p->type) ? 2 : 1;

	(void)sum;

	for (long i = first * parts; i < (first + n) * parts; i++) {
		const double sign = (rand_uniform(SEED, p->from + (uint64_t)i) < 0.5) ? -1. : 1.;

		if (DT_FLOAT32 == dtype_real(p->type))
			((float *)p->v)[i] = (float)(sign * sqrt(((const float *)p->w)[i]));
		else
			((double *)p->v)[i] = sign * sqrt(((const double *)p->w)[i]);
	}
}

/** The weight of each ray, in both parts of complex ones. */
static void weigh(const struct weights *W, const struct functional *d, enum dtype type, long m, void *w)
{
	const enum dtype real = dtype_real(type);
	const long n = dtype_is_complex(type) ? 2 * m : m;
	const float onef = 1.f;
	const double one = 1.;

	md_fill(1, &n, w, (DT_FLOAT32 == real) ? (const void *)&onef : &one, dtype_size(real));

	if (NULL != d)
		functional_expected_curvature(d, w);
	else
		weights_apply(W, type, m, w, w);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** The median magnitude of n numbers that are not 0, of at most SAMPLES of them; NAN: there are none. */
static double median_magnitude(enum dtype real, long n, const char *x)
{
	const long most = (n < SAMPLES) ? n : SAMPLES;
	double *v = mem_alloc((size_t)most * sizeof *v);
	long count = 0;

	for (long k = 0; k < most; k++) {
		const long at = (long)((double)k / (double)most * (double)n);

		convert(DT_FLOAT64, v + count, real, x + at * (long)dtype_size(real), 1, NARROW_SATURATE);
		v[count] = fabs(v[count]);
		count += v[count] > 0.;
	}

	qsort(v, (size_t)count, sizeof *v, ascending);

	const double median = (0 < count) ? v[count / 2] : NAN;

	free(v);

	return median;
}

static double sensitivity(const struct linop *A, const struct weights *W, const struct functional *d)
{
	const enum dtype type = linop_type(A);
	const long m = linop_codomain_size(A), n = linop_domain_size(A),
	           parts = dtype_is_complex(type) ? 2 : 1;
	const long probes = min_long(PROBES, 1 + FEW / n), size = (long)dtype_size(type);
	void *w = md_alloc(1, &m, (size_t)size), *v = md_alloc(1, &m, (size_t)size);
	char *z = md_alloc(2, (const long[]){n, probes}, (size_t)size);
	double sum[FOLD_SUMS];

	weigh(W, d, type, m, w);

	for (long k = 0; k < probes; k++) {
		fold(m, sign_block, &(struct signs){type, (uint64_t)(k * m * parts), w, v}, sum);
		linop_adjoint(A, z + k * n * size, v);
	}

	const double median = median_magnitude(dtype_real(type), probes * n * parts, z);

	md_free(w);
	md_free(v);
	md_free(z);

	return median / .67448975; // of a normal distribution of deviation 1
}

struct recon_unit recon_unit_of(
        const struct linop *A, const void *y, const struct weights *W, const struct functional *d)
{
	return (struct recon_unit){
	        .sigma = (NULL != d) ? 1. : noise_level(linop_type(A), linop_codomain(A), 0, y, W),
	        .sensitivity = sensitivity(A, W, d)};
}

double recon_unit_factor(const struct recon_unit *u, int degree, int lengths, double h)
{
	return pow(u->sigma, 2 - degree) * pow(u->sensitivity * pow(h, lengths), degree);
}
