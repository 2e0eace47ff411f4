#ifndef CT_STREAM_VIEW_STREAM_H
#define CT_STREAM_VIEW_STREAM_H

#include "ct/projector/xray.h"

/**
 * The X-ray transform between arrays in files or streams, each of which may be larger than memory. Passes
 * over only the views use ct/stream/view_batches.h. Here every batch of views must be combined with the whole
 * volume. The order of the loops over views and volume is therefore chosen, and rows that do not see a slab
 * are not read.
 *
 * The volume is cut into slabs (layers of bricks along z, or a part of one), the views into batches. If the
 * outer loop is over slabs, every voxel is read or written once; the detector rows that see a slab are read
 * or written once per slab. If the outer loop is over batches, every view is read or written once, and the
 * volume once per batch. For streams the outer loop is always over batches; otherwise the order that moves
 * fewer bytes is used. The next part is read ahead; finished parts are written and released. The result does
 * not depend on the order.
 */
struct view_stream {
	const struct xray *x;
	enum dtype type; // of the computation
	bool forward;    // else the adjoint
	struct cfl *vol, *proj;
	const long *at; // adjoint: where view k of the geometry is in proj; NULL: k
	bool pipe;      // proj is a stream

	// chosen by view_stream_choose()
	long view[2], row[2]; // the part of this rank: views [from, end), rows of bricks likewise
	bool by_views;        // the outer loop goes over batches of views
	long rows, batch;     // of bricks in a slab, views in a batch
	long rows_at_once;    // rows of bricks of a slab in memory at a time, where not all of them fit; or 0
	bool keep_vol, keep_proj; // all of it fits into memory
	long private_bytes;       // memory of its own
	double moved;             // bytes of elements in and out of memory, at least
};

/** Chooses the order for the memory that tool_memory() allows. The members from `x` to `at` and the headers
 * of vol and proj must be set; the output may still be NULL. Decides whether a GPU is used. */
extern void view_stream_choose(struct view_stream *t, const struct cfl *input);

/** States the memory by tool_needs(); under --plan prints the order. */
extern void view_stream_plan(const struct view_stream *t);

/** proj = A vol, or vol = A' proj, for all channels and times; error() naming the input if it contains a
 * number that is not finite or is too large. */
extern void view_stream_run(const struct view_stream *t);

#endif
