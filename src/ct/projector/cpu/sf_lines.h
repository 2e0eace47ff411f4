#ifndef CT_PROJECTOR_CPU_SF_LINES_H
#define CT_PROJECTOR_CPU_SF_LINES_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/sf.h"

/**
 * Fast CPU kernels for separable footprints, float32. The kernels support arbitrarily oriented flat detectors
 * and single slices. The kernels process 16 voxels together. A and A' use the same weights.
 *
 * From voxel to voxel of a line, the footprint moves most along the fast detector direction. The slow
 * direction is the other detector direction. Along the slow direction, all footprints of a line touch only a
 * few pixels.
 */

enum {
	SF_LANES = 16,
	SF_EDGE = 64,    // largest number of voxels of a line
	SF_FAST = 16,    // largest number of pixels that a voxel touches along the fast direction
	SF_DENSE = 4,    // largest number of these pixels if sf_lines.dense is set
	SF_GUARD = 48,   // pixels with value 0 around a window
	SF_PIXELS = 2048 // largest number of pixels of a window along the fast direction
};

/** Data for one direction of the detector, in pixels. Voxel coordinates are indices in the brick buffer. */
struct sf_along {
	double to[4]; // maps voxel (x, y, z, 1) to its coordinate; parallel beam: to its footprint's position
	double from;  // coordinate of the source
	double middle;     // position of the detector's centre
	int origin;        // first pixel of the window
	double wide, soft; // widths of the two boxes of a parallel beam
	double reach;      // largest distance of a footprint's edge from its centre, plus half a pixel
	double out;        // closer bound for this distance, without the half pixel
	int order[3];      // order of the voxel's axes; the edge with the longest projection comes first
	double sign;       // sign of the projection of edge order[0]; 1 if unknown
};

/** Number of successive voxels whose footprints begin at the same pixel. */
enum sf_steps {
	ANY_STEPS,
	TRIPLES, // each pixel is the first pixel of one to three voxels
	PAIRS    // each pixel is the first pixel of one or two voxels
};

/** The geometry of one view, relative to the voxels of a brick. A brick is a block of voxels. Index 0 is the
 * fast direction of the detector. */
struct sf_lines {
	struct sf_along d[2];
	double depth[4]; // maps voxel (x, y, z, 1) to its distance from the source along the normal [mm]
	double far;      // distance of source and detector [mm]
	double source[3], spacing[3];
	double amount; // parallel beam: amount of a voxel, divided by the widths of both boxes;
	               // other beams: sf_view.density
	bool parallel, slice;
	bool known; // sf_along.order of both directions holds for all voxels of the brick
	enum sf_steps steps;
	bool series; // the source is so far away that four terms of a series suffice
	bool dense;  // single slice, `steps` is not ANY_STEPS, and few pixels per voxel
	int plain;   // direction of columns parallel to z, along which a footprint is a single box; else -1
	int axis;    // axis of the volume along which lines run
	int taps;    // largest number of pixels that a footprint touches along the fast direction
	int count;   // number of voxels of a line
	int pixels, rows; // size of the window along the fast and the slow direction
	int pitch;        // elements from line to line of the window
};

struct sf_lines_kernels {
	/**
	 * These functions compute neighbouring lines of voxels. `f` holds n lines, which are `stride`
	 * elements apart. The first line begins at voxel `at`. The next line is one voxel further along axis
	 * `beside`.
	 *
	 * - forward(): Computes window += A f.
	 * - adjoint(): Computes f += A' window.
	 */
	void (*forward)(const struct sf_lines *s, const double at[3], int beside, int n, const float *f,
	        long stride, float *window);
	void (*adjoint)(const struct sf_lines *s, const double at[3], int beside, int n, float *f,
	        long stride, const float *window);
};

/** Returns the fastest kernels for this machine. All kernels give bit-identical results. */
extern const struct sf_lines_kernels *sf_lines_kernels(void);

/** Does the same as footprints_float(), with the same arguments. Returns false if these kernels do not
 * support the view or the brick. If the result is false, the data are unchanged. */
extern bool sf_lines_sweep(const struct xray *x, const struct brick *b, float *box, float *proj, long view,
        long lo, long hi, int step, bool adjoint);

#endif
