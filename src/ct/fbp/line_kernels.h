#ifndef CT_FBP_LINE_KERNELS_H
#define CT_FBP_LINE_KERNELS_H

#include "ct/fbp/fbp_weigh.h"

/** Inner loops of the filter over one detector row. Every instruction set gives the same bits. */
struct line_kernels {
	/** Computes `q[i] = p[i] * w[i]` for n elements. */
	void (*weigh_float)(long n, float *q, const float *p, const double *w);
	void (*weigh_double)(long n, double *q, const double *p, const double *w);

	/** Computes `q[i] += w[i] * value` for n elements. */
	void (*fill_float)(long n, float *q, double value, const double *w);
	void (*fill_double)(long n, double *q, double value, const double *w);

	/** Computes the weights w[i] of the rays in row b. Each weight is weight[i] times fbp_cosine() of
	 * column i. `d` contains n values of each component of fbp_column.d. */
	void (*rays)(long n, double *w, const double *weight, const double *d, const struct fbp_rays *rays,
	        long b);

	/** Computes `out[i] = own[i] * z[i] + other[i] * z[n + 1 - i]` for `i < n`. `z` has n + 2
	 * elements. */
	void (*mix_float)(long n, float *out, const float *z, const float *own, const float *other);
	void (*mix_double)(long n, double *out, const double *z, const double *own, const double *other);
};

/** Returns the functions for the instruction set of this machine. */
extern const struct line_kernels *line_kernels(void);

#endif
