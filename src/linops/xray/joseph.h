#ifndef LINOPS_XRAY_JOSEPH_H
#define LINOPS_XRAY_JOSEPH_H

/**
 * Joseph's method along one ray: the mathematics that forward and adjoint, CPU and GPU share (C and CUDA C).
 *
 * A box of nx x ny x nz voxels stands in its own coordinates: the voxels' centres at 1..n along each axis, a
 * ring of zero cells at 0 and n+1 around them. A ray takes part where its position across the dominant axis
 * lies in [0, n+1): there it touches the box. The stretch inside is cut into runs of at most JOSEPH_RUN
 * planes; positions are float64 at the start of a run and in working precision, relative to the first cell,
 * inside it.
 */

#include <math.h>

#ifdef __CUDACC__
#define XRAY_FN static inline __host__ __device__
#else
#define XRAY_FN static inline __attribute__((always_inline))
#endif

enum { JOSEPH_RUN = 32 };

/** The part of a ray inside a box. Axis m is the dominant one, p and q (in the order x, y, z) lie across. */
struct joseph_line {
	int m, p, q;
	int first, count; /* planes along m */
	double pos[2];    /* position along p and q in plane 0 */
	double slope[2];  /* per plane */
};

/** Consecutive planes [first, first + count) and the cell and fraction at the first. */
struct joseph_run {
	int first, count;
	int cell[2];
	double frac[2];
};

/** The dominant axis of a direction in voxel index space: the largest component, x before y before z on ties.
 */
XRAY_FN int joseph_axis(double dx, double dy, double dz)
{
	double x = fabs(dx), y = fabs(dy), z = fabs(dz);

	return (x >= y) ? ((x >= z) ? 0 : 2) : ((y >= z) ? 1 : 2);
}

/** Narrows [lo, hi] to the planes where 0 <= pos + plane / step <= end; step may be infinite (NaN comparisons
 * leave the range alone). */
XRAY_FN void joseph_narrow(double *lo, double *hi, double pos, double step, double end)
{
	double x0 = (0. - pos) * step, x1 = (end - pos) * step;
	double a = (x0 < x1) ? x0 : x1, b = (x0 < x1) ? x1 : x0;

	*lo = (a > *lo) ? a : *lo;
	*hi = (b < *hi) ? b : *hi;
}

/** The line of s + t d across a box of n voxels (all in the box's coordinates) within planes [lo, hi].
 * Returns the number of planes. */
XRAY_FN int joseph_between(
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

/** Clips the ray to the planes of the box; half: only t >= 0 counts. */
XRAY_FN int joseph_clip(struct joseph_line *l, const double s[3], const double d[3], const int n[3], int half)
{
	int m = joseph_axis(d[0], d[1], d[2]);
	double inv = 1. / d[m], lo = 1., hi = n[m];

	if (half && inv > 0.)
		lo = (s[m] > lo) ? s[m] : lo;
	else if (half)
		hi = (s[m] < hi) ? s[m] : hi;

	return joseph_between(l, s, d, n, lo, hi);
}

/** Path length between planes [mm] of voxels of that spacing [mm]. */
XRAY_FN double joseph_length(const struct joseph_line *l, const double spacing[3])
{
	double a = spacing[l->m], b = l->slope[0] * spacing[l->p], c = l->slope[1] * spacing[l->q];

	return sqrt(a * a + b * b + c * c);
}

/** Cell below the sample n planes after the start of a run, counted from the run's first cell, and the weight
 * w of the cell above. */
XRAY_FN int joseph_cell(float frac, float slope, int n, float *w)
{
	float x = frac + slope * (float)n;
	int c = (int)x;

	c -= (x < (float)c);
	*w = x - (float)c;
	return c;
}

/** The same in float64. */
XRAY_FN int joseph_cell64(double frac, double slope, int n, double *w)
{
	double x = frac + slope * (double)n;
	int c = (int)x;

	c -= (x < (double)c);
	*w = x - (double)c;
	return c;
}

/** Is the run's sample n (in float32, or float64 when wide) inside the box, so that the cell above exists
 * too? */
XRAY_FN int joseph_inside(
        const struct joseph_line *l, const struct joseph_run *r, const int n[3], int k, int wide)
{
	int in = 1;

	for (int i = 0; i < 2; i++) {
		float wf;
		double wd;
		int c = wide ? joseph_cell64(r->frac[i], l->slope[i], k, &wd)
		             : joseph_cell((float)r->frac[i], (float)l->slope[i], k, &wf);

		in &= (r->cell[i] + c >= 0) & (r->cell[i] + c <= n[i ? l->q : l->p]);
	}

	return in;
}

/**
 * The next run of a line, taken off its front. Rounding may put the end samples of a run just outside the
 * box: these are left out (they weigh nothing), so that every sample between them, the position being
 * monotone, is inside.
 */
XRAY_FN void joseph_next(struct joseph_run *r, struct joseph_line *l, const int n[3], int wide)
{
	int used = (l->count < JOSEPH_RUN) ? l->count : JOSEPH_RUN;

	r->first = l->first;
	r->count = used;

	for (int i = 0; i < 2; i++) {
		double x = l->pos[i] + l->slope[i] * r->first;

		r->cell[i] = (int)x - (x < 0.);
		r->frac[i] = x - r->cell[i];
	}

	while (r->count > 0 && !joseph_inside(l, r, n, r->count - 1, wide))
		r->count--;

	if (r->count > 0 && !joseph_inside(l, r, n, 0, wide)) {
		r->count = 0;
		used = 1;
	}

	l->first += used;
	l->count -= used;
}

#endif
