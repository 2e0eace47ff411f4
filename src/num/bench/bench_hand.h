#ifndef NUM_BENCH_BENCH_HAND_H
#define NUM_BENCH_BENCH_HAND_H

#include <stdbool.h>

/** These handwritten loops are references for benchmarks (bench_loops.inc). The loops are compiled for this
 * machine at run time, with $CC, gcc or cc. Without a compiler, the loops built into this program are used.
 */

/** Computes r[i] from x[i], y[i] and z[i]. The types depend on the loop. */
typedef void hand_loop_fn(long n, void *r, const void *x, const void *y, const void *z);
/** Returns a sum over x[i] and y[i]. */
typedef double hand_sum_fn(long n, const void *x, const void *y);
/** Permutes the dims of a contiguous array of dims n. Dim i of `out` is dim order[i] of `in`. */
typedef void hand_permute_fn(float *out, const float *in, const long n[3], const int order[3]);
/** Copies elements of `in`, which has steps s [elements], to `out`. The array `out` is contiguous and has
 * dims n. */
typedef void hand_strided_fn(float *out, const float *in, const long n[3], const long s[3]);
/** Sums `in[i + n j]` to `out[j]` (over i) or to `out[i]` (over j). */
typedef void hand_reduce_fn(float *out, const float *in, long n, long m);
/** Applies a stencil to a contiguous array of dims n. Beyond a border, the nearest element is used. */
typedef void hand_stencil_fn(float *out, const float *in, const long n[3]);
/** Like hand_stencil_fn, with neighbours up to `radius` elements away along each dim. */
typedef void hand_window_fn(float *out, const float *in, const long n[3], long radius);
/** Renders a volume of type uint16 and dims n with parallel rays. Sample k of pixel (x, y) is at ray[0] + x
 * ray[1] + y ray[2] + k ray[3] [voxels]. The entry table[k] contains red, green, blue and opacity for value
 * 16 k. A pixel has 4 values: red, green, blue (each times opacity) and opacity. */
typedef void hand_volren_fn(float *picture, const long size[2], const float ray[4][3], const void *v,
        const long n[3], const float (*table)[4]);
typedef void hand_threads_fn(int n);

/** Each row is X(name, type of the function). */
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
	X(bilateral, hand_window_fn) /* sigma 0.1 for values, radius / 2 for distances */                    \
	X(volren, hand_volren_fn)

/** Stores in these loops bypass the caches. Without a compiler or AVX, the loops are NULL. */
#define HAND_EXTRAS(X)                                                                                       \
	X(stream1, hand_loop_fn)                                                                             \
	X(stream2, hand_loop_fn)                                                                             \
	X(stream3, hand_loop_fn)                                                                             \
	X(stream4, hand_loop_fn)                                                                             \
	X(stream5, hand_loop_fn)

struct hand {
	const char *how; // compiler and options, or the reason why the built-in loops are used
	bool native;     // compiled for this machine
#define X(name, type) type *name;
	HAND_LOOPS(X)
	HAND_EXTRAS(X)
#undef X
};

/** Returns the loops, which use tool_threads() threads. The first call compiles the loops. */
extern const struct hand *hand_loops(void);

#endif
