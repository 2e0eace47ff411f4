/** Programs over lines by AVX-512; compiled with CFLAGS_line_kern_avx512. */

#ifdef __AVX512F__
#define LINE_KERN line_kern_avx512
#define VECTOR    64
#include "num/line/line_kern.inc"
#endif
