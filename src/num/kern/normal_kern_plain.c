/** Normal numbers for any machine. */

#define NORMAL_KERN normal_kern_plain
#include "num/kern/normal_kern.inc"
