#ifndef ITER_STEP_TV_STEP_H
#define ITER_STEP_TV_STEP_H

#include <stdbool.h>

#include "iter/iter.h"

/**
 * Makes a step of x and a step of the dual q of total variation in one pass over the volume, on the host:
 *
 *     q' = projection of q + sigma D x onto vectors of length <= radius
 *     x' = min(max((x - T (z + ahead dz + D'(2 q' - q))) / (1 + lambda T), lo), hi)
 *     z' = z + dz
 *
 * D: forward differences, 0 at the last element. All results are computed from values before the step, and
 * therefore do not depend on the number of threads.
 */
struct tv_step {
	enum dtype real;  // float32 or float64
	long n[3];        // numbers of a row, rows, and planes; threads share the planes
	double factor[3]; // 1 / spacing; 0: no differences along this dim. q has a component for every other
	                  // dim
	bool apart;       // each component is a separate vector
	double sigma, radius;
	double ahead, lambda, lo, hi;
};

/** Sets s to a step of n numbers without total variation. */
extern void tv_step_of_numbers(struct tv_step *s, enum dtype real, long n);

/** Whether tv_step() can process the term: g is a multiple of the sum of lengths, and B computes the
 * differences D. If so, sets the parameters in s. */
extern bool tv_step_of_term(struct tv_step *s, const struct iter_term *t);

/** x, z, dz (NULL: 0) and T have one number for each voxel. q has the size of the codomain of D; NULL without
 * differences. work: as many numbers as q. */
extern void tv_step(
        const struct tv_step *s, void *x, void *z, const void *dz, const void *T, void *q, void *work);

#endif
