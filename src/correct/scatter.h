#ifndef CORRECT_SCATTER_H
#define CORRECT_SCATTER_H

#include <math.h>

#include "correct/fourier.h"
#include "ct/stream/view_batches.h"
#include "num/device/cuda/device_fn.h"

/**
 * Corrects scatter by superposition of kernels [1]. A pixel with the primary transmission P scatters
 * `A * P^alpha * (-log P)^beta` to its neighbours. Two Gaussians g1 and g2, each with the sum 1, describe
 * the spread. The scatter is S(P):
 *
 *     S(P) = A (P^alpha (-log P)^beta) * (g1 + B g2) / (1 + B)
 *
 * The measured transmission is T = P + S(P). The iteration P <- T - S(P), starting from P = T, yields the
 * primary transmission.
 *
 * Unlike in [1], the kernel is symmetric and does not depend on the thickness of the object.
 *
 * [1] M. Sun, J. M. Star-Lack, Improved scatter correction using adaptive scatter kernel superposition,
 * Phys. Med. Biol. 55, 6695 (2010).
 */
struct scatter {
	double amplitude, alpha, beta, ratio; // A, alpha, beta, B
	double sigma[2];                      // standard deviations of g1 and g2 [mm on the detector]
	long iterations;                      // number of iterations
	struct plane plane;
	double *transfer; // Fourier transform of the kernel: plane_size() values
	double *there;    // copy of transfer on a device; NULL until needed
	long low;         // number of primary values raised to 1 % of the measured transmission
};

/** Returns P^alpha (-log P)^beta for a pixel, or 0 if P is not between 0 and 1. For beta < 1, the power
 * (-log P)^beta is infinitely steep at P = 1. The iteration would then diverge in air. If beta < 1 and
 * -log P < 0.05, a linear function replaces the power. */
DEVICE_FN double scatter_source(double alpha, double beta, double p)
{
	const double thin = 0.05;

	if (!(p > 0. && p < 1.))
		return 0.;

	const double l = -log(p);
	const double power = (beta < 1. && l < thin) ? l / thin * pow(thin, beta) : pow(l, beta);

	return pow(p, alpha) * power;
}

/** Computes the kernel from the parameters in s. `pixel` is the pixel pitch along u and v [mm]. Release
 * the memory with scatter_free(). */
extern void scatter_create(struct scatter *s, long cols, long rows, const double pixel[2]);
extern void scatter_free(struct scatter *s);

/** Computes the primary transmission of a view. Values below 1 % of the input are raised to this limit.
 * The number of raised values is added to s->low. */
extern void scatter_view(struct scatter *s, double *out, const double *in);

/** Corrects a batch of views on a device, as scatter_view() does. `ctx` is a struct scatter. */
extern void scatter_views(void *ctx, const struct view_batch *b);

#endif
