#ifndef CT_FBP_HELICAL_H
#define CT_FBP_HELICAL_H

#include "ct/fbp/ramp.h"
#include "ct/geometry/geom.h"

/**
 * Cone-beam reconstruction from a helical scan. A voxel is reconstructed only from views that see the voxel
 * inside the Tam-Danielsson window. On the helix, these views lie between the ends of the voxel's PI-line.
 *
 * The formulas have the notation of [1]:
 * - The source is at (R cos l, R sin l, h l).
 * - The flat detector is at the distance D from the source.
 * - u is the detector coordinate along the motion of the source.
 * - w is the detector coordinate along the axis.
 * - v is R - x cos l - y sin l.
 * - g is a view.
 *
 *     HELICAL_KATSEVICH: exact [1].
 *       g1 = (d/dl + (u^2 + D^2)/D d/du + u w/D d/dw) g; g2 = D / sqrt(u^2 + w^2 + D^2) g1;
 *       g5 = Hilbert transform of g2 along the lines w = D h/R (psi + psi / tan(psi) u/D);
 *       f = 1/2pi int 1/v g5 dl.
 *     HELICAL_FDK: errors grow with the pitch.
 *       q = Feldkamp's filter of g (cosine, ramp along u); f = int (R/v)^2 q dl.
 *
 * Curved detectors of radius D are resampled to a flat detector.
 *
 * [1] F. Noo, J. Pack, D. Heuscher, Exact helical reconstruction using native cone-beam geometries, Phys.
 * Med. Biol. 48(23), 2003.
 */
enum helical_method { HELICAL_FDK, HELICAL_KATSEVICH };

struct helical;

/** Prepares the reconstruction of a helical scan. The geometry must exist until helical_free(). The views
 * must be evenly spaced on a helix. The detector must be untilted and perpendicular to the ray through the
 * rotation axis. The detector rows must cover the Tam-Danielsson window. The radius of a curved detector
 * must be the distance from source to detector. Unsuitable scans are an error() naming the geometry file
 * `name`. Only HELICAL_FDK uses `filter`. */
extern struct helical *helical_create(
        const struct geom *g, enum helical_method method, const struct ramp_filter *filter, const char *name);
extern void helical_free(struct helical *h);

/** Returns the private memory of a reconstruction [bytes]. */
extern long helical_memory(const struct geom *g);

/** Returns a description of the scan for messages. The string belongs to h. */
extern const char *helical_describe(const struct helical *h);

/** Computes the range of z [mm] in which the scan contains all views needed for a voxel. */
extern void helical_range(const struct helical *h, double z[2]);

/** Adds the next view p (cols, rows) to vol. The views must come in the order of the geometry. `vol` is
 * float32 or float64. The result does not depend on the number of threads. */
extern void helical_view(
        struct helical *h, const double *p, const struct grid *grid, enum dtype type, void *vol);
/** Completes the volume after the last call of helical_view(). */
extern void helical_end(struct helical *h, const struct grid *grid, enum dtype type, void *vol);

#endif
