#ifndef CORRECT_NORMALIZE_FILES_H
#define CORRECT_NORMALIZE_FILES_H

#include "correct/normalize_weights.h"
#include "misc/file/cfl.h"

/** The noise that determines the weights, and the file of the weights; w NULL: no weights are written. */
struct normalize_weighing {
	struct normalize_noise noise;
	struct cfl *w;
};

/** Writes all views of x to y, normalised, and their weights to v->w. Runs on the GPU if that is faster.
 * Warns of values outside the range of the type of y. */
extern void normalize_files(struct normalizer *z, struct normalize_weighing *v, struct cfl *x, struct cfl *y);

#endif
