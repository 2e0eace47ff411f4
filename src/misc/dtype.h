#ifndef MISC_DTYPE_H
#define MISC_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/** Element types of arrays, on disk and in memory. The number in the name counts all bits of an element. For
 * example, an element of complex64 contains two float32 numbers. */
enum dtype {
	DT_BOOL, // 1 byte with the value 0 or 1
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
	DT_COMPLEX32, // two float16 numbers
	DT_COMPLEX64,
	DT_COMPLEX128,
	DT_COUNT
};

/** Every array has 16 dimensions. */
enum { DIMS = 16 };

/** Returns the size of an element in bytes. */
extern size_t dtype_size(enum dtype t);

/** Returns the size in bytes of one number of an element. A complex element contains two numbers. If the byte
 * order changes, each number is swapped separately. */
extern size_t dtype_unit(enum dtype t);

/** Returns the name of a type, such as "float32". */
extern const char *dtype_name(enum dtype t);

/** Returns the type with this name, or -1 if the name is unknown. */
extern int dtype_parse(const char *name);

/** Like dtype_parse(), but also accepts type names of C, NumPy and MATLAB. Examples are float and single for
 * float32, double for float64, and u16 for uint16. Names with several meanings, such as byte, char, i8 and
 * complex, are not accepted. */
extern int dtype_parse_any(const char *name);

extern bool dtype_is_complex(enum dtype t);
extern bool dtype_is_float(enum dtype t);   // float16, float32, float64
extern bool dtype_is_integer(enum dtype t); // bool, int8 to int64, uint8 to uint64

/** Returns the smallest type that can represent every value of a and b. For example, the result for int8 and
 * uint8 is int16. If a or b is complex, the result is complex. If no type is large enough, the result is
 * float64 or complex128. */
extern enum dtype dtype_promote(enum dtype a, enum dtype b);

/** Transforms and reconstructions of elements of type t compute in the returned type. For float64 and
 * complex128, the result is the type itself. For other complex types, the result is complex64. For other real
 * types, the result is float32. */
extern enum dtype dtype_compute(enum dtype t);

/** Returns the type of the real part of a complex element. Returns t if t is not complex. */
extern enum dtype dtype_real(enum dtype t);

#endif
