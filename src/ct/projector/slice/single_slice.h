#ifndef CT_PROJECTOR_SLICE_SINGLE_SLICE_H
#define CT_PROJECTOR_SLICE_SINGLE_SLICE_H

#include "ct/projector/bricks.h"

/**
 * The fast path for one slice and a flat detector with one row, in float32. All rays must stay within the
 * slice. The models are Joseph's and Siddon's method. Each brick is stored twice: once with x contiguous,
 * and once with y contiguous.
 *
 * In each plane of the dominant axis, a ray covers an interval of the line of voxels. For Joseph's method,
 * the interval starts at the ray and is one voxel wide. For Siddon's method, the interval is the part of
 * the ray inside the slab around the plane. The weight of a voxel is the fraction of the interval inside
 * the voxel. The position of a ray is the lower end of the interval. Positions are integers in units of
 * 2^-SLICE_FINE voxels, modulo 32 voxels. Integers ensure that A and A' compute equal weights.
 */

enum {
	SLICE_EDGE = 64,  // largest number of voxels of a brick along x and y
	SLICE_GUARD = 72, // elements before and after a line of voxels, which are 0 in A
	SLICE_PITCH = SLICE_GUARD + SLICE_EDGE + SLICE_GUARD,
	SLICE_ROOM = SLICE_EDGE * SLICE_PITCH,
	SLICE_RAYS = 256, // largest number of rays in a struct slice_rays
	SLICE_PAD = 48,   // elements before and after the rays
	SLICE_FINE = 27,
	SLICE_LINE = SLICE_PAD + SLICE_RAYS + 32 + SLICE_PAD
};

/** Rays of neighbouring detector columns through one brick. All these rays have the same dominant axis. Rays
 * are sorted by position in ascending order. Coordinates count from the first voxel of the brick. In arrays
 * of length 2, element 0 is along the dominant axis, and element 1 is across this axis. */
struct slice_rays {
	bool siddon, parallel;
	int n;              // number of rays
	int planes, voxels; // voxels of the brick along the dominant axis, and across
	double s[2], d[2],
	        u[2]; // with a = x + l sign, ray l is s + t (d + a u), or s + a u + t d if parallel
	double x, sign;
	double spacing[2];     // [mm]
	double reach;          // voxels at this distance or farther have weight 0
	double num[3], den[3]; // ray through voxel x of plane n: num . (1, x, n) / den . (1, x, n)
	_Alignas(64) double low[SLICE_RAYS + SLICE_PAD],
	        rise[SLICE_RAYS + SLICE_PAD];              // position in plane 0, and its change per plane
	_Alignas(64) float length[SLICE_RAYS + SLICE_PAD]; // length of the ray between planes [mm]
	_Alignas(64) unsigned at[SLICE_LINE]; // integer `low`; arrays from here on begin at SLICE_PAD
	_Alignas(64) int step[SLICE_LINE];    // `rise` as an integer
	_Alignas(64) int wide[SLICE_LINE];    // width of the interval
	_Alignas(64) float inv[SLICE_LINE];   // 1 / wide
	_Alignas(64) float y[SLICE_LINE];     // sums in A, pixels times lengths in A'
};

struct slice_kernels {
	/** Sets `reach`, and the array members from `low` to `inv`. */
	void (*aim)(struct slice_rays *r);
	void (*forward)(struct slice_rays *r, const float *box);
	void (*adjoint)(const struct slice_rays *r, float *box);
};

/** Returns the fastest kernels for this processor. */
extern const struct slice_kernels *slice_kernels(void);

/** The list of views that the path supports. The pointer is NULL if no view is supported. */
struct single_slice;
extern struct single_slice *single_slice_create(const struct xray *x);
extern void single_slice_free(struct single_slice *s);
extern bool single_slice_takes(const struct single_slice *s, long view);

extern void single_slice_forward(void *plan, const struct xray_call *p);
extern void single_slice_adjoint(void *plan, const struct xray_call *p);
extern double single_slice_memory(const struct xray_call *p, bool forward);

#endif
