/** Sums over two arrays by AVX-512; compiled with CFLAGS_similarity_kern_avx512. */

#ifdef __AVX512F__
#define SIMILARITY_KERN similarity_kern_avx512
#define VECTOR          64
#include "num/kern/similarity_kern.inc"
#endif
