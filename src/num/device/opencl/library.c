/** Opens the library at run time, chooses a device, and converts error codes to messages. */

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/device/opencl.h"
#include "num/device/opencl/api.h"
#include "num/device/opencl/kernels.h"

enum { MOST = 32, NAME = 128 }; // platforms, and devices of each; bytes of a name

struct opencl_state opencl;
static bool used = false;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

bool opencl_built(void)
{
	return true;
}

bool opencl_used(void)
{
	return used;
}

const char *opencl_name(void)
{
	return opencl.name;
}

bool opencl_has_float64(void)
{
	return used && opencl.float64;
}

bool opencl_is_processor(void)
{
	return opencl.shares;
}

void opencl_rest(void)
{
	used = false;
}

void opencl_begin(void)
{
	pthread_mutex_lock(&lock);
}

void opencl_end(void)
{
	pthread_mutex_unlock(&lock);
}

/* ---- errors ---- */

static const char *status_text(int status)
{
	switch (status) {
	case CL_DEVICE_NOT_FOUND:
	case CL_DEVICE_NOT_AVAILABLE:
		return "the device is not available";
	case CL_MEM_OBJECT_ALLOCATION_FAILURE:
	case CL_INVALID_BUFFER_SIZE:
		return "out of device memory (GANTRY_GPU_MEM limits the memory of a command)";
	case CL_OUT_OF_RESOURCES:
		return "out of resources, or the device was lost or reset";
	case CL_INVALID_CONTEXT:
	case CL_INVALID_COMMAND_QUEUE:
	case NVIDIA_ILLEGAL_ACCESS:
		return "the device was lost or reset";
	case CL_OUT_OF_HOST_MEMORY:
		return "the driver is out of host memory";
	default:
		return NULL;
	}
}

void opencl_check(int status, const char *what)
{
	const char *text = status_text(status);

	if (CL_SUCCESS == status)
		return;

	if (text)
		error("OpenCL: %s fails on %s: %s. Use --device cpu to compute without OpenCL", what,
		        opencl.name, text);

	error("OpenCL: %s fails on %s with driver error %d. Use --device cpu to compute without OpenCL", what,
	        opencl.name, status);
}

/* ---- the library ---- */

static void open_library(const char *what)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		error("%s: OpenCL cannot be loaded: %s (Debian: install ocl-icd-libopencl1 and a driver such "
		      "as pocl-opencl-icd)",
		        what, dlerror());

#define LOAD(name, result, parameters)                                                                       \
	*(void **)&opencl.api.name = dlsym(library, #name);                                                  \
	if (!opencl.api.name)                                                                                \
		error("%s: libOpenCL.so.1 has no %s(), expected OpenCL 1.2 or newer", what, #name);
	OPENCL_FUNCTIONS(LOAD)
#undef LOAD
}

/* ---- the choice ---- */

static void platform_name(cl_platform p, char name[NAME])
{
	snprintf(name, NAME, "unnamed");
	opencl.api.clGetPlatformInfo(p, CL_PLATFORM_NAME, NAME, name, NULL);
	name[NAME - 1] = 0;
}

static void device_text(cl_device d, unsigned question, char text[NAME])
{
	snprintf(text, NAME, "unnamed");
	opencl.api.clGetDeviceInfo(d, question, NAME, text, NULL);
	text[NAME - 1] = 0;
}

static unsigned long device_number(cl_device d, unsigned question, size_t size)
{
	unsigned long n = 0; // little-endian: a shorter number is its low part

	opencl.api.clGetDeviceInfo(d, question, size, &n, NULL);
	return n;
}

size_t opencl_local_memory(void)
{
	return device_number(opencl.device, CL_DEVICE_LOCAL_MEM_SIZE, 8);
}

static unsigned devices_of(cl_platform p, cl_device list[MOST])
{
	unsigned n = 0;

	if (CL_SUCCESS != opencl.api.clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, MOST, list, &n))
		return 0;

	return (n < MOST) ? n : MOST;
}

static bool is_number(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word);
}

/** Whether a word selects entry i, called `name`: by its number, or by a part of its name (in any case). */
static bool is_meant(const char *word, unsigned i, const char *name)
{
	if (!*word)
		return true;

	if (is_number(word))
		return strtoul(word, NULL, 10) == i;

	return NULL != strcasestr(name, word);
}

/** Whether PLATFORM:DEVICE selects device k of platform i. A single word that is not a number is a part of
 * either name. */
static bool is_chosen(
        const char *platform, const char *device, unsigned i, unsigned k, const char *on, const char *name)
{
	if (!device && !is_number(platform))
		return is_meant(platform, i, on) || is_meant(platform, k, name);

	return is_meant(platform, i, on) && is_meant(device ? device : "", k, name);
}

/** List of all devices, for messages: "0:0 NAME on PLATFORM, .."; to be freed. */
static char *list_devices(unsigned platforms, const cl_platform platform[])
{
	struct str s = {0};

	for (unsigned i = 0; i < platforms; i++) {
		cl_device device[MOST];
		char on[NAME], name[NAME];
		const unsigned n = devices_of(platform[i], device);

		platform_name(platform[i], on);

		for (unsigned k = 0; k < n; k++) {
			device_text(device[k], CL_DEVICE_NAME, name);
			str_printf(&s, "%s%u:%u %s on %s", s.data ? ", " : "", i, k, name, on);
		}
	}

	if (!s.data)
		str_add(&s, "none");

	return s.data;
}

/** The device that the words select; of several, the first GPU, or else the first device. */
static void find_device(const char *which, const char *what, char on[NAME])
{
	cl_platform platform[MOST];
	unsigned platforms = 0;
	char first[NAME] = "", *second;

	if (CL_SUCCESS != opencl.api.clGetPlatformIDs(MOST, platform, &platforms) || 0 == platforms)
		error("%s: no OpenCL platform found (install a driver, for example pocl-opencl-icd for CPUs "
		      "on Debian)",
		        what);

	platforms = (platforms < MOST) ? platforms : MOST;
	snprintf(first, NAME, "%s", which ? which : "");
	second = strchr(first, ':');

	if (second)
		*second++ = 0;

	for (unsigned i = 0; i < platforms; i++) {
		cl_device device[MOST];
		char name[NAME];
		const unsigned n = devices_of(platform[i], device);

		platform_name(platform[i], name);

		for (unsigned k = 0; k < n; k++) {
			const bool gpu = device_number(device[k], CL_DEVICE_TYPE, 8) & CL_DEVICE_TYPE_GPU;
			char of[NAME];

			device_text(device[k], CL_DEVICE_NAME, of);

			if (!is_chosen(first, second, i, k, name, of) || (opencl.device && !gpu))
				continue;

			opencl.device = device[k];
			snprintf(opencl.name, sizeof opencl.name, "%s", of);
			snprintf(on, NAME, "%s", name);

			if (gpu)
				return;
		}
	}

	if (!opencl.device)
		error("%s: unknown OpenCL device '%s' (found: %s). Expected PLATFORM[:DEVICE], as numbers or "
		      "parts of names, or a part of a device name",
		        what, which ? which : "", list_devices(platforms, platform));
}

/** error() if the device lacks what the kernels need. */
static void expect_abilities(const char *what)
{
	if (!device_number(opencl.device, CL_DEVICE_ENDIAN_LITTLE, 4))
		error("%s: OpenCL device %s is big-endian, expected a little-endian one", what, opencl.name);

	if (device_number(opencl.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)) < OPENCL_GROUP)
		error("%s: OpenCL device %s supports fewer than %d work-items per group", what, opencl.name,
		        OPENCL_GROUP);
}

static void find_facts(const char *on)
{
	char version[NAME], driver[NAME];
	const char *limit = getenv("GANTRY_GPU_MEM");

	device_text(opencl.device, CL_DEVICE_VERSION, version);
	device_text(opencl.device, CL_DRIVER_VERSION, driver);
	snprintf(opencl.facts, sizeof opencl.facts, "%s, %s, %s, %s", opencl.name, on, version, driver);
	opencl.shares = CL_DEVICE_TYPE_CPU == (device_number(opencl.device, CL_DEVICE_TYPE, 8) &
	                                              (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU));
	opencl.is_pocl = 0 == strcmp(on, "Portable Computing Language");
	opencl.float64 = 0 != device_number(opencl.device, CL_DEVICE_DOUBLE_FP_CONFIG, 8);
	opencl.all_memory = device_number(opencl.device, CL_DEVICE_GLOBAL_MEM_SIZE, 8);
	opencl.memory = opencl.all_memory;
	opencl.largest = device_number(opencl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8);

	if (limit && *limit) {
		const size_t most = (size_t)parse_bytes(limit, "GANTRY_GPU_MEM");

		opencl.memory = (most < opencl.memory) ? most : opencl.memory;
	}
}

/** Drivers that contain LLVM handle signals that end the command, SIGBUS and SIGXFSZ, which are ours. SIGFPE
 * remains theirs. */
static void swap_handlers(struct sigaction kept[NSIG], bool back)
{
	for (int i = 1; i < NSIG; i++)
		if (i != SIGFPE)
			sigaction(i, back ? &kept[i] : NULL, back ? NULL : &kept[i]);
}

void opencl_use(const char *which, const char *what)
{
	struct sigaction kept[NSIG];
	char on[NAME];
	int status;

	used = true;

	if (opencl.context)
		return;

	swap_handlers(kept, false);
	open_library(what);
	find_device(which, what, on);
	expect_abilities(what);
	find_facts(on);
	opencl.context = opencl.api.clCreateContext(NULL, 1, &opencl.device, NULL, NULL, &status);
	opencl_check(status, "the context");
	opencl.queue = opencl.api.clCreateCommandQueue(opencl.context, opencl.device, 0, &status);
	opencl_check(status, "the queue");
	swap_handlers(kept, true);
	on_exit_call(opencl_store_programs);
	verbose("OpenCL: %s on %s, %.1f GiB", opencl.name, on, (double)opencl.memory / (1 << 30));
}
