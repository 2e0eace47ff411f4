#ifndef ITER_REGULARISERS_H
#define ITER_REGULARISERS_H

#include "iter/functional.h"

/**
 * Functionals of differences, whose proximal operator is an iteration of its own. Real and complex types;
 * dims not in flags are independent of each other.
 */
struct tv_conf {
	unsigned long flags; // dims of differences
	const double *h;     // [mm] spacing of each dim; NULL: 1
	bool anisotropic;    // sum of |differences| instead of lengths of gradients
	bool bounded;        // prox: of g plus the indicator of lo <= x <= hi (real types)
	double lo, hi;
	double tolerance; // prox: stops when |x - its limit| <= tolerance |src| is certain; 0 = never
	long iterations;  // prox: at most
	bool warm;        // prox starts from where the last one ended (functional_state())
};

enum { TV_ITERATIONS = 1000 };

/**
 * Total variation: sum over voxels of |gradient|, forward differences [x/mm] without any across the ends. The
 * prox is the denoising model of Rudin, Osher and Fatemi [1], by accelerated projected gradients of the dual
 * problem [2] with restarts [3]; the duality gap, looked at every 10 iterations, bounds the distance to the
 * limit: 2 gap >= |x - limit|^2. Memory: 3 arrays of the size of x for each of flags, one more for a prox in
 * place.
 *
 * [1] L. Rudin, S. Osher, E. Fatemi, Nonlinear total variation based noise removal algorithms, Physica D 60,
 * 1992. [2] A. Beck, M. Teboulle, Fast gradient-based algorithms for constrained total variation image
 * denoising and deblurring problems, IEEE Transactions on Image Processing 18, 2009. [3] B. O'Donoghue, E.
 * Candes, Adaptive restart for accelerated gradient schemes, Foundations of Computational Mathematics 15,
 * 2015.
 */
extern struct functional *functional_tv_create(
        enum dtype type, int D, const long dims[], const struct tv_conf *conf);

#endif
