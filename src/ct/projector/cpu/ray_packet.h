#ifndef CT_PROJECTOR_CPU_RAY_PACKET_H
#define CT_PROJECTOR_CPU_RAY_PACKET_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/joseph.h"

/**
 * Kernels that compute sixteen rays of neighbouring pixels together. The geometry of the rays is computed in
 * float64. Packets of rays are used for Joseph's method in float32.
 *
 * In each plane of the dominant axis, the rays of a packet are on one line of voxels, at position c. From
 * ray to ray, c changes by almost equal steps. The weight of voxel k is `tent(c - k)`. The function tent(x)
 * is max(0, 1 - |x|). Rays that pass between lines of voxels are traced by tilted.h, or one by one.
 *
 * Results are bit-identical with every instruction set.
 */
enum { RAYS = 16, SHEET_TAPS = 6, SHEET_GUARD = 64 };

/** Rays `s + t d` through a brick, in coordinates of the brick (joseph.h). A brick is a block of voxels.
 * Only rays with the dominant axis `m` are clipped to the brick. */
struct rays {
	_Alignas(64) double s[3][RAYS], d[3][RAYS];
	_Alignas(64) double pos[2][RAYS], slope[2][RAYS]; // position in plane 0, change per plane
	_Alignas(64) double length[RAYS];                 // path length between planes [mm]
	_Alignas(64) int axis[RAYS];                      // dominant axis; -1 means no ray
	_Alignas(64) int first[RAYS], count[RAYS];        // first plane in the brick, and number of planes
	int m, p, q; // m: dominant axis of the clipped rays; p, q: the other axes
};

/** Clipped rays that Joseph's method computes together. */
struct ray_packet {
	const struct rays *r;
	int along;        // index of the contiguous axis in r->pos
	int sm, line;     // stride along r->m, and offset of the line of voxels in plane 0 [elements]
	int first, count; // first plane with rays, and number of planes
	int la, lb;       // first and last ray that meet the brick
	int taps;         // largest number of rays that reach a voxel
	double bend;      // deviation from equal steps [voxels]
	_Alignas(64) float y[RAYS]; // forward: sums of the rays; adjoint: values of the rays
};

/** A line of n pixels; pixel l is `(column + l * across, row + l * up)`. One of `across` and `up` is 1, the
 * other is 0. */
struct ray_pixels {
	long column, row;
	int across, up, n;
};

struct ray_kernels {
	/** Sets `r->s`, `r->d` and `r->axis` for the rays to the pixels p. Returns a bit mask of the
	 * dominant axes that occur. */
	unsigned (*aim)(struct rays *r, const struct xray *x, const struct brick *b,
	        const struct xray_view *w, const struct ray_pixels *p);
	/** Clips the rays with dominant axis m to a box of n voxels with the given spacing [mm]. With
	 * `half`, points with t < 0 are also removed. Rays with another dominant axis get no planes.
	 * Returns the largest number of planes of a ray. */
	int (*clip)(struct rays *r, int m, const int n[3], bool half, const double spacing[3]);
	/** Makes a packet from clipped rays in a box with the given strides. Returns false if the rays cannot
	 * be computed together. On success, all members of *t except y are set. Rays before t->la get the
	 * position of ray t->la. Rays after t->lb get the position of ray t->lb. */
	bool (*fit)(struct ray_packet *t, struct rays *r, const int stride[3]);
	/** Sets t->y to the weighted sum of voxels along each ray, without path lengths. */
	void (*forward)(struct ray_packet *t, const float *box);
	/** Adds the values t->y to the voxels, with the weights of forward(). */
	void (*adjoint)(const struct ray_packet *t, float *box);
};

/** Returns the fastest kernels for this machine. */
extern const struct ray_kernels *ray_kernels(void);

#endif
