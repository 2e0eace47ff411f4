/* What a plan says: shared, folded and fused steps, passes, types; errors with their columns; memory. */

#include <math.h>
#include <omp.h>
#include <sys/resource.h>

#include "check.h"
#include "misc/mem.h"
#include "num/expr/expr.h"

enum { INPUTS = 4 };

static const char *const names[INPUTS] = {"a", "b", "c", "v"};
static const struct array_rules rules = {NARROW_SATURATE, DOMAIN_NAN};

/* a, b: 6 x 5 of a type, c: 6 x 5 of float64, v: 1 x 5 */
static struct expr_plan *plan_of(const char *text, enum dtype t, struct array_rules r)
{
	struct expr_operand operands[EXPR_OPERANDS];
	struct expr_error err;
	struct expr *e = expr_parse(text, &err);

	if (NULL == e || !expr_resolve(e, INPUTS, names, &err)) {
		check(false, "%s: column %ld: %s", text, err.column, err.text);
		exit(1);
	}

	for (int i = 0; i < expr_inputs(e); i++) {
		struct expr_operand *o = &operands[i];
		const char name = expr_input(e, i)[0];

		md_singleton_dims(DIMS, o->dims);
		o->dims[0] = ('v' == name) ? 1 : 6;
		o->dims[1] = 5;
		o->type = ('c' == name) ? DT_FLOAT64 : t;

		for (int d = 0; d < DIMS; d++) {
			o->spacing[d] = 2;
			o->origin[d] = NAN;
		}
	}

	struct expr_plan *p = expr_bind(e, operands, r);

	expr_free(e);

	return p;
}

static int count(const char *text, const char *part)
{
	int n = 0;

	for (const char *p = text; NULL != (p = strstr(p, part)); p++)
		n++;

	return n;
}

/* How often each part occurs in the plan: "part", n, ..., NULL */
#define CHECK_PLAN(text, t, ...) check_plan(text, t, (const struct part[]){__VA_ARGS__, {NULL, 0}})
struct part {
	const char *text;
	int n;
};

static void check_plan(const char *text, enum dtype t, const struct part parts[])
{
	struct expr_plan *p = plan_of(text, t, rules);
	char *plan = expr_plan_text(p);
	bool good = true;

	for (int i = 0; NULL != parts[i].text; i++)
		good = good && parts[i].n == count(plan, parts[i].text);

	check(good, "plan of %s%s%s", text, good ? "" : " is\n", good ? "" : plan);
	free(plan);
	expr_plan_free(p);
}

static void test_steps(void)
{
	CHECK_PLAN("(a + b) * (b + a)", DT_FLOAT32, {"add(", 1}, {"square(", 0}, {"load", 2}, {"mul(", 1});
	CHECK_PLAN("a * (2*3 + 1)", DT_FLOAT32, {"mul(", 1}, {", 7)", 1}, {"add(", 0});
	CHECK_PLAN("0.5*a + a/2", DT_FLOAT64, {"mul(", 1}, {"add(", 1}, {"muladd(", 0}, {"load", 1});
	CHECK_PLAN("a*b + c", DT_FLOAT64, {"muladd(", 1}, {"add(", 1}, {"convert", 0});
	CHECK_PLAN("a*b + a*b", DT_FLOAT32, {"mul(", 1}, {"add(", 1}, {"muladd", 0});
	CHECK_PLAN("a^2 + b^3 + a^0.5 + b^1", DT_FLOAT32, {"pow", 0}, {"square(", 2}, {"sqrt(", 1},
	        {"muladd(", 1});
	CHECK_PLAN("a^2.5", DT_FLOAT32, {"pow(", 1});
	CHECK_PLAN("a^-1", DT_FLOAT32, {"pow", 0}, {"inv(", 1});
	CHECK_PLAN("a / 4 + b / 3", DT_FLOAT32, {"muladd(v0, 0.25", 1}, {"div(", 1});
	CHECK_PLAN("-(-a) * 1", DT_FLOAT32, {"neg", 0}, {"mul", 0}, {"store", 1});
	CHECK_PLAN("x = a*2; y = a*2; x + y", DT_FLOAT32, {"load", 1}, {"store", 3}, {"pass", 1});
	CHECK_PLAN("real(a) + imag(b*2i)", DT_FLOAT32, {"complex64", 2});
	CHECK_PLAN("sqrt(v) + a", DT_FLOAT32, {"load", 2}, {"sqrt(", 1});
}

static void test_passes(void)
{
	CHECK_PLAN(
	        "norm(1.2*a + b)", DT_FLOAT32, {"pass 1 of 1", 1}, {"norm(", 1}, {"muladd(", 1}, {"load", 2});
	CHECK_PLAN(
	        "m = mean(a); a - m", DT_FLOAT32, {"pass 1 of 2", 1}, {"pass 2 of 2", 1}, {"as float32", 4});
	CHECK_PLAN("s = sum(a); t = max(b); n = norm(a - b)", DT_FLOAT32, {"of 1", 1}, {"load", 2});
	CHECK_PLAN("y = a - mean(a); z = a*2", DT_FLOAT32, {"of 2", 2}, {"load a", 2});
	CHECK_PLAN("y = a/sum(b); z = a*2", DT_FLOAT32, {"of 2", 2}, {"load a", 1}, {"load b", 1});
	CHECK_PLAN("(a - mean(a)) / norm(a - mean(a))", DT_FLOAT32, {"of 3", 3});
	CHECK_PLAN("sum(v) + a", DT_FLOAT32, {"over 1 x 5", 1}, {"over 6 x 5", 1});
	CHECK_PLAN("sum(a)/count(a > 0)", DT_UINT8, {"of 1", 1}, {"div(", 1});
}

static void check_type(const char *text, enum dtype in, enum dtype want)
{
	struct expr_plan *p = plan_of(text, in, rules);
	long dims[DIMS];
	enum dtype got;

	expr_plan_output(p, 0, dims, &got);
	check(want == got, "%s of %s is %s%s%s", text, dtype_name(in), dtype_name(want),
	        want == got ? "" : ", not ", want == got ? "" : dtype_name(got));
	expr_plan_free(p);
}

static void test_types(void)
{
	check_type("a*2", DT_UINT16, DT_UINT16);
	check_type("a + 300", DT_UINT8, DT_UINT16);
	check_type("a - 300", DT_UINT8, DT_UINT16);
	check_type("a + (-1)", DT_UINT8, DT_INT16);
	check_type("a*0.5", DT_UINT16, DT_FLOAT32);
	check_type("a*0.5", DT_INT32, DT_FLOAT64);
	check_type("a*0.1", DT_FLOAT32, DT_FLOAT32);
	check_type("a*pi", DT_FLOAT16, DT_FLOAT16);
	check_type("a*1i", DT_FLOAT32, DT_COMPLEX64);
	check_type("a*1i", DT_COMPLEX128, DT_COMPLEX128);
	check_type("a + i0", DT_UINT8, DT_UINT8);
	check_type("a + 100*i1", DT_UINT8, DT_UINT16);
	check_type("a + i1", DT_FLOAT32, DT_FLOAT32);
	check_type("a*(x^2 + y^2)", DT_FLOAT32, DT_FLOAT32);
	check_type("a - mean(a)", DT_FLOAT32, DT_FLOAT32);
	check_type("a - min(a)", DT_UINT8, DT_UINT8);
	check_type("a/2", DT_UINT8, DT_FLOAT32);
	check_type("a < 2", DT_FLOAT64, DT_BOOL);
	check_type("a^2", DT_INT8, DT_INT8);
	check_type("a > 1 ? a : 0", DT_INT16, DT_INT16);
	check_type("a*(a > 1 ? 1 : 0)", DT_INT16, DT_INT16);
	check_type("a*2", DT_BOOL, DT_UINT8);
	check_type("sum(a)", DT_UINT8, DT_INT64);
	check_type("mean(a)", DT_FLOAT32, DT_FLOAT64);
	check_type("max(a)", DT_FLOAT32, DT_FLOAT32);
	check_type("1/3", DT_FLOAT32, DT_FLOAT64);
	check_type("a + c", DT_FLOAT32, DT_FLOAT64);
}

/* ---- errors ---- */

static void check_column(const char *text, long column, const char *part)
{
	struct expr_error err;
	struct expr *e = expr_parse(text, &err);
	bool bad = NULL == e || !expr_resolve(e, INPUTS, names, &err);

	check(bad && column == err.column && NULL != strstr(err.text, part),
	        "'%s' is wrong in column %ld%s%s", text, column, bad ? ": " : "", bad ? err.text : "");
	expr_free(e);
}

static void test_columns(void)
{
	check_column("", 1, "the end");
	check_column("a +", 4, "the end");
	check_column("a b", 3, "'b'");
	check_column("(a + b", 7, "')'");
	check_column("a + b)", 6, "')'");
	check_column("a $ b", 3, "'$'");
	check_column("a + foo(b)", 5, "foo");
	check_column("a + sqr(b)", 5, "sqrt");
	check_column("sin(a, b)", 1, "1 argument");
	check_column("clamp(a, 1)", 1, "3 arguments");
	check_column("min()", 1, "at least 1");
	check_column("dot(a)", 1, "2 arguments");
	check_column("exp + 1", 1, "function");
	check_column("a < b < c", 7, "row");
	check_column("a ? b", 6, "':'");
	check_column("12x", 1, "12x");
	check_column("1e999", 1, "too large");
	check_column("q = a; q = b", 8, "twice");
	check_column("q = a + r; r = b", 12, "before");
	check_column("a + b; c", 1, "without a name");
	check_column("pi = a", 1, "pi");
	check_column("sum = a", 1, "sum");
	check_column("a = b = c", 7, "'='");
	check_column("a + w", 5, "'w'");
	check_column("a +\tb ? 1 :", 12, "the end");
	check_column("a \x01 b", 3, "0x01");
	check_column("i16 + a", 1, "i16");
}

static void bind_shapes(void)
{
	struct array *a = array_create(DT_FLOAT32, 1, (const long[]){4}),
	             *b = array_create(DT_FLOAT32, 1, (const long[]){3});
	struct array *out = array_create(DT_FLOAT32, 1, (const long[]){4});

	expr_eval("a * 2 + b", 1, &out, 2, names, (const struct array *const[]){a, b}, rules);
}

static void bind_complex(void)
{
	expr_plan_free(plan_of("1 + (a < b)", DT_COMPLEX64, rules));
}

static void bind_no_operand(void)
{
	expr_plan_free(plan_of("2*i0", DT_FLOAT32, rules));
}

static struct array *roots(float first, enum domain domain, const char *text)
{
	static float values[5] = {4, 9, 16, 25, -1};
	struct array *a = array_borrow(DT_FLOAT32, 1, (const long[]){5}, NULL, values),
	             *out = array_create(
	                     (DOMAIN_COMPLEX == domain) ? DT_COMPLEX64 : DT_FLOAT32, 1, (const long[]){5});

	values[0] = first;
	expr_eval(text, 1, &out, 1, names, (const struct array *const[]){a},
	        (struct array_rules){NARROW_SATURATE, domain});
	array_free(a);

	return out;
}

static void domain_error(void)
{
	roots(-4, DOMAIN_ERROR, "1 + sqrt(a)");
}

static void domain_warning(void)
{
	roots(-4, DOMAIN_WARN, "1 + log(a)");
	_exit(0);
}

static void narrow_error(void)
{
	float values[3] = {1, 300, -1};
	unsigned char bytes[3];
	struct array *a = array_borrow(DT_FLOAT32, 1, (const long[]){3}, NULL, values),
	             *out = array_borrow(DT_UINT8, 1, (const long[]){3}, NULL, bytes);

	expr_eval("a", 1, &out, 1, names, (const struct array *const[]){a},
	        (struct array_rules){NARROW_ERROR, DOMAIN_NAN});
}

static void two_outputs(void)
{
	struct array *a = array_create(DT_FLOAT32, 1, (const long[]){4});

	expr_eval("p = a; q = 2*a", 2, (struct array *const[]){a, a}, 1, names,
	        (const struct array *const[]){a}, rules);
}

static void test_errors(void)
{
	check_ends(1, "column 7: operands of '+' are 4 and 3", bind_shapes, "expr: shapes that do not fit");
	check_ends(1, "column 8: '<' is not defined for complex64", bind_complex,
	        "expr: order of complex numbers");
	check_ends(
	        1, "column 3: there is no operand", bind_no_operand, "expr: index variables need an operand");
	check_ends(
	        1, "column 5: 2 values outside the real domain of sqrt", domain_error, "expr: domain error");
	check_ends(0, "column 5: 2 values outside the real domain of log", domain_warning,
	        "expr: domain warning");
	check_ends(1, "2 of 3 values do not fit into uint8", narrow_error, "expr: narrowing error");
	check_ends(1, "share memory", two_outputs, "expr: two results in one place");

	struct array *z = roots(-4, DOMAIN_COMPLEX, "sqrt(a)");
	const float *v = (const float *)z->data;

	check(0 == v[0] && 2 == v[1] && 5 == v[6], "expr: complex roots of negative numbers");
	array_free(z);
}

/* No bytes and no mistake of the text's author crash the parser. */
static void test_noise(void)
{
	static const char *const words[] = {"a", "b", "(", ")", "+", "-", "^", "*", "?", ":", "sin", "min",
	        "sum", ",", "1", "2.5", "3i", "e", "=", ";", "<", "==", "!", "i0", "x", " ", "q", "\xc3",
	        "1e", "&&"};
	unsigned seed = 1;
	int parsed = 0;

	for (int k = 0; k < 20000; k++) {
		struct str s = {0};
		struct expr_error err;

		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525u + 1013904223u;
			str_add(&s, words[(seed >> 16) % (sizeof words / sizeof words[0])]);
		}

		struct expr *e = expr_parse(s.data, &err);

		parsed += NULL != e;

		if (NULL == e &&
		        (err.column < 1 || err.column > (long)strlen(s.data) + 1 || '\0' == err.text[0]))
			check(false, "'%s': column %ld", s.data, err.column);

		expr_free(e);
		free(s.data);
	}

	check(parsed > 0, "expr: %d of 20000 random texts are expressions, the others are refused", parsed);
}

static void test_long(void)
{
	struct str s = {0};

	str_add(&s, "a");

	for (int i = 0; i < 20000; i++)
		str_add(&s, (i % 2) ? "+b" : "*a");

	struct expr_plan *p = plan_of(s.data, DT_FLOAT32, rules);

	check(expr_plan_scratch(p) < 65536, "expr: 20000 operators in a few blocks of memory");
	expr_plan_free(p);
	free(s.data);

	// definitions that double: 2^14 terms were they not shared
	s = (struct str){0};
	str_add(&s, "q0 = a");

	for (int i = 1; i <= 14; i++)
		str_printf(&s, "; q%d = q%d*q%d + q%d", i, i - 1, i - 1, i - 1);

	p = plan_of(s.data, DT_FLOAT32, rules);

	char *text = expr_plan_text(p);

	check(14 == count(text, "add("), "expr: what is named is computed once");
	free(text);
	free(s.data);
	expr_plan_free(p);
}

/* Whatever nests ends before the stack does, in the column where it is too deep. */
static void test_deep(void)
{
	static const char *const parts[] = {"(", "-", "!", "a^", "a?", "a?a:", "sqrt(", "max(a,", "a+("};

	for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
		struct str s = {0};
		struct expr_error err;

		for (size_t i = 0; i < 100000; i++)
			str_add(&s, parts[k]);

		const bool deep =
		        NULL == expr_parse(s.data, &err) && NULL != strstr(err.text, "more than 200 deep");

		check(deep && err.column <= 200 * (long)strlen(parts[k]) + 1, "expr: %s nested too deep",
		        parts[k]);
		free(s.data);
	}

	struct expr_error err;
	char *text = mem_printf("a%*s", 1 << 20, ""); // one byte too long

	check(NULL == expr_parse(text, &err) && NULL != strstr(err.text, "expected at most 1048576 bytes"),
	        "expr: a text that is too long");
	free(text);
}

/* ---- memory ---- */

/* With room for a few MiB more, 64 MiB of operands do: there is no temporary. */
static void test_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return;
#endif
	const long n = 1L << 22;
	struct array *a[2];

	for (int k = 0; k < 2; k++) {
		a[k] = array_create(DT_FLOAT32, 1, &n);

		for (long i = 0; i < n; i++)
			((float *)a[k]->data)[i] = 1;
	}

	struct array *out = array_create(DT_FLOAT32, 1, &n);
	const struct array *const in[] = {a[0], a[1]};

	omp_set_num_threads(2);
	expr_reduce("norm(1.2*a + b)", 2, names, in, rules); // starts the threads

	FILE *f = fopen("/proc/self/statm", "r");
	long pages[6] = {0};

	for (int i = 0; i < 6; i++)
		if (NULL == f || 1 != fscanf(f, "%ld", &pages[i]))
			return;

	fclose(f);

	struct rlimit old, tight;

	getrlimit(RLIMIT_DATA, &old);
	tight = old;
	tight.rlim_cur = (rlim_t)(pages[5] * sysconf(_SC_PAGESIZE)) + (4 << 20);
	setrlimit(RLIMIT_DATA, &tight);

	double norm = creal(expr_reduce("norm(1.2*a + b)", 2, names, in, rules));

	expr_eval("(a - mean(a))*b + exp(a) - sqrt(b)/(a + b)", 1, &out, 2, names, in, rules);
	setrlimit(RLIMIT_DATA, &old);
	check(fabs(norm - 2.2 * sqrt((double)n)) < 1, "expr: no temporary of the size of an array");
	array_free(a[0]);
	array_free(a[1]);
	array_free(out);
}

int main(void)
{
	test_steps();
	test_passes();
	test_types();
	test_columns();
	test_errors();
	test_noise();
	test_long();
	test_deep();
	test_memory();

	return checks_failed > 0;
}
