#ifndef CT_CALIBRATION_BALLFIT_H
#define CT_CALIBRATION_BALLFIT_H

#include "ct/calibration/ball_blobs.h"

/**
 * Calibrates the geometry of a scan from the traces of small balls on the detector, similar to [1, 2]. The
 * positions of the balls and the parameters common to all views are fitted to the centroids of the balls by
 * Levenberg-Marquardt. The distance from source to axis determines the scale and is not fitted.
 *
 * [1] F. Noo et al., Analytic method based on identification of ellipse parameters for scanner calibration in
 * cone-beam tomography, Phys. Med. Biol. 45(11), 2000. [2] Y. Cho et al., Accurate technique for complete
 * geometric calibration of cone-beam computed tomography systems, Med. Phys. 32(4), 2005.
 */
enum ballfit_parameter {
	BALLFIT_U,    // shift of the detector along its columns' direction [columns]
	BALLFIT_V,    // and along its rows' [rows]
	BALLFIT_ROLL, // turns about its centre, as geom_turn_detector() [degrees]
	BALLFIT_TILT,
	BALLFIT_YAW,
	BALLFIT_SDD, // relative change
	BALLFIT_PARAMETERS
};
extern const char *const ballfit_name[BALLFIT_PARAMETERS], *const ballfit_unit[BALLFIT_PARAMETERS];

/** Applies the corrections `value` to every view of g. */
extern void ballfit_apply(struct geom *g, const double value[BALLFIT_PARAMETERS]);

/** The displacement [pixels], to first order, of the detector pixel that moves most when one parameter
 * changes by `change`. */
extern double ballfit_effect(const struct geom *g, int parameter, double change);

/** The first wanted parameter that a fit did not determine; -1: none. A parameter is determined if a change
 * by its standard deviation moves every detector pixel by less than half a pixel (ballfit_effect()). This
 * limit is 3 pixels if the standard deviation is smaller than the parameter's absolute value. */
extern int ballfit_undetermined(const struct geom *g, const bool wanted[BALLFIT_PARAMETERS],
        const double value[BALLFIT_PARAMETERS], const double error[BALLFIT_PARAMETERS]);

/** The result of a fit to balls. */
struct ballfit {
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // standard deviations from the residuals
	double rms;                                                  // of the residual [pixels]
	long balls, places, expected; // centroids that were used; those expected where no two balls overlap
};

/**
 * Fits the wanted parameters to blobs; no matching is needed. Tracks (ball_tracks_find()) give the first
 * balls. Then three steps alternate. 1. The geometry is fitted. 2. Duplicate balls are merged, and in each
 * view every ball gets the blob nearest to its predicted position, unless two balls overlap there. 3. Tracks
 * that belong to no ball become new balls. Centroids whose residual exceeds 4 robust standard deviations are
 * excluded. A ball must be visible in at least a sixteenth of the views. Returns false if no ball is found
 * (balls = 0), or if the equations have no unique solution.
 */
extern bool ballfit(const struct geom *g, const struct ball_blobs *blobs,
        const bool wanted[BALLFIT_PARAMETERS], struct ballfit *out);

#endif
