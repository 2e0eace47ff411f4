#ifndef ITER_DENOISE_DENOISE_H
#define ITER_DENOISE_DENOISE_H

#include <math.h>

#include "misc/options/opt.h"

/**
 * Shared by the commands rof, tgv and denoise: applies the prox of a functional to a file, part by part. A
 * part contains all elements along the dims up to the last coupled dim.
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
	unsigned long dims; // that are coupled
	bool dims_given, lambda_given, noise_given;
	double lambda, noise;
	bool sure;         // lambda by iter/denoise/sure.h
	const char *curve; // of it
	int type;
	long iterations;
	double tolerance;
	bool anisotropic;          // tv
	struct opt_doubles bounds; // tv
	double ratio; // tgv, ictv: factor of second differences [mm]; first differences have the factor 1
	int wavelet;  // enum wavelet_family
	long levels, spins; // wavelet; levels 0: as many as there are, at most 4
	bool hard;
	long radius;         // median
	long patch, search;  // nlm
	double strength;     // nlm, bilateral, diffusion; NAN: by the method
	double width;        // bilateral [elements]
	long steps;          // diffusion
	const char *command; // external
};

#define DENOISE_DEFAULTS                                                                                     \
	{                                                                                                    \
		.type = -1, .iterations = 1000, .tolerance = 1e-3, .ratio = 2., .wavelet = 1, .spins = 1,    \
		.radius = 1, .patch = 1, .search = 5, .strength = NAN, .width = 1.5, .steps = 10             \
	}

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

/** A paragraph for the help of these commands. */
#define DENOISE_NOISE                                                                                        \
	"\n\nWithout --noise, the standard deviation of the noise is estimated from the median of second "   \
	"differences along the first dimension of --dims. The estimate is valid for white noise of equal "   \
	"strength everywhere. --sure chooses the strength that minimises Stein's unbiased estimate of the "  \
	"error; one random vector estimates its divergence term (Ramani, Blu and Unser 2008). --sure "       \
	"makes the command about 15 times slower."

extern void denoise_run(struct denoise_opts *o);

#endif
