#ifndef NUM_EXPR_GPU_STENCIL_SLIDES_H
#define NUM_EXPR_GPU_STENCIL_SLIDES_H

#include "misc/mem.h"
#include "num/expr/stencil.h"

/** Generated kernels compute one element at a time, and therefore need some steps of a program several times.
 * A slide is a distance along dim 0 at which the value of a step is needed. */
struct slides {
	int n;
	long *at;
};

/** Maximum number of values of a program in a kernel, and maximum number of elements of a window. */
enum { STENCIL_VALUES_MOST = 8000, STENCIL_WINDOW_MOST = 4096 };

/** Returns the slides of each of the p->n steps, or NULL if the program needs more than STENCIL_VALUES_MOST
 * values. Steps that count values have slide 0, where the CPU counts. */
extern struct slides *stencil_slides_create(const struct stencil *st, const struct stencil_program *p);
extern void stencil_slides_free(struct slides *s, int n);

/** Adds the name of the value of a step at a slide. */
extern void stencil_put_name(struct str *s, int step, long slide);

/** Returns the statements of a function of i and n that maps positions outside of [0, n) by the edge rule.
 * The result -1 means no element. */
extern const char *stencil_edge_text(enum expr_edge edge);

/** Returns the root of p that gives the value of a node of the graph, or NULL. */
extern const struct stencil_root *stencil_root_of(const struct stencil_program *p, int node);

/** Returns how far, along dim 2, results reach into an input [slices]. */
extern long stencil_input_halo(const struct stencil *s, int input);

#endif
