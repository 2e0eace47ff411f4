/** Copy kernels for any machine. */

#define COPY_KERN copy_kern_plain
#include "num/copy_kern.inc"
