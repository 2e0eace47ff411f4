#ifndef CT_PROJECTOR_SLICE_SINGLE_SLICE_H
#define CT_PROJECTOR_SLICE_SINGLE_SLICE_H

#include "ct/projector/bricks.h"

/**
 * The fast path for a volume of one slice and a flat detector of one row, with rays within the slice, by
 * Joseph's and by Siddon's method, float32. A brick is stored twice, with x and with y contiguous, so that
 * the lines of voxels that a ray crosses one after the other are contiguous for both dominant axes.
 *
 * In each plane, a ray covers an interval of the line of voxels. For Siddon's method, the interval is the
 * part of the ray in the slab of the plane. For Joseph's method, the interval begins at the sample and is one
 * voxel wide. The interval is inside one cell, or extends into the next one. The weight of a cell is the
 * fraction of the interval inside the cell. The position of a ray is the lower end of its interval. Positions
 * are integers, in units of 2^-SLICE_FINE voxels modulo 32 voxels, so that A and A' compute the same weights.
 */

enum {
	SLICE_EDGE = 64,  // voxels of a brick along x and y, at most
	SLICE_GUARD = 72, // elements before and after a line of voxels: zeros for A
	SLICE_PITCH = SLICE_GUARD + SLICE_EDGE + SLICE_GUARD,
	SLICE_ROOM = SLICE_EDGE * SLICE_PITCH,
	SLICE_RAYS = 256, // at a time, at most
	SLICE_PAD = 48,   // elements before and after them
	SLICE_FINE = 27,
	SLICE_LINE = SLICE_PAD + SLICE_RAYS + 32 + SLICE_PAD
};

/** Rays of neighbouring columns with the same dominant axis through a brick, in ascending order of their
 * positions. Coordinates are those of the brick, along the dominant axis (0) and across (1). */
struct slice_rays {
	bool siddon, parallel;
	int n;              // rays
	int planes, voxels; // of the brick, along the dominant axis and across
	double s[2], d[2],
	        u[2]; // ray l from s along d + (x + l sign) u; parallel: from s + (x + l sign) u along d
	double x, sign;
	double spacing[2];     // [mm]
	double reach;          // a ray weighs in voxels nearer than this
	double num[3], den[3]; // through voxel x of plane n: ray (num . (1, x, n)) / (den . (1, x, n))
	_Alignas(64) double low[SLICE_RAYS + SLICE_PAD],
	        rise[SLICE_RAYS + SLICE_PAD];              // position: plane 0, per plane
	_Alignas(64) float length[SLICE_RAYS + SLICE_PAD]; // between planes [mm]
	_Alignas(64) unsigned at[SLICE_LINE]; // position in plane 0, from SLICE_PAD on, as the following
	_Alignas(64) int step[SLICE_LINE];    // per plane
	_Alignas(64) int wide[SLICE_LINE];    // of the interval
	_Alignas(64) float inv[SLICE_LINE];   // 1 / wide
	_Alignas(64) float y[SLICE_LINE];     // forward: sums; adjoint: values times lengths
};

struct slice_kernels {
	/** Sets `reach` and the arrays from `low` to `inv`. */
	void (*aim)(struct slice_rays *r);
	void (*forward)(struct slice_rays *r, const float *box);
	void (*adjoint)(const struct slice_rays *r, float *box);
};

/** The fastest kernels for this machine. */
extern const struct slice_kernels *slice_kernels(void);

/** The plan of the path, which contains the views that the path supports; NULL if there are none. */
struct single_slice;
extern struct single_slice *single_slice_create(const struct xray *x);
extern void single_slice_free(struct single_slice *s);
extern bool single_slice_takes(const struct single_slice *s, long view);

extern void single_slice_forward(void *plan, const struct xray_call *p);
extern void single_slice_adjoint(void *plan, const struct xray_call *p);
extern double single_slice_memory(const struct xray_call *p, bool forward);

#endif
