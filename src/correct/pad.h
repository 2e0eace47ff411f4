#ifndef CORRECT_PAD_H
#define CORRECT_PAD_H

/**
 * Extends truncated projections by columns, so that the ramp filter sees no jump at the ends:
 *
 *     edge    the last value
 *     cosine  the last value, falling to 0 as (1 + cos(pi j / (n + 1))) / 2
 *     mirror  the values before the end in reverse order, times the cosine factor [1]
 *
 * [1] B. Ohnesorge, T. Flohr, K. Schwarz, J. P. Heiken, K. T. Bae, Efficient correction for CT image
 * artifacts caused by objects extending outside the scan field of view, Med. Phys. 27, 39 (2000), with plain
 * mirror images.
 */
enum pad_mode { PAD_COSINE, PAD_EDGE, PAD_MIRROR };

extern const char pad_mode_names[]; // "cosine|edge|mirror"

/** Column i of the extended view, -left <= i < n + right, is the returned factor times column *at. */
extern double pad_column(enum pad_mode mode, long n, long left, long right, long i, long *at);

/** out[left + n + right] = in[n], extended. */
extern void pad_line(enum pad_mode mode, long n, long left, long right, double *out, const double *in);

#endif
