#ifndef NUM_EXPR_EXPR_FOLD_H
#define NUM_EXPR_EXPR_FOLD_H

#include "num/expr/cuda/expr_fold.h"
#include "num/kern/ops.h"

/** Returns how accumulators of reduction r over elements of type `work` are combined. */
extern enum expr_fold expr_fold_of(enum reduction r, enum dtype work);

#endif
