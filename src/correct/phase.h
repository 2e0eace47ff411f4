#ifndef CORRECT_PHASE_H
#define CORRECT_PHASE_H

#include "correct/fourier.h"

/**
 * Phase retrieval from one distance for an object of one material [1]:
 *     mu t = -log F^-1[ F[T] / (1 + pi lambda z (delta / beta) |f|^2) ]
 * Here T is the transmission, lambda the wavelength, f the frequency in cycles per mm in the plane of the
 * object, and z the propagation distance divided by the magnification.
 *
 * [1] D. Paganin, S. C. Mayo, T. E. Gureyev, P. R. Miller, S. W. Wilkins, Simultaneous phase and amplitude
 * extraction from a single defocused image of a homogeneous object, J. Microsc. 206, 33 (2002), with
 * mu = 4 pi beta / lambda.
 */
struct phase {
	struct plane plane;
	double strength[2]; // pi lambda z (delta / beta) / pixel^2 along u and v [no unit]
	double *there;      // weights of all frequencies on a device; NULL until needed
};

/** lambda [mm] of photons of this energy [keV]. */
extern double phase_wavelength(double energy);

/** distance [mm] and pixel sizes [mm] in the plane of the object; energy [keV]; ratio: delta / beta. Release
 * with phase_free(). */
extern struct phase phase_create(
        long cols, long rows, double energy, double distance, double ratio, const double pixel[2]);
extern void phase_free(struct phase *p);

/** Filtered transmission of a view, without the logarithm. work: 2 plane_size() doubles. */
extern void phase_view(const struct phase *p, double *out, const double *in, double *work);

/** phase_view() for n views on a device. */
extern void phase_views(struct phase *p, long n, double *out, const double *in);

#endif
