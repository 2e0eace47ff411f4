/* Quantiles by selection. Values become unsigned integers of the same order (floats by flipping all bits of
 * negative values and the sign bit of others), so that one selection serves every type. */

#include "num/shape/order.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/ranks/ranks.h"
#include "num/kern/half.h"

enum {
	LONG_LINE = 1 << 16,  // from here on a line is counted, not gathered
	GATHERED = 128 << 10, // bytes of lines gathered at a time
	DIGIT = 16,           // bits counted in one pass
	BINS = 1 << DIGIT,
	AT_ONCE = 8, // quantiles for which bins are kept: 16 times 512 KiB per thread
	DIRECT = 8   // longest piece that is sorted outright
};

/** How elements become keys. */
enum order { ORDER_UNSIGNED, ORDER_SIGNED, ORDER_FLOAT };

static enum order order_of(enum dtype t)
{
	switch (t) {
	case DT_INT8:
	case DT_INT16:
	case DT_INT32:
	case DT_INT64:
		return ORDER_SIGNED;
	case DT_FLOAT16:
	case DT_FLOAT32:
	case DT_FLOAT64:
		return ORDER_FLOAT;
	default:
		return ORDER_UNSIGNED;
	}
}

enum dtype quantile_type(enum dtype t)
{
	if (dtype_is_complex(t))
		error("quantiles of %s values are not supported, expected real ones", dtype_name(t));

	if (DT_FLOAT32 == t || dtype_size(t) <= 2)
		return DT_FLOAT32;

	return DT_FLOAT64;
}

/** The keys of the largest and smallest values that are no NaN: infinities. */
static void finite_keys(enum dtype t, uint64_t *low, uint64_t *high)
{
	*low = 0;
	*high = (8 == dtype_size(t)) ? UINT64_MAX : (1ull << 8 * dtype_size(t)) - 1;

	if (ORDER_FLOAT == order_of(t)) {
		uint64_t inf = (2 == dtype_size(t))   ? 0x7c00u
		               : (4 == dtype_size(t)) ? 0x7f800000u
		                                      : 0x7ff0000000000000u;
		uint64_t sign = 1ull << (8 * dtype_size(t) - 1);

		*low = sign - 1 - inf;
		*high = sign + inf;
	}
}

static double float_of_bits(enum dtype t, uint64_t bits)
{
	uint32_t b32 = (uint32_t)bits;
	float f;
	double d;

	if (DT_FLOAT16 == t)
		return half_widen((uint16_t)bits);

	memcpy(&f, &b32, sizeof f);
	memcpy(&d, &bits, sizeof d);

	return (DT_FLOAT32 == t) ? f : d;
}

static double value_of_key(enum dtype t, uint64_t key)
{
	uint64_t sign = 1ull << (8 * dtype_size(t) - 1);

	switch (order_of(t)) {
	case ORDER_FLOAT:
		return float_of_bits(t, (key & sign) ? key ^ sign : sign + sign - 1 - key);
	case ORDER_SIGNED:
		return (double)((int64_t)(key - sign));
	default:
		return (double)key;
	}
}

/** keys[i] of n elements of unsigned type U, `step` bytes apart. */
#define LOAD_KEYS(U, K)                                                                                      \
	{                                                                                                    \
		const U sign = (U)1 << (8 * sizeof(U) - 1);                                                  \
		if (ORDER_UNSIGNED == order)                                                                 \
			for (long i = 0; i < n; i++)                                                         \
				keys[i] = (K) * (const U *)(p + i * step);                                   \
		else if (ORDER_SIGNED == order)                                                              \
			for (long i = 0; i < n; i++)                                                         \
				keys[i] = (K)(U)(*(const U *)(p + i * step) ^ sign);                         \
		else                                                                                         \
			for (long i = 0; i < n; i++) {                                                       \
				U u = *(const U *)(p + i * step);                                            \
				keys[i] = (K)(U)(u ^ ((U)(0 - (U)(u >> (8 * sizeof(U) - 1))) | sign));       \
			}                                                                                    \
	}

static void load_keys32(enum dtype t, long n, uint32_t *keys, const char *p, long step)
{
	enum order order = order_of(t);

	switch (dtype_size(t)) {
	case 1:
		LOAD_KEYS(uint8_t, uint32_t)
		break;
	case 2:
		LOAD_KEYS(uint16_t, uint32_t)
		break;
	default:
		LOAD_KEYS(uint32_t, uint32_t)
	}
}

static void load_keys64(enum dtype t, long n, uint64_t *keys, const char *p, long step)
{
	enum order order = order_of(t);

	LOAD_KEYS(uint64_t, uint64_t)
}

/** The keys of any type in 64 bits. */
static void load_keys(enum dtype t, long n, uint64_t *keys, const char *p, long step)
{
	enum order order = order_of(t);

	switch (dtype_size(t)) {
	case 1:
		LOAD_KEYS(uint8_t, uint64_t)
		break;
	case 2:
		LOAD_KEYS(uint16_t, uint64_t)
		break;
	case 4:
		LOAD_KEYS(uint32_t, uint64_t)
		break;
	default:
		LOAD_KEYS(uint64_t, uint64_t)
	}
}

/** What is asked of every line: the distinct ranks in order, and per quantile its two ranks and the weight of
 * the upper one. */
struct question {
	enum dtype t;
	long n; // elements of a line
	int nq, nranks;
	long *rank;
	int *lower, *upper;
	double *weight;
	uint64_t low, high; // keys outside are NaN
};

#define K     uint32_t
#define FN(x) x##_32
#include "num/shape/order_impl.inc"

#define K     uint64_t
#define FN(x) x##_64
#include "num/shape/order_impl.inc"

static int compare_long(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static int rank_number(const struct question *s, long rank)
{
	const long *p = bsearch(&rank, s->rank, (size_t)s->nranks, sizeof *s->rank, compare_long);

	return (int)(p - s->rank);
}

static long lower_rank(const struct question *s, double q)
{
	long k = (long)floor(q * (double)(s->n - 1));

	return (k > s->n - 1) ? s->n - 1 : k;
}

static long upper_rank(const struct question *s, double q)
{
	long k = lower_rank(s, q);

	return (k < s->n - 1) ? k + 1 : k;
}

static void question_init(struct question *s, enum dtype t, long n, int nq, const double q[])
{
	*s = (struct question){.t = t, .n = n, .nq = nq};
	s->rank = mem_alloc(2 * (size_t)nq * sizeof *s->rank);
	s->lower = mem_alloc((size_t)nq * sizeof *s->lower);
	s->upper = mem_alloc((size_t)nq * sizeof *s->upper);
	s->weight = mem_alloc((size_t)nq * sizeof *s->weight);
	finite_keys(t, &s->low, &s->high);

	for (int i = 0; i < nq; i++) {
		s->weight[i] = q[i] * (double)(n - 1) - (double)lower_rank(s, q[i]);
		s->rank[2 * i] = lower_rank(s, q[i]);
		s->rank[2 * i + 1] = upper_rank(s, q[i]);
	}

	qsort(s->rank, 2 * (size_t)nq, sizeof *s->rank, compare_long);

	for (int i = 0; i < 2 * nq; i++)
		if (0 == i || s->rank[i] != s->rank[s->nranks - 1])
			s->rank[s->nranks++] = s->rank[i];

	for (int i = 0; i < nq; i++) {
		s->lower[i] = rank_number(s, lower_rank(s, q[i]));
		s->upper[i] = rank_number(s, upper_rank(s, q[i]));
	}
}

static void question_free(struct question *s)
{
	free(s->rank);
	free(s->lower);
	free(s->upper);
	free(s->weight);
}

static void store(enum dtype t, char *out, double value)
{
	if (DT_FLOAT32 == quantile_type(t))
		*(float *)out = (float)value;
	else
		*(double *)out = value;
}

/** Interpolates between the values of the keys found; `good` false: there was a NaN. */
static void store_answers(const struct question *s, bool good, const uint64_t found[], char *out, long qstr)
{
	for (int i = 0; i < s->nq; i++) {
		double value = NAN;

		if (good) {
			double a = value_of_key(s->t, found[s->lower[i]]);
			double b = value_of_key(s->t, found[s->upper[i]]);
			double w = s->weight[i];

			value = (a == b || 0. == w) ? a
			        : (w < 0.5)         ? a + (b - a) * w
			                            : b - (b - a) * (1. - w);
		}

		store(s->t, out + i * qstr, value);
	}
}

/* ---- short lines: gathered, then selected from ---- */

/** The dims of a line and those across lines; operands 0: output, 1: input. */
struct lines {
	struct question q;
	int D, L;
	long dims[DIMS], istrs[DIMS], ostrs[DIMS]; // across
	long ldims[DIMS], lstrs[DIMS];             // along
	long qstr;
	bool shared; // ranks count parts of a line
};

static void find_offsets(const struct lines *l, long line, long *o, long *i)
{
	*o = *i = 0;

	for (int d = 0; d < l->D; d++) {
		long pos = line % l->dims[d];

		line /= l->dims[d];
		*o += pos * l->ostrs[d];
		*i += pos * l->istrs[d];
	}
}

/** Copies m lines that follow each other along the first dim across, each then contiguous. */
static void gather(const struct lines *l, long m, char *buffer, const char *in)
{
	size_t size = dtype_size(l->q.t);
	long dims[DIMS + 1], istrs[DIMS + 1], ostrs[DIMS + 1];

	md_copy_dims(l->L, dims, l->ldims);
	md_copy_dims(l->L, istrs, l->lstrs);
	md_calc_strides(l->L, ostrs, l->ldims, size);
	dims[l->L] = m;
	istrs[l->L] = (0 < l->D) ? l->istrs[0] : 0;
	ostrs[l->L] = l->q.n * (long)size;
	md_copy2(l->L + 1, dims, ostrs, buffer, istrs, in, size);
}

static void select_line(const struct lines *l, const char *line, void *keys, uint64_t found[], char *out)
{
	const struct question *q = &l->q;
	long size = (long)dtype_size(q->t);
	bool good;

	if (8 == size) {
		load_keys64(q->t, q->n, keys, line, size);
		good = answer_64(q, keys, found);
	} else {
		load_keys32(q->t, q->n, keys, line, size);
		good = answer_32(q, keys, found);
	}

	store_answers(q, good, found, out, l->qstr);
}

static void by_selection(const struct lines *l, char *out, const char *in)
{
	long size = (long)dtype_size(l->q.t), n0 = (0 < l->D) ? l->dims[0] : 1;
	long group = GATHERED / (l->q.n * size) + 1;
	long groups = (n0 + group - 1) / group;
	long tasks = groups * (md_calc_size(l->D, l->dims) / n0);

#pragma omp parallel if (tasks > 1)
	{
		char *buffer = mem_alloc((size_t)(group * l->q.n * size));
		void *keys = mem_alloc((size_t)l->q.n * sizeof(uint64_t));
		uint64_t *found = mem_alloc((size_t)l->q.nranks * sizeof *found);

#pragma omp for schedule(dynamic)
		for (long t = 0; t < tasks; t++) {
			long first = t % groups * group, m = (n0 - first < group) ? n0 - first : group;
			long o, i;

			find_offsets(l, t / groups * n0 + first, &o, &i);
			gather(l, m, buffer, in + i);

			for (long k = 0; k < m; k++)
				select_line(l, buffer + k * l->q.n * size, keys, found,
				        out + o + k * ((0 < l->D) ? l->ostrs[0] : 0));
		}

		free(buffer);
		free(keys);
		free(found);
	}
}

/* ---- long lines: counted ---- */

/**
 * One pass: elements whose bits above the digit equal prefix[p] are counted by that digit. The prefixes rise;
 * first[] leads from an element's top digit to the first prefix that may fit, -1 where none does.
 */
struct counting {
	const struct question *q;
	int bits, shift; // of a key; below the digit
	int prefixes;
	uint64_t *prefix;
	short first[BINS];
	long *bins; // [threads][prefixes][BINS]
	bool nan;
};

static void count_keys(const struct counting *c, long n, const uint64_t *keys, long *bins)
{
	const int above = c->shift + DIGIT, top = (c->bits > DIGIT) ? c->bits - DIGIT : 0;

	if (above >= c->bits) {
		for (long i = 0; i < n; i++)
			bins[keys[i] >> c->shift]++;
		return;
	}

	for (long i = 0; i < n; i++) {
		int p = c->first[keys[i] >> top];

		if (p < 0)
			continue;

		while (p < c->prefixes - 1 && c->prefix[p] < keys[i] >> above)
			p++;

		if (c->prefix[p] == keys[i] >> above)
			bins[(long)p * BINS + (long)(keys[i] >> c->shift & (BINS - 1))]++;
	}
}

static void count_line(void *ctx, long n, const long inner[], char *const ptr[])
{
	enum { CHUNK = 1024 };
	struct counting *c = ctx;
	long *bins = c->bins + (long)omp_get_thread_num() * c->prefixes * BINS;
	uint64_t keys[CHUNK];
	bool nan = false;

	for (long i = 0; i < n; i += CHUNK) {
		long m = (n - i < CHUNK) ? n - i : CHUNK;

		load_keys(c->q->t, m, keys, ptr[0] + i * inner[0], inner[0]);

		for (long k = 0; k < m; k++)
			nan |= (keys[k] < c->q->low) | (keys[k] > c->q->high);

		count_keys(c, m, keys, bins);
	}

	if (nan)
#pragma omp atomic write
		c->nan = true;
}

/** Counts a line; afterwards the first thread's bins hold the sums. */
static void count_pass(struct counting *c, const struct lines *l, const char *in)
{
	const long threads = omp_get_max_threads(), all = (long)c->prefixes * BINS;

	long dims[DIMS], first = 0, end = l->ldims[l->L - 1];

	if (l->shared)
		ranks_part(end, 1, &first, &end);

	md_copy_dims(l->L, dims, l->ldims);
	dims[l->L - 1] = end - first;
	in += first * l->lstrs[l->L - 1];
	c->bins = mem_calloc((size_t)(threads * all), sizeof *c->bins);

	if (first < end)
		md_nary(1, l->L, dims, (const long *const[]){l->lstrs}, (void *const[]){(void *)in},
		        count_line, c, true);

	for (long t = 1; t < threads; t++)
		for (long i = 0; i < all; i++)
			c->bins[i] += c->bins[t * all + i];

	if (l->shared) {
		long nan = c->nan;

		ranks_sum(c->bins, (int)all);
		ranks_sum(&nan, 1);
		c->nan = 0 < nan;
	}
}

/** For every rank: the digit in which it lies is appended to its prefix, and it becomes the rank within. */
static void narrow(const struct counting *c, uint64_t found[], long rank[])
{
	for (int r = 0, p = 0; r < c->q->nranks; r++) {
		while (c->prefix[p] != found[r])
			p++;

		const long *bins = c->bins + (long)p * BINS;
		long digit = 0;

		while (rank[r] >= bins[digit])
			rank[r] -= bins[digit++];

		found[r] = found[r] << DIGIT | (uint64_t)digit;
	}
}

/** The distinct prefixes of the ranks, and where to find them. */
static void set_prefixes(struct counting *c, const uint64_t found[])
{
	const int above = c->shift + DIGIT, top = (c->bits > DIGIT) ? c->bits - DIGIT : 0;

	c->prefixes = 0;
	memset(c->first, -1, sizeof c->first);

	for (int r = 0; r < c->q->nranks; r++) {
		if (r > 0 && found[r] == found[r - 1])
			continue;

		long first = (above < c->bits) ? (long)(found[r] >> (top - above)) : 0;

		if (c->first[first] < 0)
			c->first[first] = (short)c->prefixes;

		c->prefix[c->prefixes++] = found[r];
	}
}

/** The keys of all ranks asked for of one line; false when there is a NaN. */
static bool count_answer(const struct lines *l, const char *in, uint64_t found[])
{
	const struct question *q = &l->q;
	struct counting *c = NEW(struct counting);
	long *rank = mem_alloc((size_t)q->nranks * sizeof *rank);

	c->q = q;
	c->bits = 8 * (int)dtype_size(q->t);
	c->prefix = mem_alloc((size_t)q->nranks * sizeof *c->prefix);
	memcpy(rank, q->rank, (size_t)q->nranks * sizeof *rank);
	memset(found, 0, (size_t)q->nranks * sizeof *found);

	int passes = (c->bits + DIGIT - 1) / DIGIT;

	for (int k = passes - 1; k >= 0 && !c->nan; k--) {
		c->shift = k * DIGIT;
		set_prefixes(c, found);
		count_pass(c, l, in);
		narrow(c, found, rank);
		free(c->bins);
	}

	bool good = !c->nan;

	free(c->prefix);
	free(rank);
	free(c);

	return good;
}

static void by_counting(const struct lines *l, char *out, const char *in)
{
	uint64_t *found = mem_alloc((size_t)l->q.nranks * sizeof *found);

	for (long k = 0; k < md_calc_size(l->D, l->dims); k++) {
		long o, i;

		find_offsets(l, k, &o, &i);

		bool good = count_answer(l, in + i, found);

		store_answers(&l->q, good, found, out + o, l->qstr);
	}

	free(found);
}

static void empty_lines(const struct lines *l, char *out)
{
	for (long k = 0; k < md_calc_size(l->D, l->dims); k++) {
		long o, i;

		find_offsets(l, k, &o, &i);
		store_answers(&l->q, false, NULL, out + o, l->qstr);
	}
}

/** Splits the dims into those along lines and those across, the latter with the smallest step of the input
 * first, so that neighbouring lines are gathered together. */
static void split(struct lines *l, int D, const long dims[], unsigned long flags, const long ostrs[],
        const long istrs[])
{
	l->D = l->L = 0;

	for (int d = 0; d < D; d++) {
		if (1 == dims[d])
			continue;

		if (flags & 1ul << d) {
			l->ldims[l->L] = dims[d];
			l->lstrs[l->L++] = istrs[d];
			continue;
		}

		int k = l->D++;

		for (; k > 0 && labs(istrs[d]) < labs(l->istrs[k - 1]); k--) {
			l->dims[k] = l->dims[k - 1];
			l->istrs[k] = l->istrs[k - 1];
			l->ostrs[k] = l->ostrs[k - 1];
		}

		l->dims[k] = dims[d];
		l->istrs[k] = istrs[d];
		l->ostrs[k] = ostrs[d];
	}
}

static void quantiles(bool shared, enum dtype t, int D, const long dims[], unsigned long flags, int nq,
        const double q[], const long ostrs[], long qstr, void *out, const long istrs[], const void *in)
{
	struct lines l = {.qstr = qstr, .shared = shared};

	quantile_type(t);

	for (int i = 0; i < nq; i++)
		if (!(q[i] >= 0. && q[i] <= 1.))
			error("the quantile is %g, expected a number from 0 to 1", q[i]);

	split(&l, D, dims, flags, ostrs, istrs);

	if (0 == nq || 0 == md_calc_size(l.D, l.dims))
		return;

	long n = md_calc_size(l.L, l.ldims);

	if (n >= LONG_LINE && nq > AT_ONCE) {
		quantiles(shared, t, D, dims, flags, AT_ONCE, q, ostrs, qstr, out, istrs, in);
		quantiles(shared, t, D, dims, flags, nq - AT_ONCE, q + AT_ONCE, ostrs, qstr,
		        (char *)out + AT_ONCE * qstr, istrs, in);
		return;
	}

	question_init(&l.q, t, n, nq, q);

	if (0 == n)
		empty_lines(&l, out);
	else if (n >= LONG_LINE)
		by_counting(&l, out, in);
	else
		by_selection(&l, out, in);

	question_free(&l.q);
}

void md_quantile2(enum dtype t, int D, const long dims[], unsigned long flags, int nq, const double q[],
        const long ostrs[], long qstr, void *out, const long istrs[], const void *in)
{
	quantiles(false, t, D, dims, flags, nq, q, ostrs, qstr, out, istrs, in);
}

void md_quantile_shared(
        enum dtype t, int D, const long dims[], int nq, const double q[], void *out, const void *in)
{
	long istrs[DIMS], ostrs[DIMS] = {0};

	md_calc_strides(D, istrs, dims, dtype_size(t));
	quantiles(true, t, D, dims, ~0ul, nq, q, ostrs, (long)dtype_size(quantile_type(t)), out, istrs, in);
}

void md_quantile(enum dtype t, int D, const long dims[], unsigned long flags, int nq, const double q[],
        void *out, const void *in)
{
	long odims[DIMS], ostrs[DIMS], istrs[DIMS];
	size_t size = dtype_size(quantile_type(t));

	md_select_dims(D, ~flags, odims, dims);
	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, dims, dtype_size(t));
	md_quantile2(t, D, dims, flags, nq, q, ostrs, md_calc_size(D, odims) * (long)size, out, istrs, in);
}

void md_median2(enum dtype t, int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long istrs[], const void *in)
{
	md_quantile2(t, D, dims, flags, 1, (const double[]){0.5}, ostrs, 0, out, istrs, in);
}

void md_median(enum dtype t, int D, const long dims[], unsigned long flags, void *out, const void *in)
{
	md_quantile(t, D, dims, flags, 1, (const double[]){0.5}, out, in);
}
