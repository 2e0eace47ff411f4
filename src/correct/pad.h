#ifndef CORRECT_PAD_H
#define CORRECT_PAD_H

/**
 * Adds columns to truncated projections at both ends. Without the added columns, the ramp filter sees a
 * jump at the ends.
 *
 * The added values depend on the mode:
 *
 *     edge    the last value
 *     cosine  the last value, falling to 0 as (1 + cos(pi j / (n + 1))) / 2
 *     mirror  the values before the end in reverse order, times the cosine factor
 *
 * At each end, the n added columns are numbered outwards, `j = 1 .. n`. The mode mirror is similar to
 * [1]. Unlike in [1], mirrored values are only multiplied by the cosine factor.
 *
 * [1] B. Ohnesorge, T. Flohr, K. Schwarz, J. P. Heiken, K. T. Bae, Efficient correction for CT image
 * artifacts caused by objects extending outside the scan field of view, Med. Phys. 27, 39 (2000).
 */
enum pad_mode { PAD_COSINE, PAD_EDGE, PAD_MIRROR };

extern const char pad_mode_names[]; // "cosine|edge|mirror"

/** Computes column i of the extended view, with -left <= i < n + right. The column is column `*at` of
 * the view, multiplied by the returned factor. */
extern double pad_column(enum pad_mode mode, long n, long left, long right, long i, long *at);

/** Extends one detector row. `in` has n values, and `out` has left + n + right values. */
extern void pad_line(enum pad_mode mode, long n, long left, long right, double *out, const double *in);

#endif
