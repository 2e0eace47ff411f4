#ifndef NUM_KERN_CONTRACT_KERN_H
#define NUM_KERN_CONTRACT_KERN_H

#include "misc/dtype.h"

/**
 * Inner loops for sums of products, accumulated in float64 for all types. Results are bit-identical on every
 * instruction set. Products of two float32 are exact in float64, and products of float64 are never fused. A
 * complex element is a pair of numbers.
 */
struct contract_kern {
	size_t size; // size of an element [bytes]
	int parts;   // numbers per element: 1, or 2 if complex

	/** Adds the sum of `m[r][i] c[r]` over `r < rows` to `acc[i]`, for `i < n`. Each m[r] is contiguous,
	 * and c[r] is one element. If `conj = 1`, c is conjugated; if `conj = 2`, m. */
	void (*scaled)(long n, int rows, const void *const m[], const void *const c[], int conj, double *acc);
	/** Adds the sum of `a[r][i] b[r][i]` over r to `acc[i]`. If `conj`, b is conjugated. */
	void (*products)(
	        long n, int rows, const void *const a[], const void *const b[], bool conj, double *acc);
	/** Adds the sum of `a[i] b[i]` over i to `acc[0]`, in fixed order. If `conj`, b is conjugated. */
	void (*dot)(long n, const void *a, const void *b, bool conj, double acc[]);
	/** Adds `acc[i]` to `out[i]`, rounded once. Elements of out are `step` bytes apart. For add_wide(),
	 * out has double precision. */
	void (*add)(long n, char *out, long step, const double *acc);
	void (*add_wide)(long n, char *out, long step, const double *acc);
};

/** Kernels for float32, float64, complex64 and complex128. Kernels for AVX2 and AVX-512 exist only on
 * x86-64. */
extern const struct contract_kern contract_kern_plain[4], contract_kern_avx2[4], contract_kern_avx512[4];

/** Returns the kernels for this machine and type t. Other types are an error(). */
extern const struct contract_kern *contract_kern(enum dtype t);

#endif
