#ifndef ITER_RECON_RECON_DICTIONARY_H
#define ITER_RECON_RECON_DICTIONARY_H

#include "iter/recon/recon.h"

#define OPT_DICTIONARY(ptr)                                                                                  \
	OPT_STRING(0, "dictionary", ptr, "voxels|wavelet[:levels=N][:family=haar|db2|db4]",                  \
	        "omp: elements of the dictionary (default: voxels)")

/** From volumes of those dims to the coefficients of the atoms that the text names; the adjoint sums atoms.
 * NULL: voxels. usage_error() if it is invalid or has more levels than the volume; rehearsal: for a smaller
 * volume, whose maximum is then used. */
extern struct linop *recon_dictionary_create(
        const char *text, enum dtype type, const long dims[3], bool rehearsal);

#endif
