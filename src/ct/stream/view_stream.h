#ifndef CT_STREAM_VIEW_STREAM_H
#define CT_STREAM_VIEW_STREAM_H

#include "ct/projector/xray.h"

/**
 * The X-ray transform from one file or stream to another. The volume and the projections may each be larger
 * than memory.
 *
 * The volume is cut into slabs along z, and the views are divided into batches. Every batch must be combined
 * with every slab. There are two orders:
 *
 * - With the outer loop over slabs, every voxel is transferred once if a slab fits into memory. A detector
 *   row is transferred once for every slab that the row sees.
 * - With the outer loop over batches, every view is transferred once. The volume is transferred once for
 *   every batch.
 *
 * For streams the outer loop is always over batches. For files the order with fewer transferred bytes is
 * used. The result does not depend on the order.
 *
 * A row of bricks is along x. Bricks are blocks of voxels (ct/projector/bricks.h). A slab consists of whole
 * layers of bricks, or of a part of one layer.
 */
struct view_stream {
	const struct xray *x;
	enum dtype type; // of the computation
	bool forward;    // true for A, false for the adjoint
	struct cfl *vol, *proj;
	const long *at; // adjoint only: view k of the geometry is view at[k] of proj; NULL means view k
	bool pipe;      // proj is a stream

	// set by view_stream_choose()
	long view[2], row[2];     // this rank's views [view[0], view[1]) and rows of bricks [row[0], row[1])
	bool by_views;            // the outer loop is over batches of views
	long rows, batch;         // rows of bricks in a slab; views in a batch
	long rows_at_once;        // rows of bricks in memory if a slab does not fit; otherwise 0
	bool keep_vol, keep_proj; // the whole volume fits into memory; all projections fit
	long private_bytes;       // memory for buffers
	double moved;             // least number of bytes transferred between files and memory
};

/** Chooses the order of the loops and the sizes of slabs and batches for the available memory. The caller
 * must set the members from `x` to `pipe`, but the output may still be NULL. The function also decides
 * whether a GPU is used. */
extern void view_stream_choose(struct view_stream *t, const struct cfl *input);

/** Reports the required memory by tool_needs(). With --plan, prints the order of the loops. */
extern void view_stream_plan(const struct view_stream *t);

/** Computes proj = A vol or vol = A' proj for all channels and times. An input value that is not finite, or
 * too large, is an error() naming the input. */
extern void view_stream_run(const struct view_stream *t);

#endif
