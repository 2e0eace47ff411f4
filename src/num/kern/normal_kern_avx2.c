/** Normal numbers by AVX2; compiled with CFLAGS_normal_kern_avx2. */

#ifdef __AVX2__
#define NORMAL_KERN normal_kern_avx2
#include "num/kern/normal_kern.inc"
#endif
