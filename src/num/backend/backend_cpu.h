#ifndef NUM_BACKEND_BACKEND_CPU_H
#define NUM_BACKEND_BACKEND_CPU_H

#include "num/backend/backend.h"
#include "num/kern/kern.h"

/* The parts of the CPU back end. */

extern void cpu_copy(size_t size, const struct md_shape *s, void *out, const void *in);
extern void cpu_fill(size_t size, const struct md_shape *s, void *out, const void *value);

/** A position in a strided loop. Elements are numbered in the order in which the loop visits them. */
struct cpu_walk {
	const struct md_shape *s;
	long n, at; // elements of a line; place in it
	long pos[DIMS];
	char *line[MD_OPERANDS]; // the line's first element
};

/** A walk over the operands at ptr, starting at element `first`. */
extern struct cpu_walk walk_start(const struct md_shape *s, char *const ptr[], long first);
/** Advances the walk by n elements. */
extern void walk_on(struct cpu_walk *w, long n);
/** Copy the next n elements of operand k (of `size` bytes each) to buf, and from buf to the operand. */
extern void walk_gather(const struct cpu_walk *w, int k, size_t size, long n, void *buf);
extern void walk_scatter(const struct cpu_walk *w, int k, size_t size, long n, const void *buf);
/** Whether the elements of operand k are contiguous. */
extern bool walk_is_even(const struct md_shape *s, int k, size_t size);
/** The number of elements of a shape. */
extern long walk_count(const struct md_shape *s);

/** A chain of operators, prepared to be computed block by block. */
struct cpu_chain {
	const struct md_chain *f;
	const struct md_shape *s;
	int first; // operand of the shape that is the chain's first
	bool direct[CHAIN_OPERANDS], constant[CHAIN_OPERANDS]; // the same steps throughout: size, 0
	int slot[CHAIN_VALUES];                                // of the workspace; -1: needs none
	int slots;
	kern_fn *fn[CHAIN_VALUES];
};

enum { CHAIN_SLOTS = 8 };

/** Work space of a thread that runs a chain. */
struct cpu_chain_work {
	char slot[CHAIN_SLOTS][KERN_BLOCK * 16] __attribute__((aligned(64)));
};

extern void cpu_chain_prepare(
        struct cpu_chain *c, const struct md_chain *f, const struct md_shape *s, int first);
/**
 * Computes the chain's values, of type chain_type(), at the next n elements of a walk. n is at most
 * KERN_BLOCK unless cpu_chain_is_direct(). The values are written to `to` if `to` is not NULL, else returned
 * in place. *scalar: whether the result is a single element for all n.
 */
extern const void *cpu_chain_block(const struct cpu_chain *c, struct cpu_chain_work *work,
        const struct cpu_walk *w, long n, void *to, bool *scalar);
/** Whether the chain is one operator on operands that need no gathering. */
extern bool cpu_chain_is_direct(const struct cpu_chain *c);

extern void cpu_chain(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[]);
extern void cpu_reduction(const struct md_reduction *r, enum dtype t, const struct md_shape *s, void *out,
        const void *const in[]);
extern void cpu_cumsum(
        enum dtype t, long n, const long steps[2], const struct md_shape *s, void *out, const void *a);
extern double cpu_largest(enum dtype t, long k, const struct md_shape *s, const void *a);

/** Calls fn(ctx, first, n) for ranges that cover elements [0, count), from several threads if there are many;
 * all ranges begin at multiples of KERN_BLOCK. */
extern void cpu_ranges(long count, void (*fn)(void *ctx, long first, long n), void *ctx);

/** out += a b, or a conj(b), summed over the dims along which out has step 0. wide: out is of double
 * precision, and so are all sums. */
extern void cpu_contract(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out,
        const void *a, const void *b);

#endif
