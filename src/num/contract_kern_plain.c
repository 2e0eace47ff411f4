/** Contraction kernels for any machine. */

#define CONTRACT_KERN contract_kern_plain
#define VECTOR        16
#include "num/contract_kern.inc"
