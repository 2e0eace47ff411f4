#ifndef NUM_BACKEND_CONTRACT_CPU_H
#define NUM_BACKEND_CONTRACT_CPU_H

#include "num/kern/contract_kern.h"

/* Functions shared by the files of contractions on the CPU. */

/** Contains some dims of a loop over operands 0 (out), 1 (a) and 2 (b). Steps are in bytes. */
struct contract_dims {
	int D;
	long dims[DIMS];
	long strs[3][DIMS];
};

extern long contract_count(const struct contract_dims *d); // number of elements
/** Appends dim i of `from` to `to`. */
extern void contract_push(struct contract_dims *to, const struct contract_dims *from, int i);

/** Adds `a b` or `a conj(b)` to `out` with OpenBLAS, summed over the dims in `sum`. Returns true if the loop
 * is a matrix product of sufficient size and OpenBLAS is available. Otherwise returns false and changes
 * nothing.
 */
extern bool contract_gemm(enum dtype t, bool conj_b, const struct contract_dims *keep,
        const struct contract_dims *sum, char *const ptr[3]);

#endif
