#ifndef NUM_LINE_SUM_KERN_H
#define NUM_LINE_SUM_KERN_H

#include <stdbool.h>

/** Compiled loops for sums of neighbours, along lines of float32 or float64. Results are bit-identical to
 * programs of num/line/line_kern.h. */

/** The largest number of pairs of lines in a star. A star has one pair for each of two or three dims. */
enum { STAR_PAIRS = 3 };

/** Rows that begin `step` bytes apart. */
struct star_rows {
	const char *at; // the first row
	long step;
};

/**
 * A star is a weighted sum of an element and of pairs of its neighbours:
 *   sum = (pair[0][0] + pair[0][1]) weight[0] + (pair[1][0] + pair[1][1]) weight[1] + ..
 *         + centre * own, added from left to right
 * The output is sum * scale + base if `scaled`, else sum.
 */
struct star {
	int pairs; // 2 or 3
	bool scaled;
	bool stream; // stores bypass the cache: for outputs, steps and lengths of whole vectors
	bool unit;   // all weights are 1
	/** The first pair is the elements before and after those of `centre`. pair[0] is not read. In each
	 * row, the element before the first one is *before, and the element after the last one is *after. */
	bool around;
	struct star_rows pair[STAR_PAIRS][2], centre, base, before, after;
	struct star_rows fetch;                       // prefetched with the rows
	long fetch_bytes;                             // of a row of `fetch`; 0 means nothing
	const void *weight[STAR_PAIRS], *own, *scale; // of the type of the elements
};

/** The lines of a box, in `rows` rows of `slices` lines. */
struct columns {
	int rows, slices;
	const char *const *line; // [rows slices], the lines of a row are consecutive
};

/** Element i of the result is the sum of in[i] to in[i + length - 1], from left to right. The sum is
 * multiplied by `factor` or divided by `divisor`; NULL means 1. */
struct along {
	int length;
	const char *in;
	const void *factor, *divisor;
};

struct sum_set {
	long least; // smallest number of elements of a line
	/** Computes `rows` rows of n elements. Row y of the output begins at out + y * step. */
	void (*star)(const struct star *s, char *out, long step, long n, long rows);
	/** Adds the lines of every row, then the sums of the rows from left to right. */
	void (*columns)(const struct columns *c, char *out, long n);
	void (*along)(const struct along *a, char *out, long n);
};

/** MEAN_SLICES is the number of slices computed together. MEAN_RADIUS is the largest radius of a box. */
enum { MEAN_SLICES = 4, MEAN_RADIUS = 2 };

/**
 * Computes `count` lines of means with radius r along dim 0, where `count <= MEAN_SLICES`: out[z] =
 * (X(rows[z]) + ... + X(rows[z + slices - 1])) / divisor, from left to right X(s)[k] = s[k] for r = 0 =
 * s[k-1] + (s[k] + s[k+1]) for r = 1 = s[k-2] + ((s[k-1] + s[k]) + (s[k+1] + s[k+2])) for r = 2
 */
struct mean_boxes {
	int r, slices, count;
	const double *const *rows;
	double divisor;
	float *const *out;
	bool stream; // writes past the cache: n is a multiple of 16, and lines of the output begin at 64
	             // bytes
};

/** Means over boxes of float32 elements, with sums in float64. */
struct mean_set {
	long least;   // smallest number of elements of a line
	bool streams; // whether boxes() can write past the cache
	/** Adds n rows from left to right. The row at `next` is prefetched; this address may be invalid. */
	void (*rows)(int n, const float *const row[], const float *next, double *out, long count);
	void (*boxes)(const struct mean_boxes *b, long n);
};

/** Element 0 is for float32, element 1 for float64. The AVX2 and AVX-512 kernels exist on x86-64 only. */
extern const struct sum_set sum_kern_plain[2], sum_kern_avx2[2], sum_kern_avx512[2];
extern const struct mean_set mean_kern_plain, mean_kern_avx2, mean_kern_avx512;

#endif
