#ifndef MISC_DTYPE_H
#define MISC_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/** Element types of arrays, on disk and in memory. complexN counts the bits of the whole element. */
enum dtype {
	DT_BOOL, // a byte, 0 or 1
	DT_INT8,
	DT_INT16,
	DT_INT32,
	DT_INT64,
	DT_UINT8,
	DT_UINT16,
	DT_UINT32,
	DT_UINT64,
	DT_FLOAT16,
	DT_FLOAT32,
	DT_FLOAT64,
	DT_COMPLEX32, // two float16
	DT_COMPLEX64,
	DT_COMPLEX128,
	DT_COUNT
};

/** Number of dimensions of every array. */
enum { DIMS = 16 };

/** Bytes of an element. */
extern size_t dtype_size(enum dtype t);

/** Size [bytes] of the numbers that the byte order applies to (half the element for complex types). */
extern size_t dtype_unit(enum dtype t);

/** "float32" etc. */
extern const char *dtype_name(enum dtype t);

/** The type of that name, or -1. */
extern int dtype_parse(const char *name);

/** Like dtype_parse(), but also accepts names of C, NumPy and MATLAB: float and single are float32, double
 * float64, short int16, int int32, long int64, f4 float32, u16 uint16 ... Names whose meaning differs between
 * these languages (byte, char, i8, complex) are refused. */
extern int dtype_parse_any(const char *name);

extern bool dtype_is_complex(enum dtype t);
extern bool dtype_is_float(enum dtype t);   // float16, float32, float64
extern bool dtype_is_integer(enum dtype t); // bool and the integers

/** Smallest type that holds every value of both types, such as int16 for int8 and uint8. If no type does, as
 * for int64 and float32: float64. */
extern enum dtype dtype_promote(enum dtype a, enum dtype b);

/** Type in which transforms and reconstructions compute: float64 and complex128 are kept, other complex types
 * become complex64, all others float32. */
extern enum dtype dtype_compute(enum dtype t);

/** The real type of the parts of a complex type; t itself if it is real. */
extern enum dtype dtype_real(enum dtype t);

#endif
