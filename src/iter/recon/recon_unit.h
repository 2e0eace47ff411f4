#ifndef ITER_RECON_RECON_UNIT_H
#define ITER_RECON_RECON_UNIT_H

#include "iter/iter.h"

/**
 * The unit of penalty factors, computed from the noise and from the weight of a voxel in the data. A factor
 * in this unit remains valid if the noise, the voxel size or the unit of the data change.
 */
struct recon_unit {
	double sigma;       // standard deviation of a ray of weight 1; 1 for likelihoods
	double sensitivity; // s [mm]: the root of the median over voxels j of sum_i w_i a_ij^2
};

/**
 * The unit for projections y with weights W (NULL: 1). sigma is estimated (iter/monitor/noise_level.h), NAN
 * if impossible. For a likelihood d (NULL: none), whose curvature is the inverse variance, sigma is 1. s is
 * estimated from back projections of sqrt(w_i) times random signs, which are the same in every run. The value
 * in voxel j of such a back projection has the standard deviation sqrt(sum_i w_i a_ij^2). One back projection
 * is made, or several for a small volume. Voxels without rays are ignored; s is NAN if no voxel has rays.
 */
extern struct recon_unit recon_unit_of(
        const struct linop *A, const void *y, const struct weights *W, const struct functional *d);

/** The unit of the factor of a penalty: sigma^(2 - degree) (s h^lengths)^degree. degree: 1 if the penalty is
 * a sum of lengths, 2 if it is a sum of squares. The elements of the penalty are divided by h^lengths; h:
 * voxel size [mm]. */
extern double recon_unit_factor(const struct recon_unit *u, int degree, int lengths, double h);

#endif
