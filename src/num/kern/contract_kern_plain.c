/** Contraction kernels for any machine. */

#define CONTRACT_KERN contract_kern_plain
#define VECTOR        16
#include "num/kern/contract_kern.inc"
