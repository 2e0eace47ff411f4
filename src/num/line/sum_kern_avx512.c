/** Sums of neighbours by AVX-512; compiled with CFLAGS_sum_kern_avx512. */

#ifdef __AVX512F__
#define SUM_KERN  sum_kern_avx512
#define MEAN_KERN mean_kern_avx512
#define VECTOR    64
#include "num/line/sum_kern.inc"
#endif
