/** The kernels for AVX2; compiled with CFLAGS_kern_avx2. */

#ifdef __AVX2__
#define KERN_SET kern_set_avx2
#define KERN_ISA "avx2"
#include "num/kern/kern_impl.inc"
#endif
