#ifndef ITER_RECON_RECON_DICTIONARY_H
#define ITER_RECON_RECON_DICTIONARY_H

#include "iter/recon/recon.h"

#define OPT_DICTIONARY(ptr)                                                                                  \
	OPT_STRING(0, "dictionary", ptr, "voxels|wavelet[:levels=N][:family=haar|db2|db4]",                  \
	        "omp: elements of the dictionary (default: voxels)")

/** From volumes of those dims to the coefficients of the atoms that text names; its adjoint sums atoms. NULL:
 * voxels. usage_error() where it makes no sense, or names more levels than the volume has; rehearsal: of a
 * smaller volume, where these are as many as there are. */
extern struct linop *recon_dictionary_create(
        const char *text, enum dtype type, const long dims[3], bool rehearsal);

#endif
