#ifndef ITER_RECON_RECON_DATA_H
#define ITER_RECON_RECON_DATA_H

#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_spectrum.h"

/** A data model, as chosen by option --data. Most models are functionals of A x. */
struct recon_data;

// clang-format off
#define OPT_DATA(text) { 0, "data", OPT_KIND_STRING, text, \
	"l2|weighted|poisson:I0[:counts]|kl|huber:D|transmission:I0[:counts]|polychromatic:I0[:counts]", \
	"measure of the data (default: l2)", OPT_ONCE, 0, 0, 0 }
// clang-format on

#define DATA_DETAILS                                                                                         \
	"l2\t1/2 |A x - y|^2\n"                                                                              \
	"weighted\t"                                                                                         \
	"1/2 |A x - y|^2_W with W of --weights (default: exp(-y), scaled to maximum 1)\n"                    \
	"poisson:I0[:counts]\t"                                                                              \
	"the likelihood of transmission counts. PROJ holds line integrals y, which "                         \
	"are converted to counts I0 exp(-y); or counts, by its header or by :counts\n"                       \
	"kl\t"                                                                                               \
	"the likelihood of emission counts y with mean A x\n"                                                \
	"huber:D\tHuber loss of A x - y with threshold D\n"                                                  \
	"transmission:I0[:counts]\t1/2 |I0 exp(-A x) - n|^2_W for counts n, W = 1 / max(n, 1); for irgnm "   \
	"and lm\n"                                                                                           \
	"polychromatic:I0[:counts]\t"                                                                        \
	"like transmission, for a spectrum: the counts are I0 sum_E w(E) exp(-A x mu(E) / "                  \
	"mu(E0)), w of --spectrum and mu of --attenuation. The volume is that of --energy E0. --material2 "  \
	"and "                                                                                               \
	"--fraction add a second material whose share of each voxel is known\n"

/** Returns true if the projections y are counts. The projections are counts for the model kl and for all
 * models with :counts. If text is NULL, returns true for the algorithms that require counts (mlem, osem). */
extern bool recon_data_is_counts(const char *text, const struct algorithm *a);

/** Returns a copy of `text`. The caller frees the copy. If `counts` is true, ":counts" is appended to
 * transmission models. Returns NULL if `text` is NULL. */
extern char *recon_data_of(const char *text, bool counts);

/** Returns true if the model compares counts with a nonlinear function of A x. */
extern bool recon_data_is_nonlinear(const char *text);

/** Returns true if the model is the Poisson likelihood of emission counts. The negative log-likelihood is
 * infinite if a ray with counts has an expected count of 0. */
extern bool recon_data_is_emission(const char *text);

/** Returns true if the model is |A x - y|^2, with or without weights. */
extern bool recon_data_is_squares(const char *text);

/** Returns true if the model is a Poisson likelihood. The curvature of a Poisson likelihood is the inverse
 * variance of a ray. */
extern bool recon_data_knows_noise(const char *text);

/** Returns true if the model is weighted least squares. */
extern bool recon_data_is_weighted(const char *text);

/** Creates the data model described by `text`; NULL means l2. Returns NULL if the algorithm itself implements
 * the model. The caller keeps y, W and `spectrum`. A NULL `spectrum` means no spectrum. An invalid text is a
 * usage_error(). */
extern struct recon_data *recon_data_create(const char *text, const struct algorithm *a,
        const struct linop *A, const void *y, const struct weights *W, const struct recon_spectrum *spectrum);
/** Returns the functional of A x, or NULL for least squares and nonlinear models. */
extern const struct functional *recon_data_functional(const struct recon_data *d);
/** Sets the data model of a problem. For a nonlinear model, sets the operator F, the counts y and the
 * weights. For other models, sets the functional of A x. The projections p->y must be those given to
 * recon_data_create(). */
extern void recon_data_into(const struct recon_data *d, struct iter_problem *p);
/** Returns true if the functional contains the weights W. */
extern bool recon_data_takes_weights(const struct recon_data *d);
extern void recon_data_free(struct recon_data *d);

#endif
