/** Ray casting for AVX2; compiled with CFLAGS_render_kern_avx2. */

#ifdef __AVX2__
#define RENDER_KERN render_kern_avx2
#include "volume/render/render_kern.inc"
#endif
