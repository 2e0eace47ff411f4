#ifndef ITER_RECON_RECON_TERMS_H
#define ITER_RECON_RECON_TERMS_H

#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_unit.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/** Regularisation terms from words KIND[:VALUE]..[:KEY=VALUE].. */
struct recon_terms {
	int n;
	struct iter_term *term;
	void **owned;      // arrays that terms use, terminated by NULL
	long bytes;        // size of these arrays
	int automatic;     // index of the first term whose factor is auto; -1: none
	int automatic_end; // index after the last one
	bool square,
	        edges; // whether the term whose factor is auto consists of squares; of lengths of differences
	double unit;   // value of 1n for the factor that is auto; 1 if unknown
	bool relative; // some factor is in units of the noise
};

/** Files and values that the words refer to; NULL: not given. */
struct recon_terms_files {
	struct cfl *prior;             // --prior, a volume
	const char *denoiser;          // --denoiser, a command line
	const struct hdr *grid;        // of the volume
	double automatic;              // the factor that is auto; 0: 1
	const struct recon_unit *unit; // of factors such as 0.5n; NULL: not yet known
	bool dry_run; // dry run on another volume: the prior is replaced by 0, no program is run
};

/** -R, --prior and --denoiser of the commands that take terms. The arguments placeholder and prior_help are
 * the results of recon_kinds_placeholder() and recon_kinds_prior_help() (iter/recon/recon_kinds.h). */
#define OPT_TERMS(list, placeholder, prior_ptr, prior_help, denoiser_ptr)                                    \
	OPT_STRINGS('R', "regularise", list, placeholder, "add a regularisation term (repeatable)"),         \
	        OPT_ARRAY(0, "prior", prior_ptr, "P", prior_help),                                           \
	        OPT_COMMAND(0, "denoiser", denoiser_ptr, "COMMAND",                                          \
	                "of -R pnp:external and red:external: 'program {in} {out} [{sigma}]'")

/** The unknown of one problem: a volume (x, y, z), or the volumes of all channels and times. */
struct recon_unknown {
	enum dtype type;
	int D;                // 3, or 5 with channel and time
	long dims[DIMS];      // 1 from D on
	double spacing[DIMS]; // [mm]; of channel and time as in the header
};

/** Whether a term couples the channels or times of a volume of these dims. Without words, the algorithm's
 * default terms are used. usage_error() as for recon_terms_create(). */
extern bool recon_terms_couple(
        const struct opt_list *words, const struct algorithm *a, const long dims[DIMS]);

/**
 * Creates the terms for the unknown x in a form that the algorithm supports: with an operator B, or with a
 * proximal operator. Without words, the algorithm's default terms are used. usage_error() for an invalid
 * word.
 */
extern void recon_terms_create(struct recon_terms *t, const struct opt_list *words, const struct algorithm *a,
        const struct recon_terms_files *files, const struct recon_unknown *x);
extern void recon_terms_free(struct recon_terms *t);
#endif
