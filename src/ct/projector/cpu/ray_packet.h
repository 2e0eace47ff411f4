#ifndef CT_PROJECTOR_CPU_RAY_PACKET_H
#define CT_PROJECTOR_CPU_RAY_PACKET_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/joseph.h"

/**
 * Sixteen rays of neighbouring pixels at a time, inside the kernels: their float64 geometry, so that the
 * setup of a ray costs a few nanoseconds, and packets for float32 data and Joseph's method.
 *
 * A packet: rays that meet each plane of their dominant axis almost in one line of voxels, held in two vector
 * registers. In a plane their positions are c along the contiguous axis, at almost equal steps, and o along
 * the other one. Their samples are in a few lines of voxels and weight the voxels of line j by tent(o - j)
 * tent(c - k). Forward looks up two neighbours in every line; the adjoint, if there is only one line, goes
 * over its voxels and looks up the few rays that reach each.
 *
 * One source for all instruction sets, with the same products and sums in the same order: the same bits.
 */
enum { RAYS = 16, SHEET_LINES = 6, SHEET_TAPS = 6, SHEET_GUARD = 64 };

/** Rays s + t d through a brick, in its coordinates (joseph.h), and their part of it for one dominant axis.
 */
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

/** Pixels (column + l across, row + l up), l = 0..n-1; either across or up is 1, the other 0. */
struct ray_pixels {
	long column, row;
	int across, up, n;
};

struct ray_kernels {
	/** s, d and axis of these pixels' rays through a brick; a bit for each axis that occurs. */
	unsigned (*aim)(struct rays *r, const struct xray *x, const struct brick *b,
	        const struct xray_view *w, const struct ray_pixels *p);
	/** The part of the rays of dominant axis m inside a box of n voxels of that spacing [mm]; half: only
	 * t >= 0 counts. Rays of other axes get no planes. Returns the largest number of planes.
	 */
	int (*clip)(struct rays *r, int m, const int n[3], bool half, const double spacing[3]);
	/** Can these rays (clipped) be computed together in a box of n voxels with these strides, and is
	 * that faster than one by one? Fills in all but y; if so, gives the excluded rays harmless
	 * positions. */
	bool (*fit)(struct ray_packet *t, struct rays *r, const int n[3], const int stride[3], bool adjoint);
	void (*forward)(struct ray_packet *t, const float *box);
	void (*adjoint)(const struct ray_packet *t, float *box);
};

/** The fastest kernels for this machine. */
extern const struct ray_kernels *ray_kernels(void);

#endif
