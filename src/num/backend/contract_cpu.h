#ifndef NUM_BACKEND_CONTRACT_CPU_H
#define NUM_BACKEND_CONTRACT_CPU_H

#include "num/kern/contract_kern.h"

/* The parts of contractions on the CPU. */

/** A subset of the dims of a loop over out, a and b (operands 0, 1, 2); steps in bytes. */
struct contract_dims {
	int D;
	long dims[DIMS];
	long strs[3][DIMS];
};

extern long contract_count(const struct contract_dims *d); // of elements
/** Appends dim i of `from`. */
extern void contract_push(struct contract_dims *to, const struct contract_dims *from, int i);

/**
 * out += a b, or a conj(b), by OpenBLAS if the loop over the kept and summed dims is a matrix product large
 * enough for OpenBLAS to be faster. Tiles of out are products of tiles of a and b. Tiles whose steps do not
 * describe a matrix are first copied to contiguous memory. For other loops, returns false and does nothing.
 */
extern bool contract_gemm(enum dtype t, bool conj_b, const struct contract_dims *keep,
        const struct contract_dims *sum, char *const ptr[3]);

#endif
