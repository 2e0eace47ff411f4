#ifndef CT_CALIBRATION_BALL_BLOBS_H
#define CT_CALIBRATION_BALL_BLOBS_H

#include "ct/geometry/geom.h"

/** A blob is a round bright spot of one view, usually the image of a ball. */
struct ball_blob {
	double u, v;   // centroid [columns, rows]
	double radius; // radius of a disc with the area of the blob [columns]
	bool round;    // false for overlapping balls and other structures
};

/** Contains the blobs of all views. */
struct ball_blobs {
	long views;
	long *first;          // views + 1 elements: view k has the blobs first[k] to first[k + 1] - 1
	struct ball_blob *at; // the blobs of all views
};

/** Fills p[cols * rows] with the line integrals of view k. */
typedef void ball_view_fn(void *ctx, long k, double *p);

/**
 * Finds the blobs in every view. A top hat filter [1] removes structures wider than an eighth of the
 * detector. A blob is a connected set of pixels above a threshold. The threshold is 1/5 of the median of
 * the views' maxima. In the centroid of a blob, pixels are weighted by their height above the threshold.
 * Blobs at the detector's edge and blobs of fewer than 3 pixels are ignored. Release the result with
 * ball_blobs_free().
 *
 * [1] J. Serra, Image Analysis and Mathematical Morphology, Academic Press, 1982.
 */
extern struct ball_blobs *ball_blobs_find(const struct geom *g, ball_view_fn *view, void *ctx);
/** Returns the median radius of the round blobs [columns], or 0 if there is no round blob. */
extern double ball_blobs_radius(const struct ball_blobs *b);
extern void ball_blobs_free(struct ball_blobs *b);

#endif
