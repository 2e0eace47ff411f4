#ifndef CT_PROJECTOR_CHECK_VERIFY_H
#define CT_PROJECTOR_CHECK_VERIFY_H

#include "ct/projector/xray.h"
#include "misc/mem.h"

/**
 * Checks of the X-ray transform A for the user's geometry. A check returns true if it passes. The measured
 * numbers are appended to `said`.
 */

/** Returns a coarse version of the user's scan, which can be checked in seconds. The coarse scan has at most
 * `views` equally spaced views, with at most `most` columns and rows. The detector shrinks by less than
 * one coarse pixel along each axis. Release the result by geom_free(). */
extern struct geom *verify_coarse(const struct geom *g, long views, long most);
/** Sets *out to a coarse version of the grid, with at most `most` voxels along each axis. The extent of the
 * grid shrinks by less than one coarse voxel along each axis. */
extern void verify_coarse_grid(struct grid *out, const struct grid *in, long most);

typedef bool verify_fn(
        const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said);

extern verify_fn verify_dot;         // <Ax, y> = <x, A'y> for random x and y with zero mean, five seeds
extern verify_fn verify_elements;    // elements of A and of A' are equal, compared one by one
extern verify_fn verify_reference;   // A and A' agree with float64 results computed from the definition
extern verify_fn verify_split;       // results are finite, and bit-identical for any threads and batches
extern verify_fn verify_orientation; // small balls are projected to the expected pixels
extern verify_fn verify_letter;      // projections of a letter F agree with its exact line integrals

/** Finds the column *a and the row *b at which the ray through point p meets the detector. Both results may
 * be fractions. Returns false if the ray does not meet the detector. */
extern bool verify_pixel(const struct geom *g, long view, const double p[3], double *a, double *b);

#endif
