#ifndef LINOPS_GRAD_PARTS_H
#define LINOPS_GRAD_PARTS_H

#include "misc/dtype.h"

/** Data for the loops that compute gradients on the CPU and on a device. */

/**
 * The difference at one end of a dim is:
 *
 *     y[row] = (x[plus] - x[minus]) factor
 *
 * A row contains all elements with the same index along the dim.
 */
struct edge {
	long row, plus, minus; // plus and minus are -1 for zeros
	double factor;
};

/** Describes differences of real numbers along the middle dim of an array with dims (inner, n, outer). */
struct part {
	long inner, n, outer;
	long low, high; // numbers of rows at the two ends that edge[] describes
	long up, down;  // other rows: y[i] = (x[i + up] - x[i - down]) factor
	double factor;  // 1 / (h (up + down))
	int edges;      // length of edge[]
	struct edge edge[2];
};

/** Describes a gradient, with one struct part for each dim along which differences are computed. */
struct grad_parts {
	int n; // length of part[]
	struct part part[DIMS];
};

/** Selects the values beyond the ends of a dim in a Laplacian. These values are the nearest element, zero,
 * or the elements at the other end. */
enum beyond { BEYOND_NEAREST, BEYOND_ZERO, BEYOND_OTHER_END };

/** Functions that compute gradients and Laplacians on a device. `size` is the number of real numbers in the
 * volume. The function laplacian() adds the second differences of all dims, each multiplied by `part.factor`.
 * Besides the factors, laplacian() uses only the extents of the parts. In builds without CUDA, all function
 * pointers are NULL. */
struct grad_kernels {
	void (*forward)(const struct grad_parts *g, enum dtype real, long size, void *dst, const void *src);
	void (*adjoint)(const struct grad_parts *g, enum dtype real, long size, void *dst, const void *src);
	void (*laplacian)(const struct grad_parts *g, enum beyond beyond, enum dtype real, long size,
	        void *dst, const void *src);
};

extern const struct grad_kernels grad_kernels_gpu;

#endif
