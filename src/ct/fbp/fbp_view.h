#ifndef CT_FBP_FBP_VIEW_H
#define CT_FBP_FBP_VIEW_H

#include "ct/fbp/fbp_detector_hit.h"
#include "ct/geometry/geom.h"

/** Sets the data of view k; column 0 is `left` columns before the first column of the detector. name: name of
 * the geometry file, for messages. */
extern void fbp_view_set(struct fbp_view *v, const struct geom *g, long k, long left, const char *name);

/** Position of column a of a curved detector across the rays. The position is measured on a line at depth 1
 * from the source; for a parallel beam, in mm. *slope: the change of the position per column; *cosine: the
 * cosine of the angle between the ray and the normal, 1 for a parallel beam. */
extern double fbp_view_column(const struct fbp_view *v, double a, double *slope, double *cosine);

enum { FBP_CHUNK = 32 };

/** The projections of neighbouring voxels along x: column, row, change of the row per voxel along z, and
 * weight 1 / w^2 (0 behind the source). */
struct fbp_hits {
	double col[FBP_CHUNK], row[FBP_CHUNK], rise[FBP_CHUNK], weight[FBP_CHUNK];
};

/** Voxels (i .. i + n - 1, j, k), n <= FBP_CHUNK. */
extern void fbp_view_hits(
        const struct fbp_view *v, const struct grid *g, long i, long j, long k, long n, struct fbp_hits *s);

#endif
