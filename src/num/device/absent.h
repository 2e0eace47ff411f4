#ifndef NUM_DEVICE_ABSENT_H
#define NUM_DEVICE_ABSENT_H

#include "misc/error.h"
#include "num/device/device.h"

/**
 * Macros that define the GPU functions of a module in builds without CUDA or OpenCL (nocuda.c, noopencl.c).
 * These functions return the result for arrays on the host, or end with an error.
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct absent_row; // lets a row end with a semicolon

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
