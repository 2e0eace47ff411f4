#ifndef CT_FBP_LINE_KERNELS_H
#define CT_FBP_LINE_KERNELS_H

#include "ct/fbp/fbp_weigh.h"

/** The filter's passes over a line of a view, for the instruction set of this machine; every set gives the
 * same bits. */
struct line_kernels {
	/** q[i] = p[i] w[i], rounded once; n elements. */
	void (*weigh_float)(long n, float *q, const float *p, const double *w);
	void (*weigh_double)(long n, double *q, const double *p, const double *w);

	/** w[i] = weight of column i times the cosine of its ray in row b (fbp_cosine()): `column` contains n
	 * weights, then n values of each of the three components of d. */
	void (*rays)(long n, double *w, const double *column, const struct fbp_rays *rays, long b);

	/** out[i] = own[i] z[i] + other[i] z[n + 1 - i], 0 <= i < n; z has n + 2 elements. */
	void (*mix_float)(long n, float *out, const float *z, const float *own, const float *other);
	void (*mix_double)(long n, double *out, const double *z, const double *own, const double *other);
};
extern const struct line_kernels *line_kernels(void);

#endif
