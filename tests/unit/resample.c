/* Resampling: the operator and its adjoint, and bits that do not depend on pieces and threads. */

#include <math.h>
#include <omp.h>

#include "linop_case.h"
#include "linops/resample/resample.h"

static const enum resample_kernel kernels[] = {
        RESAMPLE_NEAREST, RESAMPLE_LINEAR, RESAMPLE_CUBIC, RESAMPLE_CATMULL_ROM, RESAMPLE_LANCZOS};

/** A turn about an oblique axis with other scales along the axes. */
static struct resample oblique(enum resample_kernel kernel, const long in[3], const long out[3], double scale)
{
	struct resample r = {.kernel = kernel};
	const double c = cos(0.4), s = sin(0.4), e = cos(0.7), f = sin(0.7);
	const double turn[3][3] = {{c * e, -s * e, f}, {s, c, 0.}, {-c * f, s * f, e}};

	for (int d = 0; d < 3; d++) {
		r.in[d] = in[d];
		r.out[d] = out[d];
		r.at[d][3] = (double)(in[d] - 1) / 2.;

		for (int k = 0; k < 3; k++) {
			r.at[d][k] = scale * (1. + 0.1 * d) * turn[d][k];
			r.at[d][3] -= r.at[d][k] * ((double)(out[k] - 1) / 2. + 0.2 * k);
		}
	}

	resample_coarser(&r);

	return r;
}

static void adjoints(void)
{
	static const long in[][3] = {{13, 10, 9}, {7, 1, 12}, {1, 1, 1}, {2, 17, 3}, {40, 3, 1}};
	static const long out[][3] = {{11, 12, 8}, {9, 1, 10}, {3, 2, 4}, {5, 4, 6}, {20, 5, 1}};
	static const double scales[] = {0.6, 1., 2.3};

	for (int k = 0; k < 5; k++)
		for (int s = 0; s < 5; s++)
			for (int f = (k + s) % 3; f < 3; f += 3) {
				const struct resample r = oblique(kernels[k], in[s], out[s], scales[f]);
				const enum dtype t = types[(k + s + f) % 4];
				const long dims[] = {in[s][0], in[s][1], in[s][2], 2};
				char what[60];

				snprintf(what, sizeof what, "resample %d, shape %d, scale %g", k, s,
				        scales[f]);
				check_operator(linop_resample_create(t, 4, dims, &r), what);
			}
}

static void pieces(void)
{
	const long in[] = {35, 40, 33}, out[] = {37, 31, 70};
	const long n = in[0] * in[1] * in[2], m = out[0] * out[1] * out[2];

	for (int k = 0; k < 5; k++) {
		const struct resample r = oblique(kernels[k], in, out, 1.4);
		struct resample_plan *p = resample_plan_create(&r, DT_FLOAT32, NULL, NULL);
		const long whole = resample_memory(p);
		float *x = probe_vector(DT_FLOAT32, n, 5), *a = mem_alloc((size_t)m * 4);
		float *b = mem_alloc((size_t)m * 4), *c = mem_alloc((size_t)m * 4);
		void *room = mem_alloc((size_t)whole);
		const int threads = omp_get_max_threads();

		resample_forward(p, (struct resample_array){.data = a, .type = DT_FLOAT32, .step = 4},
		        (struct resample_array){.data = x, .type = DT_FLOAT32, .step = 4}, room, whole);
		resample_forward(p, (struct resample_array){.data = b, .type = DT_FLOAT32, .step = 4},
		        (struct resample_array){.data = x, .type = DT_FLOAT32, .step = 4}, room, whole / 3);
		check(0 == memcmp(a, b, (size_t)m * 4), "resample %d: the same bits in pieces", k);
		omp_set_num_threads(1);
		resample_forward(p, (struct resample_array){.data = c, .type = DT_FLOAT32, .step = 4},
		        (struct resample_array){.data = x, .type = DT_FLOAT32, .step = 4}, room, whole);
		check(0 == memcmp(a, c, (size_t)m * 4), "resample %d: the same bits by one thread", k);
		omp_set_num_threads(threads);
		resample_plan_free(p);
		free(x);
		free(a);
		free(b);
		free(c);
		free(room);
	}
}

/** Interpolations keep constants, linear functions (but for the nearest) and their own samples. */
static void exact(void)
{
	const long in[] = {12, 11, 10}, out[] = {9, 9, 9};

	for (int k = 0; k < 5; k++) {
		struct resample r = oblique(kernels[k], in, out, 0.4);
		double x[12 * 11 * 10], y[12 * 11 * 10], worst = 0., flat = 0.;

		struct linop *A = linop_resample_create(DT_FLOAT64, 3, in, &r);

		for (int i = 0; i < 12 * 11 * 10; i++)
			x[i] = 3.;

		linop_forward(A, y, x);
		linop_free(A);

		for (int i = 0; i < 9 * 9 * 9; i++)
			flat = fmax(flat, fabs(y[i] - 3.));

		check(flat < 1e-12, "resample %d: a constant stays: %.2g", k, flat);

		for (int d = 0; d < 3; d++) {
			r.out[d] = in[d];
			r.coarser[d] = 0.;

			for (int c = 0; c < 4; c++)
				r.at[d][c] = d == c;
		}

		A = linop_resample_create(DT_FLOAT64, 3, in, &r);

		for (int i = 0; i < 12 * 11 * 10; i++)
			x[i] = sin(i * i);

		linop_forward(A, y, x);
		linop_free(A);

		for (int i = 0; i < 12 * 11 * 10; i++)
			worst = fmax(worst, fabs(y[i] - x[i]));

		check(worst < 1e-13, "resample %d: the same grid: %.2g", k, worst);
	}
}

int main(void)
{
	const int threads = omp_get_max_threads();

	omp_set_num_threads(1);
	adjoints();
	omp_set_num_threads(threads);
	pieces();
	exact();

	return checks_failed != 0;
}
