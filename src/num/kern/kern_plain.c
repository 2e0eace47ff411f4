/** The kernels for the baseline instruction set of the machine. */

#define KERN_SET kern_set_plain
#define KERN_ISA "plain"
#include "num/kern/kern_impl.inc"
