/* Gathering and scattering along a dim by an index object. If the other dims form long enough lines, whole
 * lines are moved; else single elements, block by block. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "num/array/array_index.h"
#include "num/array/array_internal.h"
#include "num/array/array_loop.h"
#include "num/array/array_table.h"

/** Lines shorter than this do not move as lines; elements worth a second thread. */
enum { LINE_MIN = 16, GRAIN = 1 << 14 };

/** Operand 0 is the output, 1 the input; the index belongs to one of them. */
struct move {
	struct array_copier copier;
	const struct index *x;
	int indexed;
	long along[2]; // steps along the indexed dim [bytes]
	int D;         // the other dims
	long dims[DIMS];
	long strs[2][DIMS];
	char *ptr[2];
	long rest; // elements of dims 1.. of the others
};

/** First elements at number `at` of the dims from d on. */
static void place(const struct move *m, int d, long at, char *ptr[2])
{
	ptr[0] = m->ptr[0];
	ptr[1] = m->ptr[1];

	for (int i = d; i < m->D; i++) {
		const long pos = at % m->dims[i];

		at /= m->dims[i];
		ptr[0] += pos * m->strs[0][i];
		ptr[1] += pos * m->strs[1][i];
	}
}

/** Element i of the index, one line. */
static void move_line(struct move *m, long at, long i)
{
	const long step[2] = {m->strs[0][0], m->strs[1][0]};
	char *ptr[2];

	place(m, 1, at, ptr);
	ptr[m->indexed] += index_at(m->x, i) * m->along[m->indexed];
	ptr[1 - m->indexed] += i * m->along[1 - m->indexed];

	for (long first = 0; first < m->dims[0]; first += KERN_BLOCK) {
		const long left = m->dims[0] - first;

		array_copy_line(&m->copier, (left < KERN_BLOCK) ? left : KERN_BLOCK, step,
		        (char *[]){ptr[0] + first * step[0], ptr[1] + first * step[1]});
	}
}

#define MOVE(n)                                                                                              \
	case n:                                                                                              \
		for (long i = 0; i < count; i++)                                                             \
			memcpy(out + (scatter ? at[i] * step : i * n),                                       \
			        in + (scatter ? i * n : at[i] * step), n);                                   \
		break;

/** count elements of `size` bytes between a line without gaps and the places at[], `step` bytes each. */
static void move_elements(
        size_t size, long count, char *out, const char *in, const long at[], long step, bool scatter)
{
	switch (size) {
		MOVE(1)
		MOVE(2)
		MOVE(4)
		MOVE(8)
		MOVE(16)
	}
}

/** Elements [first, first + n) of the index at one place of the other dims. */
static void move_block(struct move *m, long place_at, long first, long n)
{
	const size_t size = dtype_size((1 == m->indexed) ? m->copier.from : m->copier.to);
	char buf[16 * KERN_BLOCK] __attribute__((aligned(64)));
	const long *at = m->x->at + first;
	char *ptr[2];

	place(m, 0, place_at, ptr);
	ptr[1 - m->indexed] += first * m->along[1 - m->indexed];

	if (1 == m->indexed) {
		move_elements(size, n, buf, ptr[1], at, m->along[1], false);
		array_copy_line(
		        &m->copier, n, (const long[]){m->along[0], (long)size}, (char *[]){ptr[0], buf});
	} else {
		array_copy_line(
		        &m->copier, n, (const long[]){(long)size, m->along[1]}, (char *[]){buf, ptr[1]});
		move_elements(size, n, ptr[0], buf, at, m->along[0], true);
	}
}

static void run_lines(struct move *m, bool parallel)
{
	const long n = m->x->n;

#pragma omp parallel for schedule(static) if (parallel)
	for (long t = 0; t < m->rest * n; t++)
		move_line(m, t / n, t % n);
}

static void run_blocks(struct move *m, bool ordered, bool parallel)
{
	const long places = m->rest * m->dims[0];
	const long cut = ordered ? m->x->n : KERN_BLOCK; // numbers that may be repeated stay with one thread
	const long pieces = (m->x->n + cut - 1) / cut;

#pragma omp parallel for schedule(static) if (parallel)
	for (long t = 0; t < places * pieces; t++) {
		const long from = t % pieces * cut;
		const long to = (from + cut < m->x->n) ? from + cut : m->x->n;

		for (long first = from; first < to; first += KERN_BLOCK)
			move_block(m, t / pieces, first, (to - first < KERN_BLOCK) ? to - first : KERN_BLOCK);
	}
}

/** Shapes are those of the operand that is not indexed. */
static long array_take_run(const struct array *out, const struct array *in, int indexed, int d,
        const struct index *x, enum narrow narrow)
{
	const struct array *dense = indexed ? out : in;
	struct move m = {.copier = array_copier(out, in, narrow), .x = x, .indexed = indexed};
	const struct array *const operand[2] = {out, in};

	if (0 == array_count(dense))
		return 0;

	md_copy_dims(DIMS, m.dims, dense->dims);
	m.dims[d] = 1;

	for (int k = 0; k < 2; k++) {
		m.along[k] = operand[k]->strs[d];
		m.ptr[k] = operand[k]->data;

		for (int i = 0; i < DIMS; i++)
			m.strs[k][i] = (i == d || 1 == operand[k]->dims[i]) ? 0 : operand[k]->strs[i];
	}

	m.D = md_simplify(2, DIMS, m.dims, m.strs);

	if (0 == m.D) {
		m.D = 1;
		m.dims[0] = 1;
		m.strs[0][0] = m.strs[1][0] = 0;
	}

	m.rest = md_calc_size(m.D - 1, m.dims + 1);

	const bool ordered = 0 == indexed && !x->ascending;
	const bool parallel = array_count(dense) >= GRAIN;

	if (m.dims[0] >= LINE_MIN && labs(m.strs[indexed][0]) <= labs(m.along[indexed]))
		run_lines(&m, parallel && !ordered);
	else
		run_blocks(&m, ordered, parallel);

	return m.copier.lost;
}

long array_plain_take(
        const struct array *out, const struct array *in, int d, const struct index *x, enum narrow narrow)
{
	return array_take_run(out, in, 1, d, x, narrow);
}

long array_plain_put(
        const struct array *out, int d, const struct index *x, const struct array *in, enum narrow narrow)
{
	return array_take_run(out, in, 0, d, x, narrow);
}

/** error() unless `whole` has the extent that the index was made for. */
static void check_extent(const struct array *whole, int d, const struct index *x)
{
	if (d < 0 || d >= DIMS)
		error("dimension %d of %s does not exist, expected 0 to %d", d, array_label(whole), DIMS - 1);

	if (whole->dims[d] != x->extent)
		error("%s is %s: an index for %ld elements does not fit dimension %d", array_label(whole),
		        array_shape(whole), x->extent, d);
}

void array_take(struct array *out, const struct array *in, int d, const struct index *x, struct array_rules r)
{
	long dims[DIMS];

	check_extent(in, d, x);
	md_copy_dims(DIMS, dims, in->dims);
	dims[d] = x->n;

	if (!md_check_equal_dims(DIMS, dims, out->dims, ~0ul))
		error("%s is %s: expected the shape %s with %ld elements along dimension %d",
		        array_label(out), array_shape(out), array_shape(in), x->n, d);

	array_check_output(out);

	if (x->is_range || array_overlap(out, in)) {
		struct array *taken = x->is_range ? array_slice(in, d, x->start, x->step, x->n)
		                                  : array_create(in->type, DIMS, dims);

		if (!x->is_range)
			array_entries()->take(taken, in, d, x, r.narrow);

		array_copy(out, taken, r);
		array_free(taken);
		return;
	}

	array_report_lost(out, in->type, array_entries()->take(out, in, d, x, r.narrow), r);
}

void array_put(struct array *out, int d, const struct index *x, const struct array *in, struct array_rules r)
{
	long dims[DIMS];

	check_extent(out, d, x);
	md_copy_dims(DIMS, dims, out->dims);
	dims[d] = x->n;

	if (!md_check_broadcast(DIMS, dims, in->dims))
		error("%s is %s: expected the shape %s with %ld elements along dimension %d (size 1 is "
		      "repeated)",
		        array_label(in), array_shape(in), array_shape(out), x->n, d);

	array_check_output(out);

	if (x->is_range) {
		struct array *part = array_slice(out, d, x->start, x->step, x->n);

		array_copy(part, in, r);
		array_free(part);
		return;
	}

	struct array *apart = array_overlap(out, in) ? array_clone(in) : array_ref(in);
	struct array *all = array_broadcast(apart, dims);

	array_report_lost(out, in->type, array_entries()->put(out, d, x, all, r.narrow), r);
	array_free(all);
	array_free(apart);
}
