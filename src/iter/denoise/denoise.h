#ifndef ITER_DENOISE_DENOISE_H
#define ITER_DENOISE_DENOISE_H

#include <math.h>

#include "misc/options/opt.h"

/**
 * Options of the commands rof, tgv and denoise. These commands apply the prox of a functional to a file. The
 * file is divided into parts that are denoised one after the other. A part contains complete dims, from dim 0
 * to the last dim of --dims.
 */
enum denoise_method {
	DENOISE_TV,
	DENOISE_TGV,
	DENOISE_ICTV,
	DENOISE_WAVELET,
	DENOISE_MEDIAN,
	DENOISE_NLM,
	DENOISE_BILATERAL,
	DENOISE_DIFFUSION,
	DENOISE_EXTERNAL
};

struct denoise_opts {
	const char *in, *out;
	int method;
	unsigned long dims; // bits of the dims along which elements are denoised together
	bool dims_given, lambda_given, noise_given;
	double lambda, noise;
	bool sure;         // lambda is chosen by sure_choose()
	const char *curve; // file for the error as a function of lambda
	int type;
	long iterations;
	double tolerance;
	bool anisotropic;          // for tv
	struct opt_doubles bounds; // for tv
	double ratio;        // for tgv and ictv: factor of second differences [mm], divided by that of first
	                     // differences
	int wavelet;         // enum wavelet_family
	long levels, spins;  // for wavelet; levels 0 means as many as possible, at most 4
	bool hard;           // for wavelet: hard thresholds
	long radius;         // for median
	long patch, search;  // for nlm
	double strength;     // for nlm, bilateral and diffusion; NAN means the default of the method
	double width;        // for bilateral [elements]
	long steps;          // for diffusion
	const char *command; // for external
};

#define DENOISE_DEFAULTS                                                                                     \
	{                                                                                                    \
		.type = -1, .iterations = 1000, .tolerance = 1e-3, .ratio = 2., .wavelet = 1, .spins = 1,    \
		.radius = 1, .patch = 1, .search = 5, .strength = NAN, .width = 1.5, .steps = 10             \
	}

/** Defaults for tgv and ictv, whose tolerance is a change per iteration and no distance to the result. */
#define DENOISE_TGV_TOLERANCE 1e-6
enum { DENOISE_TGV_ITERATIONS = 10000 };

#define OPT_DENOISE(o)                                                                                       \
	{'l', "lambda", OPT_KIND_DOUBLE, &(o)->lambda, "L", "strength (default: from the noise)", 0, 0,      \
	        1e300, &(o)->lambda_given},                                                                  \
	        OPT_FLAG(0, "sure", &(o)->sure,                                                              \
	                "choose L by Stein's unbiased risk estimate (tv, tgv, ictv, wavelet)"),              \
	        OPT_OUTFILE(0, "curve", &(o)->curve, "FILE",                                                 \
	                "write the tried strengths as CSV, or draw them (NAME.png, NAME.svg)"),              \
	        {'n', "noise", OPT_KIND_DOUBLE, &(o)->noise, "S",                                            \
	                "standard deviation of the noise (default: estimated)", 0, 0, 1e300,                 \
	                &(o)->noise_given},                                                                  \
	        {'d', "dims", OPT_KIND_DIMS, &(o)->dims, "DIMS",                                             \
	                "dimensions (default: those of x,y,z longer than 1)", 0, 0, 0, &(o)->dims_given},    \
	        OPT_TYPE(&(o)->type), ARG_IN("IN", &(o)->in, "any array of finite values"),                  \
	        ARG_OUT("OUT", &(o)->out, "denoised array")

#define OPT_DENOISE_ITERATION(o)                                                                             \
	OPT_LONG('i', "iterations", &(o)->iterations, "N", 1, 1e15, "at most N iterations"),                 \
	        OPT_DOUBLE(0, "tolerance", &(o)->tolerance, "T", 0, 1, "stop at this accuracy (0: never)")

/** A paragraph of the help about the option --noise. */
#define DENOISE_NOISE                                                                                        \
	"\n\n"                                                                                               \
	"Without --noise, the standard deviation of the noise is estimated. The estimate of the noise "      \
	"uses the median of second differences along the first dimension of --dims. The estimate of "        \
	"the noise is valid for white noise of equal strength everywhere. With --sure, the strength "        \
	"minimises Stein's unbiased estimate of the error. The divergence term of Stein's estimate is "      \
	"computed with one random vector (Ramani, Blu and Unser 2008). With --sure, the command takes "      \
	"about 15 times as long."

/** Denoises the file o->in with the options of the command, and writes o->out. */
extern void denoise_run(struct denoise_opts *o);

#endif
