#ifndef CT_FBP_HELICAL_H
#define CT_FBP_HELICAL_H

#include "ct/fbp/ramp.h"
#include "ct/geometry/geom.h"

/**
 * Cone-beam reconstruction from a helical scan. A voxel is reconstructed from the views whose Tam-Danielsson
 * window contains its projection; these views are on the part of the helix between the ends of the voxel's
 * PI-line. In the frame of [1], the source is at (R cos l, R sin l, h l), and the flat detector at distance
 * D; u is along the source's motion, w is along the axis, v = R - x cos l - y sin l, and g is a view.
 *
 *   HELICAL_KATSEVICH: exact [1].
 *     g1 = (d/dl + (u^2 + D^2)/D d/du + u w/D d/dw) g; g2 = D / sqrt(u^2 + w^2 + D^2) g1;
 *     g5 = Hilbert transform of g2 along the lines w = D h/R (psi + psi / tan(psi) u/D);
 *     f = 1/2pi int 1/v g5 dl.
 *   HELICAL_FDK: errors grow with the pitch.
 *     q = Feldkamp's filter of g (cosine, ramp along u); f = int (R/v)^2 q dl.
 *
 * Curved detectors of radius D are resampled to a flat one.
 */
enum helical_method { HELICAL_FDK, HELICAL_KATSEVICH };

struct helical;

/** error() naming the file unless the scan is a helix with evenly spaced views, the detector is untilted and
 * perpendicular to the ray through the axis, and its rows cover the window. */
extern struct helical *helical_create(
        const struct geom *g, enum helical_method method, const struct ramp_filter *filter, const char *name);
extern void helical_free(struct helical *h);

/** Private memory [bytes]. */
extern long helical_memory(const struct geom *g);

/** A description of the scan. */
extern const char *helical_describe(const struct helical *h);

/** The range along z in which the scan contains all views of each voxel's window [mm]. */
extern void helical_range(const struct helical *h, double z[2]);

/** Adds the next view (cols, rows) in the order of the file to vol (float32 or float64). The result does not
 * depend on the number of threads. */
extern void helical_view(
        struct helical *h, const double *p, const struct grid *grid, enum dtype type, void *vol);
/** Completes vol; must be called after the last view. */
extern void helical_end(struct helical *h, const struct grid *grid, enum dtype type, void *vol);

#endif
