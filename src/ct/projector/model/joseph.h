#ifndef CT_PROJECTOR_MODEL_JOSEPH_H
#define CT_PROJECTOR_MODEL_JOSEPH_H

/**
 * Joseph's method along one ray, for forward and adjoint on CPU and GPU. The code is C and CUDA C.
 *
 * A box has nx x ny x nz voxels. In the coordinates of the box, voxel centres are at 1..n along each axis.
 * Zeros surround the box at 0 and n + 1. A plane contains all voxel centres with the same index along the
 * dominant axis. A ray meets the box in the planes where the ray's other two coordinates are in [0, n + 1).
 * Kernels process at most JOSEPH_RUN planes at a time.
 */

#include <math.h>

#include "num/device/cuda/device_fn.h"

enum { JOSEPH_RUN = 32 };

/** The part of a ray inside a box. Axis m is the dominant axis. Axes p and q are the other axes, in the
 * order x, y, z. */
struct joseph_line {
	int m, p, q;
	int first, count; /* first plane and number of planes along m */
	double pos[2];    /* position along p and q in plane 0 */
	double slope[2];  /* change of the position per plane */
};

/** Returns the dominant axis of a direction, which has the largest component in voxel index space. Among
 * equal components, x is chosen before y, and y before z. */
DEVICE_FN int joseph_axis(double dx, double dy, double dz)
{
	double x = fabs(dx), y = fabs(dy), z = fabs(dz);

	return (x >= y) ? ((x >= z) ? 0 : 2) : ((y >= z) ? 1 : 2);
}

/** Narrows [lo, hi] to the planes where 0 <= pos + plane / step <= end. An infinite `step` is allowed. */
DEVICE_FN void joseph_narrow(double *lo, double *hi, double pos, double step, double end)
{
	double x0 = (0. - pos) * step, x1 = (end - pos) * step;
	double a = (x0 < x1) ? x0 : x1, b = (x0 < x1) ? x1 : x0;

	*lo = (a > *lo) ? a : *lo;
	*hi = (b < *hi) ? b : *hi;
}

/** Sets *l to the part of the ray s + t d inside a box of n voxels. Planes outside [lo, hi] are excluded.
 * Returns the number of planes. All positions are in the coordinates of the box. */
DEVICE_FN int joseph_between(
        struct joseph_line *l, const double s[3], const double d[3], const int n[3], double lo, double hi)
{
	int m = joseph_axis(d[0], d[1], d[2]), p = (m == 0), q = (m == 2) ? 1 : 2;
	double inv = 1. / d[m];

	l->m = m;
	l->p = p;
	l->q = q;
	l->slope[0] = d[p] * inv;
	l->slope[1] = d[q] * inv;
	l->pos[0] = s[p] - s[m] * l->slope[0];
	l->pos[1] = s[q] - s[m] * l->slope[1];
	joseph_narrow(&lo, &hi, l->pos[0], d[m] / d[p], n[p] + 1.);
	joseph_narrow(&lo, &hi, l->pos[1], d[m] / d[q], n[q] + 1.);

	if (!(lo <= hi))
		return l->count = 0;

	l->first = (int)lo;
	l->first += (l->first < lo);
	l->count = (int)hi - l->first + 1;
	return l->count;
}

/** Returns the length of the ray between successive planes [mm]. The voxels have size `spacing` [mm]. */
DEVICE_FN double joseph_length(const struct joseph_line *l, const double spacing[3])
{
	double a = spacing[l->m], b = l->slope[0] * spacing[l->p], c = l->slope[1] * spacing[l->q];

	return sqrt(a * a + b * b + c * c);
}

/** Returns the whole part of x, and sets *w to the fraction. First, x is clamped to [0, end], because
 * rounding may move x slightly outside. The fraction is the interpolation weight of the upper neighbour. */
DEVICE_FN int joseph_cell(float x, float end, float *w)
{
	x = (x > 0) ? x : 0;
	x = (x < end) ? x : end;

	const int c = (int)x;

	*w = x - (float)c;
	return c;
}

/** Does the same as joseph_cell() in float64. */
DEVICE_FN int joseph_cell64(double x, double end, double *w)
{
	x = (x > 0) ? x : 0;
	x = (x < end) ? x : end;

	const int c = (int)x;

	*w = x - (double)c;
	return c;
}

#endif
