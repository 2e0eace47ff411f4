#ifndef CORRECT_SCATTER_H
#define CORRECT_SCATTER_H

#include <math.h>

#include "correct/fourier.h"
#include "ct/stream/view_batches.h"
#include "num/device/cuda/device_fn.h"

/**
 * Scatter correction by superposition of kernels [1], in its simplest form. Every pixel with the primary
 * transmission P scatters A P^alpha (-log P)^beta to its neighbours, spread by two Gaussians g1 and g2,
 * each with the sum 1: S(P) = A (P^alpha (-log P)^beta) * (g1 + B g2) / (1 + B). The measured
 * transmission is T = P + S(P). P is found by iterating P <- T - S(P), starting from P = T.
 *
 * [1] M. Sun, J. M. Star-Lack, Improved scatter correction using adaptive scatter kernel superposition, Phys.
 * Med. Biol. 55, 6695 (2010): one kernel for all thicknesses, no asymmetry; (-log P)^beta is linear
 * below -log P = 0.05 where beta < 1.
 */
struct scatter {
	double amplitude, alpha, beta, ratio; // A, alpha, beta, B
	double sigma[2];                      // of g1 and g2 [mm on the detector]
	long iterations;
	struct plane plane;
	double *transfer; // plane_size() values
	double *there;    // the same on a device; NULL until needed
	long low;         // number of primary values raised to a hundredth of the transmission
};

/** P^alpha (-log P)^beta: the scatter of a pixel divided by A; 0 without an object. For beta < 1 the power of
 * the line integral is infinitely steep at 0, so the fixed point iteration would diverge in air. Therefore a
 * linear function replaces the power for line integrals below 0.05. */
DEVICE_FN double scatter_source(double alpha, double beta, double p)
{
	const double thin = 0.05;

	if (!(p > 0. && p < 1.))
		return 0.;

	const double l = -log(p);
	const double power = (beta < 1. && l < thin) ? l / thin * pow(thin, beta) : pow(l, beta);

	return pow(p, alpha) * power;
}

/** pixel: pitch [mm] along u and v. */
extern void scatter_create(struct scatter *s, long cols, long rows, const double pixel[2]);
extern void scatter_free(struct scatter *s);

/** Computes the primary transmission of a view. Values below 1 % of the input are raised to this limit; their
 * number is added to s->low. */
extern void scatter_view(struct scatter *s, double *out, const double *in);

/** scatter_view() for views on a device; ctx is the struct scatter. */
extern void scatter_views(void *ctx, const struct view_batch *b);

#endif
