#ifndef CT_STREAM_SINOGRAMS_H
#define CT_STREAM_SINOGRAMS_H

#include "misc/file/cfl.h"

/**
 * One pass over projections (u, v, view, channel, time), sinogram by sinogram: fn(ctx, cols, views, x)
 * changes x(u, view), contiguous, in place, for several of them at once. The output has the dims of the
 * input. Some rows at a time are gathered from all views, which a batch of views (view_batches.h) does not
 * have; a stream is spooled. Ranks that share the work take some rows each. Values that are not finite are an
 * error() naming file and view.
 */
struct sinogram_pass {
	struct cfl *out, *in;
	void (*fn)(void *ctx, long cols, long views, double *x);
	void *ctx;
	const char *what; // for the progress bar
};

extern void sinograms_pass(const struct sinogram_pass *p);

/** Its private memory [bytes], for tool_needs(), without that of fn(). */
extern long sinograms_pass_memory(const struct cfl *in);

#endif
