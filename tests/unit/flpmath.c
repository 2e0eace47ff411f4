/* Arithmetic on all four types against plain loops in complex double; reductions the same for any threads and
 * steps. */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "num/backend/backend.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"
#include "strided.h"

static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

static complex double pair(double re, double im)
{
	const double p[2] = {re, im};
	complex double c;

	memcpy(&c, p, sizeof c);
	return c;
}

static complex double get(enum dtype t, const void *p)
{
	switch (t) {
	case DT_FLOAT32:
		return *(const float *)p;
	case DT_FLOAT64:
		return *(const double *)p;
	case DT_COMPLEX64:
		return *(const complex float *)p;
	default:
		return *(const complex double *)p;
	}
}

static void put(enum dtype t, void *p, complex double x)
{
	switch (t) {
	case DT_FLOAT32:
		*(float *)p = (float)creal(x);
		break;
	case DT_FLOAT64:
		*(double *)p = creal(x);
		break;
	case DT_COMPLEX64:
		*(complex float *)p = (complex float)x;
		break;
	default:
		*(complex double *)p = x;
	}
}

static double epsilon(enum dtype t)
{
	return DT_FLOAT32 == dtype_real(t) ? 1.2e-7 : 2.3e-16;
}

static void fill(enum dtype t, struct strided *a)
{
	static uint64_t element;

	for (size_t i = 0; i + dtype_size(t) <= a->bytes; i += dtype_size(t)) {
		element++;
		put(t, a->buffer + i,
		        pair(2 * rand_uniform(3, 2 * element) - 1, 2 * rand_uniform(3, 2 * element + 1) - 1));
	}
}

static bool near(complex double a, complex double b, double tolerance)
{
	return cabs(a - b) <= tolerance * (1 + cabs(b)) || (isnan(creal(a)) && isnan(creal(b)));
}

static complex double model2(enum op op, complex double a, complex double b)
{
	switch (op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_MULC:
		return a * conj(b);
	case OP_DIV:
		return a / b;
	case OP_MAX:
		return creal(a) > creal(b) ? a : b;
	default:
		return creal(a) < creal(b) ? a : b;
	}
}

static complex double model1(enum op op, bool is_complex, complex double a)
{
	switch (op) {
	case OP_COPY:
		return a;
	case OP_NEG:
		return -a;
	case OP_ABS:
		return cabs(a);
	case OP_SQRT:
		return is_complex ? csqrt(a) : sqrt(creal(a));
	case OP_EXP:
		return cexp(a);
	case OP_LOG:
		return is_complex ? clog(a) : log(creal(a));
	case OP_CONJ:
		return conj(a);
	case OP_REAL:
		return creal(a);
	default:
		return 1 / a;
	}
}

static const enum op ops2[] = {
        OP_ADD, OP_SUB, OP_MUL, OP_MULC, OP_DIV, OP_MAX, OP_MIN}; // the last two of reals
static const enum op ops1[] = {OP_COPY, OP_NEG, OP_ABS, OP_SQRT, OP_EXP, OP_LOG, OP_CONJ, OP_REAL, OP_INVERT};

/* One operation on arrays of random strides; every second time in place. */
static bool op2_once(enum op op, enum dtype t, int D, const long dims[], bool in_place)
{
	struct strided a = strided_make(D, dims, dtype_size(t), !in_place);
	struct strided b = strided_make(D, dims, dtype_size(t), true);
	struct strided out = in_place ? a : strided_make(D, dims, dtype_size(t), false);
	complex double *expected = mem_alloc((size_t)md_calc_size(D, dims) * sizeof *expected);
	long pos[DIMS] = {0}, i = 0;
	bool good = true;

	fill(t, &a);
	fill(t, &b);

	do
		expected[i++] = model2(op, get(t, strided_at(&a, D, pos)), get(t, strided_at(&b, D, pos)));
	while (md_next(D, dims, ~0ul, pos));

	md_apply2(op, t, D, dims, out.strs, out.first, a.strs, a.first, b.strs, b.first);
	i = 0;

	do
		good = good && near(get(t, strided_at(&out, D, pos)), expected[i++], 8 * epsilon(t));
	while (md_next(D, dims, ~0ul, pos));

	free(expected);
	free(a.buffer);
	free(b.buffer);

	if (!in_place)
		free(out.buffer);

	return good;
}

static bool op1_once(enum op op, enum dtype t, int D, const long dims[])
{
	struct strided a = strided_make(D, dims, dtype_size(t), true);
	struct strided out = strided_make(D, dims, dtype_size(t), false);
	long pos[DIMS] = {0};
	bool good = true;

	fill(t, &a);
	md_apply1(op, t, D, dims, out.strs, out.first, a.strs, a.first);

	do {
		complex double x = get(t, strided_at(&a, D, pos));

		good = good && near(get(t, strided_at(&out, D, pos)), model1(op, dtype_is_complex(t), x),
		                       8 * epsilon(t));
	} while (md_next(D, dims, ~0ul, pos));

	free(a.buffer);
	free(out.buffer);
	return good;
}

static void test_elementwise(enum dtype t)
{
	char wrong[200] = "";

	for (int round = 0; round < 400; round++) {
		long dims[DIMS];
		int D = random_dims(dims, 4, 12);
		enum op op2 = ops2[round % (dtype_is_complex(t) ? 5 : 7)];
		enum op op1 = ops1[round % 9];

		if (0 == round % 3) // a long line too
			dims[D++] = 2047 + 2 * (round % 2);

		if (md_calc_size(D, dims) > 1 << 16)
			continue;

		omp_set_num_threads(1 + round % 3);

		if (!op2_once(op2, t, D, dims, round & 4))
			snprintf(wrong, sizeof wrong, ": operation %d of two", op2);

		if (!op1_once(op1, t, D, dims))
			snprintf(wrong, sizeof wrong, ": operation %d of one", op1);
	}

	check(!wrong[0], "%s: element-wise operations, any steps, in place%s", dtype_name(t), wrong);
}

/* out += sum a b for random choices of the dims that each operand moves along: dot, outer products, matrix
 * products and everything between. */
static bool fmac_once(enum dtype t, bool conj_b, int D, const long dims[])
{
	struct strided out = strided_make(D, dims, dtype_size(t), true);
	struct strided a = strided_make(D, dims, dtype_size(t), true);
	struct strided b = strided_make(D, dims, dtype_size(t), true);
	complex double *sum = mem_calloc(out.bytes / dtype_size(t) + 1, sizeof *sum);
	long pos[DIMS] = {0};
	bool good = true;

	fill(t, &out);
	fill(t, &a);
	fill(t, &b);

	for (size_t i = 0; i < out.bytes / dtype_size(t); i++)
		sum[i] = get(t, out.buffer + i * dtype_size(t));

	do {
		complex double y = get(t, strided_at(&b, D, pos));

		sum[(strided_at(&out, D, pos) - out.buffer) / (long)dtype_size(t)] +=
		        get(t, strided_at(&a, D, pos)) * (conj_b ? conj(y) : y);
	} while (md_next(D, dims, ~0ul, pos));

	md_fmac_t(t, conj_b, D, dims, out.strs, out.first, a.strs, a.first, b.strs, b.first);

	for (size_t i = 0; i < out.bytes / dtype_size(t); i++) // the tolerance is that of one rounding
		good = good && near(get(t, out.buffer + i * dtype_size(t)), sum[i],
		                       DT_FLOAT32 == dtype_real(t) ? 2.5e-7 : 1e-12);

	free(sum);
	free(out.buffer);
	free(a.buffer);
	free(b.buffer);
	return good;
}

static void test_contraction(enum dtype t)
{
	bool good = true;

	for (int round = 0; round < 300; round++) {
		long dims[DIMS];
		int D = random_dims(dims, 4, 9);

		if (0 == round % 4)
			dims[D++] = 700 + pick(700);

		omp_set_num_threads(1 + round % 3);
		good = good && (md_calc_size(D, dims) > 1 << 17 || fmac_once(t, round % 2, D, dims));
	}

	check(good, "%s: products summed over any dims, rounded once", dtype_name(t));

	// a matrix product that is long enough for blocks, and sums that float32 would spoil
	const long dims[] = {600, 3, 2049};
	const long size = (long)dtype_size(t);
	char *c = mem_calloc(600 * 3, dtype_size(t)), *a = mem_alloc(600 * 2049 * dtype_size(t));
	char *b = mem_alloc(2049 * 3 * dtype_size(t));

	for (long i = 0; i < 600 * 2049; i++)
		put(t, a + i * size, 1. / 3);

	for (long i = 0; i < 2049 * 3; i++)
		put(t, b + i * size, pair(3, 1));

	md_fmac_t(t, false, 3, dims, (long[]){size, 600 * size, 0}, c, (long[]){size, 0, 600 * size}, a,
	        (long[]){0, 2049 * size, size}, b);
	good = true;

	complex double third = get(t, a);

	for (long i = 0; i < 600 * 3; i++)
		good = good && near(get(t, c + i * size), 2049 * third * (dtype_is_complex(t) ? 3 + I : 3),
		                       DT_FLOAT32 == dtype_real(t) ? 1e-7 : 1e-12);

	check(good, "%s: 600 x 2049 times 2049 x 3", dtype_name(t));
	free(a);
	free(b);
	free(c);
}

static void test_scalars(enum dtype t)
{
	bool is_complex = dtype_is_complex(t), good = true;
	complex double s[] = {0.75, is_complex ? 0.5 - 2 * I : -3};

	for (int round = 0; round < 200; round++) {
		long dims[DIMS], pos[DIMS] = {0};
		int D = random_dims(dims, 4, 9);
		complex double f = s[round % 2];
		struct strided a = strided_make(D, dims, dtype_size(t), true);
		struct strided o = strided_make(D, dims, dtype_size(t), false);
		struct strided p = strided_make(D, dims, dtype_size(t), false);
		struct strided q = strided_make(D, dims, dtype_size(t), false);

		fill(t, &a);
		md_smul_t(t, D, dims, o.strs, o.first, a.strs, a.first, f);
		md_sadd_t(t, D, dims, p.strs, p.first, a.strs, a.first, f);
		md_smul_t(t, D, dims, q.strs, q.first, p.strs, p.first, 1);
		md_axpy_t(t, D, dims, q.strs, q.first, f, a.strs, a.first);

		do {
			complex double x = get(t, strided_at(&a, D, pos));

			good = good && near(get(t, strided_at(&o, D, pos)), f * x, 8 * epsilon(t));
			good = good && near(get(t, strided_at(&p, D, pos)), f + x, 8 * epsilon(t));
			good = good && near(get(t, strided_at(&q, D, pos)), f + x + f * x, 8 * epsilon(t));
		} while (md_next(D, dims, ~0ul, pos));

		free(a.buffer);
		free(o.buffer);
		free(p.buffer);
		free(q.buffer);
	}

	check(good, "%s: factor, sum and multiple of a number", dtype_name(t));

	// a step of 0 in the output sums
	enum { N = 4097 };
	struct strided a = {.bytes = N * dtype_size(t), .buffer = mem_alloc(N * dtype_size(t))};
	complex double sum = 2, total;
	char out[16];

	fill(t, &a);
	put(t, out, 2);

	for (long i = 0; i < N; i++)
		sum += s[1] * get(t, a.buffer + i * (long)dtype_size(t));

	md_axpy_t(t, 1, (long[]){N}, (long[]){0}, out, s[1], (long[]){(long)dtype_size(t)}, a.buffer);
	total = get(t, out);
	check(near(total, sum, 4 * epsilon(t) + 1e-13), "%s: axpy into one element sums", dtype_name(t));
	free(a.buffer);
}

struct sums {
	complex double scalar, sum;
	double norm, asum, maxabs;
	long nonfinite;
};

static struct sums reduce(enum dtype t, int D, const long dims[], const long as[], const void *a,
        const long bs[], const void *b)
{
	struct sums s;

	memset(&s, 0, sizeof s);
	s.scalar = md_scalar_t(t, D, dims, as, a, bs, b);
	s.sum = md_sum_t(t, D, dims, as, a);
	s.norm = md_norm_t(t, D, dims, as, a);
	s.asum = md_asum_t(t, D, dims, as, a);
	s.maxabs = md_maxabs_t(t, D, dims, as, a);
	return s;
}

static void test_reductions(enum dtype t)
{
	static const long lengths[] = {1, 7, 8, 9, 2047, 2049, 4097, 65535, 65536, 65537, 300001};
	size_t size = dtype_size(t);
	bool right = true, threads = true, steps = true;

	for (unsigned k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
		long n = lengths[k], one[DIMS] = {(long)size}, two[DIMS] = {2 * (long)size};
		struct strided a = {.bytes = (size_t)n * size, .buffer = mem_alloc((size_t)n * size)};
		struct strided b = {.bytes = (size_t)n * size, .buffer = mem_alloc((size_t)n * size)};
		char *wide = mem_alloc(2 * (size_t)n * size);
		complex double scalar = 0, sum = 0;
		double asum = 0, maxabs = 0, square = 0;

		fill(t, &a);
		fill(t, &b);
		md_copy2(1, &n, two, wide, one, a.buffer, size);

		for (long i = 0; i < n; i++) {
			complex double x = get(t, a.buffer + i * (long)size);

			scalar += x * conj(get(t, b.buffer + i * (long)size));
			sum += x;
			asum += cabs(x);
			square += creal(x * conj(x));
			maxabs = fmax(maxabs, cabs(x));
		}

		omp_set_num_threads(1);

		struct sums s1 = reduce(t, 1, &n, one, a.buffer, one, b.buffer);
		double tolerance = 1e-15 * sqrt((double)n) * 20;

		right = right && near(s1.scalar, scalar, tolerance) && near(s1.sum, sum, tolerance) &&
		        near(s1.asum, asum, tolerance) && near(s1.norm, sqrt(square), tolerance) &&
		        near(s1.maxabs, maxabs, tolerance) &&
		        near(vec_dot(t, n, a.buffer, b.buffer), creal(s1.scalar), 0) &&
		        vec_norm(t, n, a.buffer) == s1.norm;

		struct sums w = reduce(t, 1, &n, two, wide, one, b.buffer);

		steps = steps && 0 == memcmp(&w, &s1, sizeof w);

		for (int j = 2; j <= 7; j += 5) {
			omp_set_num_threads(j);

			struct sums sj = reduce(t, 1, &n, one, a.buffer, one, b.buffer);

			threads = threads && 0 == memcmp(&sj, &s1, sizeof s1);
		}

		free(a.buffer);
		free(b.buffer);
		free(wide);
	}

	// many short lines
	const long dims[] = {3, 501, 101};
	const long strs[] = {(long)size, 4 * (long)size, 4 * 502 * (long)size};
	struct strided a = {.bytes = 4 * 502 * 101 * size, .buffer = mem_alloc(4 * 502 * 101 * size)};

	fill(t, &a);
	omp_set_num_threads(1);

	struct sums s1 = reduce(t, 3, dims, strs, a.buffer, strs, a.buffer);

	omp_set_num_threads(7);

	struct sums s7 = reduce(t, 3, dims, strs, a.buffer, strs, a.buffer);
	complex double sum = 0;

	for (long z = 0; z < 101; z++)
		for (long y = 0; y < 501; y++)
			for (long x = 0; x < 3; x++)
				sum += get(t, a.buffer + x * strs[0] + y * strs[1] + z * strs[2]);

	right = right && near(s1.sum, sum, 1e-12);
	threads = threads && 0 == memcmp(&s1, &s7, sizeof s1);
	free(a.buffer);
	check(right, "%s: scalar product, sums, norm, maximum", dtype_name(t));
	check(threads, "%s: the same bits for 1, 2 and 7 threads", dtype_name(t));
	check(steps, "%s: the same bits for other steps", dtype_name(t));
}

static void test_vectors(enum dtype t)
{
	enum { N = 2049 };
	size_t size = dtype_size(t);
	struct strided x = {.bytes = N * size, .buffer = mem_alloc(N * size)};
	struct strided y = {.bytes = N * size, .buffer = mem_alloc(N * size)};
	char *z = mem_alloc(N * size), *w = mem_alloc(N * size), *p = mem_alloc(N * size),
	     *c = mem_alloc(N * size);
	bool good = true;

	fill(t, &x);
	fill(t, &y);
	vec_axpby(t, N, z, 2, x.buffer, -0.5, y.buffer);
	vec_copy(t, N, w, y.buffer);
	vec_axpy(t, N, w, 3, x.buffer);
	vec_xpay(t, N, w, 0.25, x.buffer); // x + (y + 3 x) / 4
	vec_mul(t, N, p, x.buffer, y.buffer);
	vec_scale(t, N, p, -2);
	vec_clear(t, N, c);

	for (long i = 0; i < N; i++) {
		complex double a = get(t, x.buffer + i * (long)size), b = get(t, y.buffer + i * (long)size);

		good = good && near(get(t, z + i * (long)size), 2 * a - 0.5 * b, 8 * epsilon(t)) &&
		       near(get(t, w + i * (long)size), 1.75 * a + b / 4, 8 * epsilon(t)) &&
		       near(get(t, p + i * (long)size), -2 * a * b, 8 * epsilon(t)) &&
		       0 == get(t, c + i * (long)size);
	}

	check(good, "%s: vectors", dtype_name(t));
	free(x.buffer);
	free(y.buffer);
	free(z);
	free(w);
	free(p);
	free(c);
}

static void test_nonfinite(enum dtype t)
{
	enum { N = 70001 };
	size_t size = dtype_size(t);
	char *x = mem_calloc(N, size);
	const long strs[] = {(long)size}, dims[] = {N};

	put(t, x + 5 * size, pair(NAN, 0));
	put(t, x + (N - 1) * size, pair(-INFINITY, 0));

	if (dtype_is_complex(t))
		put(t, x + 66000 * size, pair(0, INFINITY));

	check(0 == vec_count_nonfinite(t, 0, x) && 0 == vec_norm(t, 0, x), "%s: empty sums are 0",
	        dtype_name(t));
	check((dtype_is_complex(t) ? 3 : 2) == vec_count_nonfinite(t, N, x), "%s: counts what is not finite",
	        dtype_name(t));
	check(isnan(md_maxabs_t(t, 1, dims, strs, x)) && isnan(creal(md_sum_t(t, 1, dims, strs, x))) &&
	                isnan(md_norm_t(t, 1, dims, strs, x)),
	        "%s: NaN reaches the maximum, the sum and the norm", dtype_name(t));

	put(t, x + 5 * size, 1);
	check(isinf(md_maxabs_t(t, 1, dims, strs, x)), "%s: infinity is the maximum", dtype_name(t));
	md_smul_t(t, 1, dims, strs, x, strs, x, 2);
	check(-INFINITY == creal(get(t, x + (N - 1) * size)) && 0 == cimag(get(t, x + (N - 1) * size)),
	        "%s: a real factor keeps infinities apart from the other part", dtype_name(t));
	free(x);
}

static void test_real_ops(void)
{
	const long n[] = {4};
	const float a[] = {1, NAN, 2, -INFINITY}, b[] = {2, 1, NAN, 0};
	float o[4];

	md_max(1, n, o, a, b);
	check(2 == o[0] && isnan(o[1]) && isnan(o[2]) && 0 == o[3], "max: NaN of either side passes");
	md_min(1, n, o, a, b);
	check(1 == o[0] && isnan(o[1]) && isnan(o[2]) && -INFINITY == o[3], "min: NaN of either side passes");

	const float c[] = {-1, 0, 4, INFINITY};

	md_sqrt(1, n, o, c);
	check(isnan(o[0]) && 0 == o[1] && 2 == o[2] && isinf(o[3]), "sqrt: IEEE");
	md_log(1, n, o, c);
	check(isnan(o[0]) && -INFINITY == o[1] && isinf(o[3]), "log: IEEE");
	md_div(1, n, o, c, (const float[]){0, 0, 2, INFINITY});
	check(-INFINITY == o[0] && isnan(o[1]) && 2 == o[2] && isnan(o[3]), "div: IEEE");
}

static void complex_maximum(void)
{
	complex float x[2] = {0};
	const long n[] = {2}, strs[] = {sizeof x[0]};

	md_apply2(OP_MAX, DT_COMPLEX64, 1, n, strs, x, strs, x, strs, x);
}

static long calls;
static void (*plain_reduction)(const struct md_reduction *r, enum dtype t, const struct md_shape *s,
        void *out, const void *const in[]);

static void counting_reduction(const struct md_reduction *r, enum dtype t, const struct md_shape *s,
        void *out, const void *const in[])
{
	calls++;
	plain_reduction(r, t, s, out, in);
}

static void test_table(void)
{
	const float x[] = {1, -2, 3};
	const long n[] = {3}, strs[] = {sizeof x[0]};

	plain_reduction = backend_cpu.reduction;
	backend_cpu.reduction = counting_reduction;

	double sum = md_asum_t(DT_FLOAT32, 1, n, strs, x);

	backend_cpu.reduction = plain_reduction;
	check(6 == sum && 1 == calls, "table: an entry can be replaced");
}

/* Products summed into double precision along any dims, from float. */
static void test_wide(void)
{
	enum { N = 3000, M = 5 };
	float *a = mem_alloc(N * M * sizeof *a), b[M], one = 1;
	double sums[M] = {0}, want[M] = {0}, total = 1e9, all = 1e9;
	bool good = true;

	for (long i = 0; i < N * M; i++)
		a[i] = (float)i / 3;

	for (int j = 0; j < M; j++) {
		b[j] = (float)(j - 1) / 7;

		for (long i = 0; i < N; i++) {
			want[j] += (double)a[j + M * i] * b[j];
			all += (double)a[j + M * i] * b[j];
		}
	}

	md_fmacD2(2, (long[]){M, N}, (long[]){8, 0}, sums, (long[]){4, 4 * M}, a, (long[]){4, 0}, b);
	md_fmacD2(2, (long[]){M, N}, (long[]){0, 0}, &total, (long[]){4, 4 * M}, a, (long[]){4, 0}, b);

	for (int j = 0; j < M; j++)
		good = good && near(sums[j], want[j], 1e-13);

	check(good && near(total, all, 1e-14), "sums of float products in double precision");

	complex float z[2] = {1 + 2 * I, 3 - I};
	complex double into = 0.5;

	md_zfmaccD2(1, (long[]){2}, (long[]){0}, &into, (long[]){8}, z, (long[]){8}, z);
	check(15.5 == into, "sums of complex products in double precision");
	md_axpy2(1, (long[]){0}, (long[]){4}, a, 2, (long[]){4}, &one);
	free(a);
}

static void test_empty(void)
{
	const long dims[] = {3, 0, 2};
	float a[1] = {7}, o[6];

	md_add(3, dims, a, a, a);
	md_cumsum(3, dims, 7, a, a);
	md_fdiff(3, dims, 1, a, a + 1);
	md_hardthresh(3, dims, 1, 2, a, a);
	md_hardthresh_joint(3, dims, 1, 2, a, a);
	check(7 == a[0], "arrays without elements: nothing is written");
	md_sum(3, dims, 2, o, a);

	bool good = true;

	for (int i = 0; i < 6; i++)
		good = good && 0 == o[i];

	md_avg(3, dims, 2, o, a);

	for (int i = 0; i < 6; i++)
		good = good && isnan(o[i]);

	check(good && 0 == md_norm(3, dims, a) && 0 == md_maxnorm(3, dims, a),
	        "sums of nothing are 0, means NaN");
}

static void test_special(void)
{
	const long n[] = {4};
	const float a[] = {NAN, INFINITY, -2, 0};
	const complex float z[] = {pair(NAN, 1), pair(1, NAN), pair(3, 4), 0};
	complex float y[4];
	float o[4];

	md_setnanzero(1, n, o, a);
	md_zsetnanzero(1, n, y, z);
	check(0 == o[0] && isinf(o[1]) && -2 == o[2] && 0 == y[0] && 0 == y[1] && 3 + 4 * I == y[2],
	        "NaN in either part becomes 0");
	md_softthresh(1, n, 1, 0, o, a);
	check(isnan(o[0]) && isinf(o[1]) && -1 == o[2] && 0 == o[3], "soft threshold: NaN and infinity stay");
	md_softthresh_half(1, n, o, a, 1);
	check(isnan(o[0]) && 0.5f == o[2] && 0 == o[3], "soft threshold's factor: NaN stays, 0 of 0");
	md_hardthresh(1, n, 2, ~0ul, o, a);
	check(isnan(o[0]) && isinf(o[1]) && 0 == o[2] && 0 == o[3], "hard threshold: NaN counts as largest");
	md_smax(1, n, o, a, -1);
	check(isnan(o[0]) && -1 == o[2], "maximum with a number: NaN stays");
	md_zsmul(1, n, y, (const complex float[]){pair(INFINITY, 0), 1, 2, 3}, 2);
	check(isinf(crealf(y[0])) && 0 == cimagf(y[0]), "a real factor: infinity stays in its part");
	md_std(1, (const long[]){1}, 1, o, a + 2);
	check(isnan(o[0]), "standard deviation of one element: NaN");
}

static void negative_threshold(void)
{
	float x = 1;

	md_softthresh(1, (const long[]){1}, -1, 0, &x, &x);
}

static void real_modulation(void)
{
	float x[2] = {1, 2};

	md_fftmod_t(DT_FLOAT32, 1, (const long[]){2}, 1, false, (const long[]){4}, x, (const long[]){4}, x);
}

static void integer_arithmetic(void)
{
	int x[2] = {1, 2};

	md_fmac_t(DT_INT32, false, 1, (const long[]){2}, (const long[]){0}, x, (const long[]){4}, x,
	        (const long[]){4}, x);
}

int main(void)
{
	for (int i = 0; i < 4; i++) {
		test_elementwise(types[i]);
		test_contraction(types[i]);
		test_scalars(types[i]);
		test_reductions(types[i]);
		test_vectors(types[i]);
		test_nonfinite(types[i]);
	}

	test_real_ops();
	test_table();
	test_wide();
	test_empty();
	test_special();
	check_ends(1, "not defined for complex64", complex_maximum, "max: refuses complex data");
	check_ends(1, "expected at least 0", negative_threshold, "softthresh: refuses a negative threshold");
	check_ends(1, "expected complex64", real_modulation, "fftmod: refuses real data");
	check_ends(1, "expected float32", integer_arithmetic, "fmac: refuses integers");

	return checks_failed > 0;
}
