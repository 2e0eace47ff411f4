#ifndef ITER_RECON_RECON_DENOISERS_H
#define ITER_RECON_RECON_DENOISERS_H

#include <math.h>
#include <stdbool.h>

#include "iter/functional/functional.h"

struct hdr;

/** Parameters of the denoisers of -R pnp and -R red. */
struct denoiser_conf {
	unsigned long flags;    // dims along which the denoiser works
	long radius;            // of median
	long patch, search;     // of nlm
	double strength;        // of nlm, bilateral and diffusion; NAN means the default of the denoiser
	double width;           // of bilateral [voxels]
	long steps;             // of diffusion
	long levels, spins;     // of wavelet
	int family;             // of wavelet
	const char *command;    // of external: command line; NULL means not given
	const struct hdr *grid; // of external: header of the volume
	bool dry_run;           // the external program is replaced by another denoiser
};

#define DENOISER_DEFAULTS                                                                                    \
	{                                                                                                    \
		.radius = 1, .patch = 1, .search = 3, .strength = NAN, .width = 1.5, .steps = 10, .spins = 1 \
	}

/** Reads a text KEY=VALUE into conf. The keys are radius, patch, search, spins, steps, strength and width.
 * Returns false for any other key. A value out of range is a usage_error(). */
extern bool denoiser_key(struct denoiser_conf *conf, const char *part);

/** A denoiser as a functional g. The prox of `gamma` times g removes noise of a given standard deviation. */
struct denoiser {
	struct functional *g;
	double gamma;
};

/** The array to be denoised. */
struct denoiser_place {
	enum dtype type;
	int D;
	const long *dims;
	const double *spacing; // of each dim [mm]
	double sigma;          // standard deviation of the noise
};

/** A method of denoising. */
struct denoiser_method {
	const char *name;
	unsigned keys; // mask of the keys that the method accepts (enum recon_key)
	bool lengths;  // differences are divided by the spacing
	bool real;     // the method needs a real volume
	bool program;  // the method runs the program of --denoiser
	int numbers;   // numbers in -R that give the noise: 0 or 1
	struct denoiser (*create)(const struct denoiser_conf *c, const struct denoiser_place *at);
};

/** All methods. The name of the last element is NULL. */
extern const struct denoiser_method denoiser_methods[];

/** Returns the method with this name. A NULL or unknown name is a usage_error() that quotes `text`. */
extern const struct denoiser_method *denoiser_method_of(const char *text, const char *name);

/** Creates a denoiser for the argument `text` of -R. The argument contains n numbers that give the noise. An
 * invalid `text` is a usage_error(), and so is a missing --denoiser. */
extern struct denoiser denoiser_create(const char *text, const struct denoiser_method *method, int n,
        const struct denoiser_conf *conf, const struct denoiser_place *at);

#endif
