#ifndef ITER_RECON_RECON_UNIT_H
#define ITER_RECON_RECON_UNIT_H

#include "iter/iter.h"

/**
 * The unit of factors of penalties, so that a number is valid for data of another noise, voxel size or unit:
 * factors are proportional to the noise and to the weight of a voxel in the data.
 */
struct recon_unit {
	double sigma;       // standard deviation of a ray of weight 1; 1 where the data know it themselves
	double sensitivity; // s [mm]: the root of the median over voxels j of sum_i w_i a_ij^2
};

/**
 * From the projections y with weights W (NULL: 1), with sigma estimated (iter/monitor/noise_level.h), NAN if
 * impossible; or with a likelihood d (NULL: none) whose curvature is the inverse variance, with sigma 1. s
 * comes from the back projection of random signs, always the same, times sqrt(w_i), once, or more often for a
 * small volume: in voxel j their deviation is sqrt(sum_i w_i a_ij^2). Voxels without rays do not count; NAN
 * if there are no others.
 */
extern struct recon_unit recon_unit_of(
        const struct linop *A, const void *y, const struct weights *W, const struct functional *d);

/** The factor 1 of a penalty of degree `degree` (1 for lengths, 2 for squares) in `lengths` of the voxel h
 * [mm] (the divisors of differences): sigma^(2 - degree) (s h^lengths)^degree. */
extern double recon_unit_factor(const struct recon_unit *u, int degree, int lengths, double h);

#endif
