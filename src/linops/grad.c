#include <math.h>
#include <stdlib.h>

#include "linops/linop.h"

#include "linops/grad_parts.h"
#include "linops/laplacian.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

/**
 * Differences along some dims; a complex element counts as two real ones.
 */
struct grad {
	enum dtype type;
	long size;                  // elements of the input
	bool plain;                 // forward differences, 0 at the last element
	double factor[DIMS];        // 1 / h along the dims differentiated along, else 0
	bool periodic;              // the other end stands for elements beyond an end
	const struct linop *square; // D'D in one pass, where it is minus the Laplacian; else NULL
	struct grad_parts along;
};

enum { PIECE = 1 << 14 };

#define REAL        float
#define NAMED(name) name##_float
#include "linops/grad_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "linops/grad_impl.inc"

static long numbers(const struct grad *g)
{
	return dtype_is_complex(g->type) ? 2 * g->size : g->size;
}

static void grad_forward(const void *self, void *dst, const void *src)
{
	const struct grad *g = self;
	const long bytes = g->size * (long)dtype_size(g->type);

	if (device_holds(src)) {
		grad_kernels_gpu.forward(&g->along, dtype_real(g->type), numbers(g), dst, src);
		return;
	}

	for (int k = 0; k < g->along.n; k++) {
		void *d = (char *)dst + k * bytes;

		if (dtype_real(g->type) == DT_FLOAT32)
			difference_float(&g->along.part[k], d, src);
		else
			difference_double(&g->along.part[k], d, src);
	}
}

static void grad_adjoint(const void *self, void *dst, const void *src)
{
	const struct grad *g = self;
	const long bytes = g->size * (long)dtype_size(g->type);

	if (device_holds(src)) {
		grad_kernels_gpu.adjoint(&g->along, dtype_real(g->type), numbers(g), dst, src);
		return;
	}

	vec_clear(g->type, g->size, dst);

	for (int k = 0; k < g->along.n; k++) {
		const void *s = (const char *)src + k * bytes;

		if (dtype_real(g->type) == DT_FLOAT32)
			divergence_float(&g->along.part[k], dst, s);
		else
			divergence_double(&g->along.part[k], dst, s);
	}
}

static void grad_normal(const void *self, void *dst, const void *src)
{
	linop_forward(((const struct grad *)self)->square, dst, src);
}

/** Each dim has the eigenvalues 4/h^2 sin^2(w/2) of second differences, of the frequencies w of cosines, or
 * of waves where the ends meet; their largest sums are those of all dims. */
static double grad_norm(const void *self)
{
	const struct grad *g = self;
	double sum = 0.;

	for (int k = 0; k < g->along.n; k++) {
		const struct part *p = &g->along.part[k];
		const double n = (double)p->n,
		             s = g->periodic ? sin(M_PI * floor(n / 2.) / n) : cos(M_PI_2 / n);

		sum += 4. * p->factor * p->factor * s * s;
	}

	return sqrt(sum);
}

static bool grad_differences(const void *self, double factor[DIMS])
{
	const struct grad *g = self;

	for (int d = 0; d < DIMS; d++)
		factor[d] = g->factor[d];

	return g->plain;
}

static void grad_destroy(void *self)
{
	struct grad *g = self;

	linop_free(g->square);
	free(g);
}

static const struct linop_ops grad_ops = {.name = "grad",
        .forward = grad_forward,
        .adjoint = grad_adjoint,
        .destroy = grad_destroy,
        .anywhere = true};
static const struct linop_ops grad_square_ops = {.name = "grad",
        .forward = grad_forward,
        .adjoint = grad_adjoint,
        .normal = grad_normal,
        .destroy = grad_destroy,
        .norm = grad_norm,
        .differences = grad_differences,
        .anywhere = true};

/** Row i, or what stands for it where there is none; -1: zeros. */
static long neighbour(long i, long n, enum grad_boundary boundary)
{
	if (i >= 0 && i < n)
		return i;

	if (boundary == GRAD_ZERO)
		return -1;

	return (boundary == GRAD_PERIODIC) ? (i + n) % n : (i < 0) ? 0 : n - 1;
}

static void add_edge(struct part *p, long row, double h, enum grad_boundary boundary)
{
	struct edge e = {.row = row, .factor = p->factor};

	e.plus = neighbour(row + p->up, p->n, boundary);
	e.minus = neighbour(row - p->down, p->n, boundary);

	if (boundary == GRAD_ONE_SIDED) {
		if (e.plus == e.minus && p->n > 1)
			*(row == 0 ? &e.plus : &e.minus) += row == 0 ? 1 : -1;

		e.factor = 1. / (h * (double)max_long(e.plus - e.minus, 1));
	}

	if (e.plus == e.minus)
		e.plus = e.minus = -1;

	p->edge[p->edges++] = e;
}

static struct part part_create(
        long inner, long n, long outer, double h, enum grad_scheme scheme, enum grad_boundary boundary)
{
	struct part p = {.inner = inner, .n = n, .outer = outer};

	p.up = p.high = scheme != GRAD_BACKWARD;
	p.down = p.low = scheme != GRAD_FORWARD;
	p.factor = 1. / (h * (double)(p.up + p.down));

	if (p.low)
		add_edge(&p, 0, h, boundary);

	if (p.high && !(p.low && n == 1))
		add_edge(&p, n - 1, h, boundary);

	return p;
}

struct linop *linop_gradient_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_scheme scheme, enum grad_boundary boundary)
{
	if (D < 0 || D >= DIMS)
		error("the gradient of an array with %d dimensions is not supported, expected at most %d", D,
		        DIMS - 1);

	if (flags == 0 || (flags >> D) != 0)
		error("a gradient along the dimensions of bit mask 0x%lx is not supported, expected one or "
		      "more of the dimensions 0 to %d",
		        flags, D - 1);

	struct grad *g = NEW(struct grad);
	long odims[DIMS];

	g->type = type;

	for (int d = 0; d < D; d++) {
		if (!(flags & (1UL << d)))
			continue;

		if (!(h[d] > 0.))
			error("the voxel size is %g mm along dimension %d, expected more than 0", h[d], d);

		g->factor[d] = 1. / h[d];
		g->along.part[g->along.n++] =
		        part_create(md_calc_size(d, dims) * (dtype_is_complex(type) ? 2 : 1), dims[d],
		                md_calc_size(D - d - 1, dims + d + 1), h[d], scheme, boundary);
	}

	md_copy_dims(D, odims, dims);
	odims[D] = g->along.n;

	g->plain = GRAD_FORWARD == scheme && GRAD_REPLICATE == boundary;
	g->periodic = GRAD_PERIODIC == boundary;

	if (GRAD_CENTRAL != scheme && (GRAD_REPLICATE == boundary || GRAD_PERIODIC == boundary))
		g->square = laplacian_scaled_create(-1., type, D, dims, flags, h, boundary);

	struct linop *A = linop_create(
	        (NULL != g->square) ? &grad_square_ops : &grad_ops, g, type, D + 1, odims, D, dims);

	g->size = linop_domain_size(A);

	return A;
}

struct linop *linop_grad_create(
        enum dtype type, int D, const long dims[], unsigned long flags, const double h[])
{
	return linop_gradient_create(type, D, dims, flags, h, GRAD_FORWARD, GRAD_REPLICATE);
}
