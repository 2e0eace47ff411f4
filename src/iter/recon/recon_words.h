#ifndef ITER_RECON_RECON_WORDS_H
#define ITER_RECON_RECON_WORDS_H

#include "iter/recon/recon_denoisers.h"
#include "iter/recon/recon_unit.h"
#include "misc/mem.h"

struct recon_kind;

enum { WORD_NUMBERS = 2 };

/** A parsed argument of option -R: KIND[:METHOD][:NUMBER...][:KEY=VALUE...]. */
struct recon_word {
	const char *text;
	const struct recon_kind *kind;
	const struct denoiser_method *method; // NULL means that the kind has no METHOD
	int n;                                // how many numbers are given
	double v[WORD_NUMBERS];               // the numbers
	unsigned keys;                        // mask of the given keys (enum recon_key)
	unsigned long flags; // dims of dims=; the default is all dims of the term with more than one voxel
	double weight[DIMS]; // weights of differences along each dim, from dims=; the default is 1
	bool aniso;
	double delta; // 0 means not given
	double alpha;
	double ratio, eta; // 0 means not given
	bool automatic;    // the factor is `auto`
	bool relative;     // the factor is in the unit of recon_word_unit()
	long levels;
	int family;
	struct denoiser_conf denoiser;
};

/**
 * Parses an argument of -R for a volume with these dims. `automatic` replaces a factor given as `auto`. The
 * following cases are a usage_error():
 * - The kind is unknown.
 * - A key does not belong to the kind, or is given twice.
 * - dims= names an unknown dimension, or a dimension with a single voxel.
 */
extern void recon_word_split(struct recon_word *w, const char *text, const long dims[DIMS], double automatic);

/** Appends to s the names of the keys in `keys`, separated by commas. */
extern void recon_keys_list(struct str *s, unsigned keys);

/** Returns true if levels=N was given. */
extern bool recon_word_has_levels(const struct recon_word *w);

/** Returns true if the key prior was given. The key prior applies the term to the difference between the
 * volume and --prior. */
extern bool recon_word_has_prior(const struct recon_word *w);

/** Returns true if dims= was given. */
extern bool recon_word_has_dims(const struct recon_word *w);

/** Returns the value of the factor `1n` for this term. In recon_unit_factor(), `h` is the geometric mean of
 * the spacings [mm] along the dims of the term. */
extern double recon_word_unit(
        const struct recon_word *w, const struct recon_unit *u, const double spacing[3]);

/** Returns true if the penalty is a sum of lengths of differences. */
extern bool recon_word_has_edges(const struct recon_word *w);

/** Returns the factor of a term that has exactly one number. Any other count of numbers is a usage_error(),
 * and so is a negative factor. */
extern double recon_word_factor(const struct recon_word *w);

/** Returns the enum wavelet_family for the name of an orthonormal wavelet. An unknown name is a usage_error()
 * that names `option`. */
extern int recon_wavelet_family(const char *option, const char *name);

#endif
