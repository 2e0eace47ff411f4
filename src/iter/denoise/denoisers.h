#ifndef ITER_DENOISE_DENOISERS_H
#define ITER_DENOISE_DENOISERS_H

#include "iter/functional/functional.h"

/**
 * Denoisers that replace a proximal operator (plug and play [1]). A denoiser is
 * applied by functional_prox(). The value of the functional is unknown. The argument gamma of
 * functional_prox() is proportional to the variance of the noise in the input.
 *
 * [1] S. Venkatakrishnan, C. Bouman, B. Wohlberg, Plug-and-play priors for model based reconstruction,
 * GlobalSIP 2013.
 */

/** Creates a median filter. The window has (2 radius + 1)^k elements, where k is the number of dims in flags.
 * Beyond the ends the last element is repeated. The argument gamma has no effect. The type must be real. A
 * radius below 1, or a window of more than MEDIAN_WINDOW elements, is an error(). */
enum { MEDIAN_WINDOW = 4096 };
extern struct functional *functional_median_create(
        enum dtype type, int D, const long dims[], unsigned long flags, long radius);

struct nlm_conf {
	unsigned long flags; // dims of a patch
	long patch;          // radius of a patch along the dims in flags, >= 0
	long search;         // radius of the search window along the dims in flags, >= 1
	double sigma;        // standard deviation of the noise for gamma = 1, > 0
	double strength;     // h is strength sigma sqrt(gamma), > 0
};

/**
 * Creates the non-local means filter [2]. The result is a weighted mean of the elements in the search window.
 * The weights are
 *
 *     exp(-max(d^2 - 2 s^2, 0) / h^2),    s = sigma sqrt(gamma)
 *
 * Here d^2 is the mean squared difference of two patches. One patch is centred at the denoised element, the
 * other at an element of the search window. The weight of the denoised element itself is the largest weight
 * of the other elements.
 *
 * The type must be real, and the computation is in float32. On the CPU the filter keeps a padded float32 copy
 * of the array in memory. On a GPU the filter needs at most two float32 arrays.
 *
 * [2] A. Buades, B. Coll, J.-M. Morel, A review of image denoising algorithms, with a new one, Multiscale
 * Modeling and Simulation 4, 2005.
 */
extern struct functional *functional_nlm_create(
        enum dtype type, int D, const long dims[], const struct nlm_conf *conf);

/** Default values of edges_conf.strength. The values gave the smallest errors for a phantom in 2D and 3D. The
 * noise was 3 % and 10 % of the maximum. */
#define BILATERAL_STRENGTH 2.5
#define DIFFUSION_STRENGTH 2.

struct edges_conf {
	unsigned long flags; // at most 3 dims
	double sigma;        // standard deviation of the noise for gamma = 1, > 0
	double strength;     // differences below strength sigma sqrt(gamma) count as noise, > 0
	double width;        // for bilateral: standard deviation of distances [elements], 0 < width <= 5
	long steps;          // for diffusion: number of time steps, >= 1
};

/**
 * These functions create edge-preserving filters.
 *
 * - functional_bilateral_create(): creates the bilateral filter.
 * - functional_diffusion_create(): creates Perona-Malik diffusion. The time step is 1 / (2 d + 2) for d dims
 *   in flags.
 *
 * Beyond the ends the last element is repeated. The type must be real. The filters run on the CPU.
 */
extern struct functional *functional_bilateral_create(
        enum dtype type, int D, const long dims[], const struct edges_conf *conf);
extern struct functional *functional_diffusion_create(
        enum dtype type, int D, const long dims[], const struct edges_conf *conf);

/**
 * These functions create regularisation terms from a denoiser D. D is the prox of gamma g. The value of the
 * terms is unknown. The caller must still free g.
 *
 * - functional_plug_create(): creates a term whose prox is D for every step size. With this term, ADMM [1]
 *   and FISTA [3] are plug-and-play methods. Plug-and-play results depend on the step size of the algorithm.
 * - functional_red_create(): creates a term for regularisation by denoising [4]. The gradient of the term is
 *   `factor` times (x - D(x)). The Lipschitz constant is `factor`. The constant is valid if the eigenvalues
 *   of the Jacobian of D are between 0 and 1.
 *
 * [3] U. S. Kamilov, H. Mansour, B. Wohlberg, A plug-and-play priors approach for solving nonlinear imaging
 * inverse problems, IEEE Signal Processing Letters 24, 2017. [4] Y. Romano, M. Elad, P. Milanfar, The little
 * engine that could: regularization by denoising (RED), SIAM Journal on Imaging Sciences 10, 2017; E. T.
 * Reehorst, P. Schniter, Regularization by denoising: clarifications and new interpretations, IEEE
 * Transactions on Computational Imaging 5, 2019.
 */
extern struct functional *functional_plug_create(const struct functional *g, double gamma);
extern struct functional *functional_red_create(double factor, const struct functional *g, double gamma);

struct hdr;

/**
 * Creates a denoiser that runs an external program. In the command line, {in} and {out} are replaced by array
 * names without a suffix. The text {sigma} is replaced by sigma sqrt(gamma). Blanks, quotes and backslashes
 * in the command line have the same meaning as in a shell. Other special characters of a shell have no
 * effect.
 *
 * The program must read {in}.hdr and {in}.cfl, write {out}.hdr and {out}.cfl, and exit with status 0. The
 * output must have the dims of the input and finite values. The type of the output may differ. A failure of
 * the program is an error(). The files are in a temporary folder in GANTRY_TMPDIR.
 *
 * The spacing, origin and quantity of `grid` are written to {in}.hdr. The argument `grid` may be NULL.
 */
extern struct functional *functional_external_create(
        enum dtype type, int D, const long dims[], const char *command, double sigma, const struct hdr *grid);

#endif
