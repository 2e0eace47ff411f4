#ifndef NUM_KERN_CONTRACT_KERN_H
#define NUM_KERN_CONTRACT_KERN_H

#include "misc/dtype.h"

/**
 * Inner loops of summed products: float64 accumulators for all types, the same bits on every instruction set
 * (products of two float32 are exact in float64, so fusing makes no difference; those of float64 are never
 * fused). Complex elements are pairs of parts.
 */
struct contract_kern {
	size_t size; // bytes of an element
	int parts;   // 1, or 2 when complex

	/** acc[i] += sum over r < rows of m[r][i] c[r], i < n: rows m contiguous, c[r] one element each.
	 * conj: 0 none, 1 of c, 2 of m. */
	void (*scaled)(long n, int rows, const void *const m[], const void *const c[], int conj, double *acc);
	/** acc[i] += sum over r of a[r][i] b[r][i], or a conj(b). */
	void (*products)(
	        long n, int rows, const void *const a[], const void *const b[], bool conj, double *acc);
	/** acc[0] += sum over i of a[i] b[i], or a conj(b). 32 partial sums by i modulo 32, added in a fixed
	 * order. */
	void (*dot)(long n, const void *a, const void *b, bool conj, double acc[]);
	/** out[i] += acc[i], rounded once; `step` bytes apart. wide: out is of double precision. */
	void (*add)(long n, char *out, long step, const double *acc);
	void (*add_wide)(long n, char *out, long step, const double *acc);
};

/** By type: float32, float64, complex64, complex128. Those of AVX2 and AVX-512 exist on x86-64 only. */
extern const struct contract_kern contract_kern_plain[4], contract_kern_avx2[4], contract_kern_avx512[4];

/** Those for this machine and a type; error() for others. */
extern const struct contract_kern *contract_kern(enum dtype t);

#endif
