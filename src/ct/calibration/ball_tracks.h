#ifndef CT_CALIBRATION_BALL_TRACKS_H
#define CT_CALIBRATION_BALL_TRACKS_H

#include "ct/calibration/ball_blobs.h"

/** The centroids of a ball in the views in which it is visible. */
struct ball_track {
	double *u, *v; // of every view [columns, rows]; NAN where it was not found
	long seen;     // views where it was
};

extern struct ball_track ball_track_create(long views);
extern void ball_tracks_free(long n, struct ball_track *tracks);

/**
 * Follows blobs from view to view. The next position of a track is predicted from its last 40 degrees. The
 * position of a ball in the given geometry and an offset on the detector are fitted to the views of these 40
 * degrees; the offset compensates errors of the detector's position. The blob at the prediction is added to
 * the track if no other blob is near. Where balls overlap, no blob is added. A track ends after 25 degrees
 * (at least 4 views) without a blob. A blob belongs to at most one track. Returns the number of tracks of at
 * least 5 views, the longest first.
 */
extern long ball_tracks_find(const struct geom *g, const struct ball_blobs *b, struct ball_track **tracks);

/** The point closest to all rays of a track in a geometry [mm]. Returns false if the rays do not determine a
 * point. */
extern bool ball_track_locate(const struct geom *g, const struct ball_track *t, double at[3]);

#endif
