#ifndef CT_CALIBRATION_BALL_TRACKS_H
#define CT_CALIBRATION_BALL_TRACKS_H

#include "ct/calibration/ball_blobs.h"

/** A track contains the centroids of one ball in all views. */
struct ball_track {
	double *u, *v; // centroid in every view [columns, rows]; NAN if the ball was not found
	long seen;     // number of views in which the ball was found
};

/** Creates a track of `views` views that contains no centroids. */
extern struct ball_track ball_track_create(long views);

/** Releases an array of n tracks. */
extern void ball_tracks_free(long n, struct ball_track *tracks);

/**
 * Follows balls from view to view. The centroid in the next view is predicted from the centroids of the
 * last 40 degrees. The prediction compensates errors of the detector position. The blob at the prediction
 * is added to the track if no other blob is near. Where balls overlap, no blob is added. A track ends if 25
 * degrees and at least 4 views pass without a blob. A blob belongs to at most one track.
 *
 * Returns the number of tracks with at least 5 views. The array *tracks begins with the longest track.
 * Release the tracks with ball_tracks_free().
 */
extern long ball_tracks_find(const struct geom *g, const struct ball_blobs *b, struct ball_track **tracks);

/** Computes the point closest to all rays of a track [mm]. Returns false if the rays do not determine a
 * point. */
extern bool ball_track_locate(const struct geom *g, const struct ball_track *t, double at[3]);

#endif
