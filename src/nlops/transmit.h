#ifndef NLOPS_TRANSMIT_H
#define NLOPS_TRANSMIT_H

#include <math.h>

#include "misc/dtype.h"
#include "num/device/cuda/device_fn.h"

/** Polychromatic transmission of rays, on the CPU and the GPU. */

enum { POLY_MATERIALS = 16 };

/** Without an object, s[e] photons of energy e are detected. The attenuation of material m per length is
 * mu[e + m energies]. The arrays must reside on the device of the rays. */
struct transmit {
	int energies, materials;
	const double *s, *mu;
};

/** Returns sum_e s[e] exp(-sum_m mu[e + m energies] line[m]) in float64. Sets slope[m] to the derivative
 * with respect to line[m]. */
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

/** Computes y[i] of n rays from the line integrals t[i + m n] of each material m. The derivatives of y[i]
 * overwrite t. The arrays have the type `real`. */
struct transmit_rays {
	void (*run)(const struct transmit *p, enum dtype real, long n, void *y, void *t);
};

extern const struct transmit_rays transmit_gpu;

#endif
