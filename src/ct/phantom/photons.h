#ifndef CT_PHANTOM_PHOTONS_H
#define CT_PHANTOM_PHOTONS_H

#include <stdint.h>

/** Simulates line integrals `p' = -log(c / N)` from noisy photon counts c. Each count c has a Poisson
 * distribution with mean N exp(-p). A count of 0 is replaced by 1 to keep p' finite. The result does not
 * depend on the number of elements per call. */
struct photons {
	double incident; // N, photons per pixel and view
	uint64_t seed;
	long empty; // number of counts of 0
	long bad;   // number of elements that are NaN or have a mean count of at least PHOTONS_MOST
};

/** Upper limit of mean counts. Counts below this limit are exact in float64. */
#define PHOTONS_MOST 1e15

/** Adds photon noise to the line integrals p[n] and writes the result to out[n]. The first element, p[0], is
 * element `first` of the array. The function increases s->empty and s->bad. Elements counted in s->bad become
 * 0. Several threads may call this function with the same s. `out` may be equal to `p`. */
extern void photons_count(struct photons *s, long first, long n, double *out, const double *p);

#endif
