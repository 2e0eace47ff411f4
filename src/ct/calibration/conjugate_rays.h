#ifndef CT_CALIBRATION_CONJUGATE_RAYS_H
#define CT_CALIBRATION_CONJUGATE_RAYS_H

#include "ct/calibration/ballfit.h"
#include "misc/file/cfl.h"

/** What pairs of rays say of a geometry. */
struct conjugate_fit {
	bool good;
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // as ballfit()
	double rms;                                                  // difference of the rays of a pair
	double noise;                                                // what noise alone makes of it
	long pairs;
};

/** Whether the source stays on a circle about the z axis. */
extern bool conjugate_rays_circular(const struct geom *g);

/**
 * A fan or cone beam's geometry from its own projections: lines in the plane of the source's circle are
 * measured from both of their ends, and the two values are the same where the detector stands as it is said
 * to [1]. The parameters that are wanted minimise the difference (least_squares_fit()) of rays and their
 * opposite ones, between two views, on at most 512 columns, blurred, from the detector's shift that the
 * correlation of such rays gives (axis_find()). Errors are standard deviations from the residuals of 16
 * sectors, within which they may be correlated. Not good where too few lines are measured twice or the
 * equations have no unique solution. error() as axis_scan_create().
 *
 * [1] D. Panetta et al., An optimization-based method for geometrical calibration in cone-beam CT without
 * dedicated phantoms, Phys. Med. Biol. 53(14), 2008.
 */
extern struct conjugate_fit conjugate_rays(
        const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS], const char *name);

/** How much better the other sense of rotation fits: the ratio of the residuals of a fit and of that of the
 * reversed geometry where this is at least 1.5, else 0. An object that is alike in both senses, and noise
 * alone, have a ratio of 1. */
extern double conjugate_rays_other_sense(const struct geom *g, struct cfl *proj,
        const bool wanted[BALLFIT_PARAMETERS], const char *name, const struct conjugate_fit *fit);

#endif
