#ifndef CT_FBP_FBP_VIEW_H
#define CT_FBP_FBP_VIEW_H

#include "ct/fbp/fbp_detector_hit.h"
#include "ct/geometry/geom.h"

/** Computes the data of view k. `left` is the number of columns that filtered views have before the first
 * detector column. `name` is the geometry file, for messages. A rotation axis that is not in front of the
 * source is an error(). */
extern void fbp_view_set(struct fbp_view *v, const struct geom *g, long k, long left, const char *name);

/** Returns the position of column a of a curved detector, measured across the rays. For fan and cone beams,
 * the position is measured on a line at distance 1 from the source. For a parallel beam, the position is in
 * mm. `*slope` becomes the change of the position per column. `*cosine` becomes the cosine of the angle
 * between the ray and the detector normal. For a parallel beam, `*cosine` becomes 1. */
extern double fbp_view_column(const struct fbp_view *v, double a, double *slope, double *cosine);

enum { FBP_CHUNK = 32 };

/** The projections of up to FBP_CHUNK neighbouring voxels along x. The members are those of struct fbp_hit.
 */
struct fbp_hits {
	double col[FBP_CHUNK], row[FBP_CHUNK], rise[FBP_CHUNK], weight[FBP_CHUNK];
};

/** Projects n <= FBP_CHUNK neighbouring voxels along x. The first voxel is (i, j, k). */
extern void fbp_view_hits(
        const struct fbp_view *v, const struct grid *g, long i, long j, long k, long n, struct fbp_hits *s);

#endif
