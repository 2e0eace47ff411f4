#ifndef CT_PROJECTOR_CPU_SF_LINES_H
#define CT_PROJECTOR_CPU_SF_LINES_H

#include "ct/projector/bricks.h"
#include "ct/projector/model/sf.h"

/**
 * The fast path for separable footprints, float32: for arbitrarily oriented flat detectors and for single
 * slices. Along a line of voxels, the footprints move in one direction of the detector, the fast direction.
 * In the other direction, the slow one, all these footprints touch the same few lines of pixels. 16 voxels
 * are processed at a time. The transform A adds up the footprints that begin at the same pixel, and then adds
 * these sums to the pixels of each line. Its transpose A' uses the same weights, and sums over the few pixels
 * that a voxel touches.
 */

enum {
	SF_LANES = 16,
	SF_EDGE = 64,    // voxels of a line, at most
	SF_FAST = 16,    // taps of a voxel along the fast direction, at most
	SF_DENSE = 4,    // of a voxel of a dense line, at most
	SF_GUARD = 48,   // pixels around a window, with nothing in them
	SF_PIXELS = 2048 // of a window along the fast direction, at most
};

/** Data for one direction of the detector [pixels], in voxel index coordinates of a box. */
struct sf_along {
	double to[4];  // of voxel (x, y, z, 1): place before the detector; parallel beam: of its footprint
	double from;   // of the source
	double middle; // of the detector's centre
	int origin;    // the window's first pixel
	double size;   // boxes of a parallel beam: wide, soft
	double wide, soft;
	double reach; // of footprints, at most, and half a pixel
	double out;   // the same, but closer, without it
	int order[3]; // of the axes: first the one whose edge looks longest, or counts alone
	double sign;  // by which its footprint is positive, where it is known
};

/** How the first pixel of the footprint moves from voxel to voxel of a line. */
enum sf_steps {
	ANY_STEPS,
	TRIPLES, // each from the first to the last one, and of three voxels at most
	PAIRS    // of two
};

/** The data of one view that the lines of a brick need. Direction 0 is the fast one. */
struct sf_lines {
	struct sf_along d[2];
	double depth[4]; // of voxel (x, y, z, 1) before the source, along the normal [mm]
	double far;      // source from the detector [mm]
	double source[3], spacing[3];
	double amount; // of a parallel beam, over the widths of both boxes; else the factor of
	               // sf_view.density
	bool parallel, slice;
	bool known; // the order along both directions is that of every voxel
	enum sf_steps steps;
	bool series; // the brick is so far before the source that series of four terms suffice
	bool dense;  // a slice, and not any steps
	int plain;   // direction of columns parallel to z, along which a footprint is a plain box; else -1
	int axis;    // of the lines
	int taps;    // pixels that a footprint touches along the fast direction, at most
	int count;   // voxels of a line
	int pixels, rows; // of the window: along the fast direction, and lines of them
	int pitch;        // from line to line
};

struct sf_lines_kernels {
	/** Computes window += A f, or f += A' window, where f is n neighbouring lines of voxels, `stride`
	 * elements apart. The first line begins at voxel `at`; the next line is one voxel further along axis
	 * `beside`. */
	void (*forward)(const struct sf_lines *s, const double at[3], int beside, int n, const float *f,
	        long stride, float *window);
	void (*adjoint)(const struct sf_lines *s, const double at[3], int beside, int n, float *f,
	        long stride, const float *window);
};

/** The fastest kernels for this machine; all give the same bits. */
extern const struct sf_lines_kernels *sf_lines_kernels(void);

/** Arguments as footprints_float(). Returns false if this path does not support the view or the brick. */
extern bool sf_lines_sweep(const struct xray *x, const struct brick *b, float *box, float *proj, long view,
        long lo, long hi, int step, bool adjoint);

#endif
