/* Sums in a partition that depends on the shape alone: the loop is cut into tasks of about 64 Ki elements,
 * each summed by one thread in its own order, and the tasks' sums are added in order. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/backend_cpu.h"

enum { GRAIN = 1 << 16 };

struct partition {
	const struct md_shape *s;
	char *const *ptr;
	cpu_reduce_fn *fn;
	bool maximum;
	long n, lines;       // elements of a line, number of lines
	long pieces, bundle; // pieces of a long line, or short lines of one task
};

static void combine(const struct partition *r, double acc[2], const double part[2])
{
	if (r->maximum) {
		acc[0] = (part[0] > acc[0] || isnan(part[0])) ? part[0] : acc[0];
	} else {
		acc[0] += part[0];
		acc[1] += part[1];
	}
}

static void reduce_line(const struct partition *r, long line, long first, long n, double acc[2])
{
	long inner[MD_OPERANDS];
	char *p[MD_OPERANDS];

	for (int k = 0; k < r->s->N; k++) {
		inner[k] = (0 < r->s->D) ? r->s->strs[k][0] : 0;
		p[k] = r->ptr[k] + first * inner[k];
	}

	for (int i = 1; i < r->s->D; i++) {
		long pos = line % r->s->dims[i];

		line /= r->s->dims[i];

		for (int k = 0; k < r->s->N; k++)
			p[k] += pos * r->s->strs[k][i];
	}

	r->fn(n, inner, p, acc);
}

static void reduce_task(const struct partition *r, long task, double acc[2])
{
	acc[0] = acc[1] = 0;

	if (1 < r->pieces) {
		long first = task % r->pieces * GRAIN;

		reduce_line(r, task / r->pieces, first, (r->n - first < GRAIN) ? r->n - first : GRAIN, acc);
		return;
	}

	long end = (task + 1) * r->bundle;

	for (long line = task * r->bundle; line < end && line < r->lines; line++) {
		double part[2] = {0, 0};

		reduce_line(r, line, 0, r->n, part);
		combine(r, acc, part);
	}
}

void cpu_reduce(const struct md_shape *s, void *const ptr[], cpu_reduce_fn *fn, bool maximum, double acc[2])
{
	struct partition r = {
	        .s = s, .ptr = (char *const *)ptr, .fn = fn, .maximum = maximum, .n = 1, .lines = 1};

	for (int i = 0; i < s->D; i++)
		*(0 == i ? &r.n : &r.lines) *= s->dims[i];

	if (0 == r.n || 0 == r.lines) // an empty sum adds nothing
		return;

	r.pieces = (r.n + GRAIN - 1) / GRAIN;
	r.bundle = (GRAIN + r.n - 1) / r.n;

	long tasks = (1 < r.pieces) ? r.pieces * r.lines : (r.lines + r.bundle - 1) / r.bundle;
	double few[64][2];
	double(*sums)[2] = (tasks <= 64) ? few : mem_alloc((size_t)tasks * sizeof *sums);

	if (1 == tasks) { // without a parallel region, which costs more than a short sum
		reduce_task(&r, 0, sums[0]);
	} else {
#pragma omp parallel for schedule(static)
		for (long t = 0; t < tasks; t++)
			reduce_task(&r, t, sums[t]);
	}

	for (long t = 0; t < tasks; t++)
		combine(&r, acc, sums[t]);

	if (sums != few)
		free(sums);
}
