#ifndef CT_FBP_GRIDREC_GRIDREC_KERNELS_H
#define CT_FBP_GRIDREC_GRIDREC_KERNELS_H

#include <stdint.h>

/** Inner loops of gridrec.c. Every instruction set gives the same bits. Complex numbers are pairs of float32.
 * In `plus` and `minus`, real and imaginary parts are in separate arrays. */

enum {
	GRIDREC_WIDTH = 8,   // width of the gridding kernel [cells]
	GRIDREC_STEPS = 128, // entries of struct gridrec_table per cell
	GRIDREC_BLOCK = 64,  // samples per element of `block` in turn()
};

/** Values of the gridding kernel K in a table. With d = i / GRIDREC_STEPS, entry i contains K(j - 3 - d) for
 * j = 0..7. In x, each value is stored twice, for the real and the imaginary part. */
struct gridrec_table {
	float x[GRIDREC_STEPS + 1][2 * GRIDREC_WIDTH];
	float y[GRIDREC_STEPS + 1][GRIDREC_WIDTH];
};

/** Samples on a straight line through the middle of a grid. Positions are in cells, in fixed point with 32
 * fractional bits. The sample in the middle is taken from `plus`. */
struct gridrec_line {
	const struct gridrec_table *table;
	long n;                          // samples on each side of the middle
	const float *plus[2], *minus[2]; // n + 1 real and imaginary parts, from the middle on
	int64_t middle[2], step[2];      // position of the middle, step to the next sample
	float *grid;                     // at least 3 cells before and 4 cells behind every sample
	long pitch;                      // floats from one line of the grid to the next
};

struct gridrec_kernels {
	/**
	 * Multiplies a spectrum z by the phases e(i) of a shift, for i = 0..n:
	 *
	 *     plus[.][i] = z[i] e(i)
	 *     minus[.][i] = z[period - i] / e(i)
	 *     e(i) = one[i % GRIDREC_BLOCK] block[i / GRIDREC_BLOCK]
	 *
	 * The phases have modulus 1. `z` has period + 1 elements.
	 */
	void (*turn)(long n, long period, float *const plus[2], float *const minus[2], const float *z,
	        const float *one, const float *block);

	/** Adds each sample to the grid cells around its position, multiplied by the gridding kernel. */
	void (*spread)(const struct gridrec_line *l);

	/** Splits n products `z[i] * factor[i] * scale` into their real parts `re[i]` and imaginary parts
	 * `im[i]`. */
	void (*split)(long n, float *re, float *im, const float *z, const float *factor, float scale);
};

/** Returns the functions for the instruction set of this machine. */
extern const struct gridrec_kernels *gridrec_kernels(void);

#endif
