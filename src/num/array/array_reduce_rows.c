/* Reductions by rows of accumulators. A strip of neighbouring results passes over all reduced elements, or
 * over a chunk of them if there are few strips; chunks are merged in order. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/threads.h"
#include "num/array/array_loop.h"
#include "num/array/array_reduce.h"

/** Results of a strip; the shortest row worth it; strips from which on there is one chunk; chunks at most and
 * elements of a chunk at least; strips whose accumulators are kept at a time; elements worth a second
 * thread. */
enum { STRIP = 4096, ROW_MIN = 16, STRIPS = 64, CHUNKS = 16, CHUNK = 1 << 16, BATCH = 256 };

/** How a row of elements is added: loaded as `load`, converted to accumulators of type `acc`, and
 * combined with them. */
struct rule {
	enum dtype load, acc;
	enum op combine;
	double start; // of accumulators
};

struct rows {
	struct reduce *r;
	struct rule rule;
	long width, per_line, strips; // of a strip; strips along dim 0; of all
	long chunk, chunks;           // rows of a chunk
	size_t room;                  // bytes of a strip's accumulators
};

static bool is_complex(const struct reduce *r)
{
	return dtype_is_complex(r->t.work);
}

/** Integers whose sum 64 bits hold for certain. */
static bool sum_is_safe(const struct reduce *r)
{
	return DT_BOOL == r->type[0] || dtype_size(r->type[0]) <= 2 ||
	       (dtype_size(r->type[0]) <= 4 && r->rcount < 1l << 31);
}

/** False when only array_reduce_lines() does it. */
static bool find_rule(const struct reduce *r, struct rule *rule)
{
	const bool integers = dtype_is_integer(r->t.work);
	const enum dtype real = DT_FLOAT64, wide = is_complex(r) ? DT_COMPLEX128 : DT_FLOAT64;

	switch (r->red) {
	case RED_SUM:
	case RED_MEAN:
		*rule = integers ? (struct rule){DT_INT64, DT_INT64, OP_ADD, 0}
		                 : (struct rule){wide, wide, OP_ADD, 0};
		return !integers || sum_is_safe(r);
	case RED_PROD:
		*rule = (struct rule){wide, wide, OP_MUL, 1};
		return !integers;
	case RED_DOT:
		*rule = (struct rule){wide, wide, OP_ADD, 0};
		return !integers;
	case RED_NORM:
	case RED_NORM1:
		*rule = (struct rule){wide, real, OP_ADD, 0};
		return true;
	case RED_MIN:
	case RED_MAX:
		*rule = (struct rule){r->t.work, r->t.work, (RED_MIN == r->red) ? OP_MIN : OP_MAX, 0};
		return DT_BOOL != r->t.work;
	case RED_ANY:
	case RED_ALL:
		*rule = (struct rule){
		        r->t.work, DT_BOOL, (RED_ANY == r->red) ? OP_OR : OP_AND, RED_ALL == r->red};
		return true;
	case RED_COUNT:
		*rule = (struct rule){r->t.work, DT_INT64, OP_ADD, 0};
		return true;
	default:
		return false;
	}
}

/** The kept dim along which rows run: the innermost, or the next when that is very short. */
static int row_dim(const struct array_walk *kept)
{
	return (kept->dims[0] < ROW_MIN && 1 < kept->D && kept->dims[1] > kept->dims[0]) ? 1 : 0;
}

bool array_reduce_rows_fit(const struct reduce *r)
{
	struct rule rule;
	const int d = row_dim(&r->kept);
	const long across = labs(r->kept.strs[0][d]), along = labs(r->reduced.strs[0][0]);

	if (0 == r->rcount || r->kept.dims[d] < ROW_MIN || !find_rule(r, &rule))
		return false;

	return across < along || r->rcount < ROW_MIN;
}

/** n elements of type acc[] as the rule starts. */
static void start(const struct rule *rule, long n, char *acc)
{
	const double one[2] = {rule->start, 0};
	const size_t size = dtype_size(rule->acc);

	convert(rule->acc, acc, DT_COMPLEX128, one, 1, NARROW_SATURATE);

	for (long i = 1; i < n; i++)
		memcpy(acc + (size_t)i * size, acc, size);
}

/** Whether x != 0, as numbers of the accumulators' type. */
static const void *test(const struct rule *rule, long n, const void *x, char *buf, char *counted)
{
	static const double zero[2];

	if (DT_BOOL != rule->load) {
		kern_op(OP_NE, rule->load)(n, buf, x, zero, NULL, 2);
		x = buf;
	}

	return (DT_BOOL == rule->acc) ? x : kern_load(rule->acc, counted, DT_BOOL, false, x, 1, n);
}

/** What is to be combined with the accumulators: from elements x (and y) of the type loaded. */
static const void *term(
        const struct reduce *r, const struct rule *rule, long n, const void *x, const void *y, char *buf[2])
{
	enum op op;

	switch (r->red) {
	case RED_NORM:
		op = OP_ABS2;
		break;
	case RED_NORM1:
		op = OP_ABS;
		break;
	case RED_DOT:
		op = is_complex(r) ? OP_MULC : OP_MUL;
		break;
	case RED_ANY:
	case RED_ALL:
	case RED_COUNT:
		return test(rule, n, x, buf[0], buf[1]);
	default:
		return x;
	}

	kern_op(op, rule->load)(n, buf[0], x, y, NULL, 0);

	return buf[0];
}

/** acc = acc combined with one row's elements from ptr[] on; the next row begins at next[]. */
static void add_row(
        const struct rows *w, long n, char *acc, char *const ptr[], char *const next[], bool first)
{
	const struct reduce *r = w->r;
	const struct rule *rule = &w->rule;
	char load[REDUCE_ARGS_MAX][16 * KERN_BLOCK] __attribute__((aligned(64)));
	char work[2][16 * KERN_BLOCK] __attribute__((aligned(64)));
	const bool copies = first && (OP_MIN == rule->combine || OP_MAX == rule->combine);

	for (long at = 0; at < n; at += KERN_BLOCK) {
		const long m = (n - at < KERN_BLOCK) ? n - at : KERN_BLOCK;
		const void *x[REDUCE_ARGS_MAX] = {NULL, NULL};
		char *to = acc + (size_t)at * dtype_size(rule->acc);

		for (int k = 0; k < r->args; k++) {
			const long size = (long)dtype_size(r->type[k]);

			if (r->kept.strs[k][0] == size)
				array_fetch(next[k] + at * size, m * size);

			x[k] = kern_load(rule->load, load[k], r->type[k], r->swapped[k],
			        ptr[k] + at * r->kept.strs[k][0], r->kept.strs[k][0], m);
		}

		const void *t = term(r, rule, m, x[0], x[1], (char *[]){work[0], work[1]});

		kern_op(copies ? OP_COPY : rule->combine, rule->acc)(
		        m, to, copies ? t : to, copies ? NULL : t, NULL, 0);
	}
}

/** First operands and length of a strip: its place along dim 0 (the rows), then the others. */
static long strip_at(const struct rows *w, long strip, char *ptr[REDUCE_OPERANDS])
{
	const struct reduce *r = w->r;
	struct array_walk kept = r->kept;
	const long first = strip % w->per_line * w->width, left = kept.dims[0] - first;

	array_walk_to(&kept, strip / w->per_line * kept.dims[0] + first);

	for (int k = 0; k < REDUCE_OPERANDS; k++)
		ptr[k] = r->ptr[k] + kept.offset[k];

	return (left < w->width) ? left : w->width;
}

static void run_chunk(const struct rows *w, long strip, long chunk, char *acc)
{
	const struct reduce *r = w->r;
	char *base[REDUCE_OPERANDS];
	const long n = strip_at(w, strip, base);
	const long first = chunk * w->chunk;
	const long end = (first + w->chunk < r->rcount) ? first + w->chunk : r->rcount;
	struct array_walk reduced = r->reduced;

	start(&w->rule, n, acc);
	array_walk_to(&reduced, first);

	for (long at = first; at < end; at++) {
		long offset[REDUCE_ARGS_MAX];

		array_walk_run(&reduced, 1, offset);
		add_row(w, n, acc, (char *[]){base[0] + offset[0], base[1] + offset[1]},
		        (char *[]){base[0] + reduced.offset[0], base[1] + reduced.offset[1]}, at == first);
	}
}

/** n results from accumulators, in place or in buf. */
static const void *results(const struct rows *w, long n, char *acc, char *buf)
{
	const struct reduce *r = w->r;
	const double count = (double)r->rcount;
	const bool pairs = DT_COMPLEX128 == w->rule.acc;

	if (RED_NORM == r->red)
		kern_op(OP_SQRT, DT_FLOAT64)(n, acc, acc, NULL, NULL, 0);

	if (RED_MEAN != r->red)
		return acc;

	const void *sum =
	        pairs ? acc
	              : kern_load(DT_FLOAT64, buf, w->rule.acc, false, acc, (long)dtype_size(w->rule.acc), n);

	kern_op(OP_DIV, DT_FLOAT64)(pairs ? 2 * n : n, buf, sum, &count, NULL, 2);

	return buf;
}

/** Merges the chunks of a strip and stores its results. */
static void finish(const struct rows *w, long strip, char *acc)
{
	struct reduce *r = w->r;
	const struct rule *rule = &w->rule;
	char buf[16 * KERN_BLOCK] __attribute__((aligned(64)));
	char *base[REDUCE_OPERANDS];
	const long n = strip_at(w, strip, base);

	for (long c = 1; c < w->chunks; c++)
		kern_op(rule->combine, rule->acc)(n, acc, acc, acc + (size_t)c * w->room, NULL, 0);

	for (long at = 0; at < n; at += KERN_BLOCK) {
		const long m = (n - at < KERN_BLOCK) ? n - at : KERN_BLOCK;
		char *from = acc + (size_t)at * dtype_size(rule->acc);

		array_reduce_store(r, base[2] + at * r->kept.strs[2][0], r->kept.strs[2][0],
		        results(w, m, from, buf), m, 0);
	}
}

/** Rows along dim 0. */
static void exchange(struct array_walk *w, int d)
{
	long t = w->dims[0];

	w->dims[0] = w->dims[d];
	w->dims[d] = t;

	for (int k = 0; k < w->N; k++) {
		t = w->strs[k][0];
		w->strs[k][0] = w->strs[k][d];
		w->strs[k][d] = t;
	}
}

void array_reduce_rows(struct reduce *r)
{
	struct rows w = {.r = r};

	find_rule(r, &w.rule);
	exchange(&r->kept, row_dim(&r->kept));

	w.width = (r->kept.dims[0] < STRIP) ? r->kept.dims[0] : STRIP;
	w.per_line = (r->kept.dims[0] + w.width - 1) / w.width;
	w.strips = w.per_line * (r->kcount / r->kept.dims[0]);
	w.chunks = (w.strips >= STRIPS) ? 1 : r->rcount / (CHUNK / w.width) + 1;
	w.chunks = (w.chunks < CHUNKS) ? w.chunks : CHUNKS;
	w.chunk = (r->rcount + w.chunks - 1) / w.chunks;
	w.chunks = (r->rcount + w.chunk - 1) / w.chunk;
	w.room = ((size_t)w.width * dtype_size(w.rule.acc) + 63) / 64 * 64;

	const int threads = threads_for(2. * (double)(r->kcount * r->rcount));
	const long batch = (w.strips < BATCH) ? w.strips : BATCH, each = w.chunks * (long)w.room;
	char *acc = mem_alloc((size_t)(batch * each));

	for (long first = 0; first < w.strips; first += batch) {
		const long n = (w.strips - first < batch) ? w.strips - first : batch;

#pragma omp parallel num_threads(threads)
		{
#pragma omp for
			for (long i = 0; i < n * w.chunks; i++)
				run_chunk(&w, first + i / w.chunks, i % w.chunks, acc + i * (long)w.room);
#pragma omp for
			for (long i = 0; i < n; i++)
				finish(&w, first + i, acc + i * each);
		}
	}

	free(acc);
}
