#ifndef CT_FBP_CUDA_WEIGH_H
#define CT_FBP_CUDA_WEIGH_H

#include <stdbool.h>

#include "ct/fbp/fbp_weigh.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Tables of weights on the device, for consecutive views. */
struct weigh {
	const struct fbp_column *column; /* (cols, views) */
	const struct fbp_rays *rays;     /* [views] */
	long cols, rows, views;
	long wide, left; /* columns of what is written, and of them before the first; the others become 0 */
	bool parallel;   /* no cosines */
};

/** q (wide, rows, views) = line integrals p (cols, rows, views) times the weights of their rays, as in
 * fbp_filter(); both reside on the device. is_double: float64, else float32. */
extern void weigh_views(const struct weigh *w, bool is_double, void *q, const void *p);

/** out (wide, lines) = in (n, lines), zero-padded, n <= wide; both on the device, without overlap. */
extern void weigh_pad(bool is_double, void *out, long wide, const void *in, long n, long lines);

#ifdef __cplusplus
}
#endif

#endif
