#ifndef ITER_RECON_RECON_DICTIONARY_H
#define ITER_RECON_RECON_DICTIONARY_H

#include "iter/recon/recon.h"

#define OPT_DICTIONARY(ptr)                                                                                  \
	OPT_STRING(0, "dictionary", ptr, "voxels|wavelet[:levels=N][:family=haar|db2|db4]",                  \
	        "omp: elements of the dictionary (default: voxels)")

/** An operator from a volume to its wavelet coefficients; its adjoint sums the wavelets, weighted by the
 * coefficients. NULL if the text is NULL or "voxels". usage_error() if the text is invalid or has more levels
 * than the volume allows; with `dry_run`, too many levels are replaced by the largest number allowed. */
extern struct linop *recon_dictionary_create(
        const char *text, enum dtype type, const long dims[3], bool dry_run);

#endif
