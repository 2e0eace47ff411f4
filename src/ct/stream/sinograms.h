#ifndef CT_STREAM_SINOGRAMS_H
#define CT_STREAM_SINOGRAMS_H

#include "misc/file/cfl.h"

/**
 * One pass over projections (u, v, view, channel, time), sinogram by sinogram. The function fn(ctx, cols,
 * views, x) changes one sinogram x(u, view) in place. The sinogram is contiguous. Several threads call fn()
 * at once. `out` must have the dims of `in`. A few rows of all views are in memory at a time. An input from
 * a stream is first stored in a temporary file. Several ranks divide the rows among themselves. A value
 * that is not finite is an error() with the file and the view.
 */
struct sinogram_pass {
	struct cfl *out, *in;
	void (*fn)(void *ctx, long cols, long views, double *x);
	void *ctx;
	const char *what; // for the progress bar
};

extern void sinograms_pass(const struct sinogram_pass *p);

/** Returns the private memory of the pass [bytes], for tool_needs(). Memory that fn() allocates is not
 * included. */
extern long sinograms_pass_memory(const struct cfl *in);

#endif
