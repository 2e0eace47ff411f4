#ifndef CT_PROJECTOR_CHECK_VERIFY_H
#define CT_PROJECTOR_CHECK_VERIFY_H

#include "ct/projector/xray.h"
#include "misc/mem.h"

/**
 * Verification of the X-ray transform for the user's geometry. Each function returns whether the check
 * passed, and appends the measured numbers to `said`.
 */

/** A coarse version of the user's scan that is verified in seconds. The coarse scan has equally spaced views,
 * and at most `most` pixels and voxels per axis. The extents of detector and volume shrink by less than one
 * coarse pixel or voxel. */
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

/** Column and row (fractions allowed) at which the ray through a point meets the detector. Returns false if
 * the ray does not meet the detector. */
extern bool verify_pixel(const struct geom *g, long view, const double p[3], double *a, double *b);

#endif
