#ifndef LINOPS_GRAD_PARTS_H
#define LINOPS_GRAD_PARTS_H

#include "misc/dtype.h"

/** Data for the loops of gradients, on the CPU and on a device. */

/** At an end of a dim, the difference in row `row` is (x[plus] - x[minus]) factor. A row is all elements with
 * the same index along the dim. */
struct edge {
	long row, plus, minus; // -1: zeros
	double factor;
};

/** Differences along one dim of an array of (inner, n, outer) real numbers. */
struct part {
	long inner, n, outer;
	long low, high; // rows at the ends that are edges
	long up, down;  // inside: (x[i + up] - x[i - down]) factor
	double factor;  // 1 / (h (up + down))
	int edges;
	struct edge edge[2];
};

struct grad_parts {
	int n; // dims differentiated along
	struct part part[DIMS];
};

/** Values beyond the ends for a Laplacian. */
enum beyond { BEYOND_NEAREST, BEYOND_ZERO, BEYOND_OTHER_END };

/** Gradients on a device, for `size` real numbers. laplacian() sums second differences, times the factor of
 * the part, over all parts; it uses only the extents and factors of the parts. Empty in builds without CUDA.
 */
struct grad_kernels {
	void (*forward)(const struct grad_parts *g, enum dtype real, long size, void *dst, const void *src);
	void (*adjoint)(const struct grad_parts *g, enum dtype real, long size, void *dst, const void *src);
	void (*laplacian)(const struct grad_parts *g, enum beyond beyond, enum dtype real, long size,
	        void *dst, const void *src);
};

extern const struct grad_kernels grad_kernels_gpu;

#endif
