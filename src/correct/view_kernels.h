#ifndef CORRECT_VIEW_KERNELS_H
#define CORRECT_VIEW_KERNELS_H

#include <stdbool.h>

#include "correct/fourier.h"
#include "correct/scatter.h"

/** Operations of corrections on n views (u, v, view) of float64. All arrays reside on a device; one table per
 * device. */
struct view_kernels {
	/** z = the extended views, complex128. */
	void (*extend)(const struct plane *p, long n, double *z, const double *in);
	/** z *= w, a real factor per frequency of a view. */
	void (*weigh)(const struct plane *p, long n, double *z, const double *w);
	/** out = the real parts of z inside the views, divided by plane_size(). */
	void (*crop)(const struct plane *p, long n, double *out, const double *z);
	/** sent[i] = scatter_source() of p[i], for n values. */
	void (*sources)(const struct scatter *s, long n, double *sent, const double *p);
	/** out = in - sent, but at least in / 100. If `count`, returns the number of values raised to this
	 * limit. */
	long (*subtract)(long n, double *out, const double *in, const double *sent, bool count);
	/** Distortion correction of correct/distort.h for n views. k: `terms` coefficients. */
	void (*distort)(long cols, long rows, const double centre[2], int terms, const double *k, long n,
	        double *out, const double *in);
	/** Sums or means of blocks of u x v pixels: out (cols / u, rows / v, n); incomplete blocks are
	 * dropped. */
	void (*bin)(long cols, long rows, long u, long v, bool sum, long n, double *out, const double *in);
	/** out(a, ..) = factor[a] in(at[a], ..). The array `out` has `wide` columns, the array `in` has
	 * `cols` columns. rows: the number of rows of all views together. */
	void (*columns)(long wide, const long *at, const double *factor, long cols, long rows, double *out,
	        const double *in);
};

extern const struct view_kernels view_kernels_gpu;

/** Filters views in the Fourier domain. All arrays are on the device. w: a real factor per frequency of a
 * view. out may be in. z: memory for n extended views, complex128. */
extern void views_filter(
        const struct plane *p, long n, double *out, const double *in, const double *w, double *z);

/** Memory that views_filter() and the transforms need per element of a view [float64 numbers]. */
extern double views_filter_room(const struct plane *p);

#endif
