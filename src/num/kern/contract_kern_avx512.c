/** Contraction kernels for AVX-512; compiled with CFLAGS_contract_kern_avx512. */

#ifdef __AVX512F__
#define CONTRACT_KERN contract_kern_avx512
#define VECTOR        64
#include "num/kern/contract_kern.inc"
#endif
