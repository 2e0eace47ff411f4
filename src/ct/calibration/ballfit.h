#ifndef CT_CALIBRATION_BALLFIT_H
#define CT_CALIBRATION_BALLFIT_H

#include "ct/calibration/ball_blobs.h"

/**
 * The geometry of a scan from the traces of small balls on the detector, in the spirit of [1, 2]: the places
 * of the balls and what all views have in common are fitted to the balls' centroids by Levenberg-Marquardt.
 * The distance of the source from the axis sets the scale and stays.
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

/** Changes of a geometry that all views share. */
extern void ballfit_apply(struct geom *g, const double value[BALLFIT_PARAMETERS]);

/** The largest distance by which a change of one parameter moves a pixel's ray on the detector [pixels], to
 * first order. */
extern double ballfit_effect(const struct geom *g, int parameter, double change);

/** The parameter that a fit did not determine, -1: none. Its standard deviation moves the corner of the
 * detector by over half a pixel and is as large as the value, or by over 3 pixels. */
extern int ballfit_undetermined(const struct geom *g, const bool wanted[BALLFIT_PARAMETERS],
        const double value[BALLFIT_PARAMETERS], const double error[BALLFIT_PARAMETERS]);

/** What the balls say of a geometry. */
struct ballfit {
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // standard deviations from the residuals
	double rms;                                                  // of the residual [pixels]
	long balls, places, expected; // centroids that were used; those expected where no two balls overlap
};

/**
 * Fits the parameters that are wanted to blobs that need not be matched. Tracks (ball_tracks_find()) give the
 * first balls; then, in turn, the geometry is fitted, balls that are one are joined, each ball takes the
 * blobs next to where it is expected in all views, except where two balls overlap, and tracks that no ball
 * explains become balls. Places further off than 4 robust standard deviations are left out. A ball is seen in
 * at least a sixteenth of the views. False where no ball is (balls = 0), or when the equations have no unique
 * solution.
 */
extern bool ballfit(const struct geom *g, const struct ball_blobs *blobs,
        const bool wanted[BALLFIT_PARAMETERS], struct ballfit *out);

#endif
