/* Products summed over dims: dot, matrix-vector, matrix-matrix and all their relatives are one strided loop
 * over three operands in which the output has steps of 0. Sums are float64. Each output element is summed by
 * one thread in one order. */

#include <string.h>

#include "num/backend_cpu.h"

enum { BLOCK = 512 }; // output elements whose sums are kept at once

/** The loop's dims, those of the output first, those summed over in `sum`; operands out, a, b. */
struct contraction {
	const struct cpu_contract_ops *ops;
	struct md_shape keep, sum;
	char *ptr[3];
};

static void split(struct contraction *c, const struct md_shape *s)
{
	c->keep = (struct md_shape){.N = 3};
	c->sum = (struct md_shape){.N = 2};

	for (int i = 0; i < s->D; i++) {
		bool summed = 0 == s->strs[0][i];
		struct md_shape *to = summed ? &c->sum : &c->keep;

		to->dims[to->D] = s->dims[i];

		for (int k = 0; k < to->N; k++)
			to->strs[k][to->D] = s->strs[summed ? k + 1 : k][i];

		to->D++;
	}
}

/** Adds to p the offsets of element `at` of the dims of s from `from` on. */
static void advance(const struct md_shape *s, int from, long at, int N, char *p[])
{
	for (int i = from; i < s->D; i++) {
		long pos = at % s->dims[i];

		at /= s->dims[i];

		for (int k = 0; k < N; k++)
			p[k] += pos * s->strs[k][i];
	}
}

static long count(const struct md_shape *s, int from)
{
	long n = 1;

	for (int i = from; i < s->D; i++)
		n *= s->dims[i];

	return n;
}

/** The sums innermost: one output element is one reduction. */
static void by_dots(const struct contraction *c)
{
	long n = count(&c->keep, 0);

#pragma omp parallel for schedule(static) if (n >= 64)
	for (long i = 0; i < n; i++) {
		char *p[3] = {c->ptr[0], c->ptr[1], c->ptr[2]};
		double acc[2] = {0, 0};

		advance(&c->keep, 0, i, 3, p);
		cpu_reduce(&c->sum, (void *const[]){p[1], p[2]}, c->ops->dot, false, acc);
		c->ops->add(1, 0, p[0], acc);
	}
}

/** The outputs innermost: a block of them at a time, the sum outside. */
static void by_blocks(const struct contraction *c)
{
	long n = c->keep.dims[0];
	long pieces = (n + BLOCK - 1) / BLOCK;
	long terms = count(&c->sum, 0);
	long tasks = pieces * count(&c->keep, 1);
	const long inner[2] = {c->keep.strs[1][0], c->keep.strs[2][0]};

#pragma omp parallel for schedule(static) if (tasks > 1)
	for (long t = 0; t < tasks; t++) {
		long first = t % pieces * BLOCK;
		long m = (n - first < BLOCK) ? n - first : BLOCK;
		char *p[3] = {c->ptr[0], c->ptr[1], c->ptr[2]};
		double acc[2 * BLOCK];

		for (int k = 0; k < 3; k++)
			p[k] += first * c->keep.strs[k][0];

		advance(&c->keep, 1, t / pieces, 3, p);
		memset(acc, 0, (size_t)(m * c->ops->parts) * sizeof acc[0]);

		for (long r = 0; r < terms; r++) {
			char *q[2] = {p[1], p[2]};

			advance(&c->sum, 0, r, 2, q);
			c->ops->rank1(m, inner, q, acc);
		}

		c->ops->add(m, c->keep.strs[0][0], p[0], acc);
	}
}

void cpu_contract(
        const struct cpu_contract_ops *ops, const struct md_shape *s, void *out, const void *a, const void *b)
{
	struct contraction c = {.ops = ops, .ptr = {out, (char *)a, (char *)b}};

	split(&c, s);

	if (0 == c.keep.D || 0 == s->strs[0][0])
		by_dots(&c);
	else
		by_blocks(&c);
}
