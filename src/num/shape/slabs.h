#ifndef NUM_SHAPE_SLABS_H
#define NUM_SHAPE_SLABS_H

#include "misc/file/cfl.h"

/**
 * Element-wise work over whole files or streams, slab by slab, with type conversion, threads and progress.
 * The work is done in one pass, in a few tens of MiB of private memory, for arrays of any size. An output
 * element depends only on the input elements at its position, so blocks may end anywhere. Work that needs
 * whole views uses ct/stream/view_batches.h.
 *
 * fn(ctx, first, n, out, in) computes elements [first, first+n) of the output; several threads call it at
 * once. in[k] points to the n elements of the block, of type want[k], and out to n elements of type work.
 * Files that have these types are not converted. Inputs are repeated along dims where they have length 1 and
 * the output is longer. Ranks (misc/ranks/ranks.h) that share a command divide the blocks: counts of fn() are
 * per rank, and the caller adds them by ranks_sum().
 */
typedef void slab_fn(void *ctx, long first, long n, void *out, const void *const in[]);

enum { SLAB_INPUTS = 16, SLAB_OUTPUTS = 16 };

/** Elements of a block: three blocks of float32 fit into a second-level cache. */
enum { SLAB_BLOCK = 1 << 15 };

/** dims of the inputs must equal those of out or be 1 (else error() naming both). If out is NULL, the pass
 * has no output and covers the dims of in[0]. Blocks have at most SLAB_BLOCK elements and begin at multiples
 * of SLAB_BLOCK, for any number of threads. */
extern void slabs_run(struct cfl *out, enum dtype work, int nin, struct cfl *const in[],
        const enum dtype want[], slab_fn *fn, void *ctx, const char *what);

/** Runs fn() on every block of the inputs, without an output array. fn() writes a value of `bytes` bytes per
 * block to parts[first / SLAB_BLOCK]. Ranks divide the blocks and then exchange the values, so that every
 * rank has all of them. If parts is NULL, fn() only counts, and the caller adds the counts by ranks_sum(). */
extern void slabs_gather(int nin, struct cfl *const in[], const enum dtype want[], slab_fn *fn, void *ctx,
        void *parts, size_t bytes, const char *what);

/** Like slabs_run(), but device_fn does the work on the GPU if device_worth(). device_fn gets device
 * addresses, and enqueues its work without waiting. */
extern void slabs_run_anywhere(struct cfl *out, enum dtype work, int nin, struct cfl *const in[],
        const enum dtype want[], slab_fn *fn, slab_fn *device_fn, void *ctx, const char *what);

/** Like slabs_run() with any number of outputs: fn() writes n elements of type work[k] to out[k]. */
typedef void slabs_fn(void *ctx, long first, long n, void *const out[], const void *const in[]);

struct slabs {
	const char *what;       // for the progress bar
	const long *dims;       // [DIMS] of the pass: those of all outputs
	int nout;               // 0..SLAB_OUTPUTS
	struct cfl *const *out; // [nout]
	const enum dtype *work; // [nout]
	int nin;                // 0..SLAB_INPUTS
	struct cfl *const *in;  // [nin]; repeated where dims are 1
	const enum dtype *want; // [nin]
	slabs_fn *fn;
	slabs_fn *device_fn; // the same on the GPU where that is used, for blocks of any size; NULL: by fn
	void *ctx;
	bool cut;     // without an output: ranks take blocks each too
	void *parts;  // what fn() finds for each block; then all ranks have it. NULL: nothing
	size_t bytes; // of it
};

extern void slabs_pass(const struct slabs *s);

#endif
