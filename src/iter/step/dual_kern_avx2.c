/** Passes over fields of vectors by AVX2; compiled with CFLAGS_dual_kern_avx2. */

#ifdef __AVX2__
#define DUAL_KERN dual_kern_avx2
#include "iter/step/dual_kern.inc"
#endif
