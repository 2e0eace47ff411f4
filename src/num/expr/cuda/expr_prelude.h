#ifndef NUM_EXPR_CUDA_EXPR_PRELUDE_H
#define NUM_EXPR_CUDA_EXPR_PRELUDE_H

/** The beginning of generated sources: headers of the C library, or replacements where there are none
 * (NVRTC). In generated sources, the Makefile puts this file before the other headers (expr_library), whose
 * include directives are deleted. */
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
