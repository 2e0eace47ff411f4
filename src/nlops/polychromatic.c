/* Transmission of a spectrum through materials. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "nlops/nlop.h"
#include "nlops/transmit.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

struct polychromatic {
	const struct linop *A;
	int energies, materials;
	double *s, *mu;
	struct scratch there_s, there_mu; // the same on a device
	struct scratch lines;             // materials times the codomain: A x_m, then dy / d(A x_m)
	struct scratch tmp;               // of the codomain
};

#define REAL        float
#define NAMED(name) name##_float
#include "nlops/polychromatic_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "nlops/polychromatic_impl.inc"

static void transmit_cpu(const struct transmit *q, enum dtype real, long n, void *y, void *t)
{
	if (DT_FLOAT32 == real)
		transmit_float(q, n, y, t);
	else
		transmit_double(q, n, y, t);
}

/** Rays of the codomain, from lines that lie where y does. */
static void transmit(struct polychromatic *p, void *y, void *t)
{
	const enum dtype real = linop_type(p->A);
	const long m = linop_codomain_size(p->A);
	const struct transmit q = {p->energies, p->materials,
	        scratch_near(&p->there_s, p->s, (size_t)p->energies * sizeof *p->s, y),
	        scratch_near(&p->there_mu, p->mu, (size_t)(p->energies * p->materials) * sizeof *p->mu, y)};

	if (device_holds(y))
		transmit_gpu.run(&q, real, m, y, t);
	else
		transmit_cpu(&q, real, m, y, t);
}

static char *lines(struct polychromatic *p, const void *ref)
{
	return scratch_get(&p->lines, linop_type(p->A), p->materials * linop_codomain_size(p->A), ref);
}

static void poly_forward(void *self, void *const out[], const void *const in[])
{
	struct polychromatic *p = self;
	const long size = (long)dtype_size(linop_type(p->A));
	const long m = linop_codomain_size(p->A) * size, n = linop_domain_size(p->A) * size;
	char *at = lines(p, in[0]);

	for (int k = 0; k < p->materials; k++)
		linop_forward(p->A, at + k * m, (const char *)in[0] + k * n);

	transmit(p, out[0], at);
}

static void poly_derivative(void *self, int o, int i, void *dst, const void *src)
{
	struct polychromatic *p = self;
	const enum dtype t = linop_type(p->A);
	const long m = linop_codomain_size(p->A), n = linop_domain_size(p->A);
	const char *slopes = lines(p, src);
	void *tmp = scratch_get(&p->tmp, t, m, src);
	long strs[1];

	(void)o;
	(void)i;
	md_calc_strides(1, strs, &m, dtype_size(t));
	vec_clear(t, m, dst);

	for (int k = 0; k < p->materials; k++) {
		linop_forward(p->A, tmp, (const char *)src + k * n * (long)dtype_size(t));
		md_fmac_t(t, false, 1, &m, strs, dst, strs, tmp, strs, slopes + k * m * (long)dtype_size(t));
	}
}

static void poly_adjoint(void *self, int o, int i, void *dst, const void *src)
{
	struct polychromatic *p = self;
	const enum dtype t = linop_type(p->A);
	const long m = linop_codomain_size(p->A), n = linop_domain_size(p->A);
	const char *slopes = lines(p, src);
	void *tmp = scratch_get(&p->tmp, t, m, src);

	(void)o;
	(void)i;

	for (int k = 0; k < p->materials; k++) {
		vec_mul(t, m, tmp, src, slopes + k * m * (long)dtype_size(t));
		linop_adjoint(p->A, (char *)dst + k * n * (long)dtype_size(t), tmp);
	}
}

static void poly_destroy(void *self)
{
	struct polychromatic *p = self;

	linop_free(p->A);
	scratch_free(&p->lines);
	scratch_free(&p->tmp);
	scratch_free(&p->there_s);
	scratch_free(&p->there_mu);
	free(p->s);
	free(p->mu);
	free(p);
}

static bool poly_anywhere(const void *self)
{
	return linop_is_anywhere(((const struct polychromatic *)self)->A);
}

static const struct nlop_ops poly_ops = {.name = "polychromatic transmission",
        .forward = poly_forward,
        .derivative = poly_derivative,
        .adjoint = poly_adjoint,
        .anywhere = poly_anywhere,
        .destroy = poly_destroy};

static double *copy(const double *x, int n, const char *what)
{
	double *y = mem_alloc((size_t)n * sizeof *y);

	for (int i = 0; i < n; i++)
		if (!(x[i] >= 0.) || isinf(x[i]))
			error("%s number %d is %g, expected a finite value of at least 0", what, i, x[i]);

	memcpy(y, x, (size_t)n * sizeof *y);

	return y;
}

struct nlop *nlop_polychromatic_create(
        const struct linop *A, int energies, const double s[], int materials, const double mu[])
{
	const int D = linop_domain_rank(A);

	if (dtype_is_complex(linop_type(A)))
		error("a transmission has type %s, expected float32 or float64", dtype_name(linop_type(A)));

	if (energies < 1 || materials < 1 || materials > POLY_MATERIALS || D >= DIMS)
		error("a transmission has %d energies, %d materials and %d dimensions, expected at least 1 "
		      "energy, 1 to %d materials and fewer than %d dimensions",
		        energies, materials, D, POLY_MATERIALS, DIMS);

	struct polychromatic *p = NEW(struct polychromatic);
	struct nlop_shape out = {.D = linop_codomain_rank(A)}, in = {.D = D + 1};

	p->A = linop_ref(A);
	p->energies = energies;
	p->materials = materials;
	p->s = copy(s, energies, "spectrum");
	p->mu = copy(mu, energies * materials, "attenuation");
	md_copy_dims(DIMS, out.dims, linop_codomain(A));
	md_copy_dims(DIMS, in.dims, linop_domain(A));
	in.dims[D] = materials;

	return nlop_create(&poly_ops, p, linop_type(A), 1, &out, 1, &in);
}
