#ifndef CT_STREAM_SINOGRAMS_H
#define CT_STREAM_SINOGRAMS_H

#include "misc/file/cfl.h"

/**
 * One pass over projections (u, v, view, channel, time), sinogram by sinogram: fn(ctx, cols, views, x)
 * changes one sinogram x(u, view), contiguous, in place; several calls run at once. The output has the dims
 * of the input. A few rows at a time are read from all views; a stream is spooled. (Batches of views, as in
 * view_batches.h, do not contain complete sinograms.) Ranks that share the work take some rows each. Values
 * that are not finite are an error() naming file and view.
 */
struct sinogram_pass {
	struct cfl *out, *in;
	void (*fn)(void *ctx, long cols, long views, double *x);
	void *ctx;
	const char *what; // for the progress bar
};

extern void sinograms_pass(const struct sinogram_pass *p);

/** Private memory of the pass [bytes], for tool_needs(); memory of fn() is not counted. */
extern long sinograms_pass_memory(const struct cfl *in);

#endif
