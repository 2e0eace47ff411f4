#ifndef ITER_RECON_RECON_WORDS_H
#define ITER_RECON_RECON_WORDS_H

#include "iter/recon/recon_denoisers.h"
#include "iter/recon/recon_unit.h"
#include "misc/mem.h"

struct recon_kind;

enum { WORD_NUMBERS = 2 };

/** A parsed term of -R: KIND[:METHOD][:NUMBER..][:KEY=VALUE..]. */
struct recon_word {
	const char *text;
	const struct recon_kind *kind;
	const struct denoiser_method *method; // NULL: the kind takes none
	int n;
	double v[WORD_NUMBERS];
	unsigned keys; // the keys given (enum recon_key)
	unsigned long
	        flags; // the dimensions of dims=; default: x, y and z, or channel and time, if longer than 1
	double weight[DIMS]; // of differences along each; 1 unless given by dims=
	bool aniso;
	double delta; // 0: not given
	double alpha;
	double ratio, eta; // 0: not given
	bool automatic;    // the factor is auto
	bool relative;     // the factor is in the unit of recon_word_unit()
	long levels;
	int family;
	struct denoiser_conf denoiser;
};

/** Parses the text for a volume of these dims; `automatic` is the value of a factor given as `auto`.
 * usage_error() if the kind is unknown, a key does not belong to the kind or is given twice, or dims names a
 * dimension that the term does not support. */
extern void recon_word_split(struct recon_word *w, const char *text, const long dims[DIMS], double automatic);

/** Appends the names of the keys in a mask to s, separated by commas. */
extern void recon_keys_list(struct str *s, unsigned keys);

/** Whether levels=N was given. */
extern bool recon_word_has_levels(const struct recon_word *w);

/** Whether the key prior was given: the term is applied to the difference from --prior. */
extern bool recon_word_has_prior(const struct recon_word *w);

/** Whether dims= was given. */
extern bool recon_word_has_dims(const struct recon_word *w);

/** The value of a factor given as `1n` for this term. This value is recon_unit_factor(), where h is the
 * geometric mean of the spacings [mm] along the dimensions of the term. */
extern double recon_word_unit(
        const struct recon_word *w, const struct recon_unit *u, const double spacing[3]);

/** Whether the penalty is a sum of lengths of differences. */
extern bool recon_word_has_edges(const struct recon_word *w);

/** The factor, the only number of the term; usage_error() if there is not exactly one number, or if it is
 * negative. */
extern double recon_word_factor(const struct recon_word *w);

/** The enum wavelet_family for the name of an orthonormal wavelet. For other names, usage_error() naming the
 * option. */
extern int recon_wavelet_family(const char *option, const char *name);

#endif
