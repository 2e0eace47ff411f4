#ifndef CORRECT_VIEW_KERNELS_H
#define CORRECT_VIEW_KERNELS_H

#include <stdbool.h>

#include "correct/fourier.h"
#include "correct/scatter.h"

/** These operations correct n views (u, v, view) of float64. All arrays reside on a device. */
struct view_kernels {
	/** Writes the extended views to z as complex128. */
	void (*extend)(const struct plane *p, long n, double *z, const double *in);
	/** Multiplies the spectra z by w. The array w has one real factor per frequency of a view. */
	void (*weigh)(const struct plane *p, long n, double *z, const double *w);
	/** Crops z to the original views, and divides by plane_size(). The real parts are written to
	 * `out`. */
	void (*crop)(const struct plane *p, long n, double *out, const double *z);
	/** Computes sent[i] = scatter_source(p[i]) for n values. */
	void (*sources)(const struct scatter *s, long n, double *sent, const double *p);
	/** Computes `out = max(in - sent, in / 100)`. If `count` is true, returns the number of values
	 * raised to `in / 100`. */
	long (*subtract)(long n, double *out, const double *in, const double *sent, bool count);
	/** Corrects the distortion of n views, as described in correct/distort.h. The array k has `terms`
	 * coefficients. */
	void (*distort)(long cols, long rows, const double centre[2], int terms, const double *k, long n,
	        double *out, const double *in);
	/** Computes sums or means of blocks of u x v pixels. The output has the shape (cols / u, rows /
	 * v, n). Incomplete blocks are dropped. */
	void (*bin)(long cols, long rows, long u, long v, bool sum, long n, double *out, const double *in);
	/** Computes `out(a, row) = factor[a] * in(at[a], row)` for each detector row. `out` has `wide`
	 * columns, and `in` has `cols` columns. `rows` is the number of detector rows of all views
	 * together. */
	void (*columns)(long wide, const long *at, const double *factor, long cols, long rows, double *out,
	        const double *in);
};

/** Implements the operations on the GPU. */
extern const struct view_kernels view_kernels_gpu;

/** Filters n views on a device in the Fourier domain. The array w has one real factor per frequency of a
 * view. `out` and `in` may be the same array. The array z provides memory for n extended views of
 * complex128. */
extern void views_filter(
        const struct plane *p, long n, double *out, const double *in, const double *w, double *z);

/** Returns the memory that views_filter() needs per element of a view, in float64 numbers. The memory for
 * Fourier transforms is included. */
extern double views_filter_room(const struct plane *p);

#endif
