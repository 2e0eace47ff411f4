#ifndef NUM_LINE_SUM_KERN_H
#define NUM_LINE_SUM_KERN_H

#include <stdbool.h>

/**
 * Frequent sums of neighbours as compiled loops over lines of float32 or float64. The loops apply the
 * operators of the steps of num/line/line_kern.h in the same order, and keep all values of an element in
 * registers.
 */

/** The largest number of pairs of lines of a star: a star has a pair for each of two or three dims. */
enum { STAR_PAIRS = 3 };

/** out = sum over pairs k of (pair[k][0] + pair[k][1]) weight[k], from left to right, + centre * own. If
 * `scaled`, this sum is replaced by sum * scale + base. */
struct star {
	int pairs; // 2 or 3
	bool scaled;
	const char *pair[STAR_PAIRS][2], *centre, *base;
	const void *weight[STAR_PAIRS], *own, *scale; // of the type of the elements
};

/** Lines of a box: `rows` sums of `slices` lines each. */
struct columns {
	int rows, slices;
	const char *const *line; // [rows slices], the slices of a row after each other
};

/** Sums along a line: in[i] to in[i + length - 1] from left to right. A sum is multiplied by `factor` or
 * divided by `divisor`, if one of these is not NULL. */
struct along {
	int length;
	const char *in;
	const void *factor, *divisor;
};

struct sum_set {
	long least; // elements of a line
	void (*star)(const struct star *s, char *out, long n);
	/** out = sum of the rows' sums, from left to right. */
	void (*columns)(const struct columns *c, char *out, long n);
	void (*along)(const struct along *a, char *out, long n);
};

/** Number of slices whose means are computed together, and the largest radius of a box. */
enum { MEAN_SLICES = 4, MEAN_RADIUS = 2 };

/** Lines of means: out[z] = sum over i < slices of X(rows[z + i]), from left to right, / divisor, for
 * z < count <= MEAN_SLICES. X(s)[k] is s[k] for r = 0, s[k-1] + (s[k] + s[k+1]) for r = 1, and
 * s[k-2] + ((s[k-1] + s[k]) + (s[k+1] + s[k+2])) for r = 2. */
struct mean_boxes {
	int r, slices, count;
	const double *const *rows;
	double divisor;
	float *const *out;
};

/** Means of boxes of float32 elements, with sums in float64. */
struct mean_set {
	long least; // elements of a line
	/** out = sum of n rows, from left to right. next: address of a row to prefetch into the cache; need
	 * not be valid. */
	void (*rows)(int n, const float *const row[], const float *next, double *out, long count);
	void (*boxes)(const struct mean_boxes *b, long n);
};

/** [0]: float32, [1]: float64. The kernels for AVX2 and AVX-512 exist on x86-64 only. */
extern const struct sum_set sum_kern_plain[2], sum_kern_avx2[2], sum_kern_avx512[2];
extern const struct mean_set mean_kern_plain, mean_kern_avx2, mean_kern_avx512;

#endif
