#ifndef CT_CALIBRATION_BALL_BUNDLE_H
#define CT_CALIBRATION_BALL_BUNDLE_H

#include "ct/calibration/ball_tracks.h"
#include "ct/calibration/ballfit.h"

/** Contains balls, their tracks, and fitted corrections of the geometry. Initialise the struct with
 * zeros. */
struct ball_bundle {
	long balls;
	double (*x)[3];                                              // positions of the balls [mm]
	struct ball_track *track;                                    // tracks of the balls
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS]; // corrections, standard deviations
	double rms, scale;     // root mean square and robust standard deviation of residuals [pixels]
	long places, expected; // centroids used; centroids expected where balls do not overlap
};

/** Adds a ball with a copy of the track t. The position of the ball is computed from the track and the
 * geometry g. Nothing is added if the rays of the track do not determine a point. */
extern void ball_bundle_add(struct ball_bundle *b, const struct geom *g, const struct ball_track *t);

/** Removes ball number `which`. */
extern void ball_bundle_remove(struct ball_bundle *b, long which);

/** Releases the memory of all balls and tracks. */
extern void ball_bundle_free(struct ball_bundle *b);

/** Fits the positions of all balls and the wanted parameters by the Levenberg-Marquardt method. The fit
 * starts from the current values. Centroids are excluded if the residual exceeds both `4 * b->scale` and
 * 0.2 pixels. Returns false if there is no ball, or if the equations have no unique solution. */
extern bool ball_bundle_fit(
        struct ball_bundle *b, const struct geom *g, const bool wanted[BALLFIT_PARAMETERS]);

#endif
