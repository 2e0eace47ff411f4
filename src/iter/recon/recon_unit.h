#ifndef ITER_RECON_RECON_UNIT_H
#define ITER_RECON_RECON_UNIT_H

#include "iter/iter.h"

/** The unit of penalty factors such as 0.5n. A factor in this unit remains valid if the noise, the voxel size
 * or the unit of the data changes. */
struct recon_unit {
	double sigma;       // standard deviation of a ray of weight 1; 1 for likelihoods
	double sensitivity; // s [mm]: root of the median over voxels j of sum_i w_i a_ij^2
};

/**
 * Computes the unit for projections y with weights W. If W is NULL, all weights are 1. If d is NULL, the data
 * term is least squares. For least squares, sigma is estimated from y (iter/monitor/noise_level.h). If the
 * estimate is impossible, sigma is NAN. If d is a negative log-likelihood, sigma is 1 and the weights are the
 * curvature of d.
 *
 * The sensitivity s is estimated from back projections of sqrt(w_i) times random signs. The back projections
 * have the standard deviation sqrt(sum_i w_i a_ij^2) at voxel j. For a small volume, several back projections
 * are made. The random signs are the same in every run. Voxels without rays are ignored. If no voxel has
 * rays, s is NAN.
 */
extern struct recon_unit recon_unit_of(
        const struct linop *A, const void *y, const struct weights *W, const struct functional *d);

/**
 * Returns the unit of the factor of a penalty:
 *
 *     sigma^(2 - degree) (s h^lengths)^degree
 *
 * `degree` is 1 for a sum of lengths and 2 for a sum of squares. `lengths` is 1 if the penalty divides by the
 * voxel size h [mm], and 0 otherwise.
 */
extern double recon_unit_factor(const struct recon_unit *u, int degree, int lengths, double h);

#endif
