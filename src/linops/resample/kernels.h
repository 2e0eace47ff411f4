#ifndef LINOPS_RESAMPLE_KERNELS_H
#define LINOPS_RESAMPLE_KERNELS_H

#include "linops/resample/resample.h"
#include "num/kern/interpolation.h"

/** Inner loops of resampling for the instruction set of this machine; every set gives the same bits. */

enum {
	RESAMPLE_BLOCK = 64,   // voxels at a time
	RESAMPLE_LANES = 8,    // of a row of the widest kernel
	RESAMPLE_TABLE = 2048, // steps of a voxel in a table of weights
};

/** A window of coefficients: element (x, y, z) of the input at window[(x - lo0) + (y - lo1) sy + (z - lo2)
 * sz]. */
struct resample_window {
	enum resample_kernel kernel;
	const void *table;     // weights of Lanczos, RESAMPLE_LANES for each of RESAMPLE_TABLE + 1 fractions
	double lo[3], last[3]; // last: n - 1 of the input, to which the nearest voxel is clamped
	long sy, sz;
	long ahead; // elements from what a voxel needs to what the one in the next plane needs: fetched early
};

#define RESAMPLE_KERNELS(REAL)                                                                               \
	/** Copies n elements (also in place), and returns whether all of them are finite. */                \
	bool (*copy)(long n, REAL *out, const REAL *in);                                                     \
	/** place[d][i] = at[d] + (first + i) step[d], for n <= RESAMPLE_BLOCK voxels of a row. */           \
	void (*row)(long n, double place[3][RESAMPLE_BLOCK], const double at[3], const double step[3],       \
	        long first);                                                                                 \
	/** out[i] = h[0] in[i] + sum of h[k] (in[i - k stride] + in[i + k stride]), 0 < k <= radius. */     \
	void (*fir)(long n, REAL *out, const REAL *in, long stride, long radius, const REAL *h);             \
	/** Interpolates the values at n <= RESAMPLE_BLOCK positions [voxels of the input]. */               \
	void (*gather)(const struct resample_window *w, long n, REAL *out, const REAL *window,               \
	        const double place[3][RESAMPLE_BLOCK]);                                                      \
	/** The transpose of the interpolation: adds to planes [z0, z1) of the window. */                    \
	void (*spread)(const struct resample_window *w, long n, REAL *window, const REAL *in,                \
	        const double place[3][RESAMPLE_BLOCK], long z0, long z1)

struct resample_kernels_float {
	RESAMPLE_KERNELS(float);
};

struct resample_kernels_double {
	RESAMPLE_KERNELS(double);
};

extern const struct resample_kernels_float *resample_kernels_float(void);
extern const struct resample_kernels_double *resample_kernels_double(void);

/** The element nearest to a position. */
static inline double resample_nearest_of(double x, double last)
{
	const double v = interpolation_nearest(x);

	return (v < 0.) ? 0. : (v > last) ? last : v;
}

#endif
