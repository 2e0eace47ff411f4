#ifndef CT_CALIBRATION_BALL_TRACKS_H
#define CT_CALIBRATION_BALL_TRACKS_H

#include "ct/calibration/ball_blobs.h"

/** A ball seen in some views, or in a run of them. */
struct ball_track {
	double *u, *v; // of every view [columns, rows]; NAN where it was not found
	long seen;     // views where it was
};

extern struct ball_track ball_track_create(long views);
extern void ball_tracks_free(long n, struct ball_track *tracks);

/**
 * Follows blobs from view to view. A track is predicted from its last 40 degrees: the position of a ball in
 * the given geometry and an offset are fitted to them; the offset absorbs errors of the detector's position.
 * It takes the blob at the prediction if no other one is near, pauses where balls overlap, and ends after 25
 * degrees (at least 4 views) without a blob. Blobs belong to one track at most. Returns the number of tracks
 * of at least 5 views, the longest first.
 */
extern long ball_tracks_find(const struct geom *g, const struct ball_blobs *b, struct ball_track **tracks);

/** The point closest to all rays of a track in a geometry [mm]; false if they do not determine one. */
extern bool ball_track_locate(const struct geom *g, const struct ball_track *t, double at[3]);

#endif
