#ifndef CT_FBP_HILBERT_H
#define CT_FBP_HILBERT_H

#include "ct/geometry/geom.h"

/**
 * Two-step Hilbert reconstruction of slices [1]. The beam is parallel or a fan, and the scan may be full or
 * short. Step 1 computes h, the Hilbert transform of f along the direction e. Step 2 computes f on each line
 * along e:
 *
 *     h(x) = -1/2pi int sgn(n.e) dp/ds(n, x.n) dn over half a turn
 *     sqrt((t-L)(U-t)) f(t) = C - 1/pi pv int_L^U sqrt((t'-L)(U-t')) h(t') / (t - t') dt'
 *
 * The part of the line from L to U is seen from all directions. On the line, f must be 0 outside this part.
 * Other parts of the object may extend beyond the region seen from all directions. With a support, C makes
 * the mean of `sqrt((t-L)(U-t)) f(t)` outside the support 0. Without a support, C is the measured integral
 * along the line, divided by pi.
 *
 * [1] F. Noo, R. Clackdoyle, J. D. Pack, A two-step Hilbert transform method for 2D image reconstruction,
 * Phys. Med. Biol. 49(17), 2004.
 */

/** The shape of the support. Outside the support, f is known to be 0. */
enum hilbert_support { HILBERT_ANYWHERE, HILBERT_CIRCLE, HILBERT_BOX };

struct hilbert_settings {
	double lines; // angle of e, from x towards y [degrees]
	enum hilbert_support support;
	double place[4]; // [mm] circle: radius, centre x, centre y; box: x from, x to, y from, y to
};

struct hilbert;

/** Numbers of lines along e, summed over all slices computed so far. */
struct hilbert_count {
	long lines;     // lines through the region seen from all directions, and through a given support
	long uncovered; // lines set to 0 because the support reaches an end of the region
	long open;      // lines on which the object seems to extend beyond the region
};

/** Prepares a reconstruction. `g` must exist until hilbert_free(). The beam must be parallel or a fan, with
 * rays perpendicular to z. All views must be view 0 rotated about z. The views must cover 180 degrees, plus
 * the fan angle for a fan beam. Unsuitable scans are an error() naming the geometry `name`. With a fan beam,
 * the grid must have one slice. */
extern struct hilbert *hilbert_create(
        const struct geom *g, const struct grid *grid, const struct hilbert_settings *set, const char *name);
extern void hilbert_free(struct hilbert *h);

/** Returns the private memory for the reconstruction of one slice [bytes]. */
extern long hilbert_memory(const struct hilbert *h);

/** Returns a description of the scan for messages. The string belongs to h. */
extern const char *hilbert_describe(const struct hilbert *h);

/** Returns the detector row at the height of slice k. The result may be a fraction. */
extern double hilbert_row(const struct hilbert *h, long k);

/** Reconstructs one slice from the line integrals p (cols, views). `out` (nx, ny) is float32 or float64.
 * Voxels that are not seen from all directions become 0. The result does not depend on the number of
 * threads. */
extern void hilbert_slice(struct hilbert *h, const double *p, enum dtype type, void *out);

/** Returns the largest constant of a line so far, as a magnitude. */
extern double hilbert_top(const struct hilbert *h);

/** Returns the numbers of lines counted so far. `top` is the largest hilbert_top() of all ranks. */
extern struct hilbert_count hilbert_counted(const struct hilbert *h, double top);

#endif
