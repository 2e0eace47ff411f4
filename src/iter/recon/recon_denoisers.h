#ifndef ITER_RECON_RECON_DENOISERS_H
#define ITER_RECON_RECON_DENOISERS_H

#include <stdbool.h>

#include "iter/functional/functional.h"

struct hdr;

/** The denoisers of -R pnp and red. */
struct denoiser_conf {
	unsigned long flags; // dims
	long radius;         // median
	long patch, search;  // nlm
	double strength;     // nlm
	long levels, spins;  // wavelet
	int family;
	const char *command;    // external; NULL: not given
	const struct hdr *grid; // external: of the volume
};

#define DENOISER_DEFAULTS                                                                                    \
	{                                                                                                    \
		.radius = 1, .patch = 1, .search = 3, .strength = 1., .spins = 1                             \
	}

/** Takes part = KEY=VALUE of one of radius, patch, search, strength, spins; false: it is another key. */
extern bool denoiser_key(struct denoiser_conf *conf, const char *part);

/** A functional whose prox with gamma takes away noise of the standard deviation asked for, as much as
 * gantry denoise would. */
struct denoiser {
	struct functional *g;
	double gamma;
};

/**
 * method: median, nlm, wavelet, tv or external, of the word `text`. n: how many numbers stand for the
 * noise, 1 of all but median; sigma: the first of them. spacing [mm] of the D dims. usage_error() where
 * they make no sense.
 */
extern struct denoiser denoiser_create(const char *text, const char *method, int n, double sigma,
        const struct denoiser_conf *conf, enum dtype type, int D, const long dims[DIMS],
        const double spacing[]);

#endif
