#ifndef NLOPS_TRANSMIT_H
#define NLOPS_TRANSMIT_H

#include <math.h>

#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/** Polychromatic transmission per ray. The GPU's functions are in a table; the address of the arrays decides
 * whether the CPU or the GPU computes. */

enum { POLY_MATERIALS = 16 };

/** s[e] photons of energy e without an object, attenuated by mu[e + m energies] per length of material m.
 * Both arrays reside where the rays reside. */
struct transmit {
	int energies, materials;
	const double *s, *mu;
};

/** sum_e s[e] exp(-sum_m mu[e, m] line[m]), in float64, and its derivative with respect to each line. */
DEVICE_FN double transmit_ray(const struct transmit *p, const double line[], double slope[])
{
	double sum = 0.;

	for (int m = 0; m < p->materials; m++)
		slope[m] = 0.;

	for (int e = 0; e < p->energies; e++) {
		double all = 0.;

		for (int m = 0; m < p->materials; m++)
			all += p->mu[e + m * p->energies] * line[m];

		const double v = p->s[e] * exp(-all);

		sum += v;

		for (int m = 0; m < p->materials; m++)
			slope[m] -= p->mu[e + m * p->energies] * v;
	}

	return sum;
}

/** Computes y[i], i < n, of a real type, from the line integrals t[i + m n], and overwrites these with the
 * derivatives. */
struct transmit_rays {
	void (*run)(const struct transmit *p, enum dtype real, long n, void *y, void *t);
};

extern const struct transmit_rays transmit_gpu;

#endif
