/** Contraction kernels for AVX2; compiled with CFLAGS_contract_kern_avx2. */

#ifdef __AVX2__
#define CONTRACT_KERN contract_kern_avx2
#define VECTOR        32
#include "num/kern/contract_kern.inc"
#endif
