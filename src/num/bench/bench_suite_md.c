/** Strided arrays: moving, permuting, reducing, converting, multiplying. */

#include <stdio.h>
#include <stdlib.h>

#include "misc/mem.h"
#include "num/array/array.h"
#include "num/bench/bench.h"
#include "num/bench/bench_blas.h"
#include "num/bench/bench_gpu.h"
#include "num/md/flpmath.h"

/* The operands of one size and what a contender does with them. */
struct work {
	long size, n, dims[3];
	float *x, *y, *out; // n elements each; out has room for n doubles
	const struct hand *hand;
	const struct bench_blas *blas;
	double value;

	int order[3];            // permutations
	long part[3], strs[3];   // strided copies: dims of the output, steps of the input [bytes]
	long first;              // and its first element
	struct array *from, *to; // conversions
	hand_loop_fn *convert;
};

static struct bench_case a_case(const struct work *w, const char *name, double bytes_per_element)
{
	struct bench_case c = {.name = name, .bytes = bytes_per_element * (double)w->n};

	snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld float32", w->size, w->size, w->size);

	return c;
}

static void run_two(struct bench *b, struct bench_case *c, struct work *w, const char *name,
        void (*ours)(void *), void (*hand)(void *))
{
	const struct bench_contender who[] = {
	        {.name = name, .run = ours, .ctx = w}, {.name = "by hand", .run = hand, .ctx = w}};

	c->hand = 1;
	bench_case(b, c, 2, who);
}

static double check_value(void *ctx)
{
	return ((const struct work *)ctx)->value;
}

/* A sum that notices elements at the wrong place. */
static double check_places(void *ctx)
{
	const struct work *w = ctx;
	double sum = 0;

	for (long i = 0; i < w->part[0] * w->part[1] * w->part[2]; i++)
		sum += (double)w->out[i] * (double)(i % 1021);

	return sum;
}

/* ---- copies ------------------------------------------------------------------ */

static void copy_md(void *ctx)
{
	struct work *w = ctx;

	md_copy(3, w->dims, w->out, w->x, sizeof(float));
}

static void copy_hand(void *ctx)
{
	struct work *w = ctx;

	w->hand->copy(w->n, w->out, w->x, w->x, w->x);
}

static void strided_md(void *ctx)
{
	struct work *w = ctx;
	long ostrs[3];

	md_calc_strides(3, ostrs, w->part, sizeof(float));
	md_copy2(3, w->part, ostrs, w->out, w->strs, w->x + w->first, sizeof(float));
}

static void strided_hand(void *ctx)
{
	struct work *w = ctx;
	const long s[3] = {w->strs[0] / 4, w->strs[1] / 4, w->strs[2] / 4};

	w->hand->strided(w->out, w->x + w->first, w->part, s);
}

static void bench_strided(struct bench *b, struct work *w, const char *name)
{
	struct bench_case c = a_case(w, name, 8. * (double)md_calc_size(3, w->part) / (double)w->n);

	c.check = check_places;
	c.check_ctx = w;
	run_two(b, &c, w, "md_copy2", strided_md, strided_hand);
}

static void bench_copies(struct bench *b, struct work *w)
{
	struct bench_case c = a_case(w, "copy", 8);
	long n = w->size, half = (n + 1) / 2;

	md_copy_dims(3, w->part, w->dims);
	c.check = check_places;
	c.check_ctx = w;
	run_two(b, &c, w, "md_copy", copy_md, copy_hand);

	md_calc_strides(3, w->strs, w->dims, sizeof(float));
	w->strs[0] = -4;
	w->first = n - 1;
	bench_strided(b, w, "flip of dim 0");

	w->first = 0;
	w->strs[0] = 8;
	w->part[0] = half;
	bench_strided(b, w, "every second along dim 0");

	w->strs[0] = 4;
	w->part[0] = w->part[1] = w->part[2] = half;
	w->first = (n - half) / 2 * (1 + n + n * n);
	bench_strided(b, w, "inner block of half the extents");
}

/* ---- permutations ------------------------------------------------------------ */

static void permute_md(void *ctx)
{
	struct work *w = ctx;

	md_permute(3, w->order, w->dims, w->out, w->dims, w->x, sizeof(float));
}

static void permute_hand(void *ctx)
{
	struct work *w = ctx;

	w->hand->permute(w->out, w->x, w->dims, w->order);
}

static void bench_permutations(struct bench *b, struct work *w)
{
	static const struct {
		const char *name;
		int order[3];
	} all[] = {{"permute 1,0,2", {1, 0, 2}}, {"permute 0,2,1", {0, 2, 1}}, {"permute 2,1,0", {2, 1, 0}},
	        {"permute 1,2,0", {1, 2, 0}}, {"permute 2,0,1", {2, 0, 1}}};

	md_copy_dims(3, w->part, w->dims);

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct bench_case c = a_case(w, all[i].name, 8);

		md_copy_order(3, w->order, all[i].order);
		c.check = check_places;
		c.check_ctx = w;
		run_two(b, &c, w, "md_permute", permute_md, permute_hand);
	}
}

/* ---- reductions -------------------------------------------------------------- */

static void sum_md(void *ctx)
{
	struct work *w = ctx;
	long strs[3];

	md_calc_strides(3, strs, w->dims, sizeof(float));
	w->value = creal(md_sum_t(DT_FLOAT32, 3, w->dims, strs, w->x));
}

static void sum_hand(void *ctx)
{
	struct work *w = ctx;

	w->value = w->hand->sum(w->n, w->x, NULL);
}

static void dot_vec(void *ctx)
{
	struct work *w = ctx;

	w->value = vec_dot(DT_FLOAT32, w->n, w->x, w->y);
}

static void dot_hand(void *ctx)
{
	struct work *w = ctx;

	w->value = w->hand->dot(w->n, w->x, w->y);
}

/* Sums along the dims of w->order[0], a mask: the first, or the last two. */
static void along_array(void *ctx)
{
	struct work *w = ctx;
	struct array *a = array_borrow(DT_FLOAT32, 3, w->dims, NULL, w->x);
	struct array *out = array_borrow(DT_FLOAT32, 3, w->part, NULL, w->out);

	array_reduce(RED_SUM, (unsigned long)w->order[0], out, (const struct array *[]){a}, array_default);
	array_free(a);
	array_free(out);
}

static void along_hand(void *ctx)
{
	struct work *w = ctx;

	if (1 == w->order[0])
		w->hand->reduce_rows(w->out, w->x, w->size, w->size * w->size);
	else
		w->hand->reduce_columns(w->out, w->x, w->size, w->size * w->size);
}

static void bench_reductions(struct bench *b, struct work *w)
{
	struct bench_case c = a_case(w, "sum of all", 4);

	c.check = check_value;
	c.check_ctx = w;
	c.tolerance = 1e-9;
	run_two(b, &c, w, "md_sum_t", sum_md, sum_hand);
	c.name = "dot product";
	c.bytes *= 2;
	run_two(b, &c, w, "vec_dot", dot_vec, dot_hand);

	for (int first = 1; first >= 0; first--) {
		c = a_case(w, first ? "sum along dim 0" : "sum along dims 1 and 2", 4);
		c.check = check_places;
		c.check_ctx = w;
		c.tolerance = 1e-6;
		w->order[0] = first ? 1 : 6;

		for (int d = 0; d < 3; d++)
			w->part[d] = (w->order[0] & 1 << d) ? 1 : w->size;

		run_two(b, &c, w, "array_reduce", along_array, along_hand);
	}
}

/* ---- types -------------------------------------------------------------------- */

static void convert_array(void *ctx)
{
	struct work *w = ctx;

	array_copy(w->to, w->from, array_default);
}

static void convert_hand(void *ctx)
{
	struct work *w = ctx;

	w->convert(w->n, w->to->data, w->from->data, w->from->data, w->from->data);
}

static double check_converted(void *ctx)
{
	const struct work *w = ctx;
	long strs[3];
	struct array *f = array_cast(w->to, DT_FLOAT64, array_default);

	md_calc_strides(3, strs, w->dims, sizeof(double));

	double sum = creal(md_sum_t(DT_FLOAT64, 3, w->dims, strs, f->data));

	array_free(f);

	return sum;
}

static void bench_conversions(struct bench *b, struct work *w)
{
	const struct {
		const char *name;
		enum dtype from, to;
		hand_loop_fn *loop;
	} all[] = {{"uint8 to float32", DT_UINT8, DT_FLOAT32, w->hand->u8_f32},
	        {"uint16 to float32", DT_UINT16, DT_FLOAT32, w->hand->u16_f32},
	        {"float32 to uint16", DT_FLOAT32, DT_UINT16, w->hand->f32_u16},
	        {"float32 to float64", DT_FLOAT32, DT_FLOAT64, w->hand->f32_f64},
	        {"float64 to float32", DT_FLOAT64, DT_FLOAT32, w->hand->f64_f32}};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct bench_case c =
		        a_case(w, all[i].name, (double)(dtype_size(all[i].from) + dtype_size(all[i].to)));
		struct array *x = array_borrow(DT_FLOAT32, 3, w->dims, NULL, w->x);

		snprintf(c.shape, sizeof c.shape, "%ld x %ld x %ld", w->size, w->size, w->size);
		w->from = array_cast(x, all[i].from, array_default);
		w->to = array_borrow(all[i].to, 3, w->dims, NULL, w->out);
		w->convert = all[i].loop;
		c.check = check_converted;
		c.check_ctx = w;
		run_two(b, &c, w, "array_copy", convert_array, convert_hand);
		array_free(w->from);
		array_free(w->to);
		array_free(x);
	}
}

/* ---- products ------------------------------------------------------------------ */

/* out(i, j) = sum over k of x(i, k) y(k, j), by strides alone. */
static void product_md(const struct work *w, long columns)
{
	long m = w->part[0], k = w->part[1], step = sizeof(float);
	const long dims[3] = {m, columns, k}, odims[2] = {m, columns};

	md_clear(2, odims, w->out, sizeof(float));
	md_fmac2(3, dims, (const long[]){step, m * step, 0}, w->out, (const long[]){step, 0, m * step}, w->x,
	        (const long[]){0, k * step, step}, w->y);
}

static void gemm_md(void *ctx)
{
	const struct work *w = ctx;

	product_md(w, w->part[1]);
}

static void gemm_blas(void *ctx)
{
	struct work *w = ctx;

	bench_blas_sgemm(w->blas, w->part[0], w->part[0], w->part[0], w->x, w->y, w->out);
}

static void gemv_md(void *ctx)
{
	product_md(ctx, 1);
}

static void gemv_blas(void *ctx)
{
	struct work *w = ctx;

	bench_blas_sgemv(w->blas, 0, w->part[0], w->part[1], w->x, w->y, w->out);
}

static void bench_products(struct bench *b, struct work *w)
{
	long m = 1;

	while (m < 2048 && 4 * m * m <= w->n)
		m *= 2;

	struct bench_case c = {.name = "matrix times matrix",
	        .hand = -1,
	        .check = check_places,
	        .check_ctx = w,
	        .tolerance = 1e-4,
	        .flops = 2. * (double)m * (double)m * (double)m};
	struct bench_contender who[] = {{.name = "md_fmac2", .run = gemm_md, .ctx = w},
	        {.name = "OpenBLAS sgemm", .run = gemm_blas, .ctx = w, .settle = true}};
	int n = w->blas ? 2 : 1;

	w->part[0] = w->part[1] = m;
	w->part[2] = 1;
	snprintf(c.shape, sizeof c.shape, "%ld x %ld, %ld x %ld float32", m, m, m, m);
	bench_case(b, &c, n, who);

	c.name = "matrix times vector";
	w->part[0] = w->part[1] = w->size;
	w->part[2] = 1;
	c.check = NULL;
	c.bytes = 4. * (double)w->size * (double)w->size;
	c.flops = 2. * (double)w->size * (double)w->size;
	snprintf(c.shape, sizeof c.shape, "%ld x %ld float32", w->size, w->size);
	who[0] = (struct bench_contender){.name = "md_fmac2", .run = gemv_md, .ctx = w};
	who[1] = (struct bench_contender){
	        .name = "OpenBLAS sgemv", .run = gemv_blas, .ctx = w, .settle = true};
	bench_case(b, &c, n, who);
}

static void bench_md_run(struct bench *b, long size)
{
	struct work w = {.size = size, .dims = {size, size, size}, .hand = hand_loops()};
	char what[32];

	w.n = md_calc_size(3, w.dims);
	snprintf(what, sizeof what, "%ld^3", size);

	if (!bench_fits(32. * (double)w.n, what))
		return;

	w.x = bench_random(w.n, 0);
	w.y = bench_random(w.n, 1);
	w.out = bench_random(2 * w.n, 2);
	w.blas = bench_blas_open();
	bench_triad(b, w.n, w.out, w.x, w.y);
	bench_copies(b, &w);
	bench_permutations(b, &w);
	bench_reductions(b, &w);
	bench_conversions(b, &w);
	bench_products(b, &w);
	free(w.x);
	free(w.y);
	free(w.out);
}

const struct bench_suite bench_suite_md = {
        .name = "md",
        .about = "copies, permutations, reductions, type conversions and matrix products of strided "
                 "arrays, compared with handwritten loops and OpenBLAS",
        .sizes = {256, 512},
        .run = bench_md_run,
        .run_gpu = bench_gpu_md,
        .gpu_sizes = {256, 512, 1024},
};
