#ifndef NUM_DEVICE_ABSENT_H
#define NUM_DEVICE_ABSENT_H

#include "misc/error.h"
#include "num/device/device.h"

/**
 * These macros define GPU functions in builds without CUDA or OpenCL (nocuda.c, noopencl.c):
 * - ABSENT() and ABSENT_VOID(): The function returns a fixed result or nothing.
 * - REFUSED(): The function calls error().
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct absent_row; // allows a semicolon after a macro

#define ABSENT(type, name, arguments, result)                                                                \
	type name arguments                                                                                  \
	{                                                                                                    \
		return result;                                                                               \
	}                                                                                                    \
	struct absent_row

#define ABSENT_VOID(name, arguments)                                                                         \
	void name arguments                                                                                  \
	{                                                                                                    \
	}                                                                                                    \
	struct absent_row

#define REFUSED(type, name, arguments)                                                                       \
	type name arguments                                                                                  \
	{                                                                                                    \
		error("%s: no GPU implementation, %s", #name, device_none_reason());                         \
	}                                                                                                    \
	struct absent_row

#endif
