/* Expressions on the GPU against the evaluator of the CPU: random ones by the kernel that interprets, some by
 * generated kernels and those of the build; views, several outputs, an output in place; the cache. */

#include <math.h>
#include <sys/stat.h>

#include "expr_case.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/cache.h"
#include "num/device/device.h"
#include "num/expr/expr_gpu.h"
#include "num/md/flpmath.h"

/* a and its copy on the device, with the same steps */
static struct array *upload(const struct array *a, const struct strided *memory)
{
	char *there = device_alloc(memory->bytes);

	device_copy(there, memory->buffer, memory->bytes);

	return array_borrow(a->type, DIMS, a->dims, a->strs, there + (a->data - memory->buffer));
}

static void release(struct array *a, const struct array *host, const struct strided *memory)
{
	device_free(a->data - (host->data - memory->buffer));
	array_free(a);
}

/* The largest difference of two arrays, as a part of the largest magnitude. */
static double difference(const struct array *want, const struct array *got)
{
	long pos[DIMS] = {0};
	double worst = 0, scale = 1;

	do {
		complex double a, b;

		convert(DT_COMPLEX128, &a, want->type, want->data + md_calc_offset(DIMS, want->strs, pos), 1,
		        NARROW_SATURATE);
		convert(DT_COMPLEX128, &b, got->type, got->data + md_calc_offset(DIMS, got->strs, pos), 1,
		        NARROW_SATURATE);
		scale = fmax(scale, cabs(a));

		if (!(isnan(cabs(a)) && isnan(cabs(b))))
			worst = (cabs(a - b) <= worst || a == b) ? worst : cabs(a - b);
	} while (md_next(DIMS, want->dims, ~0ul, pos));

	return worst / scale;
}

/* A random expression of random operands on both: how far they are apart. */
static double try_random(bool single, char **text)
{
	const struct array *host[EXPR_OPERANDS];
	struct array *device[EXPR_OPERANDS];
	struct expr_operand operands[EXPR_OPERANDS];
	struct expr_error err;
	struct str s = {0};
	long dims[DIMS];
	enum dtype type;

	make_inputs(single);
	used = 0;
	print_tree(&s, grow(4));
	*text = s.data;

	struct expr *e = expr_parse(s.data, &err);
	const int n = expr_inputs(e);
	double off = 0;

	for (int i = 0; i < n; i++) {
		const struct operand *o = &inputs[expr_input(e, i)[0] - 'a'];

		host[i] = o->a;
		device[i] = upload(o->a, &o->memory);
		expr_operand_of(&operands[i], o->a);
	}

	if (0 < n) {
		struct expr_plan *p = expr_bind(e, operands, rules);

		expr_plan_output(p, 0, dims, &type);

		if (0 == pick(3))
			type = (0 == pick(2)) ? DT_UINT8 : DT_COMPLEX128;

		struct strided memory = strided_make(DIMS, dims, dtype_size(type), false);
		struct array *got = array_borrow(type, DIMS, dims, memory.strs, memory.first);
		struct array *want = array_create(type, DIMS, dims), *there = upload(got, &memory);

		expr_run(p, &want, host);
		expr_run(p, &there, (const struct array *const *)device);
		device_copy(memory.buffer, there->data - (got->data - memory.buffer), memory.bytes);
		off = difference(want, got);
		release(there, got, &memory);
		array_free(got);
		array_free(want);
		free(memory.buffer);
		expr_plan_free(p);
	}

	for (int i = 0; i < n; i++)
		release(device[i], host[i], &inputs[expr_input(e, i)[0] - 'a'].memory);

	for (int k = 0; k < INPUTS; k++)
		operand_free(&inputs[k]);

	expr_free(e);

	return off;
}

static void test_random(int cases, const char *way)
{
	int bad = 0;

	for (int i = 0; i < cases; i++) {
		char *text;
		double off = try_random(i % 2, &text);

		if (!(off <= 1e-6)) {
			bad++;
			check(false, "%s: %s is off by %g", way, text, off);
		}

		free(text);
	}

	check(0 == bad, "%d random expressions, %s", cases, way);
}

/* ---- fixed ones over float32 ---- */

enum { N = 5003 };

struct vectors {
	float *host[3], *device[3];
};

static struct vectors vectors_make(void)
{
	struct vectors v;

	for (int k = 0; k < 3; k++) {
		v.host[k] = mem_alloc(N * sizeof(float));
		v.device[k] = device_alloc(N * sizeof(float));

		for (long i = 0; i < N; i++)
			v.host[k][i] = (float)(1 + pick(1000)) / 500;

		device_copy(v.device[k], v.host[k], N * sizeof(float));
	}

	return v;
}

static void vectors_free(struct vectors *v)
{
	for (int k = 0; k < 3; k++) {
		free(v->host[k]);
		device_free(v->device[k]);
	}
}

/* text with outputs and operands at these places of vectors; data are what the arrays lie at */
static void eval(const char *text, int nout, float *const out[], float *const in[3], long first, long n)
{
	static const char *const in_names[] = {"x", "y", "z"};
	struct array *o[2];
	const struct array *a[3];

	for (int k = 0; k < nout; k++)
		o[k] = array_borrow(DT_FLOAT32, 1, &n, NULL, out[k] + first);

	for (int k = 0; k < 3; k++)
		a[k] = array_borrow(DT_FLOAT32, 1, &n, NULL, in[k] + first);

	expr_eval(text, nout, o, 3, in_names, a, rules);

	for (int k = 0; k < nout; k++)
		array_free(o[k]);

	for (int k = 0; k < 3; k++)
		array_free((struct array *)a[k]);
}

/* The bytes of both; elements [first, first + n). */
static void check_same(const char *text, long first, long n, const char *way)
{
	struct vectors v = vectors_make();
	float *want = mem_calloc(N, sizeof(float)), *got = mem_calloc(N, sizeof(float));
	float *there = device_alloc(N * sizeof(float));

	device_copy(there, want, N * sizeof(float));
	eval(text, 1, &want, v.host, first, n);
	eval(text, 1, &there, v.device, first, n);
	device_copy(got, there, N * sizeof(float));
	check(0 == memcmp(want, got, N * sizeof(float)), "%s of %ld elements from %ld on, %s: same bytes",
	        text, n, first, way);
	device_free(there);
	free(want);
	free(got);
	vectors_free(&v);
}

static void check_outputs(void)
{
	struct vectors v = vectors_make();
	float *want[2], *there[2], *got = mem_calloc(N, sizeof(float));
	bool good = true;

	for (int k = 0; k < 2; k++) {
		want[k] = mem_calloc(N, sizeof(float));
		there[k] = device_alloc(N * sizeof(float));
	}

	eval("p = x*y + z; q = p - max(x)", 2, want, v.host, 0, N);
	eval("p = x*y + z; q = p - max(x)", 2, there, v.device, 0, N);

	for (int k = 0; k < 2; k++) {
		device_copy(got, there[k], N * sizeof(float));
		good = good && 0 == memcmp(got, want[k], N * sizeof(float));
		free(want[k]);
		device_free(there[k]);
	}

	check(good, "two outputs, of which one needs a reduction");
	eval("x*y + z", 1, v.host, v.host, 0, N);
	eval("x*y + z", 1, v.device, v.device, 0, N);
	device_copy(got, v.device[0], N * sizeof(float));
	check(0 == memcmp(got, v.host[0], N * sizeof(float)), "an output in place");

	float *moved = v.host[0] + 1, *there_moved = v.device[0] + 1;

	eval("x + y", 1, &moved, v.host, 0, N - 1);
	eval("x + y", 1, &there_moved, v.device, 0, N - 1);
	device_copy(got, v.device[0], N * sizeof(float));
	check(0 == memcmp(got, v.host[0], N * sizeof(float)), "an output over another part of its operand");
	free(got);
	vectors_free(&v);
}

static double norm(float *const in[3], long n)
{
	const struct array *a = array_borrow(DT_FLOAT32, 1, &n, NULL, in[0]);
	const double value = creal(expr_reduce("norm(1.5*x)", 1, (const char *const[]){"x"}, &a, rules));

	array_free((struct array *)a);

	return value;
}

static void check_reductions(void)
{
	struct vectors v = vectors_make();
	double want = norm(v.host, N), got = norm(v.device, N);

	check(fabs(got - want) <= 1e-12 * want, "a norm: %.17g on the device, %.17g", got, want);
	check(got == norm(v.device, N), "a norm: the same bits in the next run");
	vectors_free(&v);
}

/* Two operands that are the same data, of which one is the result's place. */
static void check_twice(void)
{
	struct vectors v = vectors_make();
	float *host[3] = {v.host[0], v.host[0], v.host[2]};
	float *device[3] = {v.device[0], v.device[0], v.device[2]};
	float *got = mem_alloc(N * sizeof(float));

	eval("exp(-x)*y + z", 1, &host[2], host, 0, N);
	eval("exp(-x)*y + z", 1, &device[2], device, 0, N);
	device_copy(got, v.device[2], N * sizeof(float));
	check(0 == memcmp(got, v.host[2], N * sizeof(float)), "operands that are the same data");
	free(got);
	vectors_free(&v);
}

/* ---- integers ---- */

enum { INTEGERS = 1000 };

/* One text of a and b, of that type, by a rule: where the data are. */
static void eval_integers(
        const char *text, enum dtype t, enum narrow narrow, void *out, long n, void *a, void *b)
{
	const long dims[] = {INTEGERS};
	const struct array *in[] = {array_borrow(t, 1, dims, NULL, a), array_borrow(t, 1, dims, NULL, b)};
	struct array *o = array_borrow(t, 1, &n, NULL, out);

	expr_eval(text, 1, &o, 2, (const char *const[]){"a", "b"}, in,
	        (struct array_rules){narrow, DOMAIN_NAN});
	array_free(o);
	array_free(in[0]);
	array_free(in[1]);
}

/* Results that 64 bits do not hold are clipped or wrapped as on the host, to the same bytes. */
static void check_integers(const char *way)
{
	static const struct {
		const char *text;
		long n;
	} cases[] = {{"a + b", INTEGERS}, {"a - b", INTEGERS}, {"a*b", INTEGERS}, {"-a + 0*b", INTEGERS},
	        {"abs(a) + 0*b", INTEGERS}, {"a^3 + 0*b", INTEGERS}, {"a^5 - b^2", INTEGERS},
	        {"copysign(a, b)", INTEGERS}, {"muladd(a, b, a)", INTEGERS}, {"mulc(a, b)", INTEGERS},
	        {"soft(a, abs(b % 99))", INTEGERS}, {"hard(a, 9223372036854775807) + 0*b", INTEGERS},
	        {"sum(a) + 0*sum(b)", 1}, {"prod(a + 0*b)", 1}, {"dot(a, b)", 1}};
	static const uint64_t ends[] = {
	        0, 1, ~0ul, 1ul << 63, (1ul << 63) - 1, 3037000500, 2097152, 1ul << 32};
	uint64_t x[2][INTEGERS], want[INTEGERS], got[INTEGERS];
	void *there[2] = {device_alloc(sizeof x[0]), device_alloc(sizeof x[0])};
	void *out = device_alloc(sizeof got);
	uint64_t seed = 1;

	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < INTEGERS; i++) {
			seed = seed * 6364136223846793005ul + 1442695040888963407ul;
			x[k][i] = (seed >> 40 & 1) ? ends[seed >> 60 & 7] : seed >> (seed >> 50 & 63);
		}

		device_copy(there[k], x[k], sizeof x[k]);
	}

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const long n = cases[i].n;
		bool good = true;

		for (int mode = NARROW_SATURATE; mode <= NARROW_WRAP; mode++)
			for (int t = DT_INT64; t <= DT_UINT64; t += DT_UINT64 - DT_INT64) {
				eval_integers(
				        cases[i].text, (enum dtype)t, (enum narrow)mode, want, n, x[0], x[1]);
				eval_integers(cases[i].text, (enum dtype)t, (enum narrow)mode, out, n,
				        there[0], there[1]);
				device_copy(got, out, sizeof got);
				good = good && 0 == memcmp(want, got, (size_t)n * sizeof got[0]);
			}

		check(good, "64-bit integers %s: %s", way, cases[i].text);
	}

	device_free(there[0]);
	device_free(there[1]);
	device_free(out);
}

/* ---- chains of md_ functions ---- */

enum { ROWS = 37, COLS = 50 };

/* max(c x y + y, 1/4) of x transposed and y repeated, in float64. */
static void real_chain(void *out, const void *x, const void *y, const void *z)
{
	const long dims[2] = {ROWS, COLS}, transposed[2] = {4 * COLS, 4}, row[2] = {4, 0}, none[2] = {0, 0},
	           strs[2] = {8, 8 * ROWS};
	const float number = 3.f;
	struct md_chain f = {0};
	int a = chain_operand(&f, DT_FLOAT32), b = chain_operand(&f, DT_FLOAT32),
	    c = chain_operand(&f, DT_FLOAT32);

	(void)z;
	a = chain_op3(&f, OP_MULADD, chain_op2(&f, OP_MUL, a, c), b, b);
	chain_op2(&f, OP_MAX, a, chain_constant(&f, DT_FLOAT32, .25));
	md_chain(&f, DT_FLOAT64, 2, dims, strs, out, (const long *const[]){transposed, row, none},
	        (const void *const[]){x, y, &number});
}

/* |x| > 1/2 ? x conj(y) : exp(z) */
static void complex_chain(void *out, const void *x, const void *y, const void *z)
{
	const long dims[1] = {ROWS * COLS / 2}, strs[1] = {8};
	struct md_chain f = {0};
	int a = chain_operand(&f, DT_COMPLEX64), b = chain_operand(&f, DT_COMPLEX64),
	    c = chain_operand(&f, DT_COMPLEX64);
	int large = chain_op2(&f, OP_GT, chain_op1(&f, OP_ABS, a), chain_constant(&f, DT_FLOAT32, .5));
	int product = chain_op2(&f, OP_MULC, a, b), power = chain_op1(&f, OP_EXP, c);

	chain_op3(&f, OP_SELECT, large, product, power);
	md_chain(&f, DT_COMPLEX64, 1, dims, strs, out, (const long *const[]){strs, strs, strs},
	        (const void *const[]){x, y, z});
}

static void check_chain(const char *what, void (*run)(void *out, const void *x, const void *y, const void *z),
        enum dtype t, long n)
{
	enum { PART = ROWS * COLS };
	float x[3 * PART];
	const size_t bytes = (size_t)n * dtype_size(t);
	char *want = mem_alloc(bytes), *got = mem_alloc(bytes);
	float *there = device_alloc(sizeof x);
	void *out = device_alloc(bytes);
	double size;
	const long before = cache_count(&size);

	for (int i = 0; i < 3 * PART; i++)
		x[i] = sinf((float)(i * i % 1009));

	device_copy(there, x, sizeof x);
	run(want, x, x + PART, x + 2 * PART);
	run(out, there, there + PART, there + 2 * PART);
	device_copy(got, out, bytes);

	struct array *a = array_borrow(t, 1, &n, NULL, want), *b = array_borrow(t, 1, &n, NULL, got);
	const double d = difference(a, b);

	check(d <= 1e-6 && before + 1 == cache_count(&size), "%s by a generated kernel: a difference of %.1e",
	        what, d);
	array_free(a);
	array_free(b);
	device_free(there);
	device_free(out);
	free(want);
	free(got);
}

/* ---- a kernel that the compiler refuses ---- */

static enum op refused_op;

/* op(x) y */
static void short_chain(void *out, const void *x, const void *y)
{
	const long n = ROWS * COLS, strs[1] = {4};
	struct md_chain f = {0};
	const int a = chain_operand(&f, DT_FLOAT32), b = chain_operand(&f, DT_FLOAT32);

	chain_op2(&f, OP_MUL, chain_op1(&f, refused_op, a), b);
	md_chain(&f, DT_FLOAT32, 1, &n, strs, out, (const long *const[]){strs, strs},
	        (const void *const[]){x, y});
}

static bool chain_is_right(void)
{
	enum { PART = ROWS * COLS };
	static float x[2 * PART], want[PART], got[PART];
	float *there = device_alloc(sizeof x), *out = device_alloc(sizeof got);
	bool good = true;

	for (int i = 0; i < 2 * PART; i++)
		x[i] = .5f + .25f * sinf((float)(i * i % 1009));

	device_copy(there, x, sizeof x);
	short_chain(want, x, x + PART);
	short_chain(out, there, there + PART);
	device_copy(got, out, sizeof got);

	for (int i = 0; i < PART; i++)
		good = good && fabsf(got[i] - want[i]) <= 1e-6f;

	device_free(there);
	device_free(out);

	return good;
}

/* Under the emulator, whose compiler is the one of the PATH: one that refuses its first text. */
static void check_refusal(void)
{
	char room[SCRATCH], *folder = scratch_name(room), name[SCRATCH + 8], tried[SCRATCH + 8];
	const char *const before = getenv("PATH");
	double size;
	const long kept = cache_count(&size);

	if (0 != strcmp(device_toolkit(), "emulated") || NULL == before || NULL == mkdtemp(folder))
		return;

	char *const old = mem_printf("%s", before), *const path = mem_printf("%s:%s", folder, before);

	snprintf(name, sizeof name, "%s/c++", folder);
	snprintf(tried, sizeof tried, "%s/tried", folder);

	FILE *f = fopen(name, "w");

	if (NULL == f ||
	        0 > fprintf(f, "#!/bin/sh\n[ -e %s ] || { echo >%s; exit 1; }\nPATH='%s' exec c++ \"$@\"\n",
	                    tried, tried, old) ||
	        0 != fclose(f) || 0 != chmod(name, 0700))
		return;

	setenv("PATH", path, 1);
	refused_op = OP_ATAN;
	check(chain_is_right() && kept == cache_count(&size),
	        "a chain whose kernel is refused is interpreted");
	check(chain_is_right() && kept == cache_count(&size), "and is not compiled again");
	refused_op = OP_TANH;
	check(chain_is_right() && kept + 1 == cache_count(&size), "others have kernels as before");
	setenv("PATH", old, 1);
	unlink(tried);
	unlink(name);
	rmdir(folder);
	free(old);
	free(path);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room);

	if (0 == device_count()) {
		printf("ok gpu_expr # SKIP %s\n", device_none_reason());
		return 0;
	}

	if (NULL == mkdtemp(folder))
		return 1;

	setenv("GANTRY_CACHE", folder, 1);
	log_level = -1;
	device_use(0);
	expr_gpu_choose(EXPR_GPU_INTERPRETED);
	test_random(100, "interpreted");
	check_outputs();
	check_reductions();
	check_integers("interpreted");
	check_same("x*y + y/z + x*z", 0, N, "interpreted");
	expr_gpu_choose(EXPR_GPU_BEST);
	check_same("0.5*x + y", 0, N, "by a kernel of the build");
	check_same("x*y + z", 0, N - 3, "by a kernel of the build");
	check_same("x*x", 4, N - 4, "by a kernel of the build");
	expr_gpu_choose(EXPR_GPU_GENERATED);
	check_same("exp(-x)*y + sqrt(z)", 0, N, "generated");
	check_same("exp(-x)*y + sqrt(z)", 1, N - 1, "generated");
	check_same("exp(-x)*y + sqrt(z)", 0, N - 2, "generated");
	check_reductions();
	check_twice();
	check_chain("a chain of real operators", real_chain, DT_FLOAT64, ROWS * COLS);
	check_chain("a chain of complex operators", complex_chain, DT_COMPLEX64, ROWS * COLS / 2);

	double bytes;

	check(6 == cache_count(&bytes), "kernels in the cache");
	check_refusal();
	cache_clear();
	expr_gpu_choose(EXPR_GPU_GENERATED);
	check_integers("generated");
	cache_clear();
	check(0 == cache_count(&bytes) && 0 == device_taken(), "nothing is left");
	rmdir(folder);

	return checks_failed > 0;
}
