#ifndef NUM_LINE_STENCIL_SUM_H
#define NUM_LINE_STENCIL_SUM_H

#include "num/expr/stencil.h"

/** A program that computes a sum of neighbours by a kernel of num/line/sum_kern.h. */
struct stencil_sum;

/** Returns NULL if the program p does not compute a sum of neighbours. */
extern struct stencil_sum *stencil_sum_find(const struct graph *g, const struct stencil_program *p);
extern void stencil_sum_free(struct stencil_sum *s);

/** These functions work like stencil_lines_is_box(), stencil_lines_room(),
 * stencil_lines_streams(), stencil_lines_run(), stencil_lines_take_bands() and
 * stencil_lines_run_band(). */
extern bool stencil_sum_is_box(const struct stencil_sum *s, long n);
extern size_t stencil_sum_room(const struct stencil_sum *s, long n);
extern bool stencil_sum_streams(const struct stencil_sum *s, const char *root, long n);
extern bool stencil_sum_run(const struct stencil_sum *s, const unsigned char scalars[][16], char *room,
        const char *const leaf[], char *root, long n, const struct stencil_ends *ends, bool stream);
extern bool stencil_sum_takes_bands(const struct stencil_sum *s, long n, bool open);
extern void stencil_sum_run_band(
        const struct stencil_sum *s, const unsigned char scalars[][16], const struct stencil_band *b);

#endif
