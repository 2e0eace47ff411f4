#ifndef LINOPS_RESAMPLE_KERNELS_H
#define LINOPS_RESAMPLE_KERNELS_H

#include "linops/resample/resample.h"
#include "num/kern/interpolation.h"

/** Inner loops of resampling for the instruction set of this machine. Results are bit-identical for all
 * instruction sets. */

enum {
	RESAMPLE_BLOCK = 64,   // largest number of voxels in one call
	RESAMPLE_LANES = 8,    // elements along x that the widest kernel reads for one voxel
	RESAMPLE_TABLE = 2048, // fractions of a voxel in the table of Lanczos weights
};

/**
 * A window is a box of interpolation coefficients in memory. The coefficient of input element (x, y, z) is:
 *
 *     window[(x - lo[0]) + (y - lo[1]) sy + (z - lo[2]) sz]
 */
struct resample_window {
	enum resample_kernel kernel;
	const void *table;     // Lanczos weights: RESAMPLE_LANES for each of RESAMPLE_TABLE + 1 fractions
	double lo[3], last[3]; // first input index in the window; last index of the input
	long sy, sz;           // strides of the window along y and z
	long ahead;            // prefetch distance [elements]
};

#define RESAMPLE_KERNELS(REAL)                                                                               \
	/** Copies n elements, where `out` may equal `in`. Returns whether all elements are finite. */       \
	bool (*copy)(long n, REAL *out, const REAL *in);                                                     \
	/** Computes place[d][i] = at[d] + (first + i) step[d] for n <= RESAMPLE_BLOCK voxels. */            \
	void (*row)(long n, double place[3][RESAMPLE_BLOCK], const double at[3], const double step[3],       \
	        long first);                                                                                 \
	/** Applies a symmetric filter: h[k] multiplies in[i - k stride] and in[i + k stride]. */            \
	void (*fir)(long n, REAL *out, const REAL *in, long stride, long radius, const REAL *h);             \
	/** Interpolates at n <= RESAMPLE_BLOCK positions, given in voxels of the input. */                  \
	void (*gather)(const struct resample_window *w, long n, REAL *out, const REAL *window,               \
	        const double place[3][RESAMPLE_BLOCK]);                                                      \
	/** Applies the transpose of gather() and adds the result to window planes [z0, z1). */              \
	void (*spread)(const struct resample_window *w, long n, REAL *window, const REAL *in,                \
	        const double place[3][RESAMPLE_BLOCK], long z0, long z1)

/** Kernels that compute in float32. */
struct resample_kernels_float {
	RESAMPLE_KERNELS(float);
};

/** Kernels that compute in float64. */
struct resample_kernels_double {
	RESAMPLE_KERNELS(double);
};

/** These functions return the kernels for the instruction set of this machine. */
extern const struct resample_kernels_float *resample_kernels_float(void);
extern const struct resample_kernels_double *resample_kernels_double(void);

/** Returns the index of the element nearest to position x, limited to 0 .. last. */
static inline double resample_nearest_of(double x, double last)
{
	const double v = interpolation_nearest(x);

	return (v < 0.) ? 0. : (v > last) ? last : v;
}

#endif
