/** Programs over lines by AVX2; compiled with CFLAGS_line_kern_avx2. */

#ifdef __AVX2__
#define LINE_KERN line_kern_avx2
#define VECTOR    32
#include "num/line/line_kern.inc"
#endif
