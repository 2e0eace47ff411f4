#ifndef CT_CALIBRATION_BALL_BUNDLE_H
#define CT_CALIBRATION_BALL_BUNDLE_H

#include "ct/calibration/ball_tracks.h"
#include "ct/calibration/ballfit.h"

/** Balls, their blobs, and corrections of the geometry that are fitted to the blobs. Zero-initialise. */
struct ball_bundle {
	long balls;
	double (*x)[3]; // places of the balls [mm]
	struct ball_track *track;
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS];
	double rms, scale;     // of residuals: root mean square and robust standard deviation [pixels]
	long places, expected; // centroids that were used, of so many (ballfit.h)
};

/** Adds a ball with a copy of a track; its position follows from the track and a geometry
 * (ball_track_locate()). Nothing is added if the rays of the track do not meet. */
extern void ball_bundle_add(struct ball_bundle *b, const struct geom *g, const struct ball_track *t);
extern void ball_bundle_remove(struct ball_bundle *b, long which);
extern void ball_bundle_free(struct ball_bundle *b);

/** Fits the positions of balls and the wanted parameters by Levenberg-Marquardt, starting from the current
 * values. The positions are eliminated ball by ball (Schur complement). The fit alternates with the exclusion
 * of centroids whose residual exceeds 4 scales (at least 0.2 pixels). Returns false if the equations have no
 * unique solution. */
extern bool ball_bundle_fit(
        struct ball_bundle *b, const struct geom *g, const bool wanted[BALLFIT_PARAMETERS]);

#endif
