/** The kernels of slice_parallel.h from one source: plain C, AVX2 and AVX-512. */

#include <math.h>
#include <string.h>

#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/slice_parallel.h"
#include "ct/projector/model/sf.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE static inline __attribute__((always_inline))
#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 4")

enum { ACROSS = 16 }; // voxels along y whose columns are looked up together, planes of a ray likewise

#define PLANES(i, count)                                                                                     \
	for (int i##_ = 0; i##_ < (count); i##_ += ACROSS)                                                   \
	SIMD for (int i = i##_; i < i##_ + ACROSS; i++)

/** Neighbouring lines that a line collects from: weights of all and element of the first. */
struct taps {
	_Alignas(64) float weight[SLICE_PARALLEL_TAPS][COLUMN_PLANES];
	_Alignas(64) int at[COLUMN_PLANES];
};

/** The same for neighbours along y. */
struct columns {
	_Alignas(64) float weight[SLICE_PARALLEL_TAPS][SLICE_PARALLEL_PASSES][ACROSS];
	_Alignas(64) int at[SLICE_PARALLEL_PASSES][ACROSS];
};

/** A list of groups of lines: those of a group have their weights `apart`. */
struct list {
	const float *weight;
	const int *at;
};

/** A list's form. */
struct form {
	int taps;   // lines of a group
	int apart;  // weights of neighbours in a group
	int step;   // from group to group in the list
	long next;  // elements from line to line in a group
	bool fused; // whether a product may be added unrounded
};

/** A voxel's bounds as sf_part() takes it, and as one of the lengths of rays. */
struct profile {
	float flat, soft, bend, inv, amount;
	double half, steep;
	float most;
};

INLINE struct profile profile(const struct slice_parallel_pass *v)
{
	const float soft = (float)v->soft, inv = 1.f / (float)v->wide;

	return (struct profile){.flat = (float)(0.5 * (v->wide - v->soft)),
	        .soft = soft,
	        .bend = (v->soft > 1e-30) ? 0.5f / soft : 0.f,
	        .inv = inv,
	        .amount = v->length,
	        .half = 0.5 * (v->wide + v->soft),
	        .steep = 1. / v->soft,
	        .most = v->length * inv};
}

/** What a voxel weighs in a column so far from its place. */
INLINE float weight_at(const struct profile *p, double away, bool lengths)
{
	if (lengths) {
		const double ramp = (p->half - fabs(away)) * p->steep, up = (ramp > 0.) ? ramp : 0.;

		return (float)((up < 1.) ? up : 1.) * p->most;
	}

	const float above = sf_part((float)(away + 0.5), p->flat, p->soft, p->bend, p->inv),
	            below = sf_part((float)(away - 0.5), p->flat, p->soft, p->bend, p->inv);

	return (above - below) * p->amount;
}

#define NAME(f)                f##_plain
#define WIDTH                  4
#define ADD_TO(s, w, x, fused) ((void)(fused), (s) + (w) * (x))
#define ATTRIBUTES
#include "ct/projector/cpu/slice_parallel_impl.inc"

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(f)                f##_avx2
#define WIDTH                  8
#define ADD_TO(s, w, x, fused) ((void)(fused), (s) + (w) * (x))
#define ATTRIBUTES             __attribute__((target("avx2")))
#include "ct/projector/cpu/slice_parallel_impl.inc"

#define NAME(f) f##_avx512
#define WIDTH   16
#define ADD_TO(s, w, x, fused)                                                                               \
	((fused) ? (lanes_avx512)_mm512_fmadd_ps((__m512)(w), (__m512)(x), (__m512)(s))                      \
	         : (lanes_avx512)((s) + (w) * (x)))
#define ATTRIBUTES __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#include "ct/projector/cpu/slice_parallel_impl.inc"
#endif

const struct slice_parallel_kernels *slice_parallel_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
