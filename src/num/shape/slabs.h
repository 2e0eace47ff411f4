#ifndef NUM_SHAPE_SLABS_H
#define NUM_SHAPE_SLABS_H

#include "misc/file/cfl.h"

/**
 * These functions run element-wise work on whole files or streams, slab by slab. Arrays of any size need one
 * pass and a few tens of MiB of private memory. An output element may depend only on input elements at the
 * same position. Work that needs whole views uses ct/stream/view_batches.h.
 *
 * The call fn(ctx, first, n, out, in) computes output elements [first, first + n). Several threads call fn()
 * at once. The input in[k] has n elements of type want[k]. The output has n elements of type `work`. Files of
 * other types are converted. Dims of length 1 in an input are repeated. Ranks (misc/ranks/ranks.h) divide the
 * blocks. Counts of fn() are per rank, and the caller adds the counts by ranks_sum().
 */
typedef void slab_fn(void *ctx, long first, long n, void *out, const void *const in[]);

enum { SLAB_INPUTS = 16, SLAB_OUTPUTS = 16 };

/** Number of elements of a block, chosen for the second-level cache. */
enum { SLAB_BLOCK = 1 << 15 };

/** Runs fn() on all blocks of the inputs. A dim of an input must have length 1 or that of `out`, else
 * error(). If `out` is NULL, the pass has the dims of in[0], and every rank runs all blocks. Blocks begin at
 * multiples of SLAB_BLOCK and have at most SLAB_BLOCK elements. */
extern void slabs_run(struct cfl *out, enum dtype work, int nin, struct cfl *const in[],
        const enum dtype want[], slab_fn *fn, void *ctx, const char *what);

/** Runs fn() on every block of the inputs, without an output array. For every block, fn() writes one value of
 * `bytes` bytes to parts[first / SLAB_BLOCK]. Afterwards every rank has all values. If `parts` is NULL, fn()
 * only counts, and the caller adds the counts by ranks_sum(). */
extern void slabs_gather(int nin, struct cfl *const in[], const enum dtype want[], slab_fn *fn, void *ctx,
        void *parts, size_t bytes, const char *what);

/** Works like slabs_run(), but runs device_fn() on the GPU if device_worth() is true. The function
 * device_fn() gets device addresses and enqueues work without waiting. */
extern void slabs_run_anywhere(struct cfl *out, enum dtype work, int nin, struct cfl *const in[],
        const enum dtype want[], slab_fn *fn, slab_fn *device_fn, void *ctx, const char *what);

/** Writes n elements of type work[k] to every output out[k]. Otherwise works like slab_fn(). */
typedef void slabs_fn(void *ctx, long first, long n, void *const out[], const void *const in[]);

struct slabs {
	const char *what;       // text of the progress bar
	const long *dims;       // [DIMS] of the pass and of all outputs
	int nout;               // number of outputs, at most SLAB_OUTPUTS
	struct cfl *const *out; // [nout]
	const enum dtype *work; // [nout] types that fn() writes
	int nin;                // number of inputs, at most SLAB_INPUTS
	struct cfl *const *in;  // [nin]; dims of length 1 are repeated
	const enum dtype *want; // [nin] types that fn() reads
	slabs_fn *fn;
	slabs_fn *device_fn; // for the GPU, with blocks of any size; may be NULL
	void *ctx;
	bool cut;     // ranks divide the blocks even without an output
	void *parts;  // one value per block, which all ranks get; may be NULL
	size_t bytes; // size of a value in parts
};

extern void slabs_pass(const struct slabs *s);

#endif
