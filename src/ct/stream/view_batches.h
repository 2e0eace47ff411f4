#ifndef CT_STREAM_VIEW_BATCHES_H
#define CT_STREAM_VIEW_BATCHES_H

#include "ct/stream/view_read.h"

/**
 * Processes the views of a file or stream (u, v, view, channel, time) batch by batch in one pass, with a
 * progress bar. The file may be larger than memory. The next batch is read ahead while one is processed. If
 * input and output together exceed tool_memory(), finished pages are written and released. Values that are
 * not finite are an error() naming file and view.
 *
 * The caller defines the operation on a view or a batch. view_batches_run() reads views (in place if type and
 * order allow), converts them, keeps neighbouring views, and writes the results. It counts values outside the
 * range of the output type, and uses the GPU if that is faster. Results do not depend on threads, memory, or
 * batches. Ranks that share the work of a command take some views each, if there is an output and no list of
 * views. The caller must then sum its counts over the ranks by ranks_sum().
 */

/** One view, as passed to view_batches.each(); in and out are float64. */
struct single_view {
	long number;        // from 0, over channels and times too
	long view;          // within its stack
	long before, after; // neighbours there are, at most `reach`
	long size;          // elements of a view of the input
	const double *in;   // its first element; neighbours are `size` elements apart
	double *out;        // a view of the output
};

/** Views [first, first + n), counted over all stacks; `in` begins with view `base` and contains these views,
 * and up to `reach` views before and after them. */
struct view_batch {
	long first, n, base;
	const void *in[2]; // real parts, and imaginary ones of complex files
	void *out;
};

struct view_batches {
	struct cfl *out, *in;       // out NULL: nothing is written
	struct view_choice *choice; // NULL: all views; else batches end where stacks do
	long first, count;          // of the views chosen; count 0: all of them
	long per;                   // views in a batch at most; 0: enough to keep all threads busy
	long reach;                 // neighbouring views on either side, as float64 and without a choice
	bool any_value;             // values that are not finite are passed on
	bool changes;               // in and out of a batch are the same array

	/** The operation on a view, called by several threads at once; all in float64. */
	void (*each)(void *ctx, const struct single_view *v);

	/** Alternatively, the operation on a batch. in[] has the type `type`, float32 or float64. `out` has
	 * the type `work` and is converted to the type of the file when it is written. */
	void (*fn)(void *ctx, const struct view_batch *b);
	enum dtype type, work;

	/** The operation on a batch of views on a device, in float64; operations on the device run in order.
	 * NULL: not available. An output is required. */
	void (*there)(void *ctx, const struct view_batch *b);
	double room;       // elements of float64 that it needs there for an element of the input
	double operations; // for an element, for --device auto

	bool load; // fn() takes in[] on the GPU, and out on the host

	void *ctx;
	const char *what; // for the progress bar; NULL: it is the caller's
};

extern void view_batches_run(const struct view_batches *p);

/** Private memory of `each` [bytes], for tool_needs(); out_size: elements of a view of the output. */
extern long view_batches_memory(const struct cfl *in, long out_size, long reach);

#endif
