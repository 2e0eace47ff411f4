/** Normal numbers by AVX-512; compiled with CFLAGS_normal_kern_avx512. */

#ifdef __AVX512F__
#define NORMAL_KERN normal_kern_avx512
#include "num/kern/normal_kern.inc"
#endif
