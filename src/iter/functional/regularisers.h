#ifndef ITER_FUNCTIONAL_REGULARISERS_H
#define ITER_FUNCTIONAL_REGULARISERS_H

#include "iter/functional/functional.h"

/**
 * Functionals of differences, whose proximal operators are computed iteratively, and of wavelet coefficients.
 * Real and complex types; each index along the dims not in flags is treated separately.
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
 * Total variation: sum over voxels of |gradient|, forward differences [x/mm], 0 at the ends. The prox solves
 * the denoising model of Rudin, Osher and Fatemi [1] by accelerated projected gradients of the dual problem
 * [2] with restarts [3]. The duality gap, computed every 10 iterations, bounds the distance to the limit: 2
 * gap >= |x - limit|^2. The iteration also ends when rounding keeps the gap from shrinking. Memory: 3 arrays
 * of the size of x for each dim in flags, and one more for a prox in place.
 *
 * [1] L. Rudin, S. Osher, E. Fatemi, Nonlinear total variation based noise removal algorithms, Physica D 60,
 * 1992. [2] A. Beck, M. Teboulle, Fast gradient-based algorithms for constrained total variation image
 * denoising and deblurring problems, IEEE Transactions on Image Processing 18, 2009. [3] B. O'Donoghue, E.
 * Candes, Adaptive restart for accelerated gradient schemes, Foundations of Computational Mathematics 15,
 * 2015.
 */
extern struct functional *functional_tv_create(
        enum dtype type, int D, const long dims[], const struct tv_conf *conf);

struct tgv_conf {
	unsigned long flags;
	const double *h;      // [mm]; NULL: 1
	double first, second; // factors a1 and a0 [mm] of first and second differences, > 0
	double tolerance;     // prox: stops when an iteration changes x by <= tolerance |src|; 0 = never
	long iterations;      // prox: at most
	bool warm;            // prox starts from where the last one ended (functional_state())
};

/**
 * Second-order total generalised variation (TGV) [4]: min over fields w of a1 |gradient x - w| + a0
 * |symmetric gradient w|. Infimal convolution of first and second differences (ICTV) [5]: min over v of a1
 * |gradient (x - v)| + a0 |second differences of v|. |.| is the sum of lengths. Both functionals are 0 for
 * linear ramps. prox uses the primal-dual algorithm [6] with a separate step size for each kind of unknown
 * [7]. The value is a minimum over w or v and is not computed. Memory in arrays of the size of x, for P dims
 * and M = P (P + 1) / 2: TGV 2 + 4 P + 2 M, ICTV 4 + 3 P + 2 M.
 *
 * [4] K. Bredies, K. Kunisch, T. Pock, Total generalized variation, SIAM Journal on Imaging Sciences 3, 2010.
 * [5] A. Chambolle, P.-L. Lions, Image recovery via total variation minimization and related problems,
 * Numerische Mathematik 76, 1997. [6] A. Chambolle, T. Pock, A first-order primal-dual algorithm for convex
 * problems, Journal of Mathematical Imaging and Vision 40, 2011. [7] T. Pock, A. Chambolle, Diagonal
 * preconditioning for first order primal-dual algorithms, ICCV 2011.
 */
extern struct functional *functional_tgv_create(
        enum dtype type, int D, const long dims[], const struct tgv_conf *conf);
extern struct functional *functional_ictv_create(
        enum dtype type, int D, const long dims[], const struct tgv_conf *conf);

/**
 * Total variation as a functional of the differences, for methods that only use gradients: z contains along
 * its last dim the differences z_d of each position. The value is the sum of sqrt(sum_d w_d z_d^2) over all
 * positions. The gradient is w_d z_d / sqrt(sum_d w_d z_d^2) at each position. Where all differences are 0,
 * the gradient is set to 0; it is not continuous there and has no Lipschitz constant. w_d = 1 without delta;
 * for delta > 0, w_d = exp(-(z_d / delta)^2) [8]. The gradient treats w_d as constant. Differences well above
 * delta are then preserved. Real types.
 *
 * [8] Y. Liu, J. Ma, Y. Fan, Z. Liang, Adaptive-weighted total variation minimization for sparse data toward
 * low-dose x-ray computed tomography image reconstruction, Phys. Med. Biol. 57, 2012.
 */
extern struct functional *functional_edges_create(enum dtype type, int D, const long dims[], double delta);

struct wavelet_conf {
	unsigned long flags;
	int family, boundary; // enum wavelet_family, wavelet_boundary (linops/wavelet/wavelet.h)
	long levels;
	long spins; // shifts whose results are averaged [9]; 1: none
	bool hard;  // keeps or drops coefficients (not convex) instead of shrinking them
};

/**
 * Sum of |coefficients| of a wavelet transform, without those of the coarsest part. With spins, the mean of
 * this sum over circular shifts of x by 0, 1, .. along all dims in flags. prox thresholds the coefficients,
 * which is exact for orthonormal transforms without spins. With spins the prox is the usual approximation
 * (cycle spinning): the mean of the results for all shifts.
 *
 * [9] R. Coifman, D. Donoho, Translation-invariant de-noising, Wavelets and Statistics, Springer 1995.
 */
extern struct functional *functional_wavelet_create(
        enum dtype type, int D, const long dims[], const struct wavelet_conf *conf);

#endif
