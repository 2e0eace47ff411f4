#ifndef CT_CALIBRATION_BALL_BUNDLE_H
#define CT_CALIBRATION_BALL_BUNDLE_H

#include "ct/calibration/ball_tracks.h"
#include "ct/calibration/ballfit.h"

/** Balls, the blobs they were seen as, and the changes of the geometry that explain them. Zero-initialise. */
struct ball_bundle {
	long balls;
	double (*x)[3]; // places of the balls [mm]
	struct ball_track *track;
	double value[BALLFIT_PARAMETERS], error[BALLFIT_PARAMETERS];
	double rms, scale;     // of residuals: root mean square and robust standard deviation [pixels]
	long places, expected; // centroids that were used, of so many (ballfit.h)
};

/** Adds a copy of a track where a geometry puts it, unless its rays do not meet in a point. */
extern void ball_bundle_add(struct ball_bundle *b, const struct geom *g, const struct ball_track *t);
extern void ball_bundle_remove(struct ball_bundle *b, long which);
extern void ball_bundle_free(struct ball_bundle *b);

/** Fits places and the parameters that are wanted, from what is there on, by Levenberg-Marquardt; the places'
 * unknowns are eliminated ball by ball (Schur complement). Centroids further off than 4 scales (at least 0.2
 * pixels) are left out, in turn with the fit. False when the equations have no unique solution. */
extern bool ball_bundle_fit(
        struct ball_bundle *b, const struct geom *g, const bool wanted[BALLFIT_PARAMETERS]);

#endif
