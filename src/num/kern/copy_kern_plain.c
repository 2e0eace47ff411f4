/** Copy kernels for any machine. */

#define COPY_KERN copy_kern_plain
#define PIECE     16
#include "num/kern/copy_kern.inc"
