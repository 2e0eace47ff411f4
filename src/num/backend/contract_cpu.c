/* Products summed over dims on the CPU: out += a b, where out has step 0 along the dims that are summed.
 * Products of large matrices, whatever their steps, go to OpenBLAS in tiles (num/md/contract_gemm.c).
 * Everything else runs in blocks of outputs whose sums are kept in float64: either many outputs at once, row
 * by row (what is contiguous for an output's neighbours), or one output after the other as a dot product
 * (what is contiguous along the sum). Long sums are cut into pieces. Blocks and pieces depend on the shape
 * alone. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/backend/backend_cpu.h"
#include "num/backend/contract_cpu.h"
#include "num/kern/copy_kern.h"

enum {
	BLOCK = 2048,         // outputs whose sums are kept at once
	GATHERED_BLOCK = 256, // where rows must be gathered
	ROWS = 8,             // rows that are added in one go
	DOTS = 256,           // outputs of a block that are dot products
	SEGMENT = 1 << 14,    // terms of a dot product in one go
	GATHER = 1 << 10,     // of them when they must be gathered
	PIECE = 1 << 18,      // products of a piece of a long sum
	TASKS = 64,           // tasks that keep many threads busy
	OUT = 0,
	A = 1,
	B = 2
};

/* ---- kernels ---- */

static const struct contract_kern *kernels = contract_kern_plain;

static void choose_kernels(void)
{
#if defined(__x86_64__)
	if (0 == strcmp("avx512", kern_isa()))
		kernels = contract_kern_avx512;
	else if (0 == strcmp("avx2", kern_isa()))
		kernels = contract_kern_avx2;
#endif
}

const struct contract_kern *contract_kern(enum dtype t)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, choose_kernels);

	switch (t) {
	case DT_FLOAT32:
		return &kernels[0];
	case DT_FLOAT64:
		return &kernels[1];
	case DT_COMPLEX64:
		return &kernels[2];
	case DT_COMPLEX128:
		return &kernels[3];
	default:
		error("products of %s are not supported, expected float32, float64, complex64 or complex128",
		        dtype_name(t));
	}
}

/* ---- the loop ---- */

/** A position in a loop over some dims of all three operands. */
struct walk {
	const struct contract_dims *d;
	long pos[DIMS];
	char *ptr[3];
};

static struct walk walk_at(const struct contract_dims *d, long at, char *const ptr[3])
{
	struct walk w = {.d = d, .ptr = {ptr[OUT], ptr[A], ptr[B]}};

	for (int i = 0; i < d->D; i++) {
		w.pos[i] = at % d->dims[i];
		at /= d->dims[i];

		for (int k = 0; k < 3; k++)
			w.ptr[k] += w.pos[i] * d->strs[k][i];
	}

	return w;
}

static void walk_next(struct walk *w)
{
	for (int i = 0; i < w->d->D; i++) {
		bool wrap = ++w->pos[i] == w->d->dims[i];

		for (int k = 0; k < 3; k++)
			w->ptr[k] += wrap ? (1 - w->d->dims[i]) * w->d->strs[k][i] : w->d->strs[k][i];

		if (!wrap)
			return;

		w->pos[i] = 0;
	}
}

long contract_count(const struct contract_dims *d)
{
	return md_calc_size(d->D, d->dims);
}

void contract_push(struct contract_dims *to, const struct contract_dims *from, int i)
{
	to->dims[to->D] = from->dims[i];

	for (int k = 0; k < 3; k++)
		to->strs[k][to->D] = from->strs[k][i];

	to->D++;
}

/** Takes dim i out of d: it alone. */
static struct contract_dims take(struct contract_dims *d, int i)
{
	struct contract_dims rest = {0}, one = {0};

	for (int k = 0; k < d->D; k++)
		contract_push(k == i ? &one : &rest, d, k);

	*d = rest;

	return one;
}

/** What it costs to go along dim i: elements skipped by a and b, and how short it is. */
static double cost(const struct contract_dims *d, int i, long size)
{
	double c = 0;

	for (int k = A; k <= B; k++) {
		long step = labs(d->strs[k][i]);

		c += (0 == step) ? 0 : (step == size) ? 1 : (step < 16 * size) ? 4 : 16;
	}

	return (c + 1) * (1. + 64. / (double)d->dims[i]);
}

static int cheapest(const struct contract_dims *d, long size)
{
	int best = -1;

	for (int i = 0; i < d->D; i++)
		if (best < 0 || cost(d, i, size) < cost(d, best, size))
			best = i;

	return best;
}

/* ---- blocks ---- */

/** How a contraction is run. `line` is the dim that goes through the kernels: of the outputs (rows) or of the
 * sum (dots); keep and sum are the other dims. */
struct plan {
	const struct contract_kern *kern;
	const struct copy_kern *copy;
	bool conj, wide, dots;
	struct contract_dims line, keep, sum;
	char *ptr[3];
	long outs, block, blocks; // outputs of a line of keep (rows) or in all (dots); of a block; blocks
	long terms;               // rows or segments of a sum
	long segment;             // elements of a segment
	long pieces;              // of the terms
};

/** Memory of a thread, on its stack: sums of a block, gathered rows. */
struct bench {
	double acc[2 * BLOCK];
	char rows[2][ROWS][GATHERED_BLOCK * 16];
	char segments[2][GATHER * 16];
};

/** n elements `step` bytes apart, contiguous: in buf unless they are. */
static const void *gathered(const struct plan *p, long n, const char *from, long step, char *buf)
{
	long size = (long)p->kern->size;

	if (size == step || 1 == n)
		return from;

	p->copy->run(n, p->kern->size, buf, size, from, step);

	return buf;
}

/** acc[0..n) += rows [first, end) of the sum; ptr: a and b at the block's first output. */
static void add_rows(const struct plan *p, struct bench *w, long n, char *const ptr[3], long first, long end)
{
	const long as = p->line.strs[A][0], bs = p->line.strs[B][0];
	struct walk at = walk_at(&p->sum, first, ptr);

	for (long t = first; t < end; t += ROWS) {
		const void *a[ROWS], *b[ROWS];
		int rows = (end - t < ROWS) ? (int)(end - t) : ROWS;

		for (int r = 0; r < rows; r++) {
			a[r] = (0 == as && 0 != bs) ? at.ptr[A]
			                            : gathered(p, n, at.ptr[A], as, w->rows[0][r]);
			b[r] = (0 == bs) ? at.ptr[B] : gathered(p, n, at.ptr[B], bs, w->rows[1][r]);
			walk_next(&at);
		}

		if (0 == bs)
			p->kern->scaled(n, rows, a, b, p->conj ? 1 : 0, w->acc);
		else if (0 == as)
			p->kern->scaled(n, rows, b, a, p->conj ? 2 : 0, w->acc);
		else
			p->kern->products(n, rows, a, b, p->conj, w->acc);
	}
}

/** acc += segments [first, end) of the sum of one output. */
static void add_dots(
        const struct plan *p, struct bench *w, char *const ptr[3], long first, long end, double *acc)
{
	const long n = p->line.dims[0], as = p->line.strs[A][0], bs = p->line.strs[B][0];
	const long segments = (n + p->segment - 1) / p->segment;
	struct walk at = walk_at(&p->sum, first / segments, ptr);

	for (long t = first; t < end; t++) {
		long from = t % segments * p->segment;
		long m = (n - from < p->segment) ? n - from : p->segment;
		const void *a = gathered(p, m, at.ptr[A] + from * as, as, w->segments[0]);
		const void *b = gathered(p, m, at.ptr[B] + from * bs, bs, w->segments[1]);

		p->kern->dot(m, a, b, p->conj, acc);

		if (t % segments == segments - 1)
			walk_next(&at);
	}
}

/** Outputs of block `block`; sets w->ptr to its first. */
static long block_start(const struct plan *p, long block, struct walk *w)
{
	if (p->dots) {
		long first = block * p->block;

		*w = walk_at(&p->keep, first, p->ptr);

		return (p->outs - first < p->block) ? p->outs - first : p->block;
	}

	long pieces = (p->outs + p->block - 1) / p->block, first = block % pieces * p->block;

	*w = walk_at(&p->keep, block / pieces, p->ptr);

	for (int k = 0; k < 3; k++)
		w->ptr[k] += first * p->line.strs[k][0];

	return (p->outs - first < p->block) ? p->outs - first : p->block;
}

/** out += acc for the outputs of a block. */
static void add_block(const struct plan *p, long block, const double *acc)
{
	struct walk at;
	long n = block_start(p, block, &at);
	void (*add)(long, char *, long, const double *) = p->wide ? p->kern->add_wide : p->kern->add;

	if (!p->dots) {
		add(n, at.ptr[OUT], p->line.strs[OUT][0], acc);
		return;
	}

	for (long i = 0; i < n; i++) {
		add(1, at.ptr[OUT], 0, acc + i * p->kern->parts);
		walk_next(&at);
	}
}

/** w->acc = the sums of one piece of the terms of a block. */
static void sum_block(const struct plan *p, struct bench *w, long block, long piece)
{
	long first = p->terms * piece / p->pieces, end = p->terms * (piece + 1) / p->pieces;
	struct walk at;
	long n = block_start(p, block, &at);

	memset(w->acc, 0, (size_t)(n * p->kern->parts) * sizeof w->acc[0]);

	if (!p->dots) {
		add_rows(p, w, n, at.ptr, first, end);
		return;
	}

	for (long i = 0; i < n; i++) {
		add_dots(p, w, at.ptr, first, end, w->acc + i * p->kern->parts);
		walk_next(&at);
	}
}

static void contract_cpu_run(const struct plan *p)
{
	const long tasks = p->blocks * p->pieces, room = p->block * p->kern->parts;
	long products = contract_count(&p->line) * contract_count(&p->keep) * contract_count(&p->sum);
	double *partial = (1 < p->pieces) ? mem_alloc((size_t)(tasks * room) * sizeof *partial) : NULL;

#pragma omp parallel num_threads((tasks > 1) ? threads_for((double)products) : 1)
	{
		struct bench w;

#pragma omp for schedule(dynamic)
		for (long t = 0; t < tasks; t++) {
			sum_block(p, &w, t / p->pieces, t % p->pieces);

			if (NULL == partial)
				add_block(p, t, w.acc);
			else
				memcpy(partial + t * room, w.acc, (size_t)room * sizeof w.acc[0]);
		}
	}

	for (long b = 0; b < p->blocks && NULL != partial; b++) {
		double *sum = partial + b * p->pieces * room;
		struct walk at;
		long n = block_start(p, b, &at) * p->kern->parts;

		for (long k = 1; k < p->pieces; k++)
			for (long i = 0; i < n; i++)
				sum[i] += sum[k * room + i];

		add_block(p, b, sum);
	}

	free(partial);
}

/** Whether rows do not lie contiguous. */
static bool gathers(const struct plan *p)
{
	long size = (long)p->kern->size, as = p->line.strs[A][0], bs = p->line.strs[B][0];

	return (0 == as && 0 == bs) || (0 != as && size != as) || (0 != bs && size != bs);
}

static void plan_rows(struct plan *p, int x)
{
	p->line = take(&p->keep, x);
	p->outs = p->line.dims[0];
	p->block = gathers(p) ? GATHERED_BLOCK : BLOCK;
	p->blocks = (p->outs + p->block - 1) / p->block * contract_count(&p->keep);
	p->terms = contract_count(&p->sum);
}

static void plan_dots(struct plan *p, int k)
{
	long size = (long)p->kern->size;

	p->dots = true;
	p->line = take(&p->sum, k);
	p->segment = (size == p->line.strs[A][0] && size == p->line.strs[B][0]) ? SEGMENT : GATHER;
	p->outs = contract_count(&p->keep);
	p->block = DOTS;
	p->blocks = (p->outs + p->block - 1) / p->block;
	p->terms = (p->line.dims[0] + p->segment - 1) / p->segment * contract_count(&p->sum);
}

/** Cuts long sums where there are few blocks. */
static long pieces_of(const struct plan *p)
{
	long outs = (p->outs < p->block) ? p->outs : p->block;
	long products = outs * contract_count(&p->sum) * (p->dots ? p->line.dims[0] : 1);
	long pieces = products / PIECE, most = TASKS / p->blocks;

	pieces = (pieces > most) ? most : pieces;
	pieces = (pieces > p->terms) ? p->terms : pieces;

	return (pieces < 1) ? 1 : pieces;
}

/** Dims along which the output moves, and those that are summed; where all steps of a dim that is kept are
 * zero or negative it is turned over. */
static void split(struct contract_dims *keep, struct contract_dims *sum, const struct md_shape *s)
{
	struct contract_dims all = {.D = s->D};

	md_copy_dims(s->D, all.dims, s->dims);

	for (int k = 0; k < 3; k++)
		md_copy_strides(s->D, all.strs[k], s->strs[k]);

	*keep = *sum = (struct contract_dims){0};

	for (int i = 0; i < s->D; i++)
		contract_push((0 != all.strs[OUT][i]) ? keep : sum, &all, i);
}

void cpu_contract(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out, const void *a,
        const void *b)
{
	struct plan p = {.kern = contract_kern(t),
	        .copy = copy_kern(),
	        .conj = conj_b,
	        .wide = wide,
	        .ptr = {out, (char *)a, (char *)b}};

	if (0 == md_calc_size(s->D, s->dims))
		return;

	split(&p.keep, &p.sum, s);

	if (!wide && contract_gemm(t, conj_b, &p.keep, &p.sum, p.ptr))
		return;

	long size = (long)p.kern->size;
	int x = cheapest(&p.keep, size), k = cheapest(&p.sum, size);

	if (k >= 0 && (x < 0 || cost(&p.sum, k, size) < cost(&p.keep, x, size))) {
		plan_dots(&p, k);
	} else {
		if (x < 0) // a single product
			contract_push(&p.keep, &(struct contract_dims){.D = 1, .dims = {1}}, x = 0);

		plan_rows(&p, x);
	}

	p.pieces = pieces_of(&p);
	contract_cpu_run(&p);
}
