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
 * Geometry of a fan or cone beam from its own projections: lines in the plane of the source's circle are
 * measured in both directions, and the two values are equal if the detector's position is right [1]. The
 * wanted parameters minimise the difference (least_squares_fit()) of opposite rays, interpolated between two
 * views, on at most 512 columns, blurred. The initial detector shift comes from the correlation of such rays
 * (axis_find()). Errors are standard deviations from the residuals of 16 sectors, within which they may be
 * correlated. `good` is false if too few lines are measured twice or the equations have no unique solution.
 * error() as axis_scan_create().
 *
 * [1] D. Panetta et al., An optimization-based method for geometrical calibration in cone-beam CT without
 * dedicated phantoms, Phys. Med. Biol. 53(14), 2008.
 */
extern struct conjugate_fit conjugate_rays(
        const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS], const char *name);

/** How much better the opposite sense of rotation fits: the ratio of the residuals of the fit and of the
 * reversed geometry if it is at least 1.5, else 0. An object that fits both senses equally, or noise alone,
 * gives a ratio of 1. */
extern double conjugate_rays_other_sense(const struct geom *g, struct cfl *proj,
        const bool wanted[BALLFIT_PARAMETERS], const char *name, const struct conjugate_fit *fit);

#endif
