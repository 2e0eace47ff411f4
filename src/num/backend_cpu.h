#ifndef NUM_BACKEND_CPU_H
#define NUM_BACKEND_CPU_H

#include "num/backend.h"

/* The parts of the CPU back end. */

extern void cpu_copy(size_t size, const struct md_shape *s, void *out, const void *in);
extern void cpu_fill(size_t size, const struct md_shape *s, void *out, const void *value);

/** Adds the sums over n elements to acc (real, imaginary); b is used by products only. Steps in bytes. */
typedef void cpu_reduce_fn(long n, const long inner[], char *const ptr[], double acc[2]);

/**
 * acc += sum over the loop, from a partition fixed by the shape: the same bits for any number of threads.
 * maximum: acc[0] = the larger one instead (NaN wins). s->N operands in ptr.
 */
extern void cpu_reduce(
        const struct md_shape *s, void *const ptr[], cpu_reduce_fn *fn, bool maximum, double acc[2]);

/** What a contraction out += sum a b needs of an element type. */
struct cpu_contract_ops {
	size_t size;
	cpu_reduce_fn *dot; // of a line
	void (*rank1)(long n, const long inner[], char *const ptr[],
	        double *acc);                                         // acc[i] += a[i] b[i]; ptr = { a, b }
	void (*add)(long n, long step, char *out, const double *acc); // out[i] += acc[i]
	int parts; // doubles of an accumulator: 2 when complex
};

/** out += sum over the dims along which out does not move, in float64. */
extern void cpu_contract(const struct cpu_contract_ops *ops, const struct md_shape *s, void *out,
        const void *a, const void *b);

#endif
