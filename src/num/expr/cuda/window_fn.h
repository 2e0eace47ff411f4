#ifndef NUM_EXPR_CUDA_WINDOW_FN_H
#define NUM_EXPR_CUDA_WINDOW_FN_H

/** Generated kernels combine the elements of windows by these functions. The order of operations is that of
 * num/expr/windows. */

#include "num/expr/cuda/expr_kernel.h"

/** Combines `at(i)` for `first <= i < first + length` by join(), e.g. sum or maximum. Elements before and
 * after the next multiple of `length` are first combined separately (num/expr/windows/box.h). */
template <class T, class J, class F> DEVICE_ONLY T join_blocks(i64 first, i64 length, J join, F at)
{
	const i64 over = (first % length + length) % length, end = first - over + length;
	T last = at(end - 1);

	for (i64 k = end - 2; k >= first; k--)
		last = join(at(k), last);

	if (0 == over)
		return last;

	T next = at(end);

	for (i64 k = end + 1; k < first + length; k++)
		next = join(next, at(k));

	return join(last, next);
}

/** Combines elements at(first), ..., at(first + 2^bits - 1) to one, pair by pair. */
template <class T, class J, class F> DEVICE_ONLY T join_pairs(i64 first, int bits, J join, F at)
{
	T part[11];

	for (i64 k = 0; k < (i64)1 << bits; k++) {
		T v = at(first + k);
		int level = 0;

		for (; k >> level & 1; level++)
			v = join(part[level], v);

		part[level] = v;
	}

	return part[bits];
}

/** Combines `length` elements from `at(first)` on. `length` must be odd. Elements are combined in blocks of
 * 2^k elements, the smallest block first. */
template <class T, class J, class F> DEVICE_ONLY T join_halves(i64 first, i64 length, J join, F at)
{
	T all = at(first); // the length is odd
	i64 done = 1;

	for (int bits = 1; length >> bits; bits++)
		if (length >> bits & 1) {
			all = join(all, join_pairs<T>(first + done, bits, join, at));
			done += (i64)1 << bits;
		}

	return all;
}

/** key_of() maps values to integers in the same order; value_of() is the inverse. */
DEVICE_ONLY u64 key_of(bool v)
{
	return v;
}

DEVICE_ONLY u64 key_of(u64 v)
{
	return v;
}

DEVICE_ONLY u64 key_of(i64 v)
{
	return (u64)v ^ (u64)1 << 63;
}

DEVICE_ONLY u64 key_of(f32 v)
{
	uint32_t k;

	memcpy(&k, &v, sizeof k);

	return (k >> 31) ? ~k : k | 0x80000000u;
}

DEVICE_ONLY u64 key_of(f64 v)
{
	u64 k;

	memcpy(&k, &v, sizeof k);

	return (k >> 63) ? ~k : k | (u64)1 << 63;
}

DEVICE_ONLY void value_of(bool &v, u64 k)
{
	v = 0 != k;
}

DEVICE_ONLY void value_of(u64 &v, u64 k)
{
	v = k;
}

DEVICE_ONLY void value_of(i64 &v, u64 k)
{
	v = (i64)(k ^ (u64)1 << 63);
}

DEVICE_ONLY void value_of(f32 &v, u64 k)
{
	const uint32_t b = (k >> 31) ? (uint32_t)k & 0x7fffffffu : ~(uint32_t)k;

	memcpy(&v, &b, sizeof v);
}

DEVICE_ONLY void value_of(f64 &v, u64 k)
{
	const u64 b = (k >> 63) ? k & ~((u64)1 << 63) : ~k;

	memcpy(&v, &b, sizeof v);
}

/** Returns the median of an odd number of elements, or NaN if an element is NaN. The function each(f) must
 * call f(v) for all elements v. `bits` is the number of bits of a key. */
template <class T, class E> DEVICE_ONLY T median_of(int bits, i64 count, E each)
{
	u64 median = 0;
	bool bad = false;
	T v = T();

	for (int b = bits - 1; b >= 0; b--) {
		const u64 trial = median | (u64)1 << b;
		i64 below = 0;

		each([&](T x) {
			bad = bad || x != x;
			below += key_of(x) < trial;
		});

		if (below <= count / 2)
			median = trial;
	}

	value_of(v, median);

	return bad ? (T)NAN : v;
}

#endif
