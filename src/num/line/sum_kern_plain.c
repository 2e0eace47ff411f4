/** Sums of neighbours for any machine; compiled with CFLAGS_sum_kern_plain. */

#define SUM_KERN  sum_kern_plain
#define MEAN_KERN mean_kern_plain
#define VECTOR    16
#include "num/line/sum_kern.inc"
