#ifndef CORRECT_PHASE_H
#define CORRECT_PHASE_H

#include "correct/fourier.h"

/**
 * Retrieves the projected attenuation mu t of an object of one material. A single propagation distance is
 * enough. The result is the following expression [1]:
 *
 *     mu t = -log F^-1[ F[T] / (1 + pi lambda z (delta / beta) |f|^2) ]
 *
 * T is the transmission, lambda is the wavelength, and mu is 4 pi beta / lambda. The frequency f is
 * measured in the plane of the object [cycles per mm]. The distance z is the propagation distance divided
 * by the magnification.
 *
 * [1] D. Paganin, S. C. Mayo, T. E. Gureyev, P. R. Miller, S. W. Wilkins, Simultaneous phase and amplitude
 * extraction from a single defocused image of a homogeneous object, J. Microsc. 206, 33 (2002).
 */
struct phase {
	struct plane plane;
	double strength[2]; // pi lambda z (delta / beta) / pixel^2 along u and v
	double *there;      // filter weights of all frequencies on a device; NULL until needed
};

/** Returns the wavelength [mm] of photons of the given energy [keV]. */
extern double phase_wavelength(double energy);

/** Prepares the phase retrieval. `energy` is the photon energy [keV], `distance` is z [mm], and `ratio`
 * is delta / beta. `pixel` contains the pixel sizes along u and v, in the plane of the object [mm].
 * Release the memory with phase_free(). */
extern struct phase phase_create(
        long cols, long rows, double energy, double distance, double ratio, const double pixel[2]);
extern void phase_free(struct phase *p);

/** Filters the transmission of one view, without taking the logarithm. `work` has `2 * plane_size()`
 * doubles. */
extern void phase_view(const struct phase *p, double *out, const double *in, double *work);

/** Filters n views on a device, as phase_view() does. */
extern void phase_views(struct phase *p, long n, double *out, const double *in);

#endif
