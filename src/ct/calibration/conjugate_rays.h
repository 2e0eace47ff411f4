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

/** Whether the source is on a circle about the z axis. */
extern bool conjugate_rays_circular(const struct geom *g);

/**
 * Calibrates the geometry of a fan or cone beam from the projections of any object. Lines in the plane of the
 * source's circle are measured in both directions; the two values are equal if the geometry is correct [1].
 * The wanted parameters minimise the difference of opposite rays (least_squares_fit()). Opposite rays are
 * interpolated between two views; views are blurred and binned to at most 512 columns. The initial detector
 * shift is that of the best correlation of opposite rays (axis_find()). Errors are standard deviations
 * computed from the residuals of 16 sectors, within which residuals may be correlated. `good` is false if too
 * few lines are measured twice or the equations have no unique solution. error() as axis_scan_create().
 *
 * [1] D. Panetta et al., An optimization-based method for geometrical calibration in cone-beam CT without
 * dedicated phantoms, Phys. Med. Biol. 53(14), 2008.
 */
extern struct conjugate_fit conjugate_rays(
        const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS], const char *name);

/** Tests the opposite sense of rotation: returns the residual of the fit divided by the residual with the
 * reversed geometry if this ratio is at least 1.5, else 0. The ratio is 1 for pure noise and for objects that
 * fit both senses equally. */
extern double conjugate_rays_other_sense(const struct geom *g, struct cfl *proj,
        const bool wanted[BALLFIT_PARAMETERS], const char *name, const struct conjugate_fit *fit);

#endif
