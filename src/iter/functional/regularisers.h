#ifndef ITER_FUNCTIONAL_REGULARISERS_H
#define ITER_FUNCTIONAL_REGULARISERS_H

#include "iter/functional/functional.h"

/** Parameters of functional_tv_create(). The array may be real or complex. Each index along a dim outside
 * `flags` is treated separately. */
struct tv_conf {
	unsigned long flags; // dims along which differences are taken
	const double *h;     // spacing of each dim [mm]; NULL means 1
	bool anisotropic;    // sums |differences| instead of lengths of gradients
	bool bounded;        // prox also enforces lo <= x <= hi (real types only)
	double lo, hi;
	double tolerance; // prox stops when |x - exact prox| <= tolerance |src| is certain; 0 means never
	long iterations;  // largest number of iterations of prox
	bool warm;        // prox starts from the state of its previous call (functional_state())
};

enum { TV_ITERATIONS = 1000 };

/**
 * Creates the total variation: the sum of |gradient| over all voxels. The gradient consists of forward
 * differences divided by the spacing. The difference at the last position along a dim is 0.
 *
 * The prox solves the denoising model of Rudin, Osher and Fatemi [1]. The algorithm is accelerated gradient
 * projection on the dual problem [2] with restarts [3]. The duality gap bounds the distance to the exact
 * prox: |x - exact prox|^2 <= 2 gap. The prox stops when the gap meets the tolerance, or when rounding errors
 * keep the gap from shrinking.
 *
 * The prox stores 3 arrays of the size of x for each dim in `flags`. If dst is src, the prox stores one more
 * array.
 *
 * [1] L. Rudin, S. Osher, E. Fatemi, Nonlinear total variation based noise removal algorithms, Physica D 60,
 * 1992.
 *
 * [2] A. Beck, M. Teboulle, Fast gradient-based algorithms for constrained total variation image denoising
 * and deblurring problems, IEEE Transactions on Image Processing 18, 2009.
 *
 * [3] B. O'Donoghue, E. Candes, Adaptive restart for accelerated gradient schemes, Foundations of
 * Computational Mathematics 15, 2015.
 */
extern struct functional *functional_tv_create(
        enum dtype type, int D, const long dims[], const struct tv_conf *conf);

/** Parameters of functional_tgv_create() and functional_ictv_create(). */
struct tgv_conf {
	unsigned long flags;  // dims along which differences are taken
	const double *h;      // spacing of each dim [mm]; NULL means 1
	double first, second; // factors a1 of first and a0 [mm] of second differences, > 0
	double tolerance;     // prox stops when an iteration changes x by <= tolerance |src|; 0 means never
	long iterations;      // largest number of iterations of prox
	bool warm;            // prox starts from the state of its previous call (functional_state())
};

/**
 * Creates the second-order total generalised variation (TGV) [4]. TGV is the following minimum over vector
 * fields w:
 *
 *     a1 |gradient x - w| + a0 |symmetric gradient w|
 *
 * |.| denotes the sum of vector lengths over all voxels. TGV is 0 for linear ramps. The value of TGV is not
 * computed. The prox uses the primal-dual algorithm [6] with preconditioned step sizes [7]. For P dims, the
 * prox stores `2 + 4 P + P (P + 1)` arrays of the size of x.
 *
 * [4] K. Bredies, K. Kunisch, T. Pock, Total generalized variation, SIAM Journal on Imaging Sciences 3, 2010.
 *
 * [6] A. Chambolle, T. Pock, A first-order primal-dual algorithm for convex problems, Journal of Mathematical
 * Imaging and Vision 40, 2011.
 *
 * [7] T. Pock, A. Chambolle, Diagonal preconditioning for first order primal-dual algorithms, ICCV 2011.
 */
extern struct functional *functional_tgv_create(
        enum dtype type, int D, const long dims[], const struct tgv_conf *conf);

/**
 * Creates the infimal convolution of first and second differences (ICTV) [5]. ICTV is the following minimum
 * over images v:
 *
 *     a1 |gradient (x - v)| + a0 |second differences of v|
 *
 * |.| denotes the sum of vector lengths over all voxels. ICTV is 0 for linear ramps. The value of ICTV is not
 * computed. The prox uses the same algorithm as the prox of TGV. For P dims, the prox stores
 * `4 + 3 P + P (P + 1)` arrays of the size of x.
 *
 * [5] A. Chambolle, P.-L. Lions, Image recovery via total variation minimization and related problems,
 * Numerische Mathematik 76, 1997.
 */
extern struct functional *functional_ictv_create(
        enum dtype type, int D, const long dims[], const struct tgv_conf *conf);

/**
 * Creates the total variation for algorithms that need only gradients. The argument z contains differences.
 * The last dim of z enumerates the differences z_d at one position. The type is real; a complex type is an
 * error().
 *
 * The value is the sum of sqrt(sum_d w_d z_d^2) over all positions. The gradient is
 * `w_d z_d / sqrt(sum_d w_d z_d^2)`, where w_d counts as constant. Where all differences are 0, the gradient
 * is discontinuous and set to 0. The gradient has no Lipschitz constant.
 *
 * If `delta` is 0, all weights are 1. For delta > 0, w_d = exp(-(z_d / delta)^2) [8]. These weights preserve
 * differences well above delta.
 *
 * [8] Y. Liu, J. Ma, Y. Fan, Z. Liang, Adaptive-weighted total variation minimization for sparse data toward
 * low-dose x-ray computed tomography image reconstruction, Phys. Med. Biol. 57, 2012.
 */
extern struct functional *functional_edges_create(enum dtype type, int D, const long dims[], double delta);

/** Parameters of functional_wavelet_create(). */
struct wavelet_conf {
	unsigned long flags;  // dims of the transform
	int family, boundary; // enum wavelet_family, wavelet_boundary (linops/wavelet/wavelet.h)
	long levels;
	long spins; // number of shifts whose results are averaged [9]; 1 means no averaging
	bool hard;  // hard thresholding (not convex) instead of soft thresholding
};

/**
 * Creates the sum of |coefficients| of a wavelet transform, without the coarsest approximation coefficients.
 * With hard thresholding, the functional counts nonzero coefficients.
 *
 * With `spins` > 1, the functional is averaged over circular shifts of x. The shifts are 0 to spins - 1
 * voxels along all dims in `flags`.
 *
 * The prox thresholds the coefficients. The prox is exact if the transform is orthonormal and `spins` is 1.
 * For larger `spins`, cycle spinning [9] approximates the prox by the mean of the results for all shifts.
 *
 * [9] R. Coifman, D. Donoho, Translation-invariant de-noising, Wavelets and Statistics, Springer 1995.
 */
extern struct functional *functional_wavelet_create(
        enum dtype type, int D, const long dims[], const struct wavelet_conf *conf);

#endif
