/* Kernels of two operators, and reductions of an operator: the bits of one after the other. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/kern/kern_internal.h"
#include "num/kern/kern_math.h"

#include "check.h"

enum { N = 1100 };

static const struct kern_set *sets[3];
static int set_count;
static void *x_, *y_, *z_, *middle, *want, *got;

static uint64_t bits(void)
{
	static uint64_t state = 20;

	state = state * 6364136223846793005u + 1442695040888963407u;

	return state ^ state >> 29;
}

static double number(bool wild)
{
	static const double odd[] = {
	        0., -0., INFINITY, -INFINITY, NAN, 1e-42, 88.8, -88.8, -104, 3e38, -1e-310};

	if (wild && 0 == bits() % 9)
		return odd[bits() % (sizeof odd / sizeof odd[0])];

	return ldexp((double)(bits() >> 11), (int)(bits() % 12) - 58) * (bits() % 2 ? 1 : -1);
}

static void fill(enum dtype t, void *p, bool wild)
{
	for (long i = 0; i < N; i++) {
		const double v = number(wild);

		if (DT_FLOAT32 == t)
			((float *)p)[i] = (float)v;
		else
			((double *)p)[i] = v;
	}
}

static bool same(enum dtype t, const void *a, const void *b, long n)
{
	for (long i = 0; i < n; i++) {
		const double x = DT_FLOAT32 == t ? (double)((const float *)a)[i] : ((const double *)a)[i];
		const double y = DT_FLOAT32 == t ? (double)((const float *)b)[i] : ((const double *)b)[i];

		if (!(isnan(x) && isnan(y)) && (x != y || signbit(x) != signbit(y)))
			return false;
	}

	return true;
}

static bool composes(kern_fn *fused, int set, enum op op, enum op inner, enum dtype work)
{
	kern_fn *const *ops = sets[set]->op[kern_row(work)];
	bool good = true;

	for (int round = 0; round < 8; round++) {
		const long n = round < 2 ? round : (long)(bits() % N);

		fill(work, x_, round % 2);

		for (unsigned scalar = 0; scalar < 2; scalar++) {
			ops[inner](n, middle, x_, NULL, NULL, scalar);
			ops[op](n, want, middle, NULL, NULL, 0);
			fused(n, got, x_, NULL, NULL, scalar);
			good = good && same(work, want, got, n);
		}

		memcpy(got, x_, N * dtype_size(work));
		fused(n, got, got, NULL, NULL, 0); // in place
		ops[inner](n, middle, x_, NULL, NULL, 0);
		ops[op](n, want, middle, NULL, NULL, 0);
		good = good && same(work, want, got, n);
	}

	return good;
}

static void test_operators(void)
{
	for (int s = 0; s < set_count; s++)
		for (int w = 0; w < 2; w++) {
			const enum dtype work = w ? DT_FLOAT64 : DT_FLOAT32;

			check(composes(sets[s]->exp_minus[w], s, OP_EXP, OP_NEG, work), "%s: exp(-x) of %s",
			        sets[s]->name, dtype_name(work));
			check(composes(sets[s]->minus_log[w], s, OP_NEG, OP_LOG, work), "%s: -log(x) of %s",
			        sets[s]->name, dtype_name(work));
		}
}

static bool reduces(int set, int w, enum reduction r, enum op inner, bool wild)
{
	const enum dtype work = w ? DT_FLOAT64 : DT_FLOAT32;
	static const int outers[RED_COUNT_OF] = {
	        [RED_SUM] = OUTER_SUM, [RED_NORM] = OUTER_NORM, [RED_NORM1] = OUTER_NORM1};
	static const int inners[OP_COUNT] = {
	        [OP_ADD] = INNER_ADD, [OP_SUB] = INNER_SUB, [OP_MUL] = INNER_MUL, [OP_MULADD] = INNER_MULADD};
	const bool three = OP_MULADD == inner;
	bool good = true;

	for (unsigned scalar = 0; scalar < (three ? 8u : 4u); scalar++) {
		const long n = 1 + (long)(bits() % N);
		struct kern_acc a, b;

		fill(work, x_, wild);
		fill(work, y_, wild);
		fill(work, z_, wild);
		kern_reduce_start(r, work, &a);
		kern_reduce_start(r, work, &b);

		for (int twice = 0; twice < 2; twice++) { // goes on
			sets[set]->op[kern_row(work)][inner](n, middle, x_, y_, three ? z_ : NULL, scalar);
			sets[set]->reduce[kern_row(work)][r](&a, 0, n, middle, NULL, 0);
			sets[set]->reduce_of[w][outers[r]][inners[inner]](
			        &b, n, x_, y_, three ? z_ : NULL, scalar);
		}

		good = good && a.count == b.count && same(DT_FLOAT64, &a.v.f[0], &b.v.f[0], 1);
	}

	return good;
}

static void test_reductions(void)
{
	static const enum reduction outers[] = {RED_SUM, RED_NORM, RED_NORM1};
	static const enum op inners[] = {OP_ADD, OP_SUB, OP_MUL, OP_MULADD};

	for (int s = 0; s < set_count; s++)
		for (int r = 0; r < 3; r++) {
			bool good = true;

			for (int k = 0; k < 4; k++)
				for (int w = 0; w < 2; w++)
					for (int wild = 0; wild < 2; wild++)
						good = good && reduces(s, w, outers[r], inners[k], wild);

			check(good, "%s: %s of sums, differences and products", sets[s]->name,
			        reduction_name(outers[r]));
		}

	check(kern_reduces(RED_NORM, OP_SUB, DT_FLOAT32) && !kern_reduces(RED_MAX, OP_SUB, DT_FLOAT32) &&
	                !kern_reduces(RED_SUM, OP_DIV, DT_FLOAT64) &&
	                !kern_reduces(RED_SUM, OP_ADD, DT_COMPLEX64) &&
	                NULL == kern_op_of(OP_EXP, OP_LOG, DT_FLOAT32),
	        "only the pairs that there are");
}

static float any_float(void)
{
	return kern_float((uint32_t)bits());
}

/* This file is compiled for the baseline, which has no instruction for it. */
static void test_fmaf(void)
{
	bool good = true;

	for (long i = 0; i < 3000000; i++) {
		float a = any_float(), b = any_float(), c = any_float();

		if (i % 3) { // where roundings are close
			a = 1 + ldexpf((float)(bits() >> 40), -23);
			b = 1 + ldexpf((float)(bits() >> 40), -23);
			c = ldexpf(i % 2 ? -1 : 1, (int)(bits() % 64) - 32) *
			    (1 + (float)(bits() % 4) * 0x1p-23f);
		}

		const float r = kern_fmaf(a, b, c), w = fmaf(a, b, c);

		if (!(isnan(r) && isnan(w)) && kern_bits_f(r) != kern_bits_f(w)) {
			if (good)
				printf("# %a * %a + %a = %a, not %a\n", (double)a, (double)b, (double)c,
				        (double)w, (double)r);

			good = false;
		}
	}

	check(good, "the fused multiply-add without the instruction");
}

int main(void)
{
	void **rooms[] = {&x_, &y_, &z_, &middle, &want, &got};

	set_count = kern_sets(sets);

	for (int k = 0; k < 6; k++)
		*rooms[k] = mem_calloc(N, 16);

	test_operators();
	test_reductions();
	test_fmaf();

	for (int k = 0; k < 6; k++)
		free(*rooms[k]);

	return checks_failed > 0;
}
