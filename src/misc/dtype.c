#include <assert.h>
#include <string.h>

#include "misc/dtype.h"

static const struct {
	const char *name;
	unsigned char size, unit;
} types[DT_COUNT] = {
        [DT_BOOL] = {"bool", 1, 1},
        [DT_INT8] = {"int8", 1, 1},
        [DT_INT16] = {"int16", 2, 2},
        [DT_INT32] = {"int32", 4, 4},
        [DT_INT64] = {"int64", 8, 8},
        [DT_UINT8] = {"uint8", 1, 1},
        [DT_UINT16] = {"uint16", 2, 2},
        [DT_UINT32] = {"uint32", 4, 4},
        [DT_UINT64] = {"uint64", 8, 8},
        [DT_FLOAT16] = {"float16", 2, 2},
        [DT_FLOAT32] = {"float32", 4, 4},
        [DT_FLOAT64] = {"float64", 8, 8},
        [DT_COMPLEX32] = {"complex32", 4, 2},
        [DT_COMPLEX64] = {"complex64", 8, 4},
        [DT_COMPLEX128] = {"complex128", 16, 8},
};

size_t dtype_size(enum dtype t)
{
	assert(t < DT_COUNT);
	return types[t].size;
}

size_t dtype_unit(enum dtype t)
{
	assert(t < DT_COUNT);
	return types[t].unit;
}

const char *dtype_name(enum dtype t)
{
	assert(t < DT_COUNT);
	return types[t].name;
}

int dtype_parse(const char *name)
{
	for (int t = 0; t < DT_COUNT; t++)
		if (0 == strcmp(types[t].name, name))
			return t;

	return -1;
}

int dtype_parse_any(const char *name)
{
	static const struct {
		const char *name;
		enum dtype type;
	} others[] = {{"logical", DT_BOOL}, {"boolean", DT_BOOL}, {"short", DT_INT16}, {"int", DT_INT32},
	        {"long", DT_INT64}, {"uchar", DT_UINT8}, {"ushort", DT_UINT16}, {"uint", DT_UINT32},
	        {"ulong", DT_UINT64}, {"half", DT_FLOAT16}, {"single", DT_FLOAT32}, {"float", DT_FLOAT32},
	        {"double", DT_FLOAT64}, {"f2", DT_FLOAT16}, {"f4", DT_FLOAT32}, {"f8", DT_FLOAT64},
	        {"i2", DT_INT16}, {"i4", DT_INT32}, {"u2", DT_UINT16}, {"u4", DT_UINT32},
	        {"c8", DT_COMPLEX64}, {"c16", DT_COMPLEX128}, {"i16", DT_INT16}, {"i32", DT_INT32},
	        {"i64", DT_INT64}, {"u16", DT_UINT16}, {"u32", DT_UINT32}, {"u64", DT_UINT64},
	        {"f16", DT_FLOAT16}, {"f32", DT_FLOAT32}, {"f64", DT_FLOAT64}};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (0 == strcmp(others[i].name, name))
			return (int)others[i].type;

	return dtype_parse(name);
}

bool dtype_is_complex(enum dtype t)
{
	return t >= DT_COMPLEX32;
}

bool dtype_is_float(enum dtype t)
{
	return t >= DT_FLOAT16 && t <= DT_FLOAT64;
}

bool dtype_is_integer(enum dtype t)
{
	return t <= DT_UINT64;
}

enum dtype dtype_real(enum dtype t)
{
	return dtype_is_complex(t) ? DT_FLOAT16 + (t - DT_COMPLEX32) : t;
}

enum dtype dtype_compute(enum dtype t)
{
	if (dtype_is_complex(t))
		return DT_COMPLEX128 == t ? t : DT_COMPLEX64;

	return DT_FLOAT64 == t ? t : DT_FLOAT32;
}

static bool is_signed(enum dtype t)
{
	return t >= DT_INT8 && t <= DT_INT64;
}

/* The float type that represents every value of t; float64 for 64-bit integers, since nothing larger is
 * available. */
static enum dtype float_of(enum dtype t)
{
	if (dtype_is_float(t))
		return t;

	return types[t].size == 1 ? DT_FLOAT16 : types[t].size == 2 ? DT_FLOAT32 : DT_FLOAT64;
}

static enum dtype max_type(enum dtype a, enum dtype b)
{
	return a > b ? a : b;
}

/* Both integers: the larger of one kind; for mixed signs the next signed type over the unsigned one. */
static enum dtype promote_integers(enum dtype a, enum dtype b)
{
	if (DT_BOOL == a || DT_BOOL == b || is_signed(a) == is_signed(b))
		return max_type(a, b);

	enum dtype s = is_signed(a) ? a : b;
	enum dtype u = is_signed(a) ? b : a;

	if (types[s].size > types[u].size)
		return s;

	return DT_UINT64 == u ? DT_FLOAT64 : DT_INT16 + (u - DT_UINT8);
}

enum dtype dtype_promote(enum dtype a, enum dtype b)
{
	if (dtype_is_complex(a) || dtype_is_complex(b)) {
		enum dtype r = max_type(float_of(dtype_real(a)), float_of(dtype_real(b)));

		return DT_COMPLEX32 + (r - DT_FLOAT16);
	}

	if (dtype_is_float(a) || dtype_is_float(b))
		return max_type(float_of(a), float_of(b));

	return promote_integers(a, b);
}
