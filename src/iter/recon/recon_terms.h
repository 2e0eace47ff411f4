#ifndef ITER_RECON_RECON_TERMS_H
#define ITER_RECON_RECON_TERMS_H

#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_unit.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/** Regularisation terms of option -R, each written as `KIND[:VALUE]...[:KEY=VALUE]...`. */
struct recon_terms {
	int n;
	struct iter_term *term;
	void **owned;       // arrays that terms use; the list ends with NULL
	long bytes;         // size of these arrays
	int automatic;      // index of the first term whose factor is `auto`; -1 means none
	int automatic_end;  // index after the last term whose factor is `auto`
	bool square, edges; // whether the `auto` term is a sum of squares, or of lengths of differences
	double unit;        // value of 1n for the `auto` term; 1 if unknown
	bool relative;      // some factor is in units of the noise
};

/** Files and values used by the terms. NULL means that the option is missing. */
struct recon_terms_files {
	struct cfl *prior;             // --prior, a volume
	const char *denoiser;          // --denoiser, a command line
	const struct hdr *grid;        // header of the volume
	double automatic;              // value of the factor `auto`; 0 means 1
	const struct recon_unit *unit; // unit of factors such as 0.5n; NULL means not yet known
	bool dry_run;                  // the prior is replaced by 0, and no program is run
};

/** The options -R, --prior and --denoiser. `placeholder` is the result of recon_kinds_placeholder().
 * `prior_help` is the result of recon_kinds_prior_help(). */
#define OPT_TERMS(list, placeholder, prior_ptr, prior_help, denoiser_ptr)                                    \
	OPT_STRINGS('R', "regularise", list, placeholder, "add a regularisation term (repeatable)"),         \
	        OPT_ARRAY(0, "prior", prior_ptr, "P", prior_help),                                           \
	        OPT_COMMAND(0, "denoiser", denoiser_ptr, "COMMAND",                                          \
	                "of -R pnp:external and red:external: 'program {in} {out} [{sigma}]'")

/** Shape of the unknown of one problem. The unknown is a volume (x, y, z), or the volumes of all channels and
 * times. */
struct recon_unknown {
	enum dtype type;
	int D;                // 3, or 5 with channel and time
	long dims[DIMS];      // 1 for dims D and above
	double spacing[DIMS]; // [mm]; the spacing of channel and time is that of the header
};

/** Returns true if a term couples the channels or times of a volume with these dims. If `words` is empty, the
 * default terms of the algorithm are used. An invalid argument is a usage_error(). */
extern bool recon_terms_couple(
        const struct opt_list *words, const struct algorithm *a, const long dims[DIMS]);

/** Creates the terms in a form that the algorithm supports. The arguments of -R are in `words`. If `words` is
 * empty, the default terms of the algorithm are used. An invalid argument is a usage_error(). */
extern void recon_terms_create(struct recon_terms *t, const struct opt_list *words, const struct algorithm *a,
        const struct recon_terms_files *files, const struct recon_unknown *x);
extern void recon_terms_free(struct recon_terms *t);
#endif
