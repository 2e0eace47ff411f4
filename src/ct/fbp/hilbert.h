#ifndef CT_FBP_HILBERT_H
#define CT_FBP_HILBERT_H

#include "ct/geometry/geom.h"

/**
 * Two-step Hilbert reconstruction of slices [1] from parallel or fan beams, full or short scans:
 *
 *   h(x) = -1/2pi int sgn(n.e) dp/ds(n, x.n) dn over half a turn, the Hilbert transform of f along e;
 *   sqrt((t-L)(U-t)) f(t) = C - 1/pi pv int_L^U sqrt((t'-L)(U-t')) h(t') / (t - t') dt' on each line along e.
 *
 * At L and U the line leaves the region that is seen from all directions. On the line, f must be 0 beyond L
 * and U; elsewhere the object may extend beyond that region. If a support is given, C is chosen such that the
 * mean of sqrt((t-L)(U-t)) f(t) outside the support is 0; otherwise C is the measured integral along the
 * line, divided by pi.
 */
enum hilbert_support { HILBERT_ANYWHERE, HILBERT_CIRCLE, HILBERT_BOX };

struct hilbert_settings {
	double lines; // direction of e from x to y [degrees]
	enum hilbert_support support;
	double place[4]; // circle: radius, centre x, y; box: x from, to, y from, to [mm]
};

struct hilbert;

/** Numbers of lines, counted over all slices computed so far. */
struct hilbert_count {
	long lines;     // that cross the region (and the support)
	long uncovered; // the support reaches up to an end or beyond: 0 in the result
	long open;      // sqrt(..) f does not go to 0 at an end: the object continues there
};

/** error() naming the geometry if the beam is a cone, if rays are not perpendicular to z, if the detector
 * does not simply rotate about z from view to view, or if the views cover too few angles. */
extern struct hilbert *hilbert_create(
        const struct geom *g, const struct grid *grid, const struct hilbert_settings *set, const char *name);
extern void hilbert_free(struct hilbert *h);

/** Private memory for the reconstruction of one slice [bytes]. */
extern long hilbert_memory(const struct hilbert *h);

/** A description of the scan. */
extern const char *hilbert_describe(const struct hilbert *h);

/** Fractional detector row of slice k. */
extern double hilbert_row(const struct hilbert *h, long k);

/** p: (cols, views) line integrals of a slice; out: the voxels of the slice, float32 or float64, 0 where a
 * voxel is not seen from all directions. The result does not depend on the number of threads. */
extern void hilbert_slice(struct hilbert *h, const double *p, enum dtype type, void *out);

extern struct hilbert_count hilbert_counted(const struct hilbert *h);

#endif
