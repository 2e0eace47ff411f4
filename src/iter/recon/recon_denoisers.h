#ifndef ITER_RECON_RECON_DENOISERS_H
#define ITER_RECON_RECON_DENOISERS_H

#include <math.h>
#include <stdbool.h>

#include "iter/functional/functional.h"

struct hdr;

/** The denoisers of -R pnp and red. */
struct denoiser_conf {
	unsigned long flags; // dims
	long radius;         // median
	long patch, search;  // nlm
	double strength;     // nlm, bilateral, diffusion; NAN: by the method
	double width;        // bilateral [elements]
	long steps;          // diffusion
	long levels, spins;  // wavelet
	int family;
	const char *command;    // external; NULL: not given
	const struct hdr *grid; // external: of the volume
	bool dry_run;           // dry run: another denoiser replaces the external program
};

#define DENOISER_DEFAULTS                                                                                    \
	{                                                                                                    \
		.radius = 1, .patch = 1, .search = 3, .strength = NAN, .width = 1.5, .steps = 10, .spins = 1 \
	}

/** Reads `part`, KEY=VALUE with KEY one of radius, patch, search, spins, steps, strength and width; false for
 * any other key. */
extern bool denoiser_key(struct denoiser_conf *conf, const char *part);

/** A functional whose prox with gamma removes noise of the requested standard deviation, like the command
 * `gantry denoise`. */
struct denoiser {
	struct functional *g;
	double gamma;
};

/** The array that a denoiser is created for, its spacing [mm], and the standard deviation of the noise.
 */
struct denoiser_place {
	enum dtype type;
	int D;
	const long *dims;
	const double *spacing;
	double sigma;
};

struct denoiser_method {
	const char *name;
	unsigned keys; // enum recon_key
	bool lengths;  // its differences are divided by the spacing
	bool real;     // for real volumes only
	bool program;  // runs the program of --denoiser
	int numbers;   // number of values that give the noise: 0 or 1
	struct denoiser (*create)(const struct denoiser_conf *c, const struct denoiser_place *at);
};

/** All methods; the name of the last element is NULL. */
extern const struct denoiser_method denoiser_methods[];

/** The method with this name; usage_error() that quotes `text` if the name is unknown or NULL (not given). */
extern const struct denoiser_method *denoiser_method_of(const char *text, const char *name);

/** The denoiser of the word `text`; n: number of values given for the noise. usage_error() if the word is
 * invalid or `--denoiser` is missing. */
extern struct denoiser denoiser_create(const char *text, const struct denoiser_method *method, int n,
        const struct denoiser_conf *conf, const struct denoiser_place *at);

#endif
