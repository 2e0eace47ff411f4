/** Programs over lines for any machine; compiled with CFLAGS_line_kern_plain. */

#define LINE_KERN line_kern_plain
#define VECTOR    16
#include "num/line/line_kern.inc"
