#ifndef NUM_EXPR_OPENCL_EXPR_TEXT_H
#define NUM_EXPR_OPENCL_EXPR_TEXT_H

#include "misc/mem.h"
#include "num/expr/expr_loop.h"

/**
 * Source text of an OpenCL C kernel for one pass. A work-item computes one element, on processors a run of
 * elements. In a pass with reductions, a work-group reduces EXPR_OPENCL_PART elements.
 *
 * The kernel gantry_expr() has these parameters, in this order:
 * - the range of elements [first, last)
 * - `words` of 8 bytes: extents, steps of all lanes [bytes], scalars
 * - `counters` of 32 bits: one per output (values that do not fit), then one per check (outside the domain)
 * - `sums` of type `total` (library.cl): reductions of each part. Part 0 begins at element 0 of the pass.
 * - the buffer of each lane, and the offset of element 0 in the buffer [bytes]
 *
 * Every buffer is followed by the offset of its data (struct opencl_argument).
 */
enum { EXPR_OPENCL_THREADS = 256, EXPR_OPENCL_PART = 256 * 64 };

/** Returns whether all steps of a pass can be written in OpenCL C. */
extern bool expr_text_can(const struct expr_plan *p, const struct expr_pass *q);

/** Returns the number of elements of a work-item in a pass without reductions. Runs of several elements are
 * vectorised by the compiler of a processor; their work-groups have one work-item. */
extern int expr_text_items(const struct expr_pass *q);

/** Returns the source that follows library.cl. The caller frees the text. */
extern char *expr_text_of(const struct loop *l);

/** These functions return the length of the buffer `words` and fill the buffer. */
extern long expr_text_words(const struct loop *l);
extern void expr_text_fill(const struct loop *l, int64_t *words);

/* ---- parts of the text that all kernels of expressions share ---- */

/** Returns whether OpenCL computes in type t: float32, and float64 if the device supports it. */
extern bool expr_text_is_real(enum dtype t);
/** Returns whether arrays can have this type: float32, float64, bool or integers. */
extern bool expr_text_is_stored(enum dtype t);
/** Returns whether an operator, or a step of a pass, can be written in OpenCL C. */
extern bool expr_text_can_apply(enum op op, enum dtype work);
extern bool expr_text_can_step(const struct expr_plan *p, const struct step *s);

/** These functions return the name of type t in memory and as a value. */
extern const char *expr_text_memory_type(enum dtype t);
extern const char *expr_text_work_type(enum dtype t);
/** Returns the text in front of a value of type `from` that converts it to type `to`. A closing parenthesis
 * follows the value. */
extern const char *expr_text_convert_head(enum dtype to, enum dtype from);
/** Adds the value of type t in word `word` of `words`. */
extern void expr_text_word(struct str *s, long word, enum dtype t);
/** Adds the statements that store a value, and that count it in the variable `countK` if it does not fit,
 * where K is `output`. */
extern void expr_text_store(
        struct str *s, const char *place, enum dtype to, const char *value, enum dtype from, int output);

/** These functions declare the variables count0, ..., of n counters, and add them to the counters. */
extern void expr_text_begin_counts(struct str *s, int n);
extern void expr_text_add_counts(struct str *s, int n);

/** expr_text_begin_folds() declares the reductions sumK of a work-item, and its number t in the work-group.
 * expr_text_folds() combines the reductions of the work-group in a tree, and stores them in sums[], as those
 * of part `part`. */
extern void expr_text_begin_folds(struct str *s, const struct expr_pass *q);
extern void expr_text_folds(struct str *s, const struct expr_pass *q);

#endif
