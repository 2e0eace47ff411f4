#ifndef ITER_DENOISERS_H
#define ITER_DENOISERS_H

#include "iter/functional.h"

/**
 * Denoisers in the place of a proximal operator (plug and play [1]): a prox without a known value. gamma is
 * the variance of the noise that the prox takes to be in its argument, up to the denoiser's own factor.
 *
 * [1] S. Venkatakrishnan, C. Bouman, B. Wohlberg, Plug-and-play priors for model based reconstruction,
 * GlobalSIP 2013.
 */

/** Median of the (2 radius + 1)^k elements around each along the k dims in flags, the last element repeated
 * beyond ends; whatever gamma. Real types; radius >= 1, windows of at most MEDIAN_WINDOW elements. */
enum { MEDIAN_WINDOW = 4096 };
extern struct functional *functional_median_create(
        enum dtype type, int D, const long dims[], unsigned long flags, long radius);

struct nlm_conf {
	unsigned long flags;
	long patch;      // patches reach that far from their centre along each of flags, >= 0
	long search;     // and their centres from the element, >= 1
	double sigma;    // standard deviation of the noise where gamma is 1, > 0
	double strength; // h = strength sigma sqrt(gamma), > 0
};

/**
 * Non-local means [2]: mean of the elements nearby, of weight exp(-max(d^2 - 2 s^2, 0) / h^2), d^2 the mean
 * squared difference of the patches around the two, s = sigma sqrt(gamma); the element itself weighs as much
 * as the most similar other one. Real types. Arithmetic and memory in float32: 6 arrays.
 *
 * [2] A. Buades, B. Coll, J.-M. Morel, A review of image denoising algorithms, with a new one, Multiscale
 * Modeling and Simulation 4, 2005.
 */
extern struct functional *functional_nlm_create(
        enum dtype type, int D, const long dims[], const struct nlm_conf *conf);

struct hdr;

/**
 * Any program: a command line of words, of which {in} and {out} stand for the names of two arrays (without
 * .cfl or .hdr) and {sigma} for sigma sqrt(gamma). It is split at blanks, with quotes and backslashes as in a
 * shell, and run without one: no other character has a meaning. The program reads {in}.hdr and {in}.cfl and
 * writes {out}.hdr and {out}.cfl, of the same dims, of any type, finite, and ends with status 0: error() with
 * what it did instead. The files lie in a folder of their own in GANTRY_TMPDIR. grid (may be NULL): a header
 * of which spacing, origin and quantity are passed on.
 */
extern struct functional *functional_external_create(
        enum dtype type, int D, const long dims[], const char *command, double sigma, const struct hdr *grid);

#endif
