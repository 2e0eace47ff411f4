#ifndef LINOPS_XRAY_PAIRFIT_H
#define LINOPS_XRAY_PAIRFIT_H

#include "linops/xray/ballfit.h"
#include "misc/cfl.h"

/** What pairs of rays say of a geometry. */
struct pairfit {
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // as ballfit()
	double rms;                                                  // difference of the rays of a pair
	long pairs;
};

/**
 * A fan or cone beam's geometry from its own projections: lines in the plane of the source's circle are
 * measured from both of their ends, and the two values are the same where the detector stands as it is said
 * to [1]. The parameters that are wanted minimise the difference (least_squares_fit()) of the lines between
 * the sources of two views, on at most 256 columns, blurred, from a first guess of the detector's shift
 * [columns] on. Errors are standard deviations from the residual, with as many independent rays as the blur
 * leaves. False where too few lines are measured twice or the equations have no unique solution.
 *
 * [1] D. Panetta et al., An optimization-based method for geometrical calibration in cone-beam CT without
 * dedicated phantoms, Phys. Med. Biol. 53(14), 2008.
 */
extern bool pairfit(const struct geom *g, struct cfl *proj, const bool wanted[BALLFIT_PARAMETERS],
        double shift, struct pairfit *out);

#endif
