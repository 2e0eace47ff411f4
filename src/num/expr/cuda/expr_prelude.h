#ifndef NUM_EXPR_CUDA_EXPR_PRELUDE_H
#define NUM_EXPR_CUDA_EXPR_PRELUDE_H

/** Every generated source begins with this text. The text includes headers of the C library, or replaces
 * them for NVRTC. The Makefile appends the other headers (expr_library) without their include directives. */
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long uint64_t;
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fffffff)
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#endif

#endif
