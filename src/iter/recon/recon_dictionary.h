#ifndef ITER_RECON_RECON_DICTIONARY_H
#define ITER_RECON_RECON_DICTIONARY_H

#include "iter/recon/recon.h"

#define OPT_DICTIONARY(ptr)                                                                                  \
	OPT_STRING(0, "dictionary", ptr, "voxels|wavelet[:levels=N][:family=haar|db2|db4]",                  \
	        "omp: elements of the dictionary (default: voxels)")

/** An operator from volumes to the coefficients of the atoms of a dictionary; its adjoint is the sum of the
 * atoms with these coefficients. text NULL: voxels. usage_error() if the text is invalid or has more levels
 * than the volume allows; with `dry_run`, the levels are limited to the number that the volume allows
 * instead. */
extern struct linop *recon_dictionary_create(
        const char *text, enum dtype type, const long dims[3], bool dry_run);

#endif
