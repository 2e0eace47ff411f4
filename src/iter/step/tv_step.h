#ifndef ITER_STEP_TV_STEP_H
#define ITER_STEP_TV_STEP_H

#include <stdbool.h>

#include "iter/iter.h"

/**
 * Parameters of tv_step(), which updates the volume x and the dual variable q of total variation. One step
 * computes on the host:
 *
 *     q' = projection of q + sigma D x onto vectors of length <= radius
 *     x' = min(max((x - T (z + ahead dz + D'(2 q' - q))) / (1 + lambda T), lo), hi)
 *     z' = z + dz
 *
 * `D` computes forward differences, which are 0 at the last element. The result does not depend on the
 * number of threads.
 */
struct tv_step {
	enum dtype real;  // float32 or float64
	long n[3];        // extents of x
	double factor[3]; // 1 / spacing of each dim; 0 means no differences along this dim
	bool apart;       // each component of q is projected separately
	double sigma, radius;
	double ahead, lambda, lo, hi;
};

/** Sets up `s` for n numbers, without total variation and without bounds. */
extern void tv_step_of_numbers(struct tv_step *s, enum dtype real, long n);

/** Returns whether tv_step() can process a term, and sets `s` if so. The functional of the term must be a
 * multiple of a sum of vector lengths. The operator of the term must compute forward differences like D in
 * struct tv_step. The volume must be real, and at most three dims may be longer than 1. */
extern bool tv_step_of_term(struct tv_step *s, const struct iter_term *t);

/** Makes one step in place. The vectors x, z, dz and T have one number per voxel. `dz` may be NULL, which
 * means 0. `q` has one component for each dim with differences. `q` is NULL if there are no differences.
 * `work` has as many numbers as q. */
extern void tv_step(
        const struct tv_step *s, void *x, void *z, const void *dz, const void *T, void *q, void *work);

#endif
