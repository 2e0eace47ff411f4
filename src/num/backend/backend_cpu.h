#ifndef NUM_BACKEND_BACKEND_CPU_H
#define NUM_BACKEND_BACKEND_CPU_H

#include "num/backend/backend.h"
#include "num/kern/kern.h"

/* Functions shared by the files of the CPU back end. */

extern void cpu_copy(size_t size, const struct md_shape *s, void *out, const void *in);
extern void cpu_fill(size_t size, const struct md_shape *s, void *out, const void *value);

/** Describes a position in a strided loop. Elements are numbered in the order in which the loop visits them.
 */
struct cpu_walk {
	const struct md_shape *s;
	long n, at; // elements along dim 0; position along dim 0
	long pos[DIMS];
	char *line[MD_OPERANDS]; // first element along dim 0
};

/** Returns the position of element number `first`. The operands begin at `ptr`. */
extern struct cpu_walk walk_start(const struct md_shape *s, char *const ptr[], long first);
/** Advances the position by n elements. */
extern void walk_on(struct cpu_walk *w, long n);
/**
 * These functions copy the next n elements of operand k, each of `size` bytes:
 * - walk_gather(): Copies to `buf`.
 * - walk_scatter(): Copies from `buf`.
 */
extern void walk_gather(const struct cpu_walk *w, int k, size_t size, long n, void *buf);
extern void walk_scatter(const struct cpu_walk *w, int k, size_t size, long n, const void *buf);
/** Returns whether the elements of operand k are contiguous. */
extern bool walk_is_even(const struct md_shape *s, int k, size_t size);
/** Returns the number of elements of a shape. */
extern long walk_count(const struct md_shape *s);

/** Describes a chain of operators that is computed in blocks of elements. */
struct cpu_chain {
	const struct md_chain *f;
	const struct md_shape *s;
	int first; // this operand of the shape is operand 0 of the chain
	bool direct[CHAIN_OPERANDS], constant[CHAIN_OPERANDS]; // operand is contiguous; is constant
	int slot[CHAIN_VALUES];                                // slot of a value, or -1
	int slots;
	kern_fn *fn[CHAIN_VALUES];
};

enum { CHAIN_SLOTS = 8 };

/** Holds intermediate values of a chain for one thread. */
struct cpu_chain_work {
	char slot[CHAIN_SLOTS][KERN_BLOCK * 16] __attribute__((aligned(64)));
};

extern void cpu_chain_prepare(
        struct cpu_chain *c, const struct md_chain *f, const struct md_shape *s, int first);
/** Returns the values of a chain, of type chain_type(), for the next n elements of a walk. If *scalar becomes
 * true, one value stands for all elements. If *scalar is false and `to` is not NULL, computed values are
 * stored in `to`. The limit of n is KERN_BLOCK. If `to` is not NULL and cpu_chain_is_direct() is true, n has
 * no limit. */
extern const void *cpu_chain_block(const struct cpu_chain *c, struct cpu_chain_work *work,
        const struct cpu_walk *w, long n, void *to, bool *scalar);
/** Returns whether the chain is one operator on contiguous or constant operands. */
extern bool cpu_chain_is_direct(const struct cpu_chain *c);

extern void cpu_chain(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[]);
extern void cpu_reduction(const struct md_reduction *r, enum dtype t, const struct md_shape *s, void *out,
        const void *const in[]);
extern void cpu_cumsum(
        enum dtype t, long n, const long steps[2], const struct md_shape *s, void *out, const void *a);
extern double cpu_largest(enum dtype t, long k, const struct md_shape *s, const void *a);

/** Calls fn(ctx, first, n) for ranges that cover elements [0, count). Ranges begin at multiples of
 * KERN_BLOCK. Several threads may call fn() at once. */
extern void cpu_ranges(long count, void (*fn)(void *ctx, long first, long n), void *ctx);

/** Adds `a b` or `a conj(b)` to `out`, summed over the dims where `out` has step 0. With `wide`, out and all
 * sums have double precision. */
extern void cpu_contract(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out,
        const void *a, const void *b);

#endif
