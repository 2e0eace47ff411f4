#ifndef ITER_STEP_TV_STEP_H
#define ITER_STEP_TV_STEP_H

#include <stdbool.h>

#include "iter/iter.h"

/**
 * A step of x and one of the dual q of total variation in one pass over the volume, on the host:
 *
 *     q' = projection of q + sigma D x onto vectors of length <= radius
 *     x' = min(max((x - T (z + ahead dz + D'(2 q' - q))) / (1 + lambda T), lo), hi)
 *     z' = z + dz
 *
 * D: forward differences, 0 at the last element. Each result depends only on values before the step: the same
 * bytes for any number of threads.
 */
struct tv_step {
	enum dtype real;  // float32 or float64
	long n[3];        // numbers along rows, rows and planes, which threads share
	double factor[3]; // 1 / spacing; 0: no differences along this dim. q has a component for each other
	bool apart;       // each component is a vector of its own
	double sigma, radius;
	double ahead, lambda, lo, hi;
};

/** The same for n numbers without total variation. */
extern void tv_step_of_numbers(struct tv_step *s, enum dtype real, long n);

/** Whether the term's g is a multiple of the sum of lengths and its B has the differences above; gives its
 * parameters. */
extern bool tv_step_of_term(struct tv_step *s, const struct iter_term *t);

/** x, z, dz (NULL: 0), T: one number for each voxel. q, NULL without differences: as the codomain of D,
 * followed by as many numbers of work space. */
extern void tv_step(
        const struct tv_step *s, void *x, void *z, const void *dz, const void *T, void *q, void *work);

#endif
