#ifndef LINOPS_WAVELET_WAVELET_H
#define LINOPS_WAVELET_WAVELET_H

#include "linops/linop.h"

/**
 * Separable wavelet transforms along selected dims, in lifting steps [1]. The number of coefficients equals
 * the number of elements, for any lengths. One level turns n elements into (n + 1) / 2 coarse coefficients,
 * followed by the details. The next level transforms only the coefficients that are coarse along all dims.
 * Each level is computed in float64 and rounded to the type of the elements.
 *
 *     WAVELET_HAAR    orthonormal, Haar
 *     WAVELET_DB2     orthonormal, Daubechies with 2 vanishing moments, 4 taps
 *     WAVELET_DB4     orthonormal, Daubechies with 4 vanishing moments, 8 taps
 *     WAVELET_CDF44   biorthogonal, Cohen-Daubechies-Feauveau with 4 and 4 vanishing moments, 9/7 taps
 *
 * With the periodic boundary, the inverse of an orthonormal transform is the adjoint. With the periodic
 * boundary, the last element of an odd length is kept as a coarse coefficient. With the symmetric boundary,
 * elements beyond an end are mirrored about the outermost element. The inverse is then still exact, but no
 * transform is orthonormal near the ends.
 *
 * [1] I. Daubechies and W. Sweldens, Factoring wavelet transforms into lifting steps, J. Fourier Anal.
 * Appl. 4, 1998.
 */
enum wavelet_family { WAVELET_HAAR, WAVELET_DB2, WAVELET_DB4, WAVELET_CDF44 };
enum wavelet_boundary { WAVELET_PERIODIC, WAVELET_SYMMETRIC };

/** Names of the families and of the boundaries, in the order of the enums. The names are separated by "|",
 * as in "periodic|symmetric". */
extern const char wavelet_family_names[];
extern const char wavelet_boundary_names[];

/** Returns the largest number of levels for a transform along the dims in flags. With this
 * number of levels, the coarse part has one element along each of these dims. Returns 0 if all dims in flags
 * have length 1. */
extern long wavelet_max_levels(int D, const long dims[], unsigned long flags);

/** Creates the wavelet transform from elements to coefficients, which have the same dims. `levels` is at
 * least 1 and at most wavelet_max_levels(). A dim that has reached one element is not transformed
 * further. */
extern struct linop *linop_wavelet_create(enum dtype type, int D, const long dims[], unsigned long flags,
        enum wavelet_family family, enum wavelet_boundary boundary, long levels);

/** Creates the inverse wavelet transform, from coefficients to elements. The parameters are those of
 * linop_wavelet_create(). */
extern struct linop *linop_wavelet_inverse_create(enum dtype type, int D, const long dims[],
        unsigned long flags, enum wavelet_family family, enum wavelet_boundary boundary, long levels);

#endif
