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
	void **owned;       // arrays that terms use; NULL ends them
	long bytes;         // of those
	int automatic;      // the first term whose factor is auto, -1: none
	int automatic_end;  // behind the last one
	bool square, edges; // of the term whose factor is auto: squares; lengths of differences
	double unit;        // of the factor that is auto: what 1n is; 1 where the unit is unknown
	bool relative;      // some factor is in units of the noise
};

/** What words refer to; NULL: not given. */
struct recon_terms_files {
	struct cfl *prior;             // --prior, a volume
	const char *denoiser;          // --denoiser, a command line
	const struct hdr *grid;        // of the volume
	double automatic;              // the factor that is auto; 0: 1
	const struct recon_unit *unit; // of factors as 0.5n; NULL: unknown yet
	bool rehearsal;                // of another volume: the prior is taken for 0, no program is run
};

/** -R of the commands that take terms. */
#define OPT_TERMS(list, prior_ptr, denoiser_ptr)                                                             \
	OPT_STRINGS('R', "regularise", list,                                                                 \
	        "tv:L|htv:L:delta=D|awtv:L:delta=D|piccs:L|dtv:L|tgv:L|ictv:L|tnv:L|wavelet:L|shearlet:L|"   \
	        "l1:L|l2:L|l0:L|l21:L|nuclear:L|smooth:L|box:LO:HI|nonneg|pnp:METHOD:S|red:METHOD:S:L",      \
	        "add a regularisation term (repeatable)"),                                                   \
	        OPT_ARRAY(0, "prior", prior_ptr, "P",                                                        \
	                "the prior image of piccs, dtv and of terms with the key prior"),                    \
	        OPT_COMMAND(0, "denoiser", denoiser_ptr, "COMMAND",                                          \
	                "of -R pnp:external and red:external: 'program {in} {out} [{sigma}]'")

#define TERMS_DETAILS                                                                                        \
	"Terms, L being a factor: tv:L[:aniso] total variation; htv:L:delta=D the same with Huber's "        \
	"function of the differences [1/mm^2], which has a gradient; tgv:L[:ratio=R] total generalised "     \
	"variation, second differences times R [mm] (2 voxels), and ictv:L[:ratio=R] the infimal "           \
	"convolution of first and second differences; wavelet:L[:levels=N][:family=haar|db2|db4] and "       \
	"shearlet:L[:levels=N] (of images) the sum of the magnitudes of coefficients; l1:L of the voxels; "  \
	"l2:L half their squares; l0:L the number of voxels that are not 0; smooth:L half the squares of "   \
	"differences; l21:L the sum over voxels of the root of the sum of squares over channels and times; " \
	"nuclear:L the sum of singular values of the matrix of voxels and of channels and times; tnv:L "     \
	"total nuclear variation, the sum over voxels of the singular values of gradients in all channels "  \
	"and times; box:LO:HI bounds [1/mm]; nonneg. Differences are per mm, along x, y and z as far as "    \
	"there is more than one voxel, or along those of dims=x,y: all terms take it but l1, l2, l0, box "   \
	"and nonneg. dims=x,y,z,time (or channel) couples all channels and times into one problem; "         \
	"dims=x,y,time=0.5 multiplies differences along time by 0.5. asd-pocs and its variants also take "   \
	"awtv:L:delta=D, differences [1/mm^2] well above D being left alone. piccs:L[:alpha=A][:aniso] is "  \
	"A "                                                                                                 \
	"(0.5) times the total variation of the difference from --prior and 1 - A times that of the "        \
	"volume. "                                                                                           \
	"dtv:L[:eta=E] counts of gradients what does not lie along those of --prior, whose directions fade " \
	"below E [1/mm^2] (their root mean square). With the key prior, as in tv:L:prior, a term is that "   \
	"of "                                                                                                \
	"the difference from --prior. pnp:METHOD:S puts a denoiser in the place of a proximal operator, "    \
	"METHOD being median (no S), nlm, wavelet, tv or external, S [1/mm] the standard deviation of the "  \
	"noise that it takes away; red:METHOD:S:L is the term with the gradient L (x - denoised x). Keys: "  \
	"median takes radius, nlm patch, search and strength, wavelet levels, family and spins. L may be "   \
	"auto in one of them but tgv, ictv, pnp and red: --rule chooses it. With an n, as in tv:0.5n, L is " \
	"in units of the noise (times sigma s h in tv, s^2 being the median over voxels of sum_i a_ij^2 "    \
	"and "                                                                                               \
	"h the spacing), so that one value fits data of any noise, scale and voxel size."

/** What is solved for at once: a volume (x, y, z), or all channels and times of one. */
struct recon_unknown {
	enum dtype type;
	int D;                // 3, or 5 with channel and time
	long dims[DIMS];      // 1 from D on
	double spacing[DIMS]; // [mm]; of channel and time as in the header
};

/** Whether one of the words, or of those of the algorithm where there are none, couples the channels or times
 * of a volume of those dims. usage_error() as below. */
extern bool recon_terms_couple(
        const struct opt_list *words, const struct algorithm *a, const long dims[DIMS]);

/**
 * The terms of an unknown, those of the algorithm where there are no words, in a form that the algorithm
 * takes: with an operator, or with a proximal operator of its own. usage_error() where a word makes no sense.
 */
extern void recon_terms_create(struct recon_terms *t, const struct opt_list *words, const struct algorithm *a,
        const struct recon_terms_files *files, const struct recon_unknown *x);
extern void recon_terms_free(struct recon_terms *t);
#endif
