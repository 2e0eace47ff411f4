#ifndef NUM_KERN_CONTRACT_KERN_H
#define NUM_KERN_CONTRACT_KERN_H

#include "misc/dtype.h"

/**
 * Inner loops of summed products, with float64 accumulators for all types. Results are bit-identical on every
 * instruction set: products of two float32 are exact in float64, so fusing makes no difference, and products
 * of float64 are never fused. Complex elements are pairs of parts.
 */
struct contract_kern {
	size_t size; // bytes of an element
	int parts;   // 1, or 2 when complex

	/** acc[i] += sum over r < rows of m[r][i] c[r] for i < n; rows m[r] are contiguous, c[r] is one
	 * element. conj 0: no factor is conjugated; 1: c is conjugated; 2: m is. */
	void (*scaled)(long n, int rows, const void *const m[], const void *const c[], int conj, double *acc);
	/** acc[i] += sum over r of a[r][i] b[r][i], or a conj(b). */
	void (*products)(
	        long n, int rows, const void *const a[], const void *const b[], bool conj, double *acc);
	/** acc[0] += sum over i of a[i] b[i], or a conj(b). There are 32 partial sums, by i modulo 32, which
	 * are added in a fixed order. */
	void (*dot)(long n, const void *a, const void *b, bool conj, double acc[]);
	/** out[i] += acc[i], rounded once; elements of out are `step` bytes apart. add_wide(): out has double
	 * precision. */
	void (*add)(long n, char *out, long step, const double *acc);
	void (*add_wide)(long n, char *out, long step, const double *acc);
};

/** Kernels by type: float32, float64, complex64, complex128. The kernels for AVX2 and AVX-512 exist on x86-64
 * only. */
extern const struct contract_kern contract_kern_plain[4], contract_kern_avx2[4], contract_kern_avx512[4];

/** The kernels for this machine and type t; error() for other types. */
extern const struct contract_kern *contract_kern(enum dtype t);

#endif
