#ifndef CT_FBP_GRIDREC_GRIDREC_KERNELS_H
#define CT_FBP_GRIDREC_GRIDREC_KERNELS_H

#include <stdint.h>

/** The inner loops of gridrec.c, for the instruction set of this machine; every set gives the same bits.
 * Complex numbers are pairs of float32, except samples, whose real and imaginary parts are in separate
 * arrays. */

enum {
	GRIDREC_WIDTH = 8,   // of the gridding kernel [cells]
	GRIDREC_STEPS = 128, // entries of its table per cell
	GRIDREC_BLOCK = 64,  // samples that share an entry of the table of phases
};

/** Table of the gridding kernel K: entry i contains K(j - 3 - d), j = 0..7, with d = i / GRIDREC_STEPS. In
 * x, each value is stored twice, for real and imaginary parts. */
struct gridrec_table {
	float x[GRIDREC_STEPS + 1][2 * GRIDREC_WIDTH];
	float y[GRIDREC_STEPS + 1][GRIDREC_WIDTH];
};

/** Samples on a straight line through the middle of a grid: positions in cells, with 32 binary digits after
 * the point. */
struct gridrec_line {
	const struct gridrec_table *table;
	long n;                          // samples on each side of the middle
	const float *plus[2], *minus[2]; // parts of n + 1 each, from the middle on, which counts once
	int64_t middle[2], step[2];
	float *grid; // every sample lies at least 3 cells from the first and 4 from the last
	long pitch;  // from line to line [floats]
};

struct gridrec_kernels {
	/** For i = 0..n: plus[.][i] = real and imaginary part of z[i] e(i), and minus[.][i] = those of
	 * z[period - i] / e(i). z has period + 1 elements. The phases are e(i) = one[i % GRIDREC_BLOCK]
	 * block[i / GRIDREC_BLOCK], of modulus 1. */
	void (*turn)(long n, long period, float *const plus[2], float *const minus[2], const float *z,
	        const float *one, const float *block);

	/** Adds the samples to the grid, each multiplied by the kernel around its position. */
	void (*spread)(const struct gridrec_line *l);

	/** re[i] and im[i] = real and imaginary part of z[i] times factor[i] scale, i = 0..n-1. */
	void (*split)(long n, float *re, float *im, const float *z, const float *factor, float scale);
};
extern const struct gridrec_kernels *gridrec_kernels(void);

#endif
