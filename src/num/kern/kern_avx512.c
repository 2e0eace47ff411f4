/** The kernels for AVX-512 F, BW, DQ, VL; compiled with CFLAGS_kern_avx512. */

#ifdef __AVX512F__
#define KERN_SET kern_set_avx512
#define KERN_ISA "avx512"
#include "num/kern/kern_impl.inc"
#endif
