/* Running sums along a dim, and the k-th largest magnitude. */

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/threads.h"
#include "num/backend/backend_cpu.h"

enum { SHORT = 16 };

/** A running sum along n elements with steps [bytes] out, in; for each element of the shape. */
struct scan {
	enum dtype type, wide;
	long n, ostep, istep;
	const struct md_shape *s;
	char *ptr[2];
};

/** One line: blocks are gathered, summed in double, written back. */
static void scan_line(const struct scan *c, char *out, const char *in)
{
	double block[2 * KERN_BLOCK], sum[2] = {0, 0};
	bool is_complex = dtype_is_complex(c->type);

	for (long at = 0; at < c->n; at += KERN_BLOCK) {
		long n = (c->n - at < KERN_BLOCK) ? c->n - at : KERN_BLOCK;
		const double *x = kern_load(c->wide, block, c->type, false, in + at * c->istep, c->istep, n);

		for (long i = 0; i < n; i++) {
			if (is_complex) {
				sum[0] += x[2 * i];
				sum[1] += x[2 * i + 1];
				block[2 * i] = sum[0];
				block[2 * i + 1] = sum[1];
			} else {
				sum[0] += x[i];
				block[i] = sum[0];
			}
		}

		kern_store(c->type, false, out + at * c->ostep, c->ostep, c->wide, block, n, NARROW_SATURATE,
		        false);
	}
}

/** A row of m neighbouring lines at once. */
static void scan_row(const struct scan *c, long m, char *out, const char *in)
{
	kern_fn *add = kern_op(OP_ADD, c->wide);
	double sum[2 * KERN_BLOCK], block[2 * KERN_BLOCK];

	memset(sum, 0, sizeof sum);

	for (long i = 0; i < c->n; i++) {
		add(m, sum, sum,
		        kern_load(c->wide, block, c->type, false, in + i * c->istep, c->s->strs[1][0], m),
		        NULL, 0);
		kern_store(c->type, false, out + i * c->ostep, c->s->strs[0][0], c->wide, sum, m,
		        NARROW_SATURATE, false);
	}
}

void cpu_cumsum(enum dtype t, long n, const long steps[2], const struct md_shape *s, void *out, const void *a)
{
	struct scan c = {
	        .type = t, .n = n, .ostep = steps[0], .istep = steps[1], .s = s, .ptr = {out, (char *)a}};
	long inner = (0 < s->D) ? s->dims[0] : 1;
	bool rows = inner >= SHORT && labs(s->strs[1][0]) < labs(c.istep);
	long row = rows ? KERN_BLOCK : 1, pieces = (inner + row - 1) / row;
	long count = walk_count(s), tasks = (0 == inner) ? 0 : count / inner * pieces;

	c.wide = dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;

#pragma omp parallel for schedule(static) num_threads((tasks > 1) ? threads_for(2. * (double)(count * n)) : 1)
	for (long k = 0; k < tasks; k++) {
		long at = k % pieces * row;
		struct cpu_walk w = walk_start(s, c.ptr, k / pieces * inner);
		char *o = w.line[0] + ((0 < s->D) ? at * s->strs[0][0] : 0);
		const char *p = w.line[1] + ((0 < s->D) ? at * s->strs[1][0] : 0);

		if (rows)
			scan_row(&c, (inner - at < row) ? inner - at : row, o, p);
		else
			scan_line(&c, o, p);
	}
}

/* The k-th largest: magnitudes are read as integers, whose order is theirs, and found 16 bits at a time. */

enum { DIGIT = 16 };

struct select {
	struct cpu_chain c;
	char *ptr[MD_OPERANDS];
	int shift;       // of the digit
	uint64_t prefix; // the digits above it
	long count[1 << DIGIT];
};

static void count_digits(void *ctx, long first, long n)
{
	struct select *x = ctx;
	struct cpu_chain_work work;
	struct cpu_walk w = walk_start(x->c.s, x->ptr, first);
	long *count = mem_calloc(1 << DIGIT, sizeof *count);

	for (long left = n; left > 0;) {
		long m = (left < KERN_BLOCK) ? left : KERN_BLOCK;
		bool scalar;
		const uint64_t *v = cpu_chain_block(&x->c, &work, &w, m, NULL, &scalar);

		for (long i = 0; i < m; i++) {
			uint64_t key = v[scalar ? 0 : i] & (uint64_t)INT64_MAX;

			if (DIGIT + x->shift >= 64 || key >> (DIGIT + x->shift) == x->prefix)
				count[key >> x->shift & ((1 << DIGIT) - 1)]++;
		}

		left -= m;

		if (left > 0)
			walk_on(&w, m);
	}

#pragma omp critical(gantry_select)
	for (long i = 0; i < 1 << DIGIT; i++)
		x->count[i] += count[i];

	free(count);
}

double cpu_largest(enum dtype t, long k, const struct md_shape *s, const void *a)
{
	struct md_chain f = {0};
	struct select *x = mem_calloc(1, sizeof *x);
	double value;

	chain_convert(&f, DT_FLOAT64, chain_op1(&f, OP_ABS, chain_operand(&f, t)));
	cpu_chain_prepare(&x->c, &f, s, 0);
	x->ptr[0] = (char *)a;

	for (x->shift = 64 - DIGIT; x->shift >= 0; x->shift -= DIGIT) {
		long digit = (1 << DIGIT) - 1;

		memset(x->count, 0, sizeof x->count);
		cpu_ranges(walk_count(s), count_digits, x);

		for (; x->count[digit] < k; digit--)
			k -= x->count[digit];

		x->prefix = x->prefix << DIGIT | (uint64_t)digit;
	}

	memcpy(&value, &x->prefix, sizeof value);
	free(x);

	return value;
}
