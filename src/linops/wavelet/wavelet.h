#ifndef LINOPS_WAVELET_WAVELET_H
#define LINOPS_WAVELET_WAVELET_H

#include "linops/linop.h"

/**
 * Separable wavelet transforms along some dims, in lifting steps [1], critically sampled: the number of
 * coefficients equals the number of elements, for any lengths. After a level along a dim of n elements, the
 * first (n + 1) / 2 coefficients are the coarse part and the others the details. The next level transforms
 * the part that is coarse along all dims. Every line and level is computed in float64 and then rounded to the
 * type of the elements.
 *
 * HAAR, DB2, DB4 (Daubechies with 2 and 4 vanishing moments, 4 and 8 taps) are orthonormal with periodic
 * boundary: inverse = adjoint. If a length is odd, the last element is passed on unchanged as a coarse one.
 * CDF44 (Cohen, Daubechies and Feauveau, 4 and 4 vanishing moments, the 9/7 filters) is biorthogonal. With
 * the symmetric boundary, elements beyond an end are mirrored about the last element; the inverse stays
 * exact, but no family is orthonormal near the ends.
 *
 * [1] I. Daubechies and W. Sweldens, Factoring wavelet transforms into lifting steps, J. Fourier Anal. Appl.
 * 4, 1998.
 */
enum wavelet_family { WAVELET_HAAR, WAVELET_DB2, WAVELET_DB4, WAVELET_CDF44 };
enum wavelet_boundary { WAVELET_PERIODIC, WAVELET_SYMMETRIC };

/** Names of the families and boundaries in the order of the enums: "haar|db2|db4|cdf44",
 * "periodic|symmetric". */
extern const char wavelet_family_names[];
extern const char wavelet_boundary_names[];

/** The largest number of levels, after which the coarse part has one element along each of the dims in flags;
 * 0 if all these dims have length 1. */
extern long wavelet_max_levels(int D, const long dims[], unsigned long flags);

/** The wavelet transform, from elements to coefficients; both have the same dims. levels: 1 ..
 * wavelet_max_levels(); a dim reduced to one element is not transformed further. */
extern struct linop *linop_wavelet_create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum wavelet_family family, enum wavelet_boundary boundary, long levels);

/** The inverse wavelet transform, from coefficients to elements. */
extern struct linop *linop_wavelet_inverse_create(enum dtype type, int D, const long dims[],
        unsigned long flags, enum wavelet_family family, enum wavelet_boundary boundary, long levels);

#endif
