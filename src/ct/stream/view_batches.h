#ifndef CT_STREAM_VIEW_BATCHES_H
#define CT_STREAM_VIEW_BATCHES_H

#include "ct/stream/view_read.h"

/**
 * Applies an operation to the views of a file or stream. The dims are (u, v, view, channel, time). The views
 * are read in batches. The file may be larger than memory.
 *
 * The caller defines an operation on one view or on one batch, and calls view_batches_run(). The function
 * view_batches_run() reads the views, calls the operation, and writes the results. The operation runs on the
 * GPU if the function `there` is not NULL and the GPU is faster. Results do not depend on the number of
 * threads, the memory or the size of the batches.
 *
 * A value that is not finite is an error(), which names the file and the view. A warning tells how many
 * results were clipped to the range of the output type.
 *
 * Several ranks share the views if there is an output and all views are processed. A caller that counts
 * something must add the counts of all ranks by ranks_sum().
 */

/** The arguments of view_batches.each(). The arrays in and out are float64. */
struct single_view {
	long number;        // of the view, from 0, counted over all channels and times
	long view;          // number of the view within its channel and time
	long before, after; // how many neighbouring views exist on each side, at most `reach`
	long size;          // elements of an input view
	const double *in;   // the input view; neighbouring views are `size` elements apart
	double *out;        // the output view
};

/** The arguments of an operation on a batch. Views are numbered from 0 over all channels and times. */
struct view_batch {
	// number of the first view of the batch; number of views; number of the view at in[0], which is less
	// than `first` if there are neighbouring views
	long first, n, base;
	const void *in[2]; // real parts; imaginary parts of a complex file
	void *out;         // output views of the batch
};

struct view_batches {
	struct cfl *out, *in;       // NULL for `out` means that nothing is written
	struct view_choice *choice; // NULL means all views; otherwise a batch has views of one stack only
	long first, count;          // range of the chosen views; count 0 means all views
	long per;                   // most views in a batch; 0 means enough to keep all threads busy
	long reach;                 // number of neighbouring views on either side, if `choice` is NULL
	bool any_value;             // accepts NaN and infinite values
	bool changes;               // the operation on a batch overwrites in[0] with the result

	/** The operation on one view. Several threads call each() at the same time. */
	void (*each)(void *ctx, const struct single_view *v);

	/** The operation on a batch. The caller defines either each() or fn(). The arrays in[] have the type
	 * `type`, which is float32 or float64. The array out has the type `work`. Results are converted from
	 * `work` to the type of the file. */
	void (*fn)(void *ctx, const struct view_batch *b);
	enum dtype type, work;

	/** The operation on a batch on the GPU, in float64. NULL means that there is no GPU version. An
	 * output is required. */
	void (*there)(void *ctx, const struct view_batch *b);
	double room;       // GPU memory for one input element, in float64 elements, used by there()
	double operations; // arithmetic operations per input element, for --device auto

	bool load; // in[] of fn() is on the GPU, and out on the host

	void *ctx;
	const char *what; // name of the progress bar; NULL if the caller shows a progress bar
};

/** Applies the operation to all chosen views. */
extern void view_batches_run(const struct view_batches *p);

/** Returns the memory that view_batches_run() allocates for each() [bytes]. The argument out_size is the
 * number of elements of an output view. */
extern long view_batches_memory(const struct cfl *in, long out_size, long reach);

#endif
