/* Names and typing rules of operators and reductions. */

#include "check.h"
#include "num/kern/ops.h"

static void test_names(void)
{
	bool good = true;

	for (int i = 0; i < OP_COUNT; i++)
		good = good && i == op_parse(op_name((enum op)i)) && op_args((enum op)i) >= 1 &&
		       op_args((enum op)i) <= 3;

	check(good, "operators: names are parsed back");
	good = true;

	for (int i = 0; i < RED_COUNT_OF; i++)
		good = good && i == reduction_parse(reduction_name((enum reduction)i));

	check(good && 2 == reduction_args(RED_DOT) && 1 == reduction_args(RED_SUM),
	        "reductions: names are parsed back");
	check(op_parse("nothing") < 0 && reduction_parse("") < 0, "unknown names give -1");
}

static bool types_are(
        enum op op, enum dtype a, enum dtype b, enum dtype work, enum dtype value, enum dtype result)
{
	struct op_types t;

	return op_types(op, (enum dtype[]){a, b, b}, DOMAIN_NAN, &t) && t.work == work && t.value == value &&
	       t.result == result;
}

static bool refused(enum op op, enum dtype a, enum dtype b)
{
	struct op_types t;

	return !op_types(op, (enum dtype[]){a, b, b}, DOMAIN_NAN, &t);
}

static void test_arithmetic(void)
{
	check(types_are(OP_ADD, DT_UINT8, DT_INT8, DT_INT64, DT_INT64, DT_INT16), "uint8 + int8 is int16");
	check(types_are(OP_SUB, DT_UINT8, DT_UINT8, DT_INT64, DT_INT64, DT_UINT8),
	        "uint8 - uint8 is uint8, computed with a sign");
	check(types_are(OP_ADD, DT_BOOL, DT_BOOL, DT_INT64, DT_INT64, DT_INT8), "bool + bool is int8");
	check(types_are(OP_MUL, DT_BOOL, DT_BOOL, DT_BOOL, DT_BOOL, DT_BOOL), "bool * bool is bool");
	check(types_are(OP_MUL, DT_UINT32, DT_UINT32, DT_UINT64, DT_UINT64, DT_UINT32),
	        "products of uint32 have 64 bits");
	check(types_are(OP_ADD, DT_INT64, DT_UINT64, DT_FLOAT64, DT_FLOAT64, DT_FLOAT64),
	        "int64 + uint64 is float64");
	check(types_are(OP_MUL, DT_FLOAT16, DT_FLOAT16, DT_FLOAT32, DT_FLOAT32, DT_FLOAT16),
	        "float16 is computed in float32");
	check(types_are(OP_ADD, DT_COMPLEX32, DT_UINT8, DT_COMPLEX64, DT_COMPLEX64, DT_COMPLEX32),
	        "complex32 is computed in complex64");
	check(types_are(OP_DIV, DT_INT8, DT_UINT16, DT_FLOAT64, DT_FLOAT64, DT_FLOAT64) &&
	                types_are(OP_DIV, DT_UINT8, DT_BOOL, DT_FLOAT32, DT_FLOAT32, DT_FLOAT32) &&
	                types_are(OP_DIV, DT_INT16, DT_INT16, DT_FLOAT32, DT_FLOAT32, DT_FLOAT32),
	        "division of integers is float32, float64 where they have more than 16 bits");
	check(types_are(OP_POW, DT_INT16, DT_UINT8, DT_INT64, DT_INT64, DT_INT16) &&
	                types_are(OP_POW, DT_INT16, DT_INT8, DT_FLOAT32, DT_FLOAT32, DT_FLOAT32) &&
	                types_are(OP_POW, DT_INT64, DT_UINT64, DT_FLOAT64, DT_FLOAT64, DT_FLOAT64),
	        "powers of integers are integers for unsigned exponents only");
}

static void test_others(void)
{
	struct op_types t;
	const enum dtype in[] = {DT_FLOAT32, DT_UINT8, DT_INT8};

	check(types_are(OP_ABS, DT_COMPLEX128, 0, DT_COMPLEX128, DT_FLOAT64, DT_FLOAT64) &&
	                types_are(OP_ARG, DT_COMPLEX32, 0, DT_COMPLEX64, DT_FLOAT32, DT_FLOAT16),
	        "abs and arg of complex numbers are real");
	check(types_are(OP_CIS, DT_INT8, 0, DT_FLOAT32, DT_COMPLEX64, DT_COMPLEX64) &&
	                types_are(OP_COMPLEX, DT_FLOAT16, DT_INT32, DT_FLOAT64, DT_COMPLEX128, DT_COMPLEX128),
	        "cis and complex make complex numbers");
	check(types_are(OP_LT, DT_INT32, DT_FLOAT32, DT_FLOAT64, DT_BOOL, DT_BOOL) &&
	                types_are(OP_EQ, DT_COMPLEX64, DT_INT8, DT_COMPLEX64, DT_BOOL, DT_BOOL) &&
	                types_are(OP_AND, DT_FLOAT64, DT_COMPLEX64, DT_BOOL, DT_BOOL, DT_BOOL),
	        "comparisons and logic give bool");
	check(refused(OP_LT, DT_COMPLEX64, DT_INT8) && refused(OP_FLOOR, DT_COMPLEX32, 0) &&
	                refused(OP_MAX, DT_FLOAT32, DT_COMPLEX64) && !refused(OP_MUL, DT_INT8, DT_COMPLEX64),
	        "order and rounding of complex numbers are refused");
	check(op_types(OP_SELECT, in, DOMAIN_NAN, &t) && DT_INT64 == t.work && DT_INT16 == t.result,
	        "the condition of a choice does not take part in promotion");
	check(op_types(OP_SQRT, (enum dtype[]){DT_INT8}, DOMAIN_COMPLEX, &t) && DT_COMPLEX64 == t.work &&
	                DT_COMPLEX64 == t.result && op_types(OP_EXP, in, DOMAIN_COMPLEX, &t) &&
	                DT_FLOAT32 == t.result,
	        "the complex domain makes functions with a restricted domain complex, no others");
}

/* For all operators and all types of operands. */
static void test_all(void)
{
	bool work = true, symmetric = true, arguments = true;

	for (int op = 0; op < OP_COUNT; op++)
		for (int a = 0; a < DT_COUNT; a++)
			for (int b = 0; b < DT_COUNT; b++) {
				const enum dtype in[] = {(enum dtype)a, (enum dtype)b, (enum dtype)b},
				                 back[] = {(enum dtype)b, (enum dtype)a, (enum dtype)a};
				struct op_types t, u;

				if (!op_types((enum op)op, in, DOMAIN_NAN, &t))
					continue;

				work = work && dtype_work(t.work) == t.work &&
				       dtype_work(t.value) == t.value &&
				       (dtype_work(t.result) == t.value || DT_UINT32 == t.result);

				if (OP_POW != op && op_args((enum op)op) == 2)
					symmetric = symmetric &&
					            op_types((enum op)op, back, DOMAIN_NAN, &u) &&
					            u.result == t.result && u.work == t.work;

				if (1 == op_args((enum op)op))
					arguments = arguments && op_types((enum op)op, in, DOMAIN_NAN, &u) &&
					            u.work == t.work;
			}

	check(work, "what is computed is of a work type, that of the result");
	check(symmetric, "types do not depend on the order of two operands");
	check(arguments, "operands that an operator does not have do not matter");
}

static void test_reductions(void)
{
	bool good = true;
	struct op_types t;

	for (int a = 0; a < DT_COUNT; a++) {
		const enum dtype in[] = {(enum dtype)a, (enum dtype)a};
		const enum dtype sum = dtype_is_complex(a) ? DT_COMPLEX128
		                       : dtype_is_float(a) ? DT_FLOAT64
		                       : (DT_UINT64 == a)  ? DT_UINT64
		                                           : DT_INT64;

		for (int r = 0; r < RED_COUNT_OF; r++) {
			const bool ordered =
			        RED_MIN == r || RED_MAX == r || RED_ARGMIN == r || RED_ARGMAX == r;

			good = good && op_types(OP_COPY, in, DOMAIN_NAN, &t) &&
			       reduction_types((enum reduction)r, in, &t) ==
			               !(ordered && dtype_is_complex(a));

			if (RED_SUM == r || RED_PROD == r || RED_DOT == r)
				good = good && t.result == sum && t.work == dtype_work((enum dtype)a);

			if (RED_NORM == r || RED_NORM1 == r)
				good = good && t.result == DT_FLOAT64;

			if (ordered && !dtype_is_complex(a))
				good = good &&
				       t.result == (RED_MIN == r || RED_MAX == r ? (enum dtype)a : DT_INT64);
		}
	}

	check(good, "reductions: types of results");
}

int main(void)
{
	test_names();
	test_arithmetic();
	test_others();
	test_all();
	test_reductions();

	return checks_failed > 0;
}
