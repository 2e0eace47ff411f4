/** Copy kernels for AVX-512; compiled with CFLAGS_copy_kern_avx512. */

#ifdef __AVX512F__
#define COPY_KERN copy_kern_avx512
#define PIECE     64
#include "num/kern/copy_kern.inc"
#endif
