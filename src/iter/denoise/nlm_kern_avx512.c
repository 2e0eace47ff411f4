/** Non-local means by AVX-512; compiled with CFLAGS_nlm_kern_avx512. */

#ifdef __AVX512F__
#define NLM_KERN nlm_kern_avx512
#include "iter/denoise/nlm_kern.inc"
#endif
