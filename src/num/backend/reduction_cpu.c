/* Reductions along some dims of a strided loop. The dims are split into those of the output and those that
 * are reduced. If the reduced ones are innermost, outputs are reduced one after the other in blocks of
 * elements; if the output's are, a row of accumulators is updated with rows of elements. Long reductions of
 * few outputs are cut into parts that are added in order. Blocks and parts depend on the shape alone, so the
 * bits do not depend on the number of threads. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/ranks/sharing.h"
#include "misc/threads.h"
#include "num/backend/backend_cpu.h"
#include "num/backend/backend_forms.h"
#include "num/md/distributed.h"

enum {
	BLOCK = 2048,            // elements per call of a reduction kernel
	PART = DISTRIBUTED_PART, // elements of a part of a long reduction
	ROW = 4096,              // accumulators of a row
	PARTS = 64,              // of a row
	OUTPUTS = 256,           // results written at once
	FEW = 64,                // outputs whose parts are shared among threads
	SHORT = 16,              // a line shorter than this is no good innermost
	BUNDLED = 1 << 15        // elements from which bundles repay themselves
};

struct job {
	const struct md_reduction *r;
	enum dtype type;            // of the output
	enum dtype work, value;     // of what is reduced, of a result
	struct md_shape keep, fold; // dims of the output (operand 0), and those reduced; inputs from 1 on
	long outputs, terms;
	struct cpu_chain pre;
	char *ptr[MD_OPERANDS];
};

/** The output's places are those of the loop over `keep` from `first` on; n results, converted. */
static void finish(const struct job *j, long first, long n, const void *values)
{
	const struct md_chain copy = {
	        .operands = 1, .values = 1, .value = {{CHAIN_OPERAND, .type = j->value}}};
	const struct md_chain *f = (NULL != j->r->post) ? j->r->post : &copy;
	struct md_shape line = {.D = 1, .N = 1, .dims = {n}, .strs = {{(long)dtype_size(j->value)}}};
	struct cpu_walk from = walk_start(&line, (char *[]){(char *)values}, 0);
	struct cpu_walk to = walk_start(&j->keep, j->ptr, first);
	size_t size = dtype_size(j->type);
	struct cpu_chain c;
	struct cpu_chain_work work;
	char buf[KERN_BLOCK * 16] __attribute__((aligned(64)));

	cpu_chain_prepare(&c, f, &line, 0);

	for (long at = 0; at < n; at += KERN_BLOCK) {
		long m = (n - at < KERN_BLOCK) ? n - at : KERN_BLOCK;
		bool scalar;
		const void *v = cpu_chain_block(&c, &work, &from, m, NULL, &scalar);

		kern_store(j->type, false, buf, (long)size, chain_type(f), v, m, NARROW_SATURATE, false);
		walk_scatter(&to, 0, size, m, buf);

		if (at + m < n) {
			walk_on(&from, m);
			walk_on(&to, m);
		}
	}
}

/* ---- reduced dims innermost ---------------------------------------------- */

/** The elements of one operand of a walk: where they lie, or gathered. */
static const void *elements(
        const struct job *j, const struct cpu_walk *w, int k, long n, void *buf, unsigned *scalar)
{
	size_t size = dtype_size(j->work);
	long step = (0 < w->s->D) ? w->s->strs[k][0] : 0;

	if (w->at + n <= w->n && (step == (long)size || 0 == step)) {
		*scalar |= (0 == step) ? 1u << (k - 1) : 0;

		return w->line[k] + w->at * step;
	}

	walk_gather(w, k, size, n, buf);

	return buf;
}

/** Continues acc by elements [first, end) of a loop over reduced dims, whose inputs are at ptr; pre is made
 * ready for that loop. */
static void reduce_terms(const struct job *j, const struct md_shape *s, const struct cpu_chain *pre,
        char *const ptr[], long first, long end, struct kern_acc *acc)
{
	struct cpu_walk w = walk_start(s, ptr, first);
	union {
		struct cpu_chain_work chain;
		char elements[2][BLOCK * 16] __attribute__((aligned(64)));
	} u;
	long most = (NULL != j->r->pre) ? KERN_BLOCK : BLOCK;

	for (long at = first; at < end;) {
		long n = (end - at < most) ? end - at : most;
		const void *a, *b = NULL;
		unsigned scalar = 0;

		if (NULL != j->r->pre) {
			bool one;

			a = cpu_chain_block(pre, &u.chain, &w, n, NULL, &one);
			scalar = one;
		} else {
			a = elements(j, &w, 1, n, u.elements[0], &scalar);
			b = (RED_DOT == j->r->red) ? elements(j, &w, 2, n, u.elements[1], &scalar) : NULL;
		}

		kern_reduce(j->r->red, j->work, acc, at, n, a, b, scalar);
		at += n;

		if (at < end)
			walk_on(&w, n);
	}
}

/** The inputs of the output at which a walk over the output's dims stands. */
static void inputs_at(const struct cpu_walk *w, char *ptr[])
{
	for (int k = 1; k < w->s->N; k++)
		ptr[k] = w->line[k] + ((0 < w->s->D) ? w->at * w->s->strs[k][0] : 0);
}

/** Whether the terms of an output are one line that a kernel takes where it lies. */
static bool is_one_line(const struct job *j)
{
	if (NULL != j->r->pre || 1 != j->fold.D || BLOCK < j->terms)
		return false;

	for (int k = 1; k < j->fold.N; k++)
		if ((long)dtype_size(j->work) != j->fold.strs[k][0])
			return false;

	return true;
}

/** Outputs [first, first + n), whole. */
static void reduce_outputs(const struct job *j, long first, long n)
{
	struct cpu_walk w = walk_start(&j->keep, j->ptr, first);
	char values[OUTPUTS * 16] __attribute__((aligned(64)));
	size_t size = dtype_size(j->value);
	bool short_cut = is_one_line(j);

	for (long i = 0; i < n; i++) {
		char *ptr[MD_OPERANDS] = {NULL};
		struct kern_acc acc;

		inputs_at(&w, ptr);
		kern_reduce_start(j->r->red, j->work, &acc);

		if (short_cut)
			kern_reduce(j->r->red, j->work, &acc, 0, j->terms, ptr[1], ptr[2], 0);
		else
			reduce_terms(j, &j->fold, &j->pre, ptr, 0, j->terms, &acc);

		kern_reduce_value(j->r->red, j->work, &acc, values + (size_t)(i % OUTPUTS) * size);

		if (OUTPUTS - 1 == i % OUTPUTS || n - 1 == i)
			finish(j, first + i / OUTPUTS * OUTPUTS, i % OUTPUTS + 1, values);

		if (i < n - 1)
			walk_on(&w, 1);
	}
}

/** The parts of all ranks (num/md/distributed.h), in every rank. */
static void gather_parts(long terms, struct kern_acc *acc)
{
	struct sharing_runs r = sharing_runs_create();

	for (int k = 0; k < ranks_count(); k++) {
		long from, to;

		distributed_part_of(k, terms, &from, &to);

		const long first = from / PART, end = (to + PART - 1) / PART;

		if (from < to)
			sharing_runs_add(
			        &r, (size_t)first * sizeof *acc, (size_t)(end - first) * sizeof *acc);

		r.start[k + 1] = r.n;
	}

	ranks_share(acc, r.run, r.start);
	sharing_runs_free(&r);
}

/** Output i in parts, which threads share when `parallel`. */
static void reduce_in_parts(const struct job *j, long i, bool parallel)
{
	long parts = (j->terms + PART - 1) / PART, from, to;
	struct cpu_walk w = walk_start(&j->keep, j->ptr, i);
	struct kern_acc few[16], *acc = (parts <= 16) ? few : mem_alloc((size_t)parts * sizeof *acc);
	char *ptr[MD_OPERANDS], value[16] __attribute__((aligned(16)));

	inputs_at(&w, ptr);
	distributed_part(j->terms, &from, &to);

#pragma omp parallel for schedule(static) num_threads(parallel ? threads_for((double)(to - from)) : 1)
	for (long p = from / PART; p < (to + PART - 1) / PART; p++) {
		kern_reduce_start(j->r->red, j->work, &acc[p]);
		reduce_terms(j, &j->fold, &j->pre, ptr, p * PART,
		        (p == parts - 1) ? j->terms : (p + 1) * PART, &acc[p]);
	}

	if (distributed())
		gather_parts(j->terms, acc);

	for (long p = 1; p < parts; p++)
		kern_reduce_merge(j->r->red, j->work, &acc[0], &acc[p]);

	kern_reduce_value(j->r->red, j->work, &acc[0], value);
	finish(j, i, 1, value);

	if (acc != few)
		free(acc);
}

static void by_lines(struct job *j)
{
	bool few = j->outputs < FEW;

	if (j->terms > PART || (distributed() && 1 == j->outputs)) {
#pragma omp parallel for schedule(static) num_threads(few ? 1 : threads_for((double)(j->outputs * j->terms)))
		for (long i = 0; i < j->outputs; i++)
			reduce_in_parts(j, i, few);

		return;
	}

	const int threads = threads_for(2. * (double)(j->outputs * (j->terms + 1)));

	if (1 == threads) {
		reduce_outputs(j, 0, j->outputs);
		return;
	}

#pragma omp parallel num_threads(threads)
	{
		long nt = omp_get_num_threads(), me = omp_get_thread_num();
		long first = j->outputs * me / nt, end = j->outputs * (me + 1) / nt;

		if (first < end)
			reduce_outputs(j, first, end - first);
	}
}

/* ---- reduced dims innermost and outermost -------------------------------- */

/** Outputs whose accumulators live at the same time, so that memory is read in its order. */
struct bundles {
	const struct job *j;
	struct md_shape line, rest; // the innermost of the reduced dims, the others
	struct cpu_chain pre;
	long bundles, part, parts; // of the outputs; lines of a part, and parts of a reduction
	struct kern_acc *acc;      // [bundles][parts][OUTPUTS]
};

/** Part p of bundle b. */
static void reduce_bundle(const struct bundles *x, long b, long p)
{
	const struct job *j = x->j;
	long first = b * OUTPUTS, n = (j->outputs - first < OUTPUTS) ? j->outputs - first : OUTPUTS;
	long lines = walk_count(&x->rest), start = p * x->part;
	long end = (start + x->part < lines) ? start + x->part : lines;
	struct kern_acc *acc = x->acc + (b * x->parts + p) * OUTPUTS;
	struct cpu_walk w = walk_start(&j->keep, j->ptr, first);
	char *base[OUTPUTS][MD_OPERANDS];

	for (long i = 0; i < n; i++) {
		inputs_at(&w, base[i]);
		kern_reduce_start(j->r->red, j->work, &acc[i]);

		if (i < n - 1)
			walk_on(&w, 1);
	}

	for (long t = start; t < end; t++) {
		long offset[MD_OPERANDS] = {0}, rest = t;

		for (int i = 0; i < x->rest.D; i++) {
			for (int k = 1; k < x->rest.N; k++)
				offset[k] += rest % x->rest.dims[i] * x->rest.strs[k][i];

			rest /= x->rest.dims[i];
		}

		for (long i = 0; i < n; i++) {
			char *ptr[MD_OPERANDS] = {NULL};

			for (int k = 1; k < x->rest.N; k++)
				ptr[k] = base[i][k] + offset[k];

			reduce_terms(j, &x->line, &x->pre, ptr, 0, x->line.dims[0], &acc[i]);
		}
	}
}

static void finish_bundle(const struct bundles *x, long b)
{
	const struct job *j = x->j;
	long first = b * OUTPUTS, n = (j->outputs - first < OUTPUTS) ? j->outputs - first : OUTPUTS;
	struct kern_acc *acc = x->acc + b * x->parts * OUTPUTS;
	char values[OUTPUTS * 16] __attribute__((aligned(64)));

	for (long i = 0; i < n; i++) {
		for (long p = 1; p < x->parts; p++)
			kern_reduce_merge(j->r->red, j->work, &acc[i], &acc[p * OUTPUTS + i]);

		kern_reduce_value(j->r->red, j->work, &acc[i], values + (size_t)i * dtype_size(j->value));
	}

	finish(j, first, n, values);
}

static void by_bundles(struct job *j)
{
	struct bundles x = {.j = j, .line = j->fold, .rest = j->fold};

	x.line.D = 1;
	x.rest.D--;

	for (int i = 0; i < x.rest.D; i++) {
		x.rest.dims[i] = j->fold.dims[i + 1];

		for (int k = 0; k < j->fold.N; k++)
			x.rest.strs[k][i] = j->fold.strs[k][i + 1];
	}

	if (NULL != j->r->pre)
		cpu_chain_prepare(&x.pre, j->r->pre, &x.line, 1);

	long lines = walk_count(&x.rest), row = j->outputs < OUTPUTS ? j->outputs : OUTPUTS;

	x.bundles = (j->outputs + OUTPUTS - 1) / OUTPUTS;
	x.part = (2 * PART + row * x.line.dims[0] - 1) / (row * x.line.dims[0]);

	if (x.part < (lines + PARTS - 1) / PARTS)
		x.part = (lines + PARTS - 1) / PARTS;

	x.parts = (lines + x.part - 1) / x.part;
	x.acc = mem_alloc((size_t)(x.bundles * x.parts * OUTPUTS) * sizeof *x.acc);

#pragma omp parallel for schedule(static) num_threads(threads_for(2. * (double)(j->outputs * j->terms)))
	for (long t = 0; t < x.bundles * x.parts; t++)
		reduce_bundle(&x, t / x.parts, t % x.parts);

	for (long b = 0; b < x.bundles; b++)
		finish_bundle(&x, b);

	free(x.acc);
}

/** Whether lines of one output lie farther apart than its neighbours', in a loop that is worth it. */
static bool prefer_bundles(const struct job *j)
{
	if (2 > j->fold.D || 1 > j->keep.D || SHORT > j->fold.dims[0] || j->terms * j->outputs <= BUNDLED)
		return false;

	switch (j->r->red) {
	case RED_ARGMIN: // numbers would be those in a line
	case RED_ARGMAX:
		return false;
	default:
		return labs(j->keep.strs[1][0]) < labs(j->fold.strs[1][1]);
	}
}

/* ---- the output's dims innermost ----------------------------------------- */

/** What the rows of elements go through on their way to the accumulators, and the operator that adds them. */
struct rows {
	const struct job *j;
	struct md_chain f;
	struct md_shape line; // the output's innermost dim alone
	enum dtype type;      // of an accumulator
	enum op op;
	kern_fn *fn;
	long row, rows_of_line, rows; // accumulators of a row; rows of a line, of all
	long parts, part;             // of a reduction; terms of one
	char *acc;                    // [rows][parts][row], from row `first` on
	long first;
};

/** Appends to a chain what makes terms of a plain sum, product, minimum or maximum. */
static void prepare_rows(struct rows *x)
{
	const struct job *j = x->j;
	struct md_chain *f = &x->f;
	bool sum = RED_MIN != j->r->red && RED_MAX != j->r->red;

	if (NULL != j->r->pre)
		*f = *j->r->pre;
	else
		for (int k = 0; k < reduction_args(j->r->red); k++)
			chain_operand(f, j->work);

	int a = f->values - 1, b = a - 1;
	enum dtype wide = dtype_is_complex(j->work) ? DT_COMPLEX128 : DT_FLOAT64;

	if (RED_DOT == j->r->red) // of operands b and a, in this order
		a = chain_op2(f, OP_MULC, chain_convert(f, wide, b), chain_convert(f, wide, a));
	else if (RED_COUNT == j->r->red)
		a = chain_convert(f, DT_FLOAT64, chain_convert(f, DT_BOOL, a));
	else if (sum)
		a = chain_convert(f, wide, a);

	if (RED_NORM == j->r->red)
		chain_op1(f, OP_ABS2, a);
	else if (RED_NORM1 == j->r->red)
		chain_op1(f, OP_ABS, a);

	x->type = chain_type(f);
	x->op = (RED_MIN == j->r->red)    ? OP_MIN
	        : (RED_MAX == j->r->red)  ? OP_MAX
	        : (RED_PROD == j->r->red) ? OP_MUL
	                                  : OP_ADD;
	x->fn = kern_op(x->op, x->type);
}

/** Part p of row r, to its place among the accumulators. */
static void reduce_row(const struct rows *x, long r, long p)
{
	const struct job *j = x->j;
	size_t size = dtype_size(x->type);
	long at = r % x->rows_of_line * x->row, length = x->line.dims[0];
	long n = (length - at < x->row) ? length - at : x->row;
	long first = p * x->part, end = (first + x->part < j->terms) ? first + x->part : j->terms;
	struct cpu_walk w = walk_start(&j->keep, j->ptr, r / x->rows_of_line * length + at);
	char *ptr[MD_OPERANDS] = {NULL},
	     *acc = x->acc + (size_t)(((r - x->first) * x->parts + p) * x->row) * size;
	struct cpu_chain c;
	struct cpu_chain_work work;

	for (int k = 1; k < j->keep.N; k++)
		ptr[k] = w.line[k] + at * x->line.strs[k][0];

	struct cpu_walk terms = walk_start(&j->fold, ptr, first);

	cpu_chain_prepare(&c, &x->f, &x->line, 1);

	for (long t = first; t < end; t++) {
		char *p0[MD_OPERANDS] = {NULL};

		inputs_at(&terms, p0);

		struct cpu_walk cells = walk_start(&x->line, p0, 0);

		for (long i = 0; i < n; i += KERN_BLOCK) {
			long m = (n - i < KERN_BLOCK) ? n - i : KERN_BLOCK;
			char *to = acc + (size_t)i * size;
			bool scalar;
			const void *v =
			        cpu_chain_block(&c, &work, &cells, m, (t == first) ? to : NULL, &scalar);

			if (t != first)
				x->fn(m, to, to, v, NULL, scalar ? 2 : 0);
			else if (v != to)
				kern_store(x->type, false, to, (long)size, x->type,
				        kern_load(x->type, work.slot[CHAIN_SLOTS - 1], x->type, false, v,
				                scalar ? 0 : (long)size, m),
				        m, NARROW_SATURATE, false);

			cells.at += m;
		}

		if (t < end - 1)
			walk_on(&terms, 1);
	}
}

/** The parts of a row merged in order, and its results written. */
static void finish_row(const struct rows *x, long r)
{
	const struct job *j = x->j;
	size_t size = dtype_size(x->type);
	long at = r % x->rows_of_line * x->row, length = x->line.dims[0];
	long n = (length - at < x->row) ? length - at : x->row;
	char *acc = x->acc + (size_t)((r - x->first) * x->parts * x->row) * size;
	double count = (double)j->terms;

	for (long p = 1; p < x->parts; p++)
		x->fn(n, acc, acc, acc + (size_t)(p * x->row) * size, NULL, 0);

	if (RED_MEAN == j->r->red && DT_FLOAT64 == x->type)
		kern_op(OP_DIV, x->type)(n, acc, acc, &count, NULL, 2);

	if (RED_MEAN == j->r->red && DT_COMPLEX128 == x->type) // parts apart
		kern_op(OP_DIV, DT_FLOAT64)(2 * n, acc, acc, &count, NULL, 2);

	if (RED_NORM == j->r->red)
		kern_op(OP_SQRT, x->type)(n, acc, acc, NULL, NULL, 0);

	for (long i = 0; i < n; i += KERN_BLOCK) {
		long m = (n - i < KERN_BLOCK) ? n - i : KERN_BLOCK;
		char buf[KERN_BLOCK * 16] __attribute__((aligned(64)));

		finish(j, r / x->rows_of_line * length + at + i, m,
		        kern_load(j->value, buf, x->type, false, acc + (size_t)i * size, (long)size, m));
	}
}

static void by_rows(struct job *j)
{
	struct rows x = {.j = j, .line = {.D = 1, .N = j->keep.N}};

	x.line.dims[0] = j->keep.dims[0];

	for (int k = 0; k < j->keep.N; k++)
		x.line.strs[k][0] = j->keep.strs[k][0];

	prepare_rows(&x);
	x.row = (x.line.dims[0] < ROW) ? x.line.dims[0] : ROW;
	x.rows_of_line = (x.line.dims[0] + x.row - 1) / x.row;
	x.rows = j->outputs / x.line.dims[0] * x.rows_of_line;
	x.part = (2 * PART + x.row - 1) / x.row;

	if (x.part < (j->terms + PARTS - 1) / PARTS)
		x.part = (j->terms + PARTS - 1) / PARTS;

	x.parts = (j->terms + x.part - 1) / x.part;

	// as many rows at a time as keep the accumulators small
	long bytes = x.parts * x.row * (long)dtype_size(x.type);
	long most = (1l << 24) / bytes + 1, group = (x.rows < most) ? x.rows : most;
	const int threads = threads_for(2. * (double)(j->outputs * j->terms));

	x.acc = mem_alloc((size_t)(group * bytes));

	for (x.first = 0; x.first < x.rows; x.first += group) {
		long n = (x.rows - x.first < group) ? x.rows - x.first : group;

#pragma omp parallel for schedule(static) num_threads(threads)
		for (long t = 0; t < n * x.parts; t++)
			reduce_row(&x, x.first + t / x.parts, t % x.parts);

#pragma omp parallel for schedule(static) num_threads((n > 1) ? threads : 1)
		for (long r = 0; r < n; r++)
			finish_row(&x, x.first + r);
	}

	free(x.acc);
}

/** Whether the output's innermost dim is the better inner loop. */
static bool prefer_rows(const struct job *j)
{
	if (0 == j->keep.D || 0 == j->fold.D || 0 == j->terms)
		return false;

	switch (j->r->red) {
	case RED_SUM:
	case RED_MEAN:
	case RED_PROD:
	case RED_DOT:
		if (dtype_is_integer(j->work)) // in 128 bits, which only the accumulators of a line have
			return false;

		break;
	case RED_ARGMIN:
	case RED_ARGMAX:
	case RED_ANY:
	case RED_ALL:
		return false;
	default:
		break;
	}

	if (j->keep.dims[0] < SHORT || j->fold.dims[0] < SHORT)
		return j->keep.dims[0] > j->fold.dims[0];

	for (int k = 1; k < j->keep.N; k++) {
		long a = labs(j->keep.strs[k][0]), b = labs(j->fold.strs[k][0]);

		if (a != b && 0 != a && 0 != b)
			return a < b;
	}

	return false;
}

void cpu_reduction(const struct md_reduction *r, enum dtype t, const struct md_shape *s, void *out,
        const void *const in[])
{
	struct job j = {.r = r, .type = t, .ptr = {out}};
	enum dtype of = (NULL != r->pre) ? chain_type(r->pre) : r->type;
	struct op_types types;

	if (!reduction_types(r->red, (const enum dtype[]){of, of}, &types))
		error("%s is not defined for %s", reduction_name(r->red), dtype_name(of));

	j.work = types.work;
	j.value = types.value;

	for (int k = 1; k < s->N; k++)
		j.ptr[k] = (char *)in[k - 1];

	forms_split(&j.keep, &j.fold, s);
	j.outputs = walk_count(&j.keep);
	j.terms = walk_count(&j.fold);

	if (0 == j.outputs)
		return;

	if (prefer_rows(&j)) {
		by_rows(&j);
		return;
	}

	if (prefer_bundles(&j)) {
		by_bundles(&j);
		return;
	}

	if (NULL != r->pre)
		cpu_chain_prepare(&j.pre, r->pre, &j.fold, 1);

	by_lines(&j);
}
