/* The GPU's table of primitives against the CPU's: every operator, type and function on arrays of random dims
 * and steps (negative, zero, permuted, with gaps), and the same bytes from a second run. */

#include <complex.h>
#include <math.h>

#include "check.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"
#include "strided.h"

enum { OPERANDS = 4 };

/** A call on the same arrays in two places: their first elements are in p[place]. */
struct call {
	int D, operands;
	long dims[DIMS];
	enum dtype type[OPERANDS]; // operand 0 is written
	struct strided a[OPERANDS];
	char *device[OPERANDS];
	void *p[OPERANDS]; // at the place of the run
};

typedef void run_fn(struct call *c, void *ctx);

static double scale_of(enum dtype t)
{
	return DT_FLOAT32 == dtype_real(t) ? 1e-6 : 1e-12;
}

/** Values between -2 and 2, some of them round. */
static void fill(struct strided *a, enum dtype t)
{
	static const double round[] = {0, 1, -1, .5};
	static uint64_t at;
	const long size = (long)dtype_size(dtype_real(t)), n = (long)a->bytes / size;

	for (long i = 0; i < n; i++) {
		double x = 4 * rand_uniform(3, at++) - 2;

		if (0 == pick(8))
			x = round[pick(4)];

		if (4 == size)
			((float *)a->buffer)[i] = (float)x;
		else
			((double *)a->buffer)[i] = x;
	}
}

/** Whether two buffers hold the same values, up to the rounding of their type. */
static bool agree(enum dtype t, const char *x, const char *y, size_t bytes, double factor)
{
	const long size = (long)dtype_size(dtype_real(t)), n = (long)bytes / size;
	const double tolerance = factor * scale_of(t);

	for (long i = 0; i < n; i++) {
		const double a = (4 == size) ? (double)((const float *)x)[i] : ((const double *)x)[i];
		const double b = (4 == size) ? (double)((const float *)y)[i] : ((const double *)y)[i];

		if (isnan(a) != isnan(b) ||
		        (!isnan(a) && a != b && !(fabs(a - b) <= tolerance * (1 + fabs(a))))) {
			printf("# element %ld: %.9g on the CPU, %.9g on the GPU\n", i, a, b);
			return false;
		}
	}

	return true;
}

/** Runs on the CPU, and twice on the GPU. ostrs of dims in `still` are 0. */
static bool both(struct call *c, run_fn *run, void *ctx, double factor)
{
	const size_t bytes = c->a[0].bytes;
	char *before = mem_alloc(bytes), *first = mem_alloc(bytes), *second = mem_alloc(bytes);
	bool good = true;

	for (int k = 0; k < c->operands; k++) {
		fill(&c->a[k], c->type[k]);
		c->device[k] = device_alloc(c->a[k].bytes);
		device_copy(c->device[k], c->a[k].buffer, c->a[k].bytes);
		c->p[k] = c->a[k].first;
	}

	memcpy(before, c->a[0].buffer, bytes);
	run(c, ctx);

	for (int k = 0; k < c->operands; k++)
		c->p[k] = c->device[k] + (c->a[k].first - c->a[k].buffer);

	run(c, ctx);
	device_copy(first, c->device[0], bytes);
	device_copy(c->device[0], before, bytes);
	run(c, ctx);
	device_copy(second, c->device[0], bytes);
	good = agree(c->type[0], c->a[0].buffer, first, bytes, factor) && 0 == memcmp(first, second, bytes);

	for (int k = 0; k < c->operands; k++) {
		device_free(c->device[k]);
		free(c->a[k].buffer);
	}

	free(before);
	free(first);
	free(second);

	return good;
}

/** A call of operands of type t over random dims; operand 0 stands still along the dims in flags. */
static struct call a_call(int operands, enum dtype t, int max, long largest, unsigned long flags)
{
	struct call c = {.operands = operands};
	long odims[DIMS];

	c.D = random_dims(c.dims, max, largest);
	md_select_dims(c.D, ~flags, odims, c.dims);

	for (int k = 0; k < operands; k++) {
		c.type[k] = t;
		c.a[k] = strided_make(c.D, (0 == k) ? odims : c.dims, dtype_size(t), 0 < k);
	}

	for (int i = 0; i < c.D; i++)
		if (1 == odims[i])
			c.a[0].strs[i] = 0;

	return c;
}

/** The same on contiguous arrays of n elements. */
static struct call a_line(int operands, enum dtype t, long n)
{
	struct call c = {.operands = operands, .D = 1, .dims = {n}};

	for (int k = 0; k < operands; k++) {
		const size_t size = dtype_size(t);

		c.type[k] = t;
		c.a[k] = (struct strided){.bytes = (size_t)n * size, .strs = {(long)size}};
		c.a[k].buffer = c.a[k].first = mem_alloc(c.a[k].bytes);
	}

	return c;
}

static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

enum { TYPES = 4 };

/* ---- operators ---- */

static void run_op(struct call *c, void *ctx)
{
	const enum op op = *(enum op *)ctx;

	switch (op_args(op)) {
	case 1:
		md_apply1(op, c->type[0], c->D, c->dims, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
		break;
	case 2:
		md_apply2(op, c->type[0], c->D, c->dims, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1],
		        c->a[2].strs, c->p[2]);
		break;
	default:
		md_apply3(op, c->type[0], c->D, c->dims, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1],
		        c->a[2].strs, c->p[2], c->a[3].strs, c->p[3]);
	}
}

static void check_operators(void)
{
	for (int i = 0; i < TYPES; i++)
		for (int op = 0; op < OP_COUNT; op++) {
			const enum dtype t = types[i], in[3] = {t, t, t};
			struct op_types o;
			enum op which = (enum op)op;
			const int operands = 1 + op_args(which);

			if (!op_types(which, in, DOMAIN_NAN, &o))
				continue;

			bool good = true;

			for (int round = 0; round < 3 && good; round++) {
				struct call c =
				        (0 == round) ? a_line(operands, t, 77) : a_call(operands, t, 4, 5, 0);

				good = both(&c, run_op, &which, 4);
			}

			check(good, "%s of %s", op_name(which), dtype_name(t));
		}
}

/* ---- chains, multiples, products ---- */

static void run_soft(struct call *c, void *ctx)
{
	(void)ctx;
	md_softthresh_t(c->type[0], c->D, c->dims, .3, 0, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_half(struct call *c, void *ctx)
{
	(void)ctx;
	md_softthresh_half_t(c->type[0], c->D, c->dims, .3, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_hard(struct call *c, void *ctx)
{
	(void)ctx;
	md_hardthresh_t(c->type[0], c->D, c->dims, 3, ~0ul, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_difference(struct call *c, void *ctx)
{
	(void)ctx;
	md_fdiff_t(DIFF_BACKWARD, c->type[0], c->D, c->dims, 0, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_modulation(struct call *c, void *ctx)
{
	(void)ctx;
	md_fftmod_t(c->type[0], c->D, c->dims, 3, true, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_smul(struct call *c, void *ctx)
{
	md_smul_t(c->type[0], c->D, c->dims, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1],
	        *(complex double *)ctx);
}

static void run_axpy(struct call *c, void *ctx)
{
	md_axpy_t(c->type[0], c->D, c->dims, c->a[0].strs, c->p[0], *(complex double *)ctx, c->a[1].strs,
	        c->p[1]);
}

static void run_sadd(struct call *c, void *ctx)
{
	md_sadd_t(c->type[0], c->D, c->dims, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1],
	        *(complex double *)ctx);
}

static void run_fmac(struct call *c, void *ctx)
{
	md_fmac_t(c->type[0], *(bool *)ctx, c->D, c->dims, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1],
	        c->a[2].strs, c->p[2]);
}

static void run_fmac_wide(struct call *c, void *ctx)
{
	md_fmac_wide_t(c->type[1], *(bool *)ctx, c->D, c->dims, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1],
	        c->a[2].strs, c->p[2]);
}

static void run_vec(struct call *c, void *ctx)
{
	const enum dtype t = c->type[0];
	const long n = c->dims[0];

	(void)ctx;
	vec_axpy(t, n, c->p[0], .3, c->p[1]);
	vec_xpay(t, n, c->p[0], -.7, c->p[2]);
	vec_axpby(t, n, c->p[0], 1.5, c->p[1], .25, c->p[0]);
	vec_scale(t, n, c->p[0], .9);
	vec_mul(t, n, c->p[0], c->p[0], c->p[1]);
	vec_axpy(t, n - 1, (char *)c->p[0] + dtype_size(t), 2, c->p[1]); // not on 16 bytes
	vec_copy(t, 5, c->p[0], c->p[2]);
	vec_clear(t, 2, c->p[0]);
}

static bool repeat(
        int times, int operands, enum dtype t, unsigned long flags, run_fn *run, void *ctx, double factor)
{
	bool good = true;

	for (int i = 0; i < times && good; i++) {
		struct call c = a_call(operands, t, 4, 6, flags);

		good = both(&c, run, ctx, factor);
	}

	return good;
}

static void check_products(enum dtype t)
{
	complex double f = dtype_is_complex(t) ? .5 - 2 * I : .7;
	const char *name = dtype_name(t);

	check(repeat(4, 2, t, 0, run_soft, NULL, 4) && repeat(2, 2, t, 0, run_half, NULL, 4),
	        "thresholds of %s", name);
	check(repeat(4, 2, t, 0, run_hard, NULL, 4), "the largest of %s", name);
	check(repeat(3, 2, t, 0, run_smul, &f, 4) && repeat(3, 2, t, 0, run_axpy, &f, 4) &&
	                repeat(2, 2, t, 0, run_sadd, &f, 4) && repeat(4, 2, t, 5, run_axpy, &f, 8),
	        "multiples of %s", name);

	for (bool conj = false;; conj = true) {
		bool good = repeat(3, 3, t, 0, run_fmac, &conj, 4);

		for (unsigned long flags = 1; flags < 16; flags += 3)
			good = good && repeat(2, 3, t, flags, run_fmac, &conj, 32);

		struct call c = a_call(3, t, 3, 5, 2);

		c.type[0] = dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
		free(c.a[0].buffer);

		long odims[DIMS];

		md_select_dims(c.D, ~2ul, odims, c.dims);
		c.a[0] = strided_make(c.D, odims, dtype_size(c.type[0]), false);
		c.a[0].strs[1] = 0;
		good = good && both(&c, run_fmac_wide, &conj, 1e6);
		check(good, "products of %s%s", name, conj ? " and conjugates" : "");

		if (conj)
			break;
	}

	struct call c = a_line(2, t, 64);

	check(both(&c, run_difference, NULL, 4), "differences of %s", name);

	if (dtype_is_complex(t))
		check(repeat(3, 2, t, 0, run_modulation, NULL, 8), "modulations of %s", name);

	c = a_line(3, t, 1003);
	check(both(&c, run_vec, NULL, 16), "vectors of %s", name);
}

/* ---- reductions ---- */

struct reduction_case {
	enum reduction red;
	unsigned long flags;
};

static void run_reduce(struct call *c, void *ctx)
{
	const struct reduction_case *r = ctx;

	md_reduce_t(
	        r->red, c->type[0], c->D, c->dims, r->flags, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_var(struct call *c, void *ctx)
{
	const struct reduction_case *r = ctx;

	md_var_t(true, c->type[0], c->D, c->dims, r->flags, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_cumsum(struct call *c, void *ctx)
{
	const struct reduction_case *r = ctx;

	md_cumsum_t(c->type[0], c->D, c->dims, r->flags, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void check_reductions(enum dtype t)
{
	for (int red = 0; red < RED_DOT; red++) {
		const enum dtype in[2] = {t, t};
		struct op_types o;
		bool good = true;

		if (!reduction_types((enum reduction)red, in, &o))
			continue;

		for (unsigned long flags = 0; flags < 16 && good; flags += 3) {
			struct reduction_case r = {(enum reduction)red, flags};

			good = repeat(2, 2, t, flags, run_reduce, &r, 64);
		}

		check(good, "%s of %s", reduction_name((enum reduction)red), dtype_name(t));
	}

	struct reduction_case r = {.flags = 6};

	check(repeat(3, 2, t, 6, run_var, &r, 64), "deviations of %s", dtype_name(t));
	check(repeat(4, 2, t, 0, run_cumsum, &r, 32), "running sums of %s", dtype_name(t));

	struct call c = a_line(2, t, 1000);

	r.flags = 1;
	check(both(&c, run_cumsum, &r, 1000), "a long running sum of %s", dtype_name(t));
}

/** Numbers on the host, of arrays of several parts. */
static void check_numbers(enum dtype t)
{
	const long n = 70001, strs[1] = {(long)dtype_size(t)};
	struct call c = a_line(2, t, n);
	double x[2][4];

	for (int k = 0; k < 2; k++) {
		fill(&c.a[k], t);
		c.device[k] = device_alloc(c.a[k].bytes);
		device_copy(c.device[k], c.a[k].buffer, c.a[k].bytes);
	}

	for (int place = 0; place < 2; place++) {
		const void *a = place ? c.device[0] : c.a[0].buffer, *b = place ? c.device[1] : c.a[1].buffer;
		const complex double s = md_scalar_t(t, 1, &n, strs, a, strs, b);

		x[place][0] = creal(s);
		x[place][1] = cimag(s);
		x[place][2] = md_norm_t(t, 1, &n, strs, a);
		x[place][3] = md_asum_t(t, 1, &n, strs, a);
	}

	for (int i = 0; i < 4; i++)
		check(fabs(x[0][i] - x[1][i]) <= 1e-10 * (1 + x[0][2]), "number %d of %s: %g", i,
		        dtype_name(t), x[1][i]);

	check(0 == vec_count_nonfinite(t, n, c.device[0]), "all are finite");

	for (int k = 0; k < 2; k++) {
		device_free(c.device[k]);
		free(c.a[k].buffer);
	}
}

static void run_sum_rows(struct call *c, void *ctx)
{
	(void)ctx;
	md_reduce_t(RED_SUM, c->type[0], 2, c->dims, 2, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

static void run_sum_lines(struct call *c, void *ctx)
{
	(void)ctx;
	md_reduce_t(RED_SUM, c->type[0], 2, c->dims, 1, c->a[0].strs, c->p[0], c->a[1].strs, c->p[1]);
}

/** Sums over the inner dim and, in parts, over the outer. */
static void check_rows(enum dtype t)
{
	const long size = (long)dtype_size(t), n = 45, m = 500;
	struct call c = a_line(2, t, n * m);

	c.D = 2;
	c.dims[0] = n;
	c.dims[1] = m;
	c.a[0].strs[1] = 0;
	c.a[1].strs[1] = n * size;
	check(both(&c, run_sum_rows, NULL, 1000), "rows of %s in parts", dtype_name(t));

	c = a_line(2, t, 100 * n);
	c.D = 2;
	c.dims[0] = 100;
	c.dims[1] = n;
	c.a[0].strs[0] = 0;
	c.a[0].strs[1] = size;
	c.a[1].strs[1] = 100 * size;
	check(both(&c, run_sum_lines, NULL, 1000), "short lines of %s", dtype_name(t));
}

/* ---- moving ---- */

/** Every copy of random steps and sizes of elements. */
static void check_copies(void)
{
	static const size_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 80};
	bool copies = true, fills = true;

	for (int round = 0; round < 60; round++) {
		const size_t size = sizes[pick(10)];
		long dims[DIMS];
		const int D = random_dims(dims, 4, 12);
		struct strided a = strided_make(D, dims, size, false), b = strided_make(D, dims, size, true);
		char value[80], *x = device_alloc(a.bytes), *y = device_alloc(b.bytes),
		                *back = mem_alloc(a.bytes);

		for (size_t i = 0; i < b.bytes; i++)
			b.buffer[i] = (char)pick(256);

		for (size_t i = 0; i < sizeof value; i++)
			value[i] = (char)pick(256);

		memset(a.buffer, 7, a.bytes);
		device_copy(x, a.buffer, a.bytes);
		device_copy(y, b.buffer, b.bytes);
		md_copy2(D, dims, a.strs, a.first, b.strs, b.first, size);
		md_copy2(D, dims, a.strs, x + (a.first - a.buffer), b.strs, y + (b.first - b.buffer), size);
		device_copy(back, x, a.bytes);
		copies = copies && 0 == memcmp(back, a.buffer, a.bytes);
		md_fill2(D, dims, a.strs, a.first, value, size);
		md_fill2(D, dims, a.strs, x + (a.first - a.buffer), value, size);
		device_copy(back, x, a.bytes);
		fills = fills && 0 == memcmp(back, a.buffer, a.bytes);
		device_free(x);
		device_free(y);
		free(back);
		free(a.buffer);
		free(b.buffer);
	}

	check(copies, "copies of any steps and elements");
	check(fills, "fills of any steps and elements");
}

static void check_transpositions(void)
{
	const long dims[3] = {70, 3, 45}, transposed[3] = {45, 3, 70};
	bool good = true;

	for (size_t size = 1; size <= 16; size *= 2) {
		const size_t bytes = (size_t)md_calc_size(3, dims) * size;
		char *a = mem_alloc(bytes), *b = mem_alloc(bytes), *c = mem_alloc(bytes);
		char *x = device_alloc(bytes), *y = device_alloc(bytes);

		for (size_t i = 0; i < bytes; i++)
			a[i] = (char)pick(256);

		device_copy(x, a, bytes);
		md_transpose(3, 0, 2, transposed, b, dims, a, size);
		md_transpose(3, 0, 2, transposed, y, dims, x, size);
		device_copy(c, y, bytes);
		good = good && 0 == memcmp(b, c, bytes);
		device_free(x);
		device_free(y);
		free(a);
		free(b);
		free(c);
	}

	check(good, "transpositions by tiles");
}

/** Exchanges, mirrors, shifts and comparisons, which are made of copies. */
static void check_exchanges(void)
{
	const long dims[3] = {5, 4, 6}, shift[3] = {2, -1, 9}, n = 120;
	const size_t bytes = (size_t)n * sizeof(float);
	struct call c = a_line(2, DT_FLOAT32, n);
	char *got = mem_alloc(bytes);
	bool good = true;

	for (int k = 0; k < 2; k++) {
		fill(&c.a[k], DT_FLOAT32);
		c.device[k] = device_alloc(bytes);
		device_copy(c.device[k], c.a[k].buffer, bytes);
	}

	check(md_compare(3, dims, c.device[0], c.a[0].buffer, 4) &&
	                !md_compare(3, dims, c.device[0], c.device[1], 4),
	        "comparisons");

	for (int place = 0; place < 2; place++) {
		char *a = place ? c.device[0] : c.a[0].buffer, *b = place ? c.device[1] : c.a[1].buffer;

		md_swap(3, dims, a, b, 4);
		md_flip(3, dims, 5, a, a, 4);
		md_swap_flip(3, dims, 2, a, b, 4);
		md_circ_shift(3, dims, shift, a, b, 4);
	}

	for (int k = 0; k < 2; k++) {
		device_copy(got, c.device[k], bytes);
		good = good && 0 == memcmp(got, c.a[k].buffer, bytes);
		device_free(c.device[k]);
		free(c.a[k].buffer);
	}

	free(got);
	check(good, "exchanges, mirrors and shifts");
}

/** Sums and products that leave 64 bits on their way, along the lines of an array or across them: clipped
 * once, on either side. */
static void check_wide_sums(bool across)
{
	enum { LINES = 3, N = 40000 };
	static const int64_t want[LINES] = {3, INT64_MAX, INT64_MIN};
	const long dims[2] = {across ? LINES : N, across ? N : LINES}, step = across ? LINES : 1;
	const long strs[2] = {8, 8 * dims[0]}, ostrs[2] = {across ? 8 : 0, across ? 0 : 8};
	const size_t bytes = LINES * N * sizeof(int64_t);
	int64_t *x = malloc(bytes), sum[2][LINES], dot[2][LINES];
	int64_t *there = device_alloc(bytes), *out = device_alloc(sizeof sum[0]);

	for (long k = 0; k < LINES; k++)
		for (long i = 0; i < N; i++) {
			const int64_t big = (int64_t)1 << 60, late = (0 == k) ? -big : 0;

			x[k * (across ? 1 : N) + i * step] =
			        ((i < N / 2) ? big : late) * ((2 == k) ? -1 : 1) + ((7 == i) ? 3 : 0);
		}

	device_copy(there, x, bytes);

	for (int place = 0; place < 2; place++) {
		const int64_t *v = (0 == place) ? x : there;
		int64_t *to = (0 == place) ? sum[0] : out;
		const struct md_reduction product = {.red = RED_DOT, .type = DT_INT64};
		const unsigned long along = across ? 2 : 1;

		md_reduce_t(RED_SUM, DT_INT64, 2, dims, along, ostrs, to, strs, v);

		if (1 == place)
			device_copy(sum[1], out, sizeof sum[1]);

		to = (0 == place) ? dot[0] : out;
		md_reduction_t(&product, DT_INT64, 2, dims, along, ostrs, to, 2,
		        (const long *const[]){strs, strs}, (const void *const[]){v, v});

		if (1 == place)
			device_copy(dot[1], out, sizeof dot[1]);

		check(0 == memcmp(sum[place], want, sizeof want) && INT64_MAX == dot[place][0] &&
		                INT64_MAX == dot[place][2],
		        "sums of int64 %s are clipped once on the %s: %ld %ld %ld",
		        across ? "across" : "along", (0 == place) ? "CPU" : "GPU", (long)sum[place][0],
		        (long)sum[place][1], (long)sum[place][2]);
	}

	device_free(there);
	device_free(out);
	free(x);
}

/* Products and norms of vectors of small integers, which are exact, to a number on the device. */
static void check_vectors(enum dtype t)
{
	enum { N = 1001 };
	const size_t bytes = N * dtype_size(t);
	const int numbers = dtype_is_complex(t) ? 2 * N : N;
	char *x = mem_alloc(bytes), *there = device_alloc(bytes);
	double *number = device_alloc(sizeof *number), got[2], want = 0.;

	for (int i = 0; i < numbers; i++) {
		const double v = (double)pick(9) - 4.;

		want += v * v;

		if (DT_FLOAT32 == dtype_real(t))
			((float *)x)[i] = (float)v;
		else
			((double *)x)[i] = v;
	}

	device_copy(there, x, bytes);
	vec_dot_to(t, N, number, there, there);
	device_copy(&got[0], number, sizeof *number);
	vec_norm_to(t, N, number, there);
	device_copy(&got[1], number, sizeof *number);
	check(got[0] == want && fabs(got[1] / sqrt(want) - 1.) < 1e-14, "%s: product and norm on the device",
	        dtype_name(t));
	device_free(number);
	device_free(there);
	free(x);
}

int main(void)
{
	if (0 == device_count()) {
		printf("ok gpu_md # SKIP %s\n", device_none_reason());
		return 0;
	}

	device_use(0);
	check_operators();

	for (int i = 0; i < TYPES; i++) {
		check_products(types[i]);
		check_reductions(types[i]);
		check_numbers(types[i]);
		check_rows(types[i]);
		check_vectors(types[i]);
	}

	check_wide_sums(false);
	check_wide_sums(true);
	check_copies();
	check_transpositions();
	check_exchanges();

	return 0 != checks_failed;
}
