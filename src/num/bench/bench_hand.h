#ifndef NUM_BENCH_BENCH_HAND_H
#define NUM_BENCH_BENCH_HAND_H

#include <stdbool.h>

/**
 * The handwritten loops for comparison (bench_loops.inc). The loops are compiled for this machine at run
 * time, with $CC -O3 -march=native. Without a compiler, the loops compiled with this program are used.
 */

/** r[i] = f(x[i], y[i], z[i]); the loop determines the types and the operands that are used. */
typedef void hand_loop_fn(long n, void *r, const void *x, const void *y, const void *z);
/** A sum over x[i], y[i]. */
typedef double hand_sum_fn(long n, const void *x, const void *y);
/** Permutes the dims of `in` (dims n, float32, contiguous) in blocks. Dim i of `out` is dim order[i] of `in`.
 */
typedef void hand_permute_fn(float *out, const float *in, const long n[3], const int order[3]);
/** out (dims n, contiguous) = the elements of in at steps s [elements]. */
typedef void hand_strided_fn(float *out, const float *in, const long n[3], const long s[3]);
/** Sums in[i + n j], either over i into out[j] or over j into out[i]. */
typedef void hand_reduce_fn(float *out, const float *in, long n, long m);
/** out = a stencil over in (dims n, float32, contiguous); neighbours beyond a border are the nearest element.
 */
typedef void hand_stencil_fn(float *out, const float *in, const long n[3]);
/** out = a stencil as above, over all elements up to `radius` away along each dim. */
typedef void hand_window_fn(float *out, const float *in, const long n[3], long radius);
/** Renders a volume of uint16 (dims n) with parallel rays. Sample k of pixel (x, y) is at ray[0] + x ray[1] +
 * y ray[2] + k ray[3] [voxels]. table[k] contains red, green, blue and opacity of value 16 k. The result per
 * pixel is red, green and blue, each times opacity, and the opacity. */
typedef void hand_volren_fn(float *picture, const long size[2], const float ray[4][3], const void *v,
        const long n[3], const float (*table)[4]);
typedef void hand_threads_fn(int n);

/** A row of the list: X(name, type of function) */
#define HAND_LOOPS(X)                                                                                        \
	X(threads, hand_threads_fn)                                                                          \
	X(triad, hand_loop_fn) /* r = 2 x + y */                                                             \
	X(copy, hand_loop_fn)  /* r = x */                                                                   \
	X(saxpy, hand_loop_fn) /* r = 0.001 x + r */                                                         \
	X(expr1, hand_loop_fn) /* x y */                                                                     \
	X(expr2, hand_loop_fn) /* x y + y */                                                                 \
	X(expr3, hand_loop_fn) /* x y + y / z */                                                             \
	X(expr4, hand_loop_fn) /* x y + y / z + x */                                                         \
	X(expr5, hand_loop_fn) /* x y + y / z + x z */                                                       \
	X(math, hand_loop_fn)  /* exp(-x) log(y) + sqrt(z) */                                                \
	X(norm, hand_sum_fn)   /* sum (1.2 x + y)^2, in double */                                            \
	X(sum, hand_sum_fn)    /* sum x */                                                                   \
	X(dot, hand_sum_fn)    /* sum x y */                                                                 \
	X(reduce_rows, hand_reduce_fn)                                                                       \
	X(reduce_columns, hand_reduce_fn)                                                                    \
	X(permute, hand_permute_fn)                                                                          \
	X(strided, hand_strided_fn)                                                                          \
	X(u8_f32, hand_loop_fn)                                                                              \
	X(u16_f32, hand_loop_fn)                                                                             \
	X(f32_u16, hand_loop_fn) /* rounded to nearest, clipped */                                           \
	X(f32_f64, hand_loop_fn)                                                                             \
	X(f64_f32, hand_loop_fn)                                                                             \
	X(diffuse, hand_stencil_fn)  /* v + 0.1 (sum of 6 neighbours - 6 v) */                               \
	X(sum27, hand_stencil_fn)    /* sum of 3 x 3 x 3 */                                                  \
	X(mean27, hand_stencil_fn)   /* mean of 3 x 3 x 3 */                                                 \
	X(slope, hand_stencil_fn)    /* central difference along x */                                        \
	X(gradient, hand_stencil_fn) /* length of central differences */                                     \
	X(bilateral, hand_window_fn) /* sigma 0.1 of values, half the radius of places */                    \
	X(volren, hand_volren_fn)

/** Loops with stores that bypass the cache. These loops exist only if compiled for this machine, else they
 * are NULL. */
#define HAND_EXTRAS(X)                                                                                       \
	X(stream1, hand_loop_fn)                                                                             \
	X(stream2, hand_loop_fn)                                                                             \
	X(stream3, hand_loop_fn)                                                                             \
	X(stream4, hand_loop_fn)                                                                             \
	X(stream5, hand_loop_fn)

struct hand {
	const char *how; // "gcc -O3 -march=native", or why not
	bool native;     // compiled on the spot
#define X(name, type) type *name;
	HAND_LOOPS(X)
	HAND_EXTRAS(X)
#undef X
};

/** Returns the loops, which use tool_threads() threads; the first call compiles the loops. */
extern const struct hand *hand_loops(void);

#endif
