/** Sums of neighbours by AVX2; compiled with CFLAGS_sum_kern_avx2. */

#ifdef __AVX2__
#define SUM_KERN  sum_kern_avx2
#define MEAN_KERN mean_kern_avx2
#define VECTOR    32
#include "num/line/sum_kern.inc"
#endif
