/** Sums over two arrays for any machine. */

#define SIMILARITY_KERN similarity_kern_plain
#define VECTOR          16
#include "num/kern/similarity_kern.inc"
