#ifndef CT_PHANTOM_PHOTONS_H
#define CT_PHANTOM_PHOTONS_H

#include <stdint.h>

/**
 * Line integrals p' = -log(c / N) as measured by counting photons: each count c has a Poisson distribution of
 * mean N exp(-p). A count of 0 becomes 1, so that p' is finite. Each element has its own random numbers, so
 * the result does not depend on the partition into blocks.
 */
struct photons {
	double incident; // N, per pixel and view
	uint64_t seed;
	long empty; // counts of 0
	long bad;   // elements that are NaN, or of more photons than can be counted exactly
};

/** Upper limit of mean counts; below it every count is exact in float64. */
#define PHOTONS_MOST 1e15

/** Computes out[n] from p[n]; p[0] is element `first` of the array. Adds to s->empty and s->bad; several
 * threads may call this function with the same s. out may be equal to p. */
extern void photons_count(struct photons *s, long first, long n, double *out, const double *p);

#endif
