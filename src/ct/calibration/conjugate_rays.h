#ifndef CT_CALIBRATION_CONJUGATE_RAYS_H
#define CT_CALIBRATION_CONJUGATE_RAYS_H

#include "ct/calibration/ballfit.h"
#include "misc/file/cfl.h"

/** The result of a fit to pairs of opposite rays. */
struct conjugate_fit {
	bool good;                                                   // whether the fit succeeded
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // as in struct ballfit
	double rms;   // root mean square difference of opposite rays
	double noise; // value of rms expected from noise alone
	long pairs;   // number of pairs of opposite rays
};

/** Returns whether the source stays on one circle about the z axis. Returns false for a parallel beam. */
extern bool conjugate_rays_circular(const struct geom *g);

/**
 * Calibrates the geometry of a fan or cone beam from the projections of any object. Each line in the plane
 * of the source's circle is measured twice, in opposite directions. If the geometry is correct, both line
 * integrals are equal [1]. The fit of the wanted parameters minimises the difference of opposite rays.
 *
 * The fit starts from the detector shift at which opposite rays correlate best (axis_find()). Views are
 * blurred and binned to at most 512 columns. The standard deviations allow for correlated residuals within
 * each of 16 sectors of the scan.
 *
 * The member `good` is false if too few lines are measured twice. `good` is also false if the equations
 * have no unique solution. `name` is the name of the geometry file. A projection value that is not finite
 * is an error() naming the projection file.
 *
 * [1] D. Panetta et al., An optimization-based method for geometrical calibration in cone-beam CT without
 * dedicated phantoms, Phys. Med. Biol. 53(14), 2008.
 */
extern struct conjugate_fit conjugate_rays(
        const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS], const char *name);

/** Tests whether the scan turned in the sense opposite to g. A second fit uses the geometry with reversed
 * rotation. The ratio is the residual of `fit` divided by the residual of the second fit. Returns the
 * ratio if it exceeds 1.5, and 0 otherwise. The ratio is about 1 if the data are noise or fit both senses
 * equally. */
extern double conjugate_rays_other_sense(const struct geom *g, struct cfl *proj,
        const bool wanted[BALLFIT_PARAMETERS], const char *name, const struct conjugate_fit *fit);

#endif
