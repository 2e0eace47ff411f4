/** Copy kernels for AVX2; compiled with CFLAGS_copy_kern_avx2. */

#ifdef __AVX2__
#define COPY_KERN copy_kern_avx2
#define PIECE     32
#include "num/kern/copy_kern.inc"
#endif
