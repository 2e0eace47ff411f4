#ifndef ITER_RECON_TERMS_H
#define ITER_RECON_TERMS_H

#include "iter/algorithm.h"
#include "misc/opt.h"

/** Regularisation terms from words KIND[:VALUE]..[:KEY=VALUE].. */
struct recon_terms {
	int n;
	struct iter_term *term;
};

/** -R of the commands that take terms. */
#define OPT_TERMS(list)                                                                                      \
	OPT_STRINGS('R', "regularise", list, "KIND:VALUE[:KEY=VALUE..]",                                     \
	        "adds a term (again and again): tv, htv, wavelet, l1, l2, smooth, box, nonneg")

#define TERMS_DETAILS                                                                                        \
	"Terms, L being a factor: tv:L[:aniso][:dims=x,y] total variation; htv:L:delta=D the same with "     \
	"Huber's "                                                                                           \
	"function of the differences [1/mm^2], which has a gradient; "                                       \
	"wavelet:L[:levels=N][:family=haar|db2|db4] "                                                        \
	"the sum of the magnitudes of wavelet coefficients; l1:L of the voxels; l2:L half their squares; "   \
	"smooth:L[:dims=x,y] half the squares of differences; box:LO:HI bounds [1/mm]; nonneg. Differences " \
	"are "                                                                                               \
	"per mm, along x, y and z as far as there is more than one voxel."

/**
 * The terms of a volume of those dims and spacing, in a form that the algorithm takes: with an operator, or
 * with a proximal operator of its own. usage_error() where a word makes no sense.
 */
extern void recon_terms_create(struct recon_terms *t, const struct opt_list *words, const struct algorithm *a,
        enum dtype type, const long dims[3], const double spacing[3]);
extern void recon_terms_free(struct recon_terms *t);

#endif
