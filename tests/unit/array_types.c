/* Operators and reductions on every type. Without arguments: that results do not depend on how operands lie
 * in memory (steps, byte order, tiles, threads). With a folder: results for tests/numpy_types.py, which
 * compares them with NumPy's. */

#include <omp.h>

#include "check.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/kern/kern.h"
#include "strided.h"

/* ---- results for NumPy ---- */

static FILE *results;

/* Values of each type that come first are small and finite. */
enum { FINITE = 12 };

/* The values of a type, from FOLDER/TYPE, along one dim. */
static struct array *values(const char *folder, enum dtype t)
{
	char path[4096];
	long bytes;

	snprintf(path, sizeof path, "%s/%s", folder, dtype_name(t));

	FILE *f = fopen(path, "rb");

	if (NULL == f || 0 != fseek(f, 0, SEEK_END))
		error("%s: cannot be read", path);

	bytes = ftell(f);
	rewind(f);

	const long n = bytes / (long)dtype_size(t);
	struct array *a = array_create(t, 1, &n);

	if (n != (long)fread(a->data, dtype_size(t), (size_t)n, f))
		error("%s: cannot be read", path);

	fclose(f);

	return a;
}

/* The first n elements along dim d. */
static struct array *along(const struct array *a, int d, long n)
{
	struct array *part = array_slice(a, 0, 0, 1, (n < a->dims[0]) ? n : a->dims[0]);
	struct array *transposed = array_transpose(part, 0, d);

	array_free(part);

	return transposed;
}

/* One line of text, then the elements. */
static void put(const char *name, const char *mode, int n, const struct array *const in[],
        const struct op_types *t, const struct array *out)
{
	fprintf(results, "%s %s %s %s", name, mode, dtype_name(t->work), dtype_name(t->result));

	for (int k = 0; k < n; k++)
		fprintf(results, " %s", dtype_name(in[k]->type));

	fprintf(results, " :");

	for (int i = 0; i < array_rank(out); i++)
		fprintf(results, " %ld", out->dims[i]);

	fprintf(results, "\n");
	fwrite(out->data, dtype_size(out->type), (size_t)array_count(out), results);
}

static void apply(enum op op, const struct array *const in[], struct array_rules r, const char *mode)
{
	enum dtype types[3];
	struct op_types t;
	const int n = op_args(op);

	for (int k = 0; k < n; k++)
		types[k] = in[k]->type;

	if (!op_types(op, types, r.domain, &t)) {
		fprintf(results, "%s undefined - -", op_name(op));

		for (int k = 0; k < n; k++)
			fprintf(results, " %s", dtype_name(types[k]));

		fprintf(results, " : 0\n");
		return;
	}

	struct array *out = array_op(op, in, r);

	put(op_name(op), mode, n, in, &t, out);
	array_free(out);
}

/* Along dim 0 of the first n elements. */
static void reduce(enum reduction red, const struct array *const in[], long n, const char *mode)
{
	enum dtype types[2] = {in[0]->type, in[1]->type};
	struct op_types t;
	char name[32];

	snprintf(name, sizeof name, "reduce-%s", reduction_name(red));

	if (!reduction_types(red, types, &t)) {
		fprintf(results, "%s undefined - - %s : 0\n", name, dtype_name(types[0]));
		return;
	}

	struct array *part[2] = {along(in[0], 0, n), along(in[1], 0, n)};
	struct array *out = array_reduction(red, 1, (const struct array *const *)part, array_default);

	put(name, mode, reduction_args(red), in, &t, out);
	array_free(out);
	array_free(part[0]);
	array_free(part[1]);
}

/* Operators of up to three arguments on a pair of types; the third has the type of the second. */
static void pair(const struct array *a, const struct array *b)
{
	const struct array_rules wrap = {NARROW_WRAP, DOMAIN_NAN}, nan = array_default,
	                         complex_ = {NARROW_SATURATE, DOMAIN_COMPLEX};
	struct array *x = along(a, 0, 100), *y = along(b, 1, 100), *z = along(b, 2, 5);
	const struct array *const two[3] = {x, y, z};
	struct array *p = along(a, 0, 5), *q = along(a, 1, 100);
	const struct array *const select[3] = {p, q, z};
	const struct array *const dot[2] = {a, b};

	for (int op = 0; op < OP_COUNT; op++) {
		if (OP_SELECT == op)
			apply(op, select, nan, "saturate");
		else if (1 < op_args(op))
			apply(op, two, nan, "saturate");

		if (OP_ADD == op || OP_SUB == op || OP_MUL == op || OP_MULADD == op)
			apply(op, two, wrap, "wrap");

		if (1 < op_args(op) && op_has_domain(op))
			apply(op, two, complex_, "complex");
	}

	reduce(RED_DOT, dot, FINITE, "finite");
	reduce(RED_DOT, dot, 100, "all");

	const struct array *all[] = {x, y, z, p, q};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		array_free(all[i]);
}

static void single(const struct array *a)
{
	const struct array_rules wrap = {NARROW_WRAP, DOMAIN_NAN};
	const struct array *const in[3] = {a, a, a};

	for (int op = 0; op < OP_COUNT; op++) {
		if (1 != op_args(op))
			continue;

		apply(op, in, array_default, "saturate");

		if (OP_NEG == op || OP_SQUARE == op || OP_ABS == op)
			apply(op, in, wrap, "wrap");

		if (op_has_domain(op))
			apply(op, in, (struct array_rules){NARROW_SATURATE, DOMAIN_COMPLEX}, "complex");
	}

	for (int red = 0; red < RED_COUNT_OF; red++)
		if (1 == reduction_args(red)) {
			reduce(red, in, FINITE, "finite");
			reduce(red, in, 100, "all");
		}
}

static void write_results(const char *folder)
{
	struct array *all[DT_COUNT];
	char path[4096];

	snprintf(path, sizeof path, "%s/results", folder);
	results = fopen(path, "wb");

	if (NULL == results)
		error("%s: cannot be written", path);

	for (int t = 0; t < DT_COUNT; t++)
		all[t] = values(folder, t);

	for (int t = 0; t < DT_COUNT; t++) {
		single(all[t]);

		for (int u = 0; u < DT_COUNT; u++)
			pair(all[t], all[u]);
	}

	for (int t = 0; t < DT_COUNT; t++)
		array_free(all[t]);

	if (0 != fclose(results))
		error("%s: cannot be written", path);
}

/* ---- where operands lie ---- */

/* Small numbers, some of them not finite. */
static void fill(struct array *a)
{
	const long n = array_count(a);
	for (long i = 0; i < n; i++) {
		const double v[2] = {(double)(pick(400) - 200) / 8, (double)(pick(40) - 20) / 8};

		convert(a->type, a->data + i * (long)dtype_size(a->type),
		        dtype_is_complex(a->type) ? DT_COMPLEX128 : DT_FLOAT64, v, 1, NARROW_SATURATE);
	}
}

/* The same elements elsewhere: steps of any kind, perhaps foreign byte order. */
static struct array *elsewhere(const struct array *a, struct strided *s)
{
	*s = strided_make(DIMS, a->dims, dtype_size(a->type), false);

	struct array *b = array_borrow(a->type, DIMS, a->dims, s->strs, s->first);

	if (0 == pick(2))
		array_byteswap(b);

	array_copy(b, a, array_default);

	return b;
}

static bool same(const struct array *a, const struct array *b)
{
	struct array *x = array_cast(a, a->type, array_default), *y = array_cast(b, b->type, array_default);
	bool good = x->type == y->type &&
	            0 == memcmp(x->data, y->data, (size_t)array_count(x) * dtype_size(x->type));

	array_free(x);
	array_free(y);

	return good;
}

/* A shape that lines, tiles or short inner dims serve. */
static void some_dims(long dims[DIMS])
{
	static const long sizes[] = {1, 2, 3, 5, 17, 64, 70, 130, 600};
	long count;

	do {
		const int D = 1 + (int)pick(4);

		count = 1;
		md_singleton_dims(DIMS, dims);

		for (int i = 0; i < D; i++)
			count *= dims[i] = sizes[pick(9)];
	} while (count > 100000 || (count > 20000 && 0 != pick(8)));
}

/* Operands of random types, some repeated along some dims. */
static void some_operands(int n, const long dims[DIMS], struct array *in[])
{
	for (int k = 0; k < n; k++) {
		long part[DIMS];

		for (int i = 0; i < DIMS; i++)
			part[i] = (0 == pick(6)) ? 1 : dims[i];

		in[k] = array_create((enum dtype)pick(DT_COUNT), DIMS, part);
		fill(in[k]);
	}
}

enum { CASES = 1000, REDUCTIONS = 1200 };

static void test_places(void)
{
	long wrong = 0, tried = 0;

	for (int c = 0; c < fewer(CASES); c++) {
		const enum op op = (enum op)pick(OP_COUNT);
		const int n = op_args(op);
		long dims[DIMS];
		struct array *in[3], *moved[3];
		struct strided place[3], place_out;
		enum dtype types[3];
		struct op_types t;

		some_dims(dims);
		some_operands(n, dims, in);

		for (int k = 0; k < n; k++) {
			types[k] = in[k]->type;
			moved[k] = elsewhere(in[k], &place[k]);
		}

		if (op_types(op, types, DOMAIN_NAN, &t)) {
			struct array *want = array_op(op, (const struct array *const *)in, array_default);
			struct array *out = elsewhere(want, &place_out);

			memset(place_out.buffer, 0, place_out.bytes);
			array_apply(op, out, (const struct array *const *)moved, array_default);
			wrong += !same(want, out);
			tried++;
			array_free(want);
			array_free(out);
			free(place_out.buffer);
		}

		for (int k = 0; k < n; k++) {
			array_free(in[k]);
			array_free(moved[k]);
			free(place[k].buffer);
		}
	}

	check(!wrong, "%ld operations give the same bytes wherever operands lie: %ld differ", tried, wrong);
}

/* A reduction by plain loops in the widest type: the reference of test_reductions(). */
static double plain_sum(const struct array *a, const long at[DIMS], unsigned long mask)
{
	long pos[DIMS];
	double sum = 0;

	md_copy_dims(DIMS, pos, at);

	do {
		double v;

		convert(DT_FLOAT64, &v, a->type, a->data + md_calc_offset(DIMS, a->strs, pos), 1,
		        NARROW_SATURATE);
		sum += v;
	} while (md_next(DIMS, a->dims, mask, pos));

	return sum;
}

static void test_sums(void)
{
	long wrong = 0, tried = 0;

	for (int c = 0; c < fewer(REDUCTIONS / 5); c++) {
		const unsigned long mask = (unsigned long)pick(16);
		long dims[DIMS], pos[DIMS] = {0};
		struct array *a;
		struct strided place;

		some_dims(dims);
		a = array_create(DT_INT16, DIMS, dims);
		fill(a);

		struct array *moved = elsewhere(a, &place);
		struct array *sum =
		        array_reduction(RED_SUM, mask, (const struct array *const[]){moved}, array_default);

		do {
			const int64_t got = *(int64_t *)(sum->data + md_calc_offset(DIMS, sum->strs, pos));

			wrong += (double)got != plain_sum(a, pos, mask);
			tried++;
		} while (md_next(DIMS, sum->dims, ~0ul, pos));

		array_free(a);
		array_free(moved);
		array_free(sum);
		free(place.buffer);
	}

	check(!wrong, "%ld sums equal those of a plain loop: %ld differ", tried, wrong);
}

/* Shapes of many chunks: long reductions into one, few and many results, along any dims. */
static void test_long_sums(void)
{
	static const long shapes[][3] = {
	        {300000, 1, 1}, {3, 90000, 1}, {20, 12000, 1}, {5000, 60, 1}, {2, 70000, 2}, {40, 30, 200}};
	long wrong = 0, tried = 0;

	for (size_t c = 0; c < sizeof shapes / sizeof shapes[0]; c++) {
		struct array *a = array_create(DT_INT16, 3, shapes[c]);
		struct array *f;

		fill(a);
		f = array_cast(a, DT_FLOAT32, array_default);

		for (unsigned long mask = 1; mask < 8; mask++) {
			struct array *sum = array_reduction(
			        RED_SUM, mask, (const struct array *const[]){a}, array_default);
			struct array *real = array_reduction(
			        RED_SUM, mask, (const struct array *const[]){f}, array_default);
			long pos[DIMS] = {0};

			do {
				const long at = md_calc_offset(DIMS, sum->strs, pos);
				const double want = plain_sum(a, pos, mask);

				wrong += (double)*(int64_t *)(sum->data + at) != want;
				wrong += *(double *)(real->data + at) != want;
				tried++;
			} while (md_next(DIMS, sum->dims, ~0ul, pos));

			array_free(sum);
			array_free(real);
		}

		array_free(a);
		array_free(f);
	}

	check(!wrong, "%ld long sums equal those of a plain loop: %ld differ", tried, wrong);
}

/* Results of reductions differ between layouts by rounding only: here all sums are exact. */
static void test_reductions(void)
{
	long wrong = 0, tried = 0, threads = 0;

	for (int c = 0; c < fewer(REDUCTIONS); c++) {
		const enum reduction red = (enum reduction)pick(RED_COUNT_OF);
		const unsigned long mask = (unsigned long)pick(16);
		const int n = reduction_args(red);
		long dims[DIMS];
		struct array *in[2], *moved[2];
		struct strided place[2];
		enum dtype types[2];
		struct op_types t;

		some_dims(dims);
		some_operands(n, dims, in);

		for (int k = 0; k < n; k++) {
			types[k] = in[k]->type;
			moved[k] = elsewhere(in[k], &place[k]);
		}

		if (RED_PROD != red && reduction_types(red, types, &t)) {
			struct array *want =
			        array_reduction(red, mask, (const struct array *const *)in, array_default);
			struct array *got =
			        array_reduction(red, mask, (const struct array *const *)moved, array_default);

			omp_set_num_threads((0 == c % 16) ? 7 : 1);

			struct array *many =
			        array_reduction(red, mask, (const struct array *const *)moved, array_default);

			omp_set_num_threads(2);
			threads += !same(many, got);

			if (RED_NORM1 != red || !dtype_is_complex(types[0])) { // magnitudes are not exact
				wrong += !same(want, got);
				tried++;
			}

			array_free(want);
			array_free(got);
			array_free(many);
		}

		for (int k = 0; k < n; k++) {
			array_free(in[k]);
			array_free(moved[k]);
			free(place[k].buffer);
		}
	}

	check(!wrong, "%ld reductions give the same wherever operands lie: %ld differ", tried, wrong);
	check(!threads, "and the same bytes for any number of threads: %ld differ", threads);
}

int main(int argc, char *argv[])
{
	tool_name = "array_types";
	log_level = -1;

	if (2 == argc) {
		write_results(argv[1]);
		return 0;
	}

	omp_set_num_threads(2);
	test_places();
	test_sums();
	test_long_sums();
	test_reductions();

	return checks_failed > 0;
}
