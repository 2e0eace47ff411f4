/* Overlap of views against sets of bytes, and operations on overlapping views against the same on copies. */

#include <math.h>

#include "check.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "strided.h"

enum { BUFFER = 256, CASES = 20000, RESULTS = 6000 };

/* A random view of the buffer: any type, up to four dims, steps of either sign or 0, all of it inside. */
static struct array *random_view(char *buffer, bool repeat)
{
	const enum dtype t = (enum dtype)pick(DT_COUNT);
	const long size = (long)dtype_size(t), unit = (long)dtype_unit(t);

	for (;;) {
		long dims[4], strs[4], lo = 0, hi = size;
		const int D = (int)pick(5);

		for (int i = 0; i < D; i++) {
			dims[i] = 1 + pick(5);
			strs[i] = (repeat && 0 == pick(8)) ? 0 : unit * (pick(41) - 20);
			if (0 == pick(2))
				strs[i] = strs[i] / unit * size;
			lo += (strs[i] < 0) ? (dims[i] - 1) * strs[i] : 0;
			hi += (strs[i] > 0) ? (dims[i] - 1) * strs[i] : 0;
		}

		if (hi - lo > BUFFER)
			continue;

		const long room = BUFFER - (hi - lo), at = pick(room / unit + 1) * unit;

		return array_borrow(t, D, dims, strs, buffer - lo / unit * unit + at);
	}
}

static bool next(const struct array *a, long pos[DIMS])
{
	return md_next(DIMS, a->dims, ~0ul, pos);
}

static char *element(const struct array *a, const long pos[DIMS])
{
	return a->data + md_calc_offset(DIMS, a->strs, pos);
}

/* touched[byte] += 1 for every element. */
static void mark(const struct array *a, const char *buffer, int touched[BUFFER])
{
	long pos[DIMS] = {0};

	memset(touched, 0, BUFFER * sizeof *touched);

	do {
		const long at = element(a, pos) - buffer;

		for (size_t b = 0; b < dtype_size(a->type); b++)
			touched[at + (long)b]++;
	} while (next(a, pos));
}

static bool plain_overlap(const struct array *a, const struct array *b, const char *buffer)
{
	int ta[BUFFER], tb[BUFFER];

	mark(a, buffer, ta);
	mark(b, buffer, tb);

	for (int i = 0; i < BUFFER; i++)
		if (ta[i] && tb[i])
			return true;

	return false;
}

static bool plain_self(const struct array *a, const char *buffer)
{
	int t[BUFFER];

	mark(a, buffer, t);

	for (int i = 0; i < BUFFER; i++)
		if (t[i] > 1)
			return true;

	return false;
}

/* Some element of out shares a byte with another element of in. */
static bool plain_conflict(const struct array *out, const struct array *in)
{
	long i[DIMS] = {0};

	do {
		long j[DIMS] = {0};

		do {
			long jin[DIMS];

			for (int d = 0; d < DIMS; d++)
				jin[d] = (1 == in->dims[d]) ? 0 : j[d];

			const char *p = element(out, i), *q = element(in, jin);

			if (0 != memcmp(i, j, sizeof i) && p < q + dtype_size(in->type) &&
			        q < p + dtype_size(out->type))
				return true;
		} while (next(out, j));
	} while (next(out, i));

	return false;
}

static void test_sets(void)
{
	char buffer[BUFFER] __attribute__((aligned(16)));
	long wrong[3] = {0}, yes[3] = {0}, conflicts = 0;

	for (int n = 0; n < CASES; n++) {
		struct array *a = random_view(buffer, true), *b = random_view(buffer, true);
		bool overlap = plain_overlap(a, b, buffer), self = plain_self(a, buffer);

		wrong[0] += overlap != array_overlap(a, b);
		yes[0] += overlap;
		wrong[1] += self != array_self_overlap(a);
		yes[1] += self;

		for (int d = 0; d < DIMS; d++) // a view of b with the dims of a, or 1
			if (b->dims[d] != a->dims[d] && (1 == a->dims[d] || b->dims[d] < a->dims[d]))
				b->dims[d] = 1;
			else
				b->dims[d] = a->dims[d];

		if (md_calc_size(DIMS, a->dims) <= 60) {
			bool conflict = plain_conflict(a, b);

			wrong[2] += conflict != array_conflict(a, b);
			yes[2] += conflict;
			conflicts++;
		}

		array_free(a);
		array_free(b);
	}

	check(!wrong[0], "overlap of %d pairs as their bytes say: %ld wrong, %ld overlap", CASES, wrong[0],
	        yes[0]);
	check(!wrong[1], "overlap of %d views with themselves: %ld wrong, %ld do", CASES, wrong[1], yes[1]);
	check(!wrong[2], "conflicts of %ld pairs: %ld wrong, %ld conflict", conflicts, wrong[2], yes[2]);
	check(yes[0] > 1000 && yes[0] < CASES - 1000 && yes[2] > 1000 && yes[2] < conflicts - 1000,
	        "cases of both kinds");
}

/* Sizes of real arrays: the answers are known, and quick. */
static void test_large(void)
{
	char *base = (char *)(1l << 40);
	const long dims[] = {2048, 2048, 2048};
	struct array *a = array_borrow(DT_FLOAT32, 3, dims, NULL, base);
	struct array *even = array_slice(a, 0, 0, 2, 1024), *odd = array_slice(a, 0, 1, 2, 1024);
	struct array *low = array_slice(a, 2, 0, 1, 1024), *high = array_slice(a, 2, 1024, 1, 1024);
	struct array *left = array_slice(a, 1, 0, 1, 1024), *right = array_slice(a, 1, 1024, 1, 1024);
	struct array *flip = array_flip(a, 7), *transposed = array_transpose(a, 0, 2);
	struct array *shifted = array_slice(a, 0, 1, 1, 2047), *start = array_slice(a, 0, 0, 1, 2047);
	struct array *z = array_reinterpret(a, DT_UINT32);

	check(!array_overlap(even, odd) && !array_overlap(low, high) && !array_overlap(left, right),
	        "halves of 2048^3 do not overlap");
	check(array_overlap(a, flip) && array_overlap(even, transposed), "flipped and transposed they do");
	check(array_conflict(a, flip) && array_conflict(a, transposed), "and writing one changes the other");
	check(array_conflict(shifted, start) && !array_conflict(a, z) && !array_conflict(flip, flip),
	        "shifted as well, the same elements not");
	check(!array_self_overlap(a) && !array_self_overlap(transposed) && !array_self_overlap(even),
	        "no element overlaps another");

	const struct array *all[] = {
	        a, even, odd, low, high, left, right, flip, transposed, shifted, start, z};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		array_free(all[i]);
}

/* A view of a float buffer by slices, flips, transposition, diagonals, repetition, other types. */
static struct array *derived_view(const struct array *whole, const long shape[2])
{
	struct array *v = array_ref(whole);

	for (int k = 0; k < 3; k++) {
		struct array *w = NULL;
		const int d = (int)pick(2);

		switch (pick(6)) {
		case 0: {
			long n = v->dims[d], step = 1 + pick(2), start = pick(n);

			w = array_slice(v, d, start, step, (n - 1 - start) / step + 1);
			break;
		}
		case 1:
			w = array_flip(v, 1ul << d);
			break;
		case 2:
			w = array_transpose(v, 0, 1);
			break;
		case 3:
			w = (1 < v->dims[0] && 1 < v->dims[1] && 0 == pick(3)) ? array_diagonal(v, 0, 1, 0)
			                                                       : array_ref(v);
			break;
		case 4:
			w = array_reinterpret(v, (DT_FLOAT32 == v->type) ? DT_INT32 : DT_FLOAT32);
			break;
		default:
			w = array_slice(v, d, pick(v->dims[d]), 1, 1);
		}

		array_free(v);
		v = w;
	}

	for (int d = 0; d < 2; d++) { // to the shape, or 1
		long n = (shape[d] <= v->dims[d]) ? shape[d] : 1;
		struct array *w = array_slice(v, d, pick(v->dims[d] - n + 1), 1, n);

		array_free(v);
		v = w;
	}

	return v;
}

static void fill(struct array *a)
{
	float *p = (float *)a->data;

	for (long i = 0; i < array_count(a); i++)
		p[i] = (float)(pick(200) - 100) / 4;
}

/* out = a op b on one buffer equals the same with everything apart. */
static bool one_result(struct array *buffer, struct array *twin)
{
	const enum op ops[] = {OP_ADD, OP_MAX, OP_MUL, OP_SUB};
	const enum op op = ops[pick(4)];
	struct array *out = NULL;

	fill(buffer);

	do {
		array_free(out);
		out = derived_view(buffer, buffer->dims);
	} while (array_self_overlap(out));

	struct array *a = derived_view(buffer, out->dims), *b = derived_view(buffer, out->dims);
	struct array *ca = array_cast(a, a->type, array_default), *cb = array_cast(b, b->type, array_default);
	struct array *want = array_create(out->type, DIMS, out->dims);
	struct array *rest = array_borrow(DT_FLOAT32, 2, buffer->dims, NULL, twin->data);
	struct array place = *out;

	memcpy(twin->data, buffer->data, (size_t)array_count(buffer) * 4);
	place.data = twin->data + (out->data - buffer->data);
	array_apply(op, want, (const struct array *const[]){ca, cb}, array_default);
	array_copy(&place, want, array_default);
	array_apply(op, out, (const struct array *const[]){a, b}, array_default);

	const bool good = 0 == memcmp(buffer->data, twin->data, (size_t)array_count(buffer) * 4);
	const struct array *all[] = {out, a, b, ca, cb, want, rest};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		array_free(all[i]);

	return good;
}

static void test_results(void)
{
	long wrong = 0;

	for (int n = 0; n < RESULTS; n++) {
		const long dims[] = {1 + pick(12), 1 + pick(12)};
		struct array *buffer = array_create(DT_FLOAT32, 2, dims);
		struct array *twin = array_create(DT_FLOAT32, 2, dims);

		wrong += !one_result(buffer, twin);
		array_free(buffer);
		array_free(twin);
	}

	check(!wrong, "results of %d operations on views of one buffer equal those on copies: %ld differ",
	        RESULTS, wrong);
}

/* Copies, reductions, gathering and scattering onto overlapping views. */
static void test_others(void)
{
	long wrong[4] = {0};

	for (int n = 0; n < 1500; n++) {
		const long dims[] = {2 + pick(10), 2 + pick(10)};
		struct array *buffer = array_create(DT_FLOAT32, 2, dims);
		const size_t bytes = (size_t)array_count(buffer) * 4;
		char *kept = mem_alloc(bytes);
		const int d = (int)pick(2);
		struct array *row = array_at(buffer, d, pick(dims[d]));

		fill(buffer);
		memcpy(kept, buffer->data, bytes);

		struct array *sum = array_reduction(
		        RED_SUM, 1ul << d, (const struct array *const[]){buffer}, array_default);
		struct array *want = array_cast(sum, DT_FLOAT32, array_default);

		array_reduce(RED_SUM, 1ul << d, row, (const struct array *const[]){buffer}, array_default);
		struct array *got = array_cast(row, DT_FLOAT32, array_default);
		wrong[0] += 0 != memcmp(got->data, want->data, (size_t)array_count(got) * 4);
		array_free(sum);
		array_free(want);
		array_free(got);
		memcpy(buffer->data, kept, bytes);

		long at[4];

		for (int i = 0; i < 4; i++)
			at[i] = pick(dims[d]);

		struct index *x = index_list(dims[d], 2, at);
		struct array *copy = array_cast(buffer, DT_FLOAT32, array_default);
		struct array *part = array_slice(buffer, d, dims[d] - 2, 1, 2);
		struct array *taken = array_create(DT_FLOAT32, DIMS, part->dims);

		array_take(taken, copy, d, x, array_default);
		array_take(part, buffer, d, x, array_default);
		got = array_cast(part, DT_FLOAT32, array_default);
		wrong[1] += 0 != memcmp(got->data, taken->data, (size_t)array_count(got) * 4);
		array_free(got);
		memcpy(buffer->data, kept, bytes);

		array_put(copy, d, x, taken, array_default);
		struct array *first = array_slice(buffer, d, 0, 1, 2);
		struct array *values = array_cast(first, DT_FLOAT32, array_default);

		memcpy(copy->data, kept, bytes);
		array_put(copy, d, x, values, array_default);
		array_put(buffer, d, x, first, array_default);
		wrong[2] += 0 != memcmp(copy->data, buffer->data, bytes);

		memcpy(buffer->data, kept, bytes);
		struct array *flip = array_flip(buffer, 1ul << d);

		memcpy(copy->data, kept, bytes);
		struct array *copy_flip = array_flip(copy, 1ul << d);

		array_copy(buffer, flip, array_default);
		got = array_cast(copy_flip, DT_FLOAT32, array_default);
		wrong[3] += 0 != memcmp(got->data, buffer->data, bytes);

		const struct array *all[] = {
		        buffer, row, copy, part, taken, first, values, flip, copy_flip, got};

		for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
			array_free(all[i]);

		index_free(x);
		free(kept);
	}

	check(!wrong[0], "reductions into their own input: %ld differ", wrong[0]);
	check(!wrong[1], "gathering into its own input: %ld differ", wrong[1]);
	check(!wrong[2], "scattering from its own output: %ld differ", wrong[2]);
	check(!wrong[3], "flips in place: %ld differ", wrong[3]);
}

static float numbers[16];

static void self_overlapping(void)
{
	const long dims[] = {4, 4}, strs[] = {4, 8}, one[] = {1};
	struct array *out = array_borrow(DT_FLOAT32, 2, dims, strs, numbers);
	struct array *in = array_borrow(DT_FLOAT32, 1, one, NULL, numbers);

	out->name = "y";
	array_copy(out, in, array_default);
}

static void repeated(void)
{
	const long dims[] = {4}, one[] = {1};
	struct array *a = array_borrow(DT_FLOAT32, 1, one, NULL, numbers);
	struct array *out =
	        array_broadcast(a, (const long[DIMS]){4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
	struct array *in = array_borrow(DT_FLOAT32, 1, dims, NULL, numbers);

	array_apply(OP_NEG, out, (const struct array *const[]){in}, array_default);
}

static void constant(void)
{
	const long dims[] = {4};
	struct array *a = array_borrow(DT_FLOAT32, 1, dims, NULL, numbers);

	a->constant = true;
	array_fill(a, numbers, DT_FLOAT32);
}

int main(void)
{
	tool_name = "array_overlap";
	log_level = -1;
	test_sets();
	test_large();
	test_results();
	test_others();
	check_ends(1, "y: elements of the output overlap in memory", self_overlapping,
	        "an output that overlaps itself");
	check_ends(1, "overlap in memory", repeated, "an output with repeated elements");
	check_ends(1, "is an input and must not be written", constant, "an output that is an input");

	return checks_failed > 0;
}
