/* How tightly the operators of expressions bind: every pair of them as the C compiler takes the same text,
 * and powers, which C lacks, as with parentheses. */

#include <math.h>
#include <stdint.h>

#include "check.h"
#include "num/expr/expr.h"

#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wlogical-not-parentheses"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wtautological-compare"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#endif

/** Operands: all triples of 1 to 4 where there is a division, else of 0 to 3. */
enum { VALUES = 4, N = VALUES * VALUES * VALUES };

static double va[N], vb[N], vc[N];

static void set_operands(int from)
{
	for (int i = 0; i < N; i++) {
		va[i] = from + i % VALUES;
		vb[i] = from + i / VALUES % VALUES;
		vc[i] = from + i / VALUES / VALUES;
	}
}

/** The values of a text of a, b and c. */
static void evaluate(const char *text, double out[N])
{
	static const char *const names[] = {"a", "b", "c"};
	const long dims[] = {N};
	double *const data[] = {va, vb, vc};
	const struct array *in[3];
	struct array *o = array_borrow(DT_FLOAT64, 1, dims, NULL, out);
	struct expr_error err;
	struct expr *e = expr_parse(text, &err);
	int n = 0;
	const char *used[3];

	if (NULL == e) {
		check(false, "%s: %s", text, err.text);
		return;
	}

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < expr_inputs(e); k++)
			if (0 == strcmp(names[i], expr_input(e, k))) {
				used[n] = names[i];
				in[n++] = array_borrow(DT_FLOAT64, 1, dims, NULL, data[i]);
			}

	expr_free(e);
	expr_eval(text, 1, &o, n, used, in, array_default);
	array_free(o);

	for (int k = 0; k < n; k++)
		array_free(in[k]);
}

static bool same(const double *x, const double *y)
{
	for (int i = 0; i < N; i++)
		if (x[i] != y[i] && !(isnan(x[i]) && isnan(y[i])))
			return false;

	return true;
}

static int texts;

/** Whether the text has these values. */
static void expect(const char *text, const double want[N])
{
	double got[N] = {0};

	evaluate(text, got);
	texts++;

	if (!same(got, want))
		check(false, "'%s' is as in C", text);
}

/** Whether two texts have the same values, and those of a third, which binds in the other way, differ. */
static void expect_as(const char *text, const char *grouped, const char *other)
{
	double one[N] = {0}, two[N] = {0}, three[N] = {0};

	evaluate(text, one);
	evaluate(grouped, two);
	evaluate(other, three);
	texts++;

	if (!same(one, two) || same(two, three))
		check(false, "'%s' is '%s' and not '%s'", text, grouped, other);
}

/** The text, and what C makes of it with operands of type T. */
#define IN_C(T, from, ...)                                                                                   \
	{                                                                                                    \
		double want[N];                                                                              \
                                                                                                             \
		set_operands(from);                                                                          \
                                                                                                             \
		for (int i = 0; i < N; i++) {                                                                \
			const T a = (T)va[i], b = (T)vb[i], c = (T)vc[i];                                    \
                                                                                                             \
			(void)a, (void)b, (void)c;                                                           \
			want[i] = (double)(__VA_ARGS__);                                                     \
		}                                                                                            \
		expect(#__VA_ARGS__, want);                                                                  \
	}
#define INTEGERS(...) IN_C(int, 0, __VA_ARGS__)
#define DIVIDED(...)  IN_C(double, 1, __VA_ARGS__)
#define MODULO(...)   IN_C(int, 1, __VA_ARGS__)

/* X(op): the operators that C computes alike in int and double; comparisons of one level do not stand in a
 * row. */
#define LOGIC(X, HOW) X(||, HOW) X(&&, HOW)
#define EQUAL(X, HOW) X(==, HOW) X(!=, HOW)
#define LESS(X, HOW)  X(<, HOW) X(<=, HOW) X(>, HOW) X(>=, HOW)
#define SUMS(X, HOW)  X(+, HOW) X(-, HOW) X(*, HOW)

/** Texts with an operator and each of those of a level, in both orders. */
#define PAIR(op, other, HOW) HOW(a op b other c) HOW(a other b op c)
#define WITH_LOGIC(op, HOW)  PAIR(op, ||, HOW) PAIR(op, &&, HOW)
#define WITH_EQUAL(op, HOW)  PAIR(op, ==, HOW) PAIR(op, !=, HOW)
#define WITH_LESS(op, HOW)   PAIR(op, <, HOW) PAIR(op, <=, HOW) PAIR(op, >, HOW) PAIR(op, >=, HOW)
#define WITH_SUMS(op, HOW)   PAIR(op, +, HOW) PAIR(op, -, HOW) PAIR(op, *, HOW)
#define WITH_ALL(op, HOW)    WITH_LOGIC(op, HOW) WITH_EQUAL(op, HOW) WITH_LESS(op, HOW) WITH_SUMS(op, HOW)

static void test_pairs(void)
{
	LOGIC(WITH_LOGIC, INTEGERS)
	EQUAL(WITH_LOGIC, INTEGERS)
	LESS(WITH_LOGIC, INTEGERS)
	LESS(WITH_EQUAL, INTEGERS)
	SUMS(WITH_LOGIC, INTEGERS)
	SUMS(WITH_EQUAL, INTEGERS)
	SUMS(WITH_LESS, INTEGERS)
	SUMS(WITH_SUMS, INTEGERS)
	WITH_ALL(/, DIVIDED)
	WITH_ALL(%, MODULO)
	DIVIDED(a / b / c)
	MODULO(a % b % c)
	expect_as("a / b % c", "(a / b) % c", "a / (b % c + 0.5)");
	expect_as("a * b % c", "(a * b) % c", "a * (b % c)");
	check(texts > 120 && 0 == checks_failed, "%d pairs of operators bind as in C", texts);
}

#define SIGNED(op, HOW)                                                                                      \
	HOW(-a op b)                                                                                         \
	HOW(a op - b)                                                                                        \
	HOW(!a op b) HOW(a op !b) HOW(-!a op b) HOW(a op b ? b : c) HOW(a ? b : c op a) HOW(a ? b op c : c)

static void test_signs(void)
{
	const int before = texts;

	LOGIC(SIGNED, INTEGERS)
	EQUAL(SIGNED, INTEGERS)
	LESS(SIGNED, INTEGERS)
	SUMS(SIGNED, INTEGERS)
	INTEGERS(a ? b : c ? a : b)
	INTEGERS(a ? b ? c : a : b)
	INTEGERS(a || b && c == a + b * c)
	INTEGERS(a * b + c < a && b || c)
	INTEGERS(!a == b && -c < a - b - c)
	INTEGERS(a - b * c - a + b != c || a)
	check(texts - before > 80 && 0 == checks_failed, "%d texts with signs and choices bind as in C",
	        texts - before);
}

static void test_powers(void)
{
	static const char *const op[] = {"+", "-", "*", "/", "%", "<", "==", "&&"};
	char text[3][64];

	set_operands(1);
	expect_as("a ^ b ^ c", "a ^ (b ^ c)", "(a ^ b) ^ c");
	expect_as("-a ^ b", "-(a ^ b)", "(-a) ^ b");
	expect_as("a ^ -b", "a ^ (-b)", "-(a ^ b)");
	expect_as("a ^ -b ^ c", "a ^ (-(b ^ c))", "(a ^ -b) ^ c");
	set_operands(0);
	expect_as("!a ^ b", "!(a ^ b)", "(!a) ^ (b + 1)");
	set_operands(1);

	for (size_t i = 0; i < sizeof op / sizeof op[0]; i++) {
		snprintf(text[0], 64, "a - 3 %s b ^ (c - 3)", op[i]);
		snprintf(text[1], 64, "a - 3 %s (b ^ (c - 3))", op[i]);
		snprintf(text[2], 64, "(a - 3 %s b) ^ (c - 3)", op[i]);
		expect_as(text[0], text[1], text[2]);
		snprintf(text[0], 64, "a ^ (c - 3) %s b - 3", op[i]);
		snprintf(text[1], 64, "(a ^ (c - 3)) %s b - 3", op[i]);
		snprintf(text[2], 64, "a ^ (c - 3 %s b - 3)", op[i]);
		expect_as(text[0], text[1], text[2]);
	}

	check(0 == checks_failed, "a power binds tighter than all others, to the right");
}

int main(void)
{
	test_pairs();
	test_signs();
	test_powers();

	return checks_failed > 0;
}
