#ifndef CT_FBP_CUDA_WEIGH_H
#define CT_FBP_CUDA_WEIGH_H

#include <stdbool.h>

#include "ct/fbp/fbp_weigh.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Ray weights of consecutive views. The tables reside on the device. */
struct weigh {
	const struct fbp_column *column; /* (wide, views) */
	const struct fbp_rays *rays;     /* [views] */
	long cols, rows, views;          /* size and number of the unfiltered views */
	long wide, left;                 /* columns of the output, and of the output left of the detector */
	bool parallel;                   /* parallel beam: no cosine factor */
};

/** Multiplies line integrals p by the weights of their rays, as in fbp_filter(). `p` has the shape (cols,
 * rows, views). `q`, the result, has the shape (wide, rows, views). The arrays reside on the device. If
 * is_double, the arrays are float64, otherwise float32. */
extern void weigh_views(const struct weigh *w, bool is_double, void *q, const void *p);

/** Pads each line of n elements with zeros to `wide` elements. `in` has the shape (n, lines), and `out` has
 * the shape (wide, lines). The arrays reside on the device and must not overlap. If is_double, the arrays
 * are float64, otherwise float32. */
extern void weigh_pad(bool is_double, void *out, long wide, const void *in, long n, long lines);

#ifdef __cplusplus
}
#endif

#endif
