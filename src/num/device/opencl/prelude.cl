/* Prepended to the source of every program: OpenCL C 1.2, and definitions of the C names that shared headers
 * use (num/device/cuda/device_fn.h). */
#ifdef NO_FLOAT64
#define double float64_is_missing
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

/* The built-in functions in use, where the driver declares none (program.c). */
#ifdef DECLARE_BUILT_IN
#define BUILT_IN __attribute__((overloadable, const))
#define ITEMS(id) size_t BUILT_IN id(uint);
#define INTEGERS(id)                                                                                         \
	int BUILT_IN id(int, int);                                                                                  \
	uint BUILT_IN id(uint, uint);                                                                               \
	long BUILT_IN id(long, long);                                                                               \
	ulong BUILT_IN id(ulong, ulong);
#define ATOMIC(id, ...) uint __attribute__((overloadable)) id(volatile __global uint *__VA_ARGS__);
#ifdef NO_FLOAT64
#define REAL(id)  float BUILT_IN id(float);
#define REAL2(id) float BUILT_IN id(float, float);
#define REAL3(id) float BUILT_IN id(float, float, float);
#define CONVERSION(type, id, rounded)                                                                        \
	type BUILT_IN id(long);                                                                                     \
	type BUILT_IN id(ulong);                                                                                    \
	type BUILT_IN rounded(float);
#else
#define REAL(id)                                                                                             \
	float BUILT_IN id(float);                                                                                   \
	double BUILT_IN id(double);
#define REAL2(id)                                                                                            \
	float BUILT_IN id(float, float);                                                                            \
	double BUILT_IN id(double, double);
#define REAL3(id)                                                                                            \
	float BUILT_IN id(float, float, float);                                                                     \
	double BUILT_IN id(double, double, double);
#define CONVERSION(type, id, rounded)                                                                        \
	type BUILT_IN id(long);                                                                                     \
	type BUILT_IN id(ulong);                                                                                    \
	type BUILT_IN rounded(float);                                                                               \
	type BUILT_IN rounded(double);
#endif
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
ITEMS(get_global_id) ITEMS(get_global_size) ITEMS(get_group_id) ITEMS(get_local_id)
INTEGERS(min) INTEGERS(max)
ulong __attribute__((overloadable)) atom_add(volatile __global ulong *, ulong);
ATOMIC(atomic_inc) ATOMIC(atomic_add, , uint) ATOMIC(atomic_max, , uint)
REAL(fabs) REAL(sqrt) REAL(cbrt) REAL(floor) REAL(ceil) REAL(rint) REAL(trunc) REAL(exp) REAL(exp2) REAL(expm1)
REAL(log) REAL(log2) REAL(log10) REAL(log1p) REAL(sin) REAL(cos) REAL(tan) REAL(asin) REAL(acos) REAL(atan)
REAL(sinh) REAL(cosh) REAL(tanh) REAL(asinh) REAL(acosh) REAL(atanh) REAL(erf)
REAL2(fmin) REAL2(fmax) REAL2(pow) REAL2(atan2) REAL2(hypot) REAL2(copysign)
REAL3(fma)
#define CONVERSIONS(type) CONVERSION(type, convert_##type##_sat, convert_##type##_sat_rte)
CONVERSIONS(char) CONVERSIONS(uchar) CONVERSIONS(short) CONVERSIONS(ushort) CONVERSIONS(int) CONVERSIONS(uint)
CONVERSIONS(long) CONVERSIONS(ulong)
#endif

#define DEVICE_FN       static inline
#define DEVICE_TABLE    __global
#define DEVICE_FMAF     1
#define fabsf(x)        fabs((float)(x))
#define fmaf(a, b, c)   fma((float)(a), (float)(b), (float)(c))
#define sqrtf(x)        sqrt((float)(x))
#define copysignf(x, y) copysign((float)(x), (float)(y))

/* Names of types in OpenCL C: half is a variable in the shared headers, and bool has no fixed size. */
#define half half_
#define bool uchar

typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

#define kern_bits_f(x) as_uint((float)(x))
#define kern_float(u)  as_float((uint)(u))
#define kern_bits(x)   as_ulong((double)(x))
#define kern_double(u) as_double((ulong)(u))

/* A buffer takes two parameters: a pointer, and an offset in bytes (num/device/opencl.h). */
#define AT(type, buffer, at) ((__global type *)((__global char *)(buffer) + (at)))
