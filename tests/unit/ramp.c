/* Filtered lines: any length against the plain convolution, and that a line's bits depend on nothing but it.
 */

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ct/fbp/fbp.h"
#include "ct/geometry/orbit.h"
#include "misc/mem.h"
#include "num/md/rand.h"

static void *noise(enum dtype type, long n)
{
	char *x = mem_alloc((size_t)n * dtype_size(type));

	for (long i = 0; i < n; i++)
		if (DT_FLOAT32 == type)
			((float *)x)[i] = (float)rand_normal(3, (uint64_t)i);
		else
			((double *)x)[i] = rand_normal(3, (uint64_t)i);

	return x;
}

static void *copy_of(const void *x, size_t bytes)
{
	return memcpy(mem_alloc(bytes), x, bytes);
}

static double at(enum dtype type, const void *x, long i)
{
	return (DT_FLOAT32 == type) ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/** Lines of n against the sum that defines them. */
static double convolution_error(enum dtype type, long n, double bend)
{
	enum { LINES = 3 };
	const struct ramp_filter filter = {.window = RAMP_SHEPP_LOGAN};
	struct ramp *r = ramp_create(&filter, n, bend);
	void *x = noise(type, n * LINES), *y = copy_of(x, (size_t)(n * LINES) * dtype_size(type));
	double *h = mem_alloc((size_t)n * sizeof *h), worst = 0.;

	ramp_kernel(&filter, n, h);

	for (long i = 1; i < n; i++)
		h[i] *= (0. == bend) ? 1. : pow((double)i * bend / sin((double)i * bend), 2.);

	ramp_lines(r, type, LINES, y);

	for (long l = 0; l < LINES; l++)
		for (long i = 0; i < n; i++) {
			double sum = 0.;

			for (long j = 0; j < n; j++)
				sum += h[labs(i - j)] * at(type, x, l * n + j);

			worst = fmax(worst, fabs(at(type, y, l * n + i) - sum));
		}

	free(h);
	free(x);
	free(y);
	ramp_free(r);
	return worst;
}

static void test_lengths(void)
{
	static const long more[] = {63, 64, 65, 81, 127, 160, 161, 337, 512, 640};

	for (int t = 0; t < 2; t++) {
		const enum dtype type = t ? DT_FLOAT64 : DT_FLOAT32;
		double worst = 0.;

		for (long n = 1; n <= 40; n++)
			worst = fmax(worst,
			        fmax(convolution_error(type, n, 0.), convolution_error(type, n, 0.02)));

		for (unsigned i = 0; i < sizeof more / sizeof more[0]; i++)
			worst = fmax(worst, convolution_error(type, more[i], 0.));

		check(worst < (t ? 1e-13 : 1e-6), "%s: lines of any length, off by %g", dtype_name(type),
		        worst);
	}
}

/** Alone, among others that are not finite, and by any number of threads. */
static void test_alone(enum dtype type, long n)
{
	enum { LINES = 37 };
	const size_t line = (size_t)n * dtype_size(type), bytes = LINES * line;
	const struct ramp_filter filter = {.window = RAMP_RAMP};
	struct ramp *r = ramp_create(&filter, n, 0.);
	char *x = noise(type, n * LINES), *all = copy_of(x, bytes), *other = copy_of(x, bytes);
	bool same = true, alone = true;

	ramp_lines(r, type, LINES, all);

	for (int threads = 1; threads <= 5; threads += 2) {
		omp_set_num_threads(threads);
		memcpy(other, x, bytes);
		ramp_lines(r, type, LINES, other);
		same = same && 0 == memcmp(all, other, bytes);
	}

	for (int l = 0; l < LINES; l++) {
		memcpy(other, x + (size_t)l * line, line);
		ramp_lines(r, type, 1, other);
		alone = alone && 0 == memcmp(all + (size_t)l * line, other, line);
	}

	check(same, "%s, %ld samples: the same bits by any number of threads", dtype_name(type), n);
	check(alone, "%s, %ld samples: a line alone has the bits of one among others", dtype_name(type), n);
	memcpy(other, x, bytes);

	for (int l = 5; l < LINES; l += 3) // every third holds one of them
		if (DT_FLOAT32 == type)
			((float *)other)[l * n + n / 2] = (l % 2) ? NAN : INFINITY;
		else
			((double *)other)[l * n + n / 2] = (l % 2) ? NAN : INFINITY;

	ramp_lines(r, type, LINES, other);

	for (int l = 0; l < LINES; l++)
		if (l < 5 || 0 != (l - 5) % 3)
			alone = alone && 0 == memcmp(all + (size_t)l * line, other + (size_t)l * line, line);

	check(alone, "%s, %ld samples: nor does it take from a neighbour that is not finite",
	        dtype_name(type), n);
	free(x);
	free(all);
	free(other);
	ramp_free(r);
}

/** Views that are filtered together, and one by one: detectors that are displaced, curved, and uneven. */
static void test_views(enum dtype type)
{
	enum { VIEWS = 40, COLS = 33, ROWS = 5 };
	static const struct {
		const char *name;
		struct orbit orbit;
	} scans[] = {{"parallel", {.parallel = true, .pitch = {1., 1.}}},
	        {"cone", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}}},
	        {"displaced", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .offset = {12., 0.}}},
	        {"other side", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .offset = {-12., 0.}}},
	        {"uneven columns", {.sod = 200., .sdd = 300., .pitch = {1.5, 1.5}, .radius = 150.}}};
	double angle[VIEWS];

	for (int k = 0; k < VIEWS; k++)
		angle[k] = 9. * k;

	for (unsigned s = 0; s < sizeof scans / sizeof scans[0]; s++) {
		struct geom *g = orbit_geom(&scans[s].orbit, VIEWS, angle, COLS, ROWS);
		struct fbp *f = fbp_create(g, &(struct fbp_settings){.filter.window = RAMP_RAMP}, "test");
		const long view = COLS * ROWS, wide = fbp_cols(f) * ROWS;
		const size_t size = dtype_size(type);
		char *p = noise(type, view * VIEWS), *q = mem_alloc((size_t)(wide * VIEWS) * size),
		     *one = mem_alloc((size_t)wide * size);
		bool same = true;

		omp_set_num_threads(2);
		fbp_filter(f, type, q, p, 0, VIEWS);
		omp_set_num_threads(1);

		for (long k = 0; k < VIEWS; k++) {
			fbp_filter(f, type, one, p + (size_t)(k * view) * size, k, 1);
			same = same && 0 == memcmp(one, q + (size_t)(k * wide) * size, (size_t)wide * size);
		}

		check(same, "%s, %s: a view's bits do not depend on the batch", dtype_name(type),
		        scans[s].name);
		free(p);
		free(q);
		free(one);
		fbp_free(f);
		geom_free(g);
	}
}

int main(void)
{
	test_lengths();

	for (int t = 0; t < 2; t++) {
		const enum dtype type = t ? DT_FLOAT64 : DT_FLOAT32;

		test_alone(type, 3);
		test_alone(type, 300);
		test_views(type);
	}

	return checks_failed ? 1 : 0;
}
