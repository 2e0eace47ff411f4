#ifndef CORRECT_NORMALIZE_FILES_H
#define CORRECT_NORMALIZE_FILES_H

#include "correct/normalize_weights.h"
#include "misc/file/cfl.h"

/** Weights that are written too; w NULL: none. */
struct normalize_weighing {
	struct normalize_noise noise;
	struct cfl *w;
};

/** All views of x into y, and their weights into v->w; on the GPU where that repays. Warns of values that the
 * type of y cannot hold. */
extern void normalize_files(struct normalizer *z, struct normalize_weighing *v, struct cfl *x, struct cfl *y);

#endif
