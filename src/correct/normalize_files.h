#ifndef CORRECT_NORMALIZE_FILES_H
#define CORRECT_NORMALIZE_FILES_H

#include "correct/normalize_weights.h"
#include "misc/file/cfl.h"

/** Describes the weights to write. The member `noise` determines the weights. The member `w` is the
 * output file of the weights; NULL means that no weights are written. */
struct normalize_weighing {
	struct normalize_noise noise;
	struct cfl *w;
};

/** Normalises all views of x and writes the result to y. Writes the weights to v->w, if v->w is not NULL.
 * Runs on the GPU if the GPU is faster. Values outside the range of the type of y cause a warning. */
extern void normalize_files(struct normalizer *z, struct normalize_weighing *v, struct cfl *x, struct cfl *y);

#endif
