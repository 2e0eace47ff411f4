#ifndef ITER_RECON_RECON_UNIT_H
#define ITER_RECON_RECON_UNIT_H

#include "iter/iter.h"

/**
 * What factors of penalties are measured in, so that a number fits data of another noise, voxel size or unit:
 * factors grow with the noise, and with how much a voxel weighs in the data.
 */
struct recon_unit {
	double sigma;       // standard deviation of a ray of weight 1; 1 where the data know it themselves
	double sensitivity; // s [mm]: the root of the median over voxels j of sum_i w_i a_ij^2
};

/**
 * Of the projections y with weights W (NULL: 1), sigma being estimated (iter/monitor/noise_level.h), NAN
 * where it cannot be; or with a likelihood d (NULL: none) whose curvature is the inverse variance, sigma
 * being 1. s from the back projection of random signs, always the same, times sqrt(w_i), one, or more of a
 * small volume: in voxel j their deviation is sqrt(sum_i w_i a_ij^2), voxels without rays do not count; NAN
 * where there are no others.
 */
extern struct recon_unit recon_unit_of(
        const struct linop *A, const void *y, const struct weights *W, const struct functional *d);

/** The factor 1 of a penalty of degree `degree` (1 of lengths, 2 of squares) in `lengths` of the voxel h [mm]
 * (those that differences are divided by): sigma^(2 - degree) (s h^lengths)^degree. */
extern double recon_unit_factor(const struct recon_unit *u, int degree, int lengths, double h);

#endif
