/* What operators and functionals refuse: the sentence holds what was found and what is valid. */

#include <math.h>

#include "check.h"
#include "iter/denoise/denoisers.h"
#include "iter/functional/functionals.h"
#include "iter/functional/regularisers.h"
#include "linops/block.h"
#include "linops/laplacian.h"
#include "linops/linop.h"
#include "linops/shapes.h"
#include "linops/wavelet/filters.h"
#include "nlops/nlop.h"

#define F32    DT_FLOAT32
#define C64    DT_COMPLEX64
#define L(...) ((const long[]){__VA_ARGS__})
#define R(...) ((const double[]){__VA_ARGS__})

static const long ones[DIMS + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const float values[64];

static struct linop *same(enum dtype type, long n)
{
	return linop_identity_create(type, 1, &n);
}

static struct functional *l1(enum dtype type, long n)
{
	return functional_l1_create(type, 1, &n, NULL, NULL);
}

static struct nlop *root(long n)
{
	return nlop_exp_create(F32, 1, &n);
}

static struct functional *tgv(double first, double second, bool infimal)
{
	const struct tgv_conf c = {.flags = 3, .first = first, .second = second, .iterations = 1};

	return (infimal ? functional_ictv_create : functional_tgv_create)(F32, 2, L(4, 3), &c);
}

static double flat(void *ctx, double f)
{
	(void)ctx;

	return (f > 0.2) ? NAN : 1.;
}

#define OPERATORS(X)                                                                                         \
	X("an extract of an array with 17 dimensions is not supported, expected 0 to 16",                    \
	        linop_extract_create(F32, DIMS + 1, ones, ones, ones, ones))                                 \
	X("an extract of 3 elements has step 0 along dimension 0, expected another step",                    \
	        linop_extract_create(F32, 1, L(5), L(0), L(0), L(3)))                                        \
	X("a reshape of an array with -1 dimensions is not supported, expected 0 to 16",                     \
	        linop_reshape_create(F32, 1, ones, -1, ones))                                                \
	X("a flip of an array with 0 elements along dimension 1 is not supported, expected at least 1",      \
	        linop_flip_create(F32, 2, L(3, 0), 1))                                                       \
	X("a padding of -2 and -1 elements leaves nothing of the 3 elements along dimension 0",              \
	        linop_pad_create(F32, 1, L(3), L(-2), L(-1)))                                                \
	X("cannot exchange dimensions 0 and 2, expected dimensions from 0 to 1",                             \
	        linop_transpose_create(F32, 2, L(3, 4), 0, 2))                                               \
	X("0 copies are requested along dimension 1, expected at least 1",                                   \
	        linop_repmat_create(F32, 2, L(3, 4), L(2, 0)))                                               \
	X("the samples are along dimension 2, expected one of 0 to 1",                                       \
	        linop_sample_create(F32, 2, L(3, 4), 2, 1, L(0)))                                            \
	X("the number of samples is 0, expected at least 1", linop_sample_create(F32, 1, L(3), 0, 0, L(0)))  \
	X("patches of an array with 16 dimensions are not supported, expected 1 to 15",                      \
	        linop_patches_create(F32, DIMS, ones, ones))                                                 \
	X("has 17 dimensions, expected 0 to 16", linop_identity_create(F32, DIMS + 1, ones))                 \
	X("has 0 elements along dimension 0, expected at least 1", linop_identity_create(F32, 1, L(0)))      \
	X("a stack has 0 operators, expected at least 1", linop_stack(0, NULL))                              \
	X("a block has 0 x 2 operators, expected at least 1 x 1", linop_block_create(0, 2, NULL, 0, 0))      \
	X("outputs of a block operator are stacked along dimension 16, expected 0 to 15",                    \
	        linop_block_create(1, 1, (const struct linop *[]){same(F32, 3)}, DIMS, 0))                   \
	X("the diagonal has 2 elements along dimension 0, expected 3 or 1",                                  \
	        linop_diag_create(F32, 1, L(3), L(2), values))                                               \
	X("the Fourier weights have 2 elements along dimension 0, expected 3 or 1",                          \
	        linop_fourier_diag_create(F32, 1, L(3), 1, L(2), R(1., 1.)))                                 \
	X("a Fourier weight is nan at 0.25/mm, expected a finite value",                                     \
	        linop_radial_create(F32, 1, L(4), 1, R(1.), false, flat, NULL))                              \
	X("the voxel size is 0 mm along dimension 0, expected more than 0",                                  \
	        linop_radial_create(F32, 1, L(4), 1, R(0.), false, flat, NULL))                              \
	X("the gradient of an array with 16 dimensions is not supported, expected at most 15",               \
	        linop_grad_create(F32, DIMS, ones, 1, R(1.)))                                                \
	X("a gradient along the dimensions of bit mask 0x4 is not supported, expected one or more of the "   \
	  "dimensions 0 to 1",                                                                               \
	        linop_grad_create(F32, 2, L(3, 4), 4, R(1., 1., 1.)))                                        \
	X("a gradient along the dimensions of bit mask 0x0 is not supported, expected one or more of the "   \
	  "dimensions 0 to 1",                                                                               \
	        linop_grad_create(F32, 2, L(3, 4), 0, R(1., 1.)))                                            \
	X("a convolution along the dimensions of bit mask 0x2 is not supported, expected one or more of "    \
	  "the dimensions 0 to 0",                                                                           \
	        linop_conv_create(F32, 1, L(3), 2, 0, L(1), values))                                         \
	X("a shearlet transform has the dimensions 1 and 0, expected two ascending dimensions from 0 to 1",  \
	        linop_shearlet_create(F32, 2, L(16, 16), 1, 0, 2))                                           \
	X("cannot invert A'A + inf: expected a finite number of at least 0",                                 \
	        linop_regularised_inverse_create(same(F32, 3), INFINITY, 0., 5))                             \
	X("cannot invert A'A + nan: expected a finite number of at least 0",                                 \
	        linop_regularised_inverse_create(same(F32, 3), NAN, 0., 5))                                  \
	X("with tolerance 0 and 0 iterations: expected a tolerance >= 0 and at least 1 iteration",           \
	        linop_regularised_inverse_create(same(F32, 3), 1., 0., 0))                                   \
	X("tolerance -1 and 5 iterations: expected a tolerance >= 0 and at least 1 iteration",               \
	        linop_regularised_inverse_create(same(F32, 3), 1., -1., 5))

#define FUNCTIONALS(X)                                                                                       \
	X("has type uint8, expected float32, float64, complex64 or complex128",                              \
	        functional_zero_create(DT_UINT8, 1, L(3)))                                                   \
	X("an affine set has 0 rows, expected at least 1",                                                   \
	        functional_affine_create(F32, 1, L(3), 0, values, values))                                   \
	X("is multiplied by 0, expected a factor other than 0", functional_dilate_create(0., l1(F32, 3)))    \
	X("the factor of the added quadratic is -1, expected at least 0",                                    \
	        functional_quadratic_create(l1(F32, 3), -1., NULL))                                          \
	X("bounds need elements of a real type, found complex64",                                            \
	        functional_box_create(C64, 1, L(3), 0., 1.))                                                 \
	X("a Kullback-Leibler divergence has type complex64, expected a real type",                          \
	        functional_kl_create(C64, 1, L(3), values, NULL, 0.))                                        \
	X("the background is -1, expected at least 0",                                                       \
	        functional_kl_create(F32, 1, L(3), values, NULL, -1.))                                       \
	X("the background is inf, expected at least 0",                                                      \
	        functional_transmission_create(F32, 1, L(3), values, NULL, 1., INFINITY))                    \
	X("I0 of a transmission likelihood is 0, expected more than 0",                                      \
	        functional_transmission_create(F32, 1, L(3), values, NULL, 0., 0.))                          \
	X("found complex64", functional_edges_create(C64, 2, L(3, 3), 0.))                                   \
	X("has radius -1, expected at least 0", functional_group_ball_create(F32, 2, L(3, 2), 2, -1.))       \
	X("has radius nan, expected at least 0", functional_group_ball_create(F32, 2, L(3, 2), 2, NAN))      \
	X("bit mask 0x4 contains dimensions beyond the 2 dimensions of the array",                           \
	        functional_l21_create(F32, 2, L(3, 2), 4))                                                   \
	X("has radius -1, expected at least 0", functional_l1_ball_create(F32, 1, L(3), -1.))                \
	X("has radius inf, expected at least 0", functional_l2_ball_create(F32, 1, L(3), INFINITY))          \
	X("flags and batch share the dimensions of bit mask 0x1",                                            \
	        functional_nuclear_create(F32, 2, L(3, 2), 1, 1))                                            \
	X("the factor of a denoiser is -1", functional_red_create(-1., l1(F32, 3), 1.))                      \
	X("the strength of a denoiser is 0, expected a finite number above 0",                               \
	        functional_plug_create(l1(F32, 3), 0.))                                                      \
	X("a stack has 0 functionals, expected at least one", functional_stack_create(0, NULL))              \
	X("a stack has functionals of types float32 and float64, expected one type",                         \
	        functional_stack_create(2, (const struct functional *[]){l1(F32, 3), l1(DT_FLOAT64, 3)}))    \
	X("delta is 0, expected more than 0", functional_pseudo_huber_create(F32, 1, L(3), 0., NULL, NULL))  \
	X("has the factors 0 and 1, expected more than 0", tgv(0., 1., false))                               \
	X("has the factors 1 and -1, expected more than 0", tgv(1., -1., true))                              \
	X("has the factors nan and 1, expected more than 0", tgv(NAN, 1., false))                            \
	X("a wavelet threshold has 0 shifts, expected at least 1",                                           \
	        functional_wavelet_create(                                                                   \
	                F32, 1, L(8), &(struct wavelet_conf){.flags = 1, .levels = 1, .spins = 0}))

#define NONLINEAR(X)                                                                                         \
	X("has 17 dimensions, expected 0 to 16", nlop_exp_create(F32, DIMS + 1, ones))                       \
	X("has 0 elements along dimension 0, expected at least 1", nlop_exp_create(F32, 1, L(0)))            \
	X("expected one type", nlop_combine(root(3), nlop_exp_create(DT_FLOAT64, 1, L(3))))                  \
	X("output 1 of operator exp does not exist, expected 0 to 0", nlop_link(root(3), 1, 0))              \
	X("input 2 of operator combine does not exist, expected 0 to 1",                                     \
	        nlop_link(nlop_combine(root(3), root(3)), 0, 2))                                             \
	X("cannot link operators: output 0 of combine is 3, but input 1 is 4",                               \
	        nlop_link(nlop_combine(root(3), root(4)), 0, 1))                                             \
	X("have shapes 3 and 3 x 2, expected ascending numbers and shapes that are equal except "            \
	  "along dimension 0",                                                                               \
	        nlop_stack_outputs(nlop_combine(root(3), nlop_exp_create(F32, 2, L(3, 2))), 0, 1, 0))        \
	X("no derivative of output 0 of exp with respect to input 1: expected an output number below 1 and " \
	  "an input number below 1",                                                                         \
	        nlop_derivative_create(root(3), 0, 1))                                                       \
	X("epsilon of a norm is -1, expected a finite number of at least 0",                                 \
	        nlop_norm_create(F32, 1, L(3), 1, -1.))                                                      \
	X("the intensity has 2 elements along dimension 0, expected 3 or 1",                                 \
	        nlop_transmission_create(                                                                    \
	                same(F32, 3), L(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), values))            \
	X("0 energies", nlop_polychromatic_create(same(F32, 3), 0, R(1.), 1, R(1.)))                         \
	X("number 1 is -2, expected a finite value of at least 0",                                           \
	        nlop_polychromatic_create(same(F32, 3), 2, R(1., -2.), 1, R(1., 1.)))                        \
	X("a transmission has type complex64, expected float32 or float64",                                  \
	        nlop_polychromatic_create(same(C64, 3), 1, R(1.), 1, R(1.)))

#define CASES(X) OPERATORS(X) FUNCTIONALS(X) NONLINEAR(X)

static int wanted;

static void attempt(void)
{
	int k = 0;

#define X(text, call)                                                                                        \
	if (k++ == wanted)                                                                                   \
		(void)(call);
	CASES(X)
#undef X
}

int main(void)
{
#define X(text, call) text,
	static const char *const texts[] = {CASES(X)};
#undef X

	for (wanted = 0; wanted < (int)(sizeof texts / sizeof *texts); wanted++)
		check_ends(1, texts[wanted], attempt, texts[wanted]);

	return checks_failed ? 1 : 0;
}
