/** Ray casting for AVX-512; compiled with CFLAGS_render_kern_avx512. */

#ifdef __AVX512F__
#define RENDER_KERN render_kern_avx512
#include "volume/render/render_kern.inc"
#endif
