#ifndef ITER_RECON_RECON_KINDS_H
#define ITER_RECON_RECON_KINDS_H

#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_keys.h"
#include "iter/recon/recon_terms.h"
#include "iter/recon/recon_words.h"

/**
 * The kinds of terms of -R, one row each. The rows are used by the parser of -R, by error checks, help,
 * completion and tests, and for choosing an algorithm and a factor. A new term is a row of recon_kinds[],
 * with a function that creates it.
 */

enum recon_factor {
	FACTOR_NONE,
	FACTOR_FIXED, // of a term of unknown value: no rule can choose it
	FACTOR_AUTO
};

/** Degree of homogeneity: g(a x) = a^degree g(x). */
enum recon_degree { DEGREE_COUNT, DEGREE_LENGTH, DEGREE_SQUARE };

/** The dims in which a term needs more than one element, as bits. EXTENT_SPACE: x, y and z, or the dims of
 * dims=. EXTENT_FRAMES: channel and time. */
enum recon_extent { EXTENT_VOXEL = 0, EXTENT_SPACE = 1, EXTENT_FRAMES = 2 };

/** Properties for the choice of an algorithm (iter/recon/recon_choose.c). */
enum recon_prefers {
	PREFERS_PROX, // its proximal operator takes one pass
	PREFERS_GRADIENT,
	PREFERS_BOUNDS,
	PREFERS_NONNEGATIVE, // bounds, too
	PREFERS_SUM,         // of magnitudes of voxels
	PREFERS_EDGES,       // lengths of differences or of coefficients
	PREFERS_WHOLE,       // its prox takes longer than the projections of a subset
	PREFERS_OPERATOR,    // the same, for the output of an operator
	PREFERS_COUNT,       // of voxels: not convex
	PREFERS_DENOISER,
	PREFERS_RED,
	PREFERS_DESCENT, // of asd-pocs
	RECON_PREFERENCES
};

/** The context in which a term is created. */
struct term_place {
	const struct algorithm *a;
	enum dtype type;
	int D;
	const long *dims;
	const double *spacing; // [mm]
	const struct recon_terms_files *files;
	long *bytes; // of arrays that terms keep: counted here
};

struct recon_kind {
	const char *name;
	const char *syntax; // without dims= and prior; optional parts in brackets
	const char *help;   // description in one phrase
	unsigned keys;
	enum recon_factor factor;
	enum recon_degree degree;
	unsigned extent; // enum recon_extent
	bool lengths;    // its differences are divided by the spacing
	bool noise;      // NAME:METHOD:.., a denoiser (iter/recon/recon_denoisers.h)
	bool from_prior; // it needs --prior
	long levels;     // at most so many; 0: as many as the volume has
	enum recon_prefers prefers;
	void (*create)(struct recon_terms *t, const struct recon_word *w, const struct term_place *at);
};

/** All kinds; the name of the last element is NULL. */
extern const struct recon_kind recon_kinds[];

/** recon_kind_find(): the row for a word NAME[:..]; NULL: unknown. recon_kind_of(): the row for `name`;
 * usage_error() that quotes the word `text` if unknown.
 */
extern const struct recon_kind *recon_kind_find(const char *word);
extern const struct recon_kind *recon_kind_of(const char *text, const char *name);

/** Texts about all kinds, malloc'd. recon_kinds_placeholder(): the placeholder of -R,
 * "tv:L|htv:L:delta=D|..". recon_kinds_details(): the list of kinds for the help, with explanations.
 * recon_kinds_prior_help(): the help of --prior. */
extern char *recon_kinds_placeholder(void);
extern char *recon_kinds_details(void);
extern char *recon_kinds_prior_help(void);

/** Names of the kinds selected by `is` (NULL: all), as "a, b or c" with the given conjunction. malloc'd. */
extern char *recon_kinds_names(bool (*is)(const struct recon_kind *k), const char *conjunction);

extern bool recon_kind_needs_prior(const struct recon_kind *k);
extern bool recon_kind_is_square(const struct recon_kind *k);

/** recon_terms_add() adds the term g(B x) and consumes g and B. recon_terms_move() changes the argument of a
 * term from x to x - prior. */
extern void recon_terms_add(struct recon_terms *t, struct functional *g, struct linop *B);
extern void recon_terms_move(struct recon_terms *t, struct iter_term *term, const struct recon_word *w,
        const struct term_place *at);

/** The volume of --prior in the type of the problem, repeated for each channel and time of the unknown.
 * malloc'd.
 */
extern void *recon_load_prior(const struct recon_word *w, const struct term_place *at);

#endif
