#ifndef CT_CALIBRATION_CONJUGATE_RAYS_H
#define CT_CALIBRATION_CONJUGATE_RAYS_H

#include "ct/calibration/ballfit.h"
#include "misc/file/cfl.h"

/** The result of a fit to pairs of opposite rays. */
struct conjugate_fit {
	bool good;
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // as ballfit()
	double rms;                                                  // difference of the rays of a pair
	double noise;                                                // what noise alone makes of it
	long pairs;
};

/** Whether the source stays on one circle about the z axis; false for a parallel beam. */
extern bool conjugate_rays_circular(const struct geom *g);

/**
 * Calibrates the geometry of a fan or cone beam from the projections of any object. Each line in the plane of
 * the source's circle is measured twice, in opposite directions; the two line integrals are equal if the
 * geometry is correct [1]. The wanted parameters minimise the difference of opposite rays
 * (least_squares_fit()). Opposite rays are interpolated between two views; views are blurred and binned to at
 * most 512 columns. The fit starts from the detector shift at which opposite rays correlate best
 * (axis_find()). Errors are standard deviations; residuals may be correlated within each of 16 sectors of the
 * scan. `good` is false if too few lines are measured twice or the equations have no unique solution. error()
 * naming the file if a value is not finite (axis_scan_create()).
 *
 * [1] D. Panetta et al., An optimization-based method for geometrical calibration in cone-beam CT without
 * dedicated phantoms, Phys. Med. Biol. 53(14), 2008.
 */
extern struct conjugate_fit conjugate_rays(
        const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS], const char *name);

/** Tests the opposite sense of rotation: computes the ratio of the residual of `fit` to the residual of a fit
 * with the reversed geometry. Returns this ratio if it exceeds 1.5, else 0. The ratio is about 1 for pure
 * noise and for objects that fit both senses equally. */
extern double conjugate_rays_other_sense(const struct geom *g, struct cfl *proj,
        const bool wanted[BALLFIT_PARAMETERS], const char *name, const struct conjugate_fit *fit);

#endif
