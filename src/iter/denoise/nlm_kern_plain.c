/** Non-local means for any machine. */

#define NLM_KERN nlm_kern_plain
#include "iter/denoise/nlm_kern.inc"
