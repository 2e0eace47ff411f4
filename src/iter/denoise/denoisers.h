#ifndef ITER_DENOISE_DENOISERS_H
#define ITER_DENOISE_DENOISERS_H

#include "iter/functional/functional.h"

/**
 * Denoisers that replace a proximal operator (plug and play [1]). The denoiser is the prox of a functional
 * whose value is unknown. gamma is the variance of the noise assumed in the input, up to a factor that
 * depends on the denoiser.
 *
 * [1] S. Venkatakrishnan, C. Bouman, B. Wohlberg, Plug-and-play priors for model based reconstruction,
 * GlobalSIP 2013.
 */

/** Median filter with a window of (2 radius + 1)^k elements along the k dims in flags. Beyond the ends the
 * last element is repeated. gamma has no effect. Real types; radius >= 1, windows of at most MEDIAN_WINDOW
 * elements. */
enum { MEDIAN_WINDOW = 4096 };
extern struct functional *functional_median_create(
        enum dtype type, int D, const long dims[], unsigned long flags, long radius);

struct nlm_conf {
	unsigned long flags;
	long patch;      // radius of a patch along each dim in flags, >= 0
	long search;     // largest distance of its centre from the element, >= 1
	double sigma;    // standard deviation of the noise where gamma is 1, > 0
	double strength; // h = strength sigma sqrt(gamma), > 0
};

/**
 * Non-local means [2]: weighted mean of the elements nearby, with weights exp(-max(d^2 - 2 s^2, 0) / h^2).
 * d^2 is the mean squared difference between the patches around both elements, s = sigma sqrt(gamma). The
 * weight of the element itself is the largest weight of the other elements. Real types. Computes in float32,
 * with 6 float32 arrays in memory.
 *
 * [2] A. Buades, B. Coll, J.-M. Morel, A review of image denoising algorithms, with a new one, Multiscale
 * Modeling and Simulation 4, 2005.
 */
extern struct functional *functional_nlm_create(
        enum dtype type, int D, const long dims[], const struct nlm_conf *conf);

/** Default strengths: differences up to this multiple of the noise are regarded as noise. These values gave
 * the smallest errors for the phantom with noise of 3 and 10 % of its maximum, in two and three dimensions.
 */
#define BILATERAL_STRENGTH 2.5
#define DIFFUSION_STRENGTH 2.

struct edges_conf {
	unsigned long flags; // at most 3 dims
	double sigma;        // standard deviation of the noise where gamma is 1, > 0
	double strength;     // differences up to strength times the noise are regarded as noise, > 0
	double width;        // bilateral: standard deviation of distances [elements], 0 < width <= 5
	long steps;          // diffusion, >= 1
};

/**
 * Edge-preserving filters, as in expressions (num/expr/windows/window.h): the bilateral filter, and
 * anisotropic diffusion. The time step of the diffusion is 1 / (2 d + 2), where d is the number of dims. With
 * this step, values remain in the range of their neighbours. The last element is repeated beyond ends. Real
 * types; on the CPU.
 */
extern struct functional *functional_bilateral_create(
        enum dtype type, int D, const long dims[], const struct edges_conf *conf);
extern struct functional *functional_diffusion_create(
        enum dtype type, int D, const long dims[], const struct edges_conf *conf);

/**
 * Terms made from a denoiser. The denoiser D is the prox of gamma g. The value of these terms is unknown.
 * functional_plug_create(): the prox of the term is D for every step. Algorithms with proximal operators then
 * become plug-and-play methods, in particular ADMM [1] and FISTA [3]. The limit of the iteration then also
 * depends on the algorithm's step. functional_red_create(): regularisation by denoising [4]; the gradient of
 * the term is `factor` times (x - D(x)). Its Lipschitz constant is valid for denoisers whose Jacobian has
 * eigenvalues in [0, 1]. The caller must still free g.
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
 * An external program as a denoiser. In its command line, {in} and {out} are replaced by the names of two
 * arrays (without .cfl or .hdr), and {sigma} by sigma sqrt(gamma). The line is split at blanks, with quotes
 * and backslashes as in a shell, but run without a shell: other characters have no special meaning. The
 * program reads {in}.hdr and {in}.cfl, writes {out}.hdr and {out}.cfl, and ends with status 0. The output has
 * the same dims, any type, and finite values. If the program fails, error() states the reason. The files are
 * in a private folder in GANTRY_TMPDIR. grid (may be NULL): a header whose spacing, origin and quantity are
 * passed on.
 */
extern struct functional *functional_external_create(
        enum dtype type, int D, const long dims[], const char *command, double sigma, const struct hdr *grid);

#endif
