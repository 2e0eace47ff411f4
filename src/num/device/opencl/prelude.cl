/* Prepended to the source of every program: OpenCL C 1.2, and definitions of the C names that shared headers
 * use (num/device/cuda/device_fn.h). */
#ifdef NO_FLOAT64
#define double float64_is_missing
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

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
