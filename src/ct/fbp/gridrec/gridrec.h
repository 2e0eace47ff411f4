#ifndef CT_FBP_GRIDREC_GRIDREC_H
#define CT_FBP_GRIDREC_GRIDREC_H

#include "ct/fbp/fbp.h"

/**
 * Filtered back projection of a parallel beam by gridding in the Fourier domain [1]. The gridding kernel is
 * a Kaiser-Bessel function of 8 x 8 cells [2]. In contrast to fbp.h, projections are interpolated by sinc
 * functions instead of linearly. The computation is in float32, for two slices at a time.
 *
 * [1] J. D. O'Sullivan, A fast sinc function gridding algorithm for Fourier inversion in computer
 * tomography, IEEE TMI 4(4), 1985.
 * [2] P. J. Beatty, D. G. Nishimura, J. M. Pauly, Rapid gridding reconstruction with a minimal oversampling
 * ratio, IEEE TMI 24(6), 2005.
 */
struct gridrec;

/** Returns whether gridrec supports the scan. The beam must be parallel and perpendicular to z. The detector
 * must be flat and untilted, with the same height in all views. */
extern bool gridrec_fits(const struct fbp *f);

/** Calls error() if gridrec does not support the scan. The message names the geometry file `name`. */
extern void gridrec_check(const struct fbp *f, const char *name);

/** Prepares a reconstruction by gridding. The caller must keep f and grid until gridrec_free(). */
extern struct gridrec *gridrec_create(const struct fbp *f, const struct grid *grid);
extern void gridrec_free(struct gridrec *g);

/** These functions handle the workspace of a thread.
 * - gridrec_room_create(): Allocates a workspace.
 * - gridrec_room_free(): Frees a workspace.
 * - gridrec_memory(): Returns the size of a workspace [bytes], about three slices of float32. */
struct gridrec_room;
extern struct gridrec_room *gridrec_room_create(const struct gridrec *g);
extern void gridrec_room_free(struct gridrec_room *r);
extern long gridrec_memory(const struct gridrec *g);

/** Functions for input and output. Every call gets `ctx` as the first argument.
 * - load(): Returns the line integrals of one detector row of a view. The values may be in `buffer` or
 *   elsewhere.
 * - store(): Writes n lines of slice z, beginning with line y; lines are along x. */
struct gridrec_files {
	const float *(*load)(void *ctx, long view, long row, float *buffer);
	void (*store)(void *ctx, long z, long y, long n, const float *x);
	void *ctx;
};

/** Reconstructs slice z, and slice z + 1 if there is one. The result does not depend on the number of
 * threads. */
extern void gridrec_pair(
        const struct gridrec *g, struct gridrec_room *r, const struct gridrec_files *files, long z);

#endif
