/* Names, sizes and promotion of element types. */

#include "check.h"
#include "misc/dtype.h"

static void test_names(void)
{
	static const struct {
		const char *name;
		size_t size, unit;
	} expected[DT_COUNT] = {
	        {"bool", 1, 1},
	        {"int8", 1, 1},
	        {"int16", 2, 2},
	        {"int32", 4, 4},
	        {"int64", 8, 8},
	        {"uint8", 1, 1},
	        {"uint16", 2, 2},
	        {"uint32", 4, 4},
	        {"uint64", 8, 8},
	        {"float16", 2, 2},
	        {"float32", 4, 4},
	        {"float64", 8, 8},
	        {"complex32", 4, 2},
	        {"complex64", 8, 4},
	        {"complex128", 16, 8},
	};

	for (int t = 0; t < DT_COUNT; t++)
		check(dtype_parse(expected[t].name) == t && 0 == strcmp(dtype_name(t), expected[t].name) &&
		                dtype_size(t) == expected[t].size && dtype_unit(t) == expected[t].unit,
		        "dtype %s", expected[t].name);

	check(-1 == dtype_parse("float") && -1 == dtype_parse("") && -1 == dtype_parse("Float32"),
	        "unknown names");
}

/* Integer range of a type as bits below and above zero; floats hold integers up to 2^bits. */
static void range(enum dtype t, int *below, int *above)
{
	int bits = 8 * (int)dtype_size(dtype_real(t));

	if (dtype_is_complex(t) || dtype_is_float(t)) {
		*below = *above = 16 == bits ? 11 : 32 == bits ? 24 : 53;
	} else if (DT_BOOL == t) {
		*below = 0;
		*above = 1;
	} else {
		bool is_signed = t <= DT_INT64;

		*below = is_signed ? bits - 1 : 0;
		*above = is_signed ? bits - 1 : bits;
	}
}

static int fraction(enum dtype t)
{
	return dtype_is_integer(t) ? 0 : (int)dtype_size(dtype_real(t));
}

/* p holds all values of t. */
static bool holds(enum dtype p, enum dtype t)
{
	int a, b, c, d;

	range(p, &a, &b);
	range(t, &c, &d);
	return a >= c && b >= d && fraction(p) >= fraction(t) && dtype_is_complex(p) >= dtype_is_complex(t);
}

static void test_promotion(void)
{
	bool symmetric = true, enough = true, smallest = true;

	for (int a = 0; a < DT_COUNT; a++) {
		for (int b = 0; b < DT_COUNT; b++) {
			enum dtype p = dtype_promote(a, b);

			symmetric &= p == dtype_promote(b, a);
			bool possible = false;

			for (int t = 0; t < DT_COUNT; t++) {
				if (!holds(t, a) || !holds(t, b))
					continue;

				possible = true;
				smallest &= dtype_size(t) >= dtype_size(p);
			}

			// nothing holds 64-bit integers and fractions or both signs: the largest float stands
			// in
			enough &= possible ? holds(p, a) && holds(p, b) : DT_FLOAT64 == dtype_real(p);
		}

		check(dtype_promote(a, a) == (enum dtype)a, "%s with itself", dtype_name(a));
	}

	check(symmetric, "promotion is symmetric");
	check(enough, "promotion holds both");
	check(smallest, "promotion is the smallest");
}

static void test_compute(void)
{
	for (int t = 0; t < DT_COUNT; t++) {
		enum dtype c = dtype_compute(t);

		check(dtype_is_complex(c) == dtype_is_complex(t) &&
		                dtype_real(c) == (DT_FLOAT64 == dtype_real(t) ? DT_FLOAT64 : DT_FLOAT32),
		        "%s works in %s", dtype_name(t), dtype_name(c));
	}
}

int main(void)
{
	test_names();
	test_promotion();
	test_compute();
	return checks_failed > 0;
}
