#ifndef CT_PROJECTOR_CHECK_VERIFY_H
#define CT_PROJECTOR_CHECK_VERIFY_H

#include "ct/projector/xray.h"
#include "misc/mem.h"

/**
 * Verification of the X-ray transform for the user's geometry. Each function returns whether it passed and
 * appends the numbers found to `said`.
 */

/** A reduced case that is verified in seconds: views picked evenly, pixels and voxels binned to at most
 * `most` of each along an axis, over the same detector and volume in mm. */
extern struct geom *verify_coarse(const struct geom *g, long views, long most);
extern void verify_coarse_grid(struct grid *out, const struct grid *in, long most);

typedef bool verify_fn(
        const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said);

extern verify_fn verify_dot;         // <Ax, y> = <x, A'y>, zero-mean random, five seeds
extern verify_fn verify_elements;    // A and A' hold the same numbers, one by one
extern verify_fn verify_reference;   // both against float64 from the definition
extern verify_fn verify_split;       // the same bytes for any threads and batches of views, all finite
extern verify_fn verify_orientation; // small balls are seen where the convention says
extern verify_fn verify_letter;      // a letter F is projected as its exact line integrals are

/** Where the ray through a point in space meets the detector: column and row, fractions of pixels; false if
 * it does not. */
extern bool verify_pixel(const struct geom *g, long view, const double p[3], double *a, double *b);

#endif
