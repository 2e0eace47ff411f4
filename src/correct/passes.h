#ifndef CORRECT_PASSES_H
#define CORRECT_PASSES_H

#include "misc/file/cfl.h"

/**
 * Passes over projections (u, v, view, channel, time) in bounded memory, float64 in between, parallel, with
 * progress. A view or sinogram depends on nothing but its own elements (and the neighbours it asks for), so
 * results do not depend on the number of threads. Values that are not finite are an error() naming file and
 * view.
 */

/** One view of a pass: in[0] is its first element; neighbours lie views_size elements on, as many as the pass
 * asks for and the stack of views has. */
struct pass_view {
	long number;        // from 0, over channels and times too
	long view;          // within its stack
	long before, after; // neighbours there are, at most `reach`
	long size;          // elements of a view of the input
	const double *in;
	double *out; // a view of the output
};

/** Views [first, first + n) of a pass on a device; in begins with view `base`, and goes on for `reach` views
 * at least, as far as there are any. */
struct pass_batch {
	long first, n, base;
	const double *in;
	double *out;
};

struct view_pass {
	struct cfl *out, *in;                             // out NULL: nothing is written
	long reach;                                       // neighbouring views to keep on either side
	bool any_value;                                   // values that are not finite are passed to fn()
	void (*fn)(void *ctx, const struct pass_view *v); // from several threads at once
	/** What fn does, to views on a device, where all that it is asked for is done in order; NULL: it has
	 * no part there. There has to be an output. */
	void (*there)(void *ctx, const struct pass_batch *b);
	double room;       // elements of float64 that it needs there for an element of the input
	double operations; // for an element, for --device auto
	void *ctx;
	const char *what; // for the progress bar
};

/** View by view, streams included: memory for some views on either side. Views of the output have the size of
 * dims 0 and 1 of its header, and there are as many as those of the input. */
extern void views_pass(const struct view_pass *p);

/** Its private memory [bytes], for tool_needs(): out_size elements of a view of the output. */
extern long views_pass_memory(const struct cfl *in, long out_size, long reach);

/** Sinogram by sinogram: fn(ctx, cols, views, x) changes x(u, view), contiguous, in place. The output has the
 * dims of the input. Some rows are gathered at a time; a stream is spooled. */
struct sinogram_pass {
	struct cfl *out, *in;
	void (*fn)(void *ctx, long cols, long views, double *x);
	void *ctx;
	const char *what;
};

extern void sinograms_pass(const struct sinogram_pass *p);
extern long sinograms_pass_memory(const struct cfl *in); // without that of fn()

#endif
