#ifndef ITER_RECON_RECON_DICTIONARY_H
#define ITER_RECON_RECON_DICTIONARY_H

#include "iter/recon/recon.h"

#define OPT_DICTIONARY(ptr)                                                                                  \
	OPT_STRING(0, "dictionary", ptr, "voxels|wavelet[:levels=N][:family=haar|db2|db4]",                  \
	        "omp: elements of the dictionary (default: voxels)")

/** Creates the operator from a volume to its wavelet coefficients. The adjoint sums the wavelets, weighted by
 * the coefficients. Returns NULL if `text` is NULL or "voxels". An invalid text is a usage_error(), and so
 * are more levels than the volume allows. In a dry run, too many levels are replaced by the largest allowed
 * number. */
extern struct linop *recon_dictionary_create(
        const char *text, enum dtype type, const long dims[3], bool dry_run);

#endif
