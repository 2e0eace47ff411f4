/** Programs, built from source or read from the cache as binaries of an earlier command; launches. Binaries
 * are saved when the command ends: they then contain code for the group sizes in use. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/cache.h"
#include "num/device/opencl.h"
#include "num/device/opencl/api.h"
#include "num/device/opencl/kernels.h"

struct program {
	const struct opencl_source *source;
	char *options;
	cl_program program;
	bool fresh; // built from source, not yet in the cache
	struct program *next;
};

struct opencl_kernel_built {
	struct program *of;
	char *name;
	cl_kernel kernel;
	struct opencl_kernel_built *next;
};

static struct program *programs = NULL;
static struct opencl_kernel_built *kernels = NULL;

/** The cache key: all that the binary depends on. */
static char *cache_key(const struct program *p)
{
	return mem_printf("opencl %s\n%s\n%s\n%s", GANTRY_VERSION, opencl.facts, p->options, p->source->text);
}

/** The first error in the compiler's log, as one line. */
static void shorten(char *log)
{
	enum { LONG = 300 };
	char *first = strstr(log, "error:");

	if (!first)
		first = log;

	first[strcspn(first, "\n")] = 0;

	if (strlen(first) > LONG)
		first[LONG] = 0;

	memmove(log, first, strlen(first) + 1);
}

static void refuse(const struct program *p, int status)
{
	size_t n = 0;

	opencl.api.clGetProgramBuildInfo(p->program, opencl.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);

	char *log = mem_calloc(n + 1, 1);

	opencl.api.clGetProgramBuildInfo(p->program, opencl.device, CL_PROGRAM_BUILD_LOG, n, log, NULL);
	shorten(log);
	error("OpenCL: the driver of %s cannot build the kernels '%s' (error %d): %s. Use --device cpu to "
	      "compute without OpenCL",
	        opencl.name, p->source->name, status, *log ? log : "its build log is empty");
}

static bool load(struct program *p)
{
	char *key = cache_key(p);
	size_t bytes = 0;
	unsigned char *binary = cache_read(key, &bytes);
	int each = -1, status = -1;

	free(key);

	if (!binary)
		return false;

	p->program = opencl.api.clCreateProgramWithBinary(opencl.context, 1, &opencl.device, &bytes,
	        (const unsigned char *const *)&binary, &each, &status);
	free(binary);

	if (CL_SUCCESS != status || CL_SUCCESS != each)
		return false;

	if (CL_SUCCESS == opencl.api.clBuildProgram(p->program, 1, &opencl.device, "", NULL, NULL))
		return true;

	opencl.api.clReleaseProgram(p->program);
	return false;
}

static int build_with(const struct program *p, const char *declarations)
{
	char *options = mem_printf("%s%s", declarations, p->options);
	const int status = opencl.api.clBuildProgram(p->program, 1, &opencl.device, options, NULL, NULL);

	free(options);
	return status;
}

/** PoCL reads clang's 900 kB of declarations for each program, also to find it among stored ones, unless the
 * macro that guards them is defined. The prelude then declares what the kernels use. */
static void build(struct program *p)
{
	int status;

	p->program = opencl.api.clCreateProgramWithSource(opencl.context, 1, &p->source->text, NULL, &status);
	opencl_check(status, "a program");
	p->fresh = true;

	if (opencl.is_pocl && CL_SUCCESS == build_with(p, "-D_OPENCL_H_ -DDECLARE_BUILT_IN "))
		return;

	status = build_with(p, "");

	if (CL_SUCCESS != status)
		refuse(p, status);

	if (opencl.is_pocl)
		verbose("OpenCL: kernels '%s' need the declarations of the driver", p->source->name);
}

/** Saves new binaries in the cache. If a driver gives no binary, the program is built again by the next
 * command. */
static void store(struct program *p)
{
	size_t bytes = 0;
	unsigned char *binary = NULL;

	p->fresh = false;

	if (CL_SUCCESS != opencl.api.clGetProgramInfo(
	                          p->program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) ||
	        0 == bytes)
		return;

	binary = mem_alloc(bytes);

	if (CL_SUCCESS ==
	        opencl.api.clGetProgramInfo(p->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)) {
		char *key = cache_key(p);

		cache_write(key, binary, bytes);
		free(key);
	}

	free(binary);
}

static struct program *program_of(const struct opencl_source *source, const char *options)
{
	for (struct program *p = programs; p; p = p->next)
		if (p->source == source && 0 == strcmp(p->options, options))
			return p;

	struct program *p = NEW(struct program);

	p->source = source;
	p->options = mem_strdup(options);

	if (!load(p))
		build(p);

	p->next = programs;
	programs = p;
	return p;
}

struct opencl_kernel_built *opencl_kernel(
        const struct opencl_source *source, const char *options, const char *name)
{
	char *all = mem_printf("-cl-std=CL1.2 %s%s",
	        opencl.float64 ? "" : "-DNO_FLOAT64 -cl-single-precision-constant ", options);
	struct program *p = program_of(source, all);
	struct opencl_kernel_built *k = kernels;
	int status;

	free(all);

	while (k && !(k->of == p && 0 == strcmp(k->name, name)))
		k = k->next;

	if (k)
		return k;

	k = NEW(struct opencl_kernel_built);
	k->of = p;
	k->name = mem_strdup(name);
	k->kernel = opencl.api.clCreateKernel(p->program, name, &status);
	opencl_check(status, name);
	k->next = kernels;
	kernels = k;
	return k;
}

static void set_argument(const struct opencl_kernel_built *k, unsigned i, size_t size, const void *value)
{
	opencl_check(opencl.api.clSetKernelArg(k->kernel, i, size, value), k->name);
}

void opencl_launch(struct opencl_kernel_built *k, const size_t groups[3], const size_t local[2], int n,
        const struct opencl_argument *argument)
{
	const size_t items[3] = {local[0], local[1], 1};
	const size_t all[3] = {groups[0] * local[0], groups[1] * local[1], groups[2]};
	unsigned at = 0;

	if (0 == all[0] || 0 == all[1] || 0 == all[2])
		return;

	for (int i = 0; i < n; i++) {
		if (argument[i].size > 0) {
			set_argument(k, at++, argument[i].size, argument[i].value);
			continue;
		}

		long place;
		const cl_memory m = opencl_memory_of(argument[i].value, &place);

		set_argument(k, at++, sizeof m, &m);
		set_argument(k, at++, sizeof place, &place);
	}

	opencl_check(opencl.api.clEnqueueNDRangeKernel(
	                     opencl.queue, k->kernel, 3, NULL, all, items, 0, NULL, NULL),
	        k->name);
}

void opencl_store_programs(void)
{
	for (struct program *p = programs; p; p = p->next)
		if (p->fresh && !opencl.is_pocl)
			store(p);
}
