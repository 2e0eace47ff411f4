/* The Laplacian in one pass: row by row along the first of its dims, with the neighbouring rows in the
 * others. */

#include <stdlib.h>

#include "linops/differences.h"
#include "linops/fit.h"
#include "linops/grad_parts.h"
#include "linops/laplacian.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/md/multind.h"

/** The array as (inner, n, n of the other dims); a row is (inner, n). A complex element counts as two reals.
 */
struct laplacian {
	enum dtype type;
	enum grad_boundary boundary;
	long inner, n;           // of the first differentiated dim
	double factor;           // 1 / h^2 of it
	long rows;               // of all other dims
	int D;                   // dims of a row's number
	long dims[DIMS];         // their extents
	double along[DIMS];      // 1 / h^2, 0: not differentiated
	void *zeros;             // a row
	struct grad_parts there; // the differentiated dims, for a device
};

enum { PIECE = 1 << 14 };

/** Number of the row that stands for the one `by` further along dim d, or -1 for zeros. */
static long neighbour(const struct laplacian *l, long row, int d, int by)
{
	long before = 1;

	for (int i = 0; i < d; i++)
		before *= l->dims[i];

	const long n = l->dims[d], at = row / before % n, to = at + by;

	if (to >= 0 && to < n)
		return row + by * before;

	if (GRAD_ZERO == l->boundary)
		return -1;

	return (GRAD_PERIODIC == l->boundary) ? row - by * (n - 1) * before : row;
}

#define REAL        float
#define NAMED(name) name##_float
#include "linops/laplacian_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "linops/laplacian_impl.inc"

static enum beyond beyond_of(const struct laplacian *l)
{
	return (GRAD_ZERO == l->boundary)       ? BEYOND_ZERO
	       : (GRAD_PERIODIC == l->boundary) ? BEYOND_OTHER_END
	                                        : BEYOND_NEAREST;
}

static void laplacian_apply(const void *self, void *dst, const void *src)
{
	const struct laplacian *l = self;

	if (device_holds(src))
		grad_kernels_gpu.laplacian(
		        &l->there, beyond_of(l), dtype_real(l->type), l->inner * l->n * l->rows, dst, src);
	else if (DT_FLOAT32 == dtype_real(l->type))
		laplacian_float(l, dst, src);
	else
		laplacian_double(l, dst, src);
}

static void laplacian_destroy(void *self)
{
	struct laplacian *l = self;

	free(l->zeros);
	free(l);
}

static const struct linop_ops laplacian_ops = {.name = "laplacian",
        .forward = laplacian_apply,
        .adjoint = laplacian_apply,
        .destroy = laplacian_destroy,
        .anywhere = true};

struct linop *linop_laplacian_create(enum dtype type, int D, const long dims[], unsigned long flags,
        const double h[], enum grad_boundary boundary)
{
	return laplacian_scaled_create(1., type, D, dims, flags, h, boundary);
}

struct linop *laplacian_scaled_create(double scale, enum dtype type, int D, const long dims[],
        unsigned long flags, const double h[], enum grad_boundary boundary)
{
	fit_flags(D, flags, "a Laplacian");

	if (GRAD_ONE_SIDED == boundary)
		error("a Laplacian does not support the boundary 'one-sided' (valid: replicate, zero or "
		      "periodic)");

	for (int d = 0; d < D; d++)
		if ((flags & 1ul << d) && !(h[d] > 0.))
			error("the voxel size is %g mm along dimension %d, expected more than 0", h[d], d);

	struct laplacian *l = NEW(struct laplacian);
	struct linop *A = linop_create(&laplacian_ops, l, type, D, dims, D, dims);
	const int first = md_min_idx(flags);

	l->type = type;
	l->boundary = boundary;
	l->inner = md_calc_size(first, dims) * (dtype_is_complex(type) ? 2 : 1);
	l->n = dims[first];
	l->factor = scale / (h[first] * h[first]);
	l->rows = 1;

	for (int d = first; d < D; d++)
		if (flags & 1ul << d)
			l->there.part[l->there.n++] = (struct part){
			        .inner = md_calc_size(d, dims) * (dtype_is_complex(type) ? 2 : 1),
			        .n = dims[d],
			        .outer = md_calc_size(D - d - 1, dims + d + 1),
			        .factor = scale / (h[d] * h[d])};

	for (int d = first + 1; d < D; d++) {
		l->dims[l->D] = dims[d];
		l->along[l->D++] = (flags & 1ul << d) ? scale / (h[d] * h[d]) : 0.;
		l->rows *= dims[d];
	}

	if (GRAD_ZERO == boundary && l->D > 0)
		l->zeros = mem_calloc((size_t)(l->inner * l->n), dtype_size(dtype_real(type)));

	return A;
}
