#ifndef CT_CALIBRATION_BALLFIT_H
#define CT_CALIBRATION_BALLFIT_H

#include "ct/calibration/ball_blobs.h"

/**
 * Calibrates the geometry of a scan from the images of small balls, similar to [1, 2]. The positions of the
 * balls are fitted together with parameters common to all views. The data are the centroids of the balls in
 * all views. The distance from source to axis sets the scale and is not fitted.
 *
 * [1] F. Noo et al., Analytic method based on identification of ellipse parameters for scanner calibration
 * in cone-beam tomography, Phys. Med. Biol. 45(11), 2000.
 * [2] Y. Cho et al., Accurate technique for complete geometric calibration of cone-beam computed tomography
 * systems, Med. Phys. 32(4), 2005.
 */
enum ballfit_parameter {
	BALLFIT_U,    // shift of the detector towards higher columns [columns]
	BALLFIT_V,    // shift of the detector towards higher rows [rows]
	BALLFIT_ROLL, // roll, tilt and yaw of the detector as in geom_turn_detector() [degrees]
	BALLFIT_TILT,
	BALLFIT_YAW,
	BALLFIT_SDD, // relative change of the source-to-detector distance
	BALLFIT_PARAMETERS
};

/** Names and units of the parameters, for messages. */
extern const char *const ballfit_name[BALLFIT_PARAMETERS], *const ballfit_unit[BALLFIT_PARAMETERS];

/** Applies the corrections `value` to every view of g. */
extern void ballfit_apply(struct geom *g, const double value[BALLFIT_PARAMETERS]);

/** Returns the largest displacement of a detector pixel [pixels] if one parameter changes by `change`.
 * The displacement is computed to first order. */
extern double ballfit_effect(const struct geom *g, int parameter, double change);

/** Returns the first wanted parameter that a fit did not determine, or -1. A parameter is determined if its
 * standard deviation moves every pixel by less than 0.5 pixels. Displacements are computed by
 * ballfit_effect(). If the standard deviation is below the parameter's absolute value, the limit is 3
 * pixels. */
extern int ballfit_undetermined(const struct geom *g, const bool wanted[BALLFIT_PARAMETERS],
        const double value[BALLFIT_PARAMETERS], const double error[BALLFIT_PARAMETERS]);

/** The result of a fit to balls. */
struct ballfit {
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // corrections, standard deviations
	double rms;                   // root mean square of the residuals [pixels]
	long balls, places, expected; // balls; centroids used; centroids expected where balls do not overlap
};

/** Fits the wanted parameters to the blobs of all views. The caller need not match blobs to balls. Balls
 * visible in less than a sixteenth of the views are ignored. Centroids whose residual exceeds 4 robust
 * standard deviations are excluded. If no ball is found, returns false with out->balls = 0. Also returns
 * false if the equations have no unique solution. */
extern bool ballfit(const struct geom *g, const struct ball_blobs *blobs,
        const bool wanted[BALLFIT_PARAMETERS], struct ballfit *out);

#endif
