/** Non-local means by AVX2; compiled with CFLAGS_nlm_kern_avx2. */

#ifdef __AVX2__
#define NLM_KERN nlm_kern_avx2
#include "iter/denoise/nlm_kern.inc"
#endif
