/** Passes over fields of vectors by AVX-512; compiled with CFLAGS_dual_kern_avx512. */

#ifdef __AVX512F__
#define DUAL_KERN dual_kern_avx512
#include "iter/step/dual_kern.inc"
#endif
