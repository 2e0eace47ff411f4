#ifndef CT_CALIBRATION_BALL_BLOBS_H
#define CT_CALIBRATION_BALL_BLOBS_H

#include "ct/geometry/geom.h"

/** Round bright spots (blobs) of one view, and the blobs of all views. */
struct ball_blob {
	double u, v;   // centroid [columns, rows]
	double radius; // of a disc of its area [columns]
	bool round;    // else two balls that overlap, or something else
};

struct ball_blobs {
	long views;
	long *first; // views + 1: view k has blobs first[k] to first[k + 1] - 1
	struct ball_blob *at;
};

/** Fills p[cols * rows] with the line integrals of view k. */
typedef void ball_view_fn(void *ctx, long k, double *p);

/**
 * Finds the balls in every view. Structures wider than an eighth of the detector (a holder, a bed) are
 * removed by a top hat (the view minus its opening with a square [1]). The threshold is a fifth of the
 * median of the maxima of all views. Each connected set of pixels above the threshold is a blob. The
 * centroid is weighted by the height above the threshold. Blobs at the detector's edge are ignored.
 *
 * [1] J. Serra, Image Analysis and Mathematical Morphology, Academic Press, 1982.
 */
extern struct ball_blobs *ball_blobs_find(const struct geom *g, ball_view_fn *view, void *ctx);
/** The median radius of round blobs [columns]. */
extern double ball_blobs_radius(const struct ball_blobs *b);
extern void ball_blobs_free(struct ball_blobs *b);

#endif
