#ifndef NUM_DEVICE_OPENCL_API_H
#define NUM_DEVICE_OPENCL_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * These are the types, constants and functions of OpenCL 1.2 that Gantry uses [1]. The library is opened
 * at run time, so the build needs no OpenCL headers.
 *
 * [1] The OpenCL Specification 1.2, Khronos Group, 2012.
 */
typedef struct opencl_platform *cl_platform;
typedef struct opencl_device *cl_device;
typedef struct opencl_context *cl_context;
typedef struct opencl_queue *cl_queue;
typedef struct opencl_memory *cl_memory;
typedef struct opencl_program *cl_program;
typedef struct opencl_kernel *cl_kernel;

enum { CL_SUCCESS = 0, CL_FALSE = 0, CL_TRUE = 1 };

/** These status codes have a specific error message. */
enum {
	CL_DEVICE_NOT_FOUND = -1,
	CL_DEVICE_NOT_AVAILABLE = -2,
	CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
	CL_OUT_OF_RESOURCES = -5,
	CL_OUT_OF_HOST_MEMORY = -6,
	CL_INVALID_CONTEXT = -34,
	CL_INVALID_COMMAND_QUEUE = -36,
	CL_INVALID_BUFFER_SIZE = -61,
	NVIDIA_ILLEGAL_ACCESS = -9999
};

#define CL_DEVICE_TYPE_GPU  UINT64_C(4)
#define CL_DEVICE_TYPE_ALL  UINT64_C(0xFFFFFFFF)
#define CL_DEVICE_TYPE_CPU  UINT64_C(2)
#define CL_MEM_READ_WRITE   UINT64_C(1)
#define CL_MEM_READ_ONLY    UINT64_C(4)
#define CL_MEM_USE_HOST_PTR UINT64_C(8)
#define CL_MAP_READ         UINT64_C(1)

/** These codes select a property of a platform, device or program. */
enum {
	CL_PLATFORM_NAME = 0x0902,
	CL_DEVICE_TYPE = 0x1000,
	CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
	CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
	CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
	CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
	CL_DEVICE_ENDIAN_LITTLE = 0x1026,
	CL_DEVICE_NAME = 0x102B,
	CL_DRIVER_VERSION = 0x102D,
	CL_DEVICE_VERSION = 0x102F,
	CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
	CL_PROGRAM_BINARY_SIZES = 0x1165,
	CL_PROGRAM_BINARIES = 0x1166,
	CL_PROGRAM_BUILD_LOG = 0x1183
};

/** Each row gives the name, result and parameters of an OpenCL function. */
#define OPENCL_FUNCTIONS(X)                                                                                  \
	X(clGetPlatformIDs, int, (unsigned n, cl_platform *list, unsigned *count))                           \
	X(clGetPlatformInfo, int, (cl_platform p, unsigned what, size_t room, void *value, size_t *size))    \
	X(clGetDeviceIDs, int, (cl_platform p, uint64_t type, unsigned n, cl_device *list, unsigned *count)) \
	X(clGetDeviceInfo, int, (cl_device d, unsigned what, size_t room, void *value, size_t *size))        \
	X(clCreateContext, cl_context,                                                                       \
	        (const intptr_t *properties, unsigned n, const cl_device *list, void *notify, void *data,    \
	                int *status))                                                                        \
	X(clCreateCommandQueue, cl_queue, (cl_context c, cl_device d, uint64_t properties, int *status))     \
	X(clCreateBuffer, cl_memory, (cl_context c, uint64_t flags, size_t size, void *host, int *status))   \
	X(clReleaseMemObject, int, (cl_memory m))                                                            \
	X(clCreateProgramWithSource, cl_program,                                                             \
	        (cl_context c, unsigned n, const char *const *text, const size_t *length, int *status))      \
	X(clCreateProgramWithBinary, cl_program,                                                             \
	        (cl_context c, unsigned n, const cl_device *list, const size_t *length,                      \
	                const unsigned char *const *binary, int *each, int *status))                         \
	X(clBuildProgram, int,                                                                               \
	        (cl_program p, unsigned n, const cl_device *list, const char *options, void *notify,         \
	                void *data))                                                                         \
	X(clGetProgramBuildInfo, int,                                                                        \
	        (cl_program p, cl_device d, unsigned what, size_t room, void *value, size_t *size))          \
	X(clGetProgramInfo, int, (cl_program p, unsigned what, size_t room, void *value, size_t *size))      \
	X(clReleaseProgram, int, (cl_program p))                                                             \
	X(clCreateKernel, cl_kernel, (cl_program p, const char *name, int *status))                          \
	X(clSetKernelArg, int, (cl_kernel k, unsigned i, size_t size, const void *value))                    \
	X(clEnqueueNDRangeKernel, int,                                                                       \
	        (cl_queue q, cl_kernel k, unsigned dims, const size_t *offset, const size_t *global,         \
	                const size_t *local, unsigned n, const void *wait, void *event))                     \
	X(clEnqueueReadBuffer, int,                                                                          \
	        (cl_queue q, cl_memory m, unsigned blocking, size_t at, size_t size, void *host, unsigned n, \
	                const void *wait, void *event))                                                      \
	X(clEnqueueWriteBuffer, int,                                                                         \
	        (cl_queue q, cl_memory m, unsigned blocking, size_t at, size_t size, const void *host,       \
	                unsigned n, const void *wait, void *event))                                          \
	X(clEnqueueReadBufferRect, int,                                                                      \
	        (cl_queue q, cl_memory m, unsigned blocking, const size_t at[3], const size_t host_at[3],    \
	                const size_t region[3], size_t row, size_t slice, size_t host_row,                   \
	                size_t host_slice, void *host, unsigned n, const void *wait, void *event))           \
	X(clEnqueueWriteBufferRect, int,                                                                     \
	        (cl_queue q, cl_memory m, unsigned blocking, const size_t at[3], const size_t host_at[3],    \
	                const size_t region[3], size_t row, size_t slice, size_t host_row,                   \
	                size_t host_slice, const void *host, unsigned n, const void *wait, void *event))     \
	X(clEnqueueFillBuffer, int,                                                                          \
	        (cl_queue q, cl_memory m, const void *pattern, size_t pattern_size, size_t at, size_t size,  \
	                unsigned n, const void *wait, void *event))                                          \
	X(clEnqueueMapBuffer, void *,                                                                        \
	        (cl_queue q, cl_memory m, unsigned blocking, uint64_t flags, size_t at, size_t size,         \
	                unsigned n, const void *wait, void *event, int *status))                             \
	X(clEnqueueUnmapMemObject, int,                                                                      \
	        (cl_queue q, cl_memory m, void *host, unsigned n, const void *wait, void *event))            \
	X(clFinish, int, (cl_queue q))

#define OPENCL_MEMBER(name, result, parameters) result(*name) parameters;

/** The addresses of the functions in the opened library. */
struct opencl_api {
	OPENCL_FUNCTIONS(OPENCL_MEMBER)
};

/** The device in use. */
struct opencl_state {
	struct opencl_api api;
	cl_device device;
	cl_context context;
	cl_queue queue;
	char name[128];    // name of the device
	char facts[640];   // names of device and platform, versions of device and driver
	size_t memory;     // available to this process [bytes]
	size_t all_memory; // of the device [bytes]
	size_t largest;    // largest size of one buffer [bytes]
	bool shares;       // whether the device is a CPU and uses host memory
	bool float64;
	bool is_pocl; // the driver stores compiled kernels, and to return a binary it compiles all kernels
	              // again
};
extern struct opencl_state opencl;

/** Ends the command with an error() unless status is CL_SUCCESS. `what` names the failed action, for
 * example "a copy". */
extern void opencl_check(int status, const char *what);

#endif
