/** Sums over two arrays by AVX2; compiled with CFLAGS_similarity_kern_avx2. */

#ifdef __AVX2__
#define SIMILARITY_KERN similarity_kern_avx2
#define VECTOR          32
#include "num/kern/similarity_kern.inc"
#endif
