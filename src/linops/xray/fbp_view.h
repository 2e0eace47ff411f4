#ifndef LINOPS_XRAY_FBP_VIEW_H
#define LINOPS_XRAY_FBP_VIEW_H

#include "linops/xray/geom.h"

/** How the columns of a view are spaced as seen from the source. */
enum fbp_spacing { FBP_EVEN, FBP_EQUIANGULAR, FBP_UNEVEN };

/**
 * What filtered back projection needs of one view, in float64. The rows of `to` map a voxel (x, y, z, 1) [mm]
 *   flat: to column * w, row * w and w;
 *   curved: to its coordinates along u [mm], along the normal [mm] and along v [rows], counted from the
 * centre of curvature. w is the distance from the source along the detector's normal (curved: within the
 * fan), 1 at the rotation axis.
 */
struct fbp_view {
	double to[3][4];
	double factor; // of the filtered view [1/mm]
	enum fbp_spacing spacing;
	bool curved, parallel;
	bool upright;      // along z nothing changes but the row
	double from[3];    // curved: the source (parallel: the direction) in the same coordinates
	double radius;     // curved [mm]
	double pitch;      // curved: angle of a column [rad]
	double middle[2];  // column and row of the detector's centre
	double depth;      // of the rotation axis [mm]
	double central[3]; // unit vector along the ray through the axis
};

/** View k; columns are counted from `left` columns before the first. name: of the geometry file, for
 * messages. */
extern void fbp_view_set(struct fbp_view *v, const struct geom *g, long k, long left, const char *name);

/** Place of a column of a curved detector across the rays: on a line at depth 1 from the source; for a
 * parallel beam [mm]. *slope: its change per column; *cosine: of the angle between the ray and the normal, 1
 * for a parallel beam. */
extern double fbp_view_column(const struct fbp_view *v, double a, double *slope, double *cosine);

enum { FBP_CHUNK = 32 };

/** Where neighbouring voxels along x project to: column, row, change of the row per voxel along z, weight 1 /
 * w^2 (0 behind the source). */
struct fbp_spots {
	double col[FBP_CHUNK], row[FBP_CHUNK], rise[FBP_CHUNK], weight[FBP_CHUNK];
};

/** Voxels (i .. i + n - 1, j, k), n <= FBP_CHUNK. */
extern void fbp_view_spots(
        const struct fbp_view *v, const struct grid *g, long i, long j, long k, long n, struct fbp_spots *s);

#endif
