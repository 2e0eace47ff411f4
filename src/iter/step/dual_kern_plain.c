/** Passes over fields of vectors for any machine. */

#define DUAL_KERN dual_kern_plain
#include "iter/step/dual_kern.inc"
