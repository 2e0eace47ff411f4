#ifndef ITER_RECON_RECON_KINDS_H
#define ITER_RECON_RECON_KINDS_H

#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_keys.h"
#include "iter/recon/recon_terms.h"
#include "iter/recon/recon_words.h"

/** The kinds of terms that -R accepts, such as tv or l1. To add a kind, add an element to recon_kinds[] and a
 * function that creates the term. */

/** States whether a term has a factor, and whether the factor can be `auto`. */
enum recon_factor {
	FACTOR_NONE,
	FACTOR_FIXED, // cannot be auto, because the value of the term is unknown
	FACTOR_AUTO
};

/** Degree of homogeneity of a functional g: g(a x) = a^degree g(x) for a > 0. */
enum recon_degree { DEGREE_COUNT, DEGREE_LENGTH, DEGREE_SQUARE };

/**
 * Bits for the dims along which a term needs more than one voxel:
 * - EXTENT_SPACE: x, y or z, or the dims in dims=
 * - EXTENT_FRAMES: channel or time
 */
enum recon_extent { EXTENT_VOXEL = 0, EXTENT_SPACE = 1, EXTENT_FRAMES = 2 };

/** Properties of terms that decide which algorithm is the default (iter/recon/recon_choose.c). */
enum recon_prefers {
	PREFERS_PROX, // the proximal operator takes one pass over the volume
	PREFERS_GRADIENT,
	PREFERS_BOUNDS,
	PREFERS_NONNEGATIVE, // the bound x >= 0
	PREFERS_SUM,         // sum of magnitudes of voxels
	PREFERS_EDGES,       // sum of lengths of differences or of coefficients
	PREFERS_WHOLE,       // the prox takes longer than the projections of a subset
	PREFERS_OPERATOR,    // slow prox like PREFERS_WHOLE, applied to the output of an operator
	PREFERS_COUNT,       // number of nonzero voxels (not convex)
	PREFERS_DENOISER,
	PREFERS_RED,
	PREFERS_DESCENT, // for asd-pocs
	RECON_PREFERENCES
};

/** The algorithm and the array for which a term is created. */
struct term_place {
	const struct algorithm *a;
	enum dtype type;
	int D;
	const long *dims;
	const double *spacing; // of each dim [mm]
	const struct recon_terms_files *files;
	long *bytes; // the size of arrays that the term keeps is added here
};

/** A kind of term. */
struct recon_kind {
	const char *name;
	const char *syntax; // without dims= and prior; optional parts are in brackets
	const char *help;   // description in one phrase
	unsigned keys;      // mask of the accepted keys (enum recon_key)
	enum recon_factor factor;
	enum recon_degree degree;
	unsigned extent; // bits of enum recon_extent
	bool lengths;    // differences are divided by the spacing
	bool noise;      // denoiser NAME:METHOD:... (iter/recon/recon_denoisers.h)
	bool from_prior; // the term needs --prior
	long levels;     // largest number of levels; 0 means limited by the volume only
	enum recon_prefers prefers;
	void (*create)(struct recon_terms *t, const struct recon_word *w, const struct term_place *at);
};

/** All kinds. The name of the last element is NULL. */
extern const struct recon_kind recon_kinds[];

/** Returns the kind of a term NAME[:...], or NULL if the name is unknown. */
extern const struct recon_kind *recon_kind_find(const char *word);
/** Returns the kind with this name. An unknown name is a usage_error() that quotes `text`. */
extern const struct recon_kind *recon_kind_of(const char *text, const char *name);

/** Returns the placeholder of option -R, "tv:L|htv:L:delta=D|...". The caller frees the text. */
extern char *recon_kinds_placeholder(void);
/** Returns the list of kinds for the help, with explanations. The caller frees the text. */
extern char *recon_kinds_details(void);
/** Returns the help text of option --prior. The caller frees the text. */
extern char *recon_kinds_prior_help(void);

/** Returns a list such as "a, b or c", where `conjunction` is "or". The list contains the names of the kinds
 * for which is() returns true. If `is` is NULL, the list contains all kinds. The caller frees the text. */
extern char *recon_kinds_names(bool (*is)(const struct recon_kind *k), const char *conjunction);

/** Returns true if the kind needs --prior. */
extern bool recon_kind_needs_prior(const struct recon_kind *k);
/** Returns true if the kind has degree 2. */
extern bool recon_kind_is_square(const struct recon_kind *k);

/** Adds the term g(B x) and takes ownership of g and B. */
extern void recon_terms_add(struct recon_terms *t, struct functional *g, struct linop *B);
/** Changes the argument of a term from x to x - prior. */
extern void recon_terms_move(struct recon_terms *t, struct iter_term *term, const struct recon_word *w,
        const struct term_place *at);

/** Returns the volume of --prior in the type of the problem. The caller frees the volume. The volume is
 * repeated for each channel and time of the unknown. */
extern void *recon_load_prior(const struct recon_word *w, const struct term_place *at);

#endif
