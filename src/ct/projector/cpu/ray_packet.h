#ifndef CT_PROJECTOR_CPU_RAY_PACKET_H
#define CT_PROJECTOR_CPU_RAY_PACKET_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/joseph.h"

/**
 * Kernels compute sixteen rays of neighbouring pixels at a time. This file declares the geometry of these
 * rays, computed in float64 in a few nanoseconds per ray, and packets of rays for float32 data and Joseph's
 * method.
 *
 * The rays of a packet meet each plane of their dominant axis almost along one line of voxels; a line is held
 * in two vector registers. In a plane, the position of a ray is c along the contiguous axis (in almost equal
 * steps from ray to ray) and o along the other axis. The ray weights voxel k of line j by tent(o - j) tent(c
 * - k), where tent(x) is max(0, 1 - |x|). Only a few lines have weights above 0. The forward kernel reads two
 * neighbouring voxels in every line. If there is only one line, the adjoint processes it voxel by voxel and
 * reads the few rays that reach the voxel.
 *
 * All instruction sets share one source, with the same products and sums in the same order, so that results
 * are bit-identical.
 */
enum { RAYS = 16, SHEET_LINES = 6, SHEET_TAPS = 6, SHEET_GUARD = 64 };

/** Rays s + t d through a brick, in coordinates of the brick (joseph.h), and the parts of the rays inside the
 * brick for one dominant axis. */
struct rays {
	_Alignas(64) double s[3][RAYS], d[3][RAYS];
	_Alignas(64) double pos[2][RAYS], slope[2][RAYS]; // across: in plane 0, and per plane
	_Alignas(64) double length[RAYS];                 // between planes [mm]
	_Alignas(64) int axis[RAYS];                      // the dominant one; -1: no ray
	_Alignas(64) int first[RAYS], count[RAYS];        // planes
	int m, p, q;                                      // the axis clipped for, and those across
};

struct ray_packet {
	const struct rays *r;
	int along;                  // index of the contiguous axis in r->pos
	int sm, so;                 // strides along r->m and across the lines
	int first, count;           // planes in which there are rays
	int la, lb;                 // the first and last ray that takes part
	int lines;                  // that samples of a plane touch; 1: the rays stand on a line
	int most;                   // the last line that a window may begin at
	int taps;                   // rays that may reach a voxel
	double bend[2];             // departure from equal steps, along and across [voxels]
	_Alignas(64) float y[RAYS]; // forward: sums; adjoint: values
};

/** Pixels (column + l * across, row + l * up), l = 0..n-1; one of `across` and `up` is 1, the other is 0. */
struct ray_pixels {
	long column, row;
	int across, up, n;
};

struct ray_kernels {
	/** Computes s, d and the dominant axis of the rays of these pixels through a brick. Returns a bit for
	 * each dominant axis that occurs. */
	unsigned (*aim)(struct rays *r, const struct xray *x, const struct brick *b,
	        const struct xray_view *w, const struct ray_pixels *p);
	/** Clips the rays with dominant axis m to a box of n voxels with this spacing [mm]; half: also to t
	 * >= 0. Rays with another dominant axis get no planes. Returns the largest number of planes. */
	int (*clip)(struct rays *r, int m, const int n[3], bool half, const double spacing[3]);
	/** Returns true if these clipped rays can be computed together in a box of n voxels with these
	 * strides, and if this is faster than ray by ray. On success, all members of the packet except y are
	 * set, rays before t->la get the position of ray t->la, and rays after t->lb that of ray t->lb. */
	bool (*fit)(struct ray_packet *t, struct rays *r, const int n[3], const int stride[3], bool adjoint);
	void (*forward)(struct ray_packet *t, const float *box);
	void (*adjoint)(const struct ray_packet *t, float *box);
};

/** The fastest kernels for this machine. */
extern const struct ray_kernels *ray_kernels(void);

#endif
