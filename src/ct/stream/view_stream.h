#ifndef CT_STREAM_VIEW_STREAM_H
#define CT_STREAM_VIEW_STREAM_H

#include "ct/projector/xray.h"

/**
 * The X-ray transform between arrays in files or streams, each of which may be larger than memory. Passes
 * over the views alone go through ct/stream/view_batches.h; here a batch and the volume have to meet, so that
 * the order in which both are cut is chosen, and rows that a slab does not see are not read.
 *
 * The volume is cut into slabs (layers of bricks along z, or a part of one), the views into batches. Either
 * the slabs are the outer loop, so that every voxel is read or written once and of the projections, for each
 * slab, the detector rows that see it; or the batches are, so that every view is, and the volume once per
 * batch (streams: always). Whichever moves fewer bytes is taken. What comes next is read ahead, what is done
 * with is written and given back. The result does not depend on any of it.
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

/** Chooses the order for the memory that tool_memory() allows, from x .. at and the headers of vol and proj:
 * the output may still be NULL. Decides whether a GPU does it. */
extern void view_stream_choose(struct view_stream *t, const struct cfl *input);

/** States memory and time by tool_needs(); under --plan measures how fast this machine is on a part of the
 * volume and prints the order. */
extern void view_stream_plan(const struct view_stream *t);

/** proj = A vol, or vol = A' proj, for all channels and times; error() naming the input when one of its
 * numbers is not finite, or too large. */
extern void view_stream_run(const struct view_stream *t);

#endif
