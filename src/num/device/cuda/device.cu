/* The GPUs of this machine, queried from the CUDA runtime; the one in use, its streams, launches and errors.
 */

#include <atomic>
#include <map>
#include <mutex>
#include <stdio.h>
#include <string.h>
#include <utility>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/vendor.h"
#include "num/device/cuda/worker.h"

extern "C" {
#include "num/device/cuda/settings.h"
#include "num/device/device_set.h"
}

/* ---- facts: no context is created, a count and properties need none ---- */

extern "C" const char *device_platform(void)
{
	return GPU_PLATFORM;
}

extern "C" const char *device_toolkit(void)
{
#ifdef GANTRY_EMULATE
	return "emulated";
#else
	static char text[32];

	snprintf(text, sizeof text, "%d.%d", GPU_TOOLKIT_VERSION);

	return text;
#endif
}

static cudaError_t none; // why there is no GPU

/** GPUs that this build has code for: compute capability 7.5 is the oldest. */
static int count(void)
{
	static int known = -1;
	int n = 0;

	if (0 <= known)
		return known;

	none = cudaGetDeviceCount(&n);
	if (cudaSuccess != none) {
		cudaGetLastError();
		n = 0;
	}

	return known = n;
}

extern "C" int device_count(void)
{
	return count();
}

static const cudaDeviceProp *properties(int id)
{
	enum { MOST = 64 };
	static cudaDeviceProp all[MOST];
	static bool known[MOST];

	if (id < 0 || id >= count() || id >= MOST)
		return NULL;

	if (!known[id]) {
		GPU_CHECK(cudaGetDeviceProperties(&all[id], id));
		known[id] = true;
	}

	return &all[id];
}

extern "C" const char *device_name(int id)
{
	const cudaDeviceProp *p = properties(id);

	return (NULL == p) ? "" : p->name;
}

extern "C" long device_memory(int id)
{
	const cudaDeviceProp *p = properties(id);

	return (NULL == p) ? 0 : (long)p->totalGlobalMem;
}

extern "C" int device_capability(int id)
{
	const cudaDeviceProp *p = properties(id);

	return (NULL == p) ? 0 : 10 * p->major + p->minor;
}

extern "C" int device_processors(int id)
{
	const cudaDeviceProp *p = properties(id);

	return (NULL == p) ? 0 : p->multiProcessorCount;
}

extern "C" long device_cache(int id)
{
	const cudaDeviceProp *p = properties(id);

	return (NULL == p) ? 0 : p->l2CacheSize;
}

extern "C" const char *device_none_reason(void)
{
	if (0 < count())
		return "";

	switch (none) {
	case cudaSuccess:
	case cudaErrorNoDevice:
		return "no " GPU_VENDOR " GPU found, or none visible (see " GPU_MONITOR " and " GPU_VISIBLE
		       ")";
	case cudaErrorInsufficientDriver:
		return "the " GPU_VENDOR " driver is missing or older than this build's " GPU_PLATFORM
		       " (see " GPU_MONITOR ")";
	default:
		return cudaGetErrorString(none);
	}
}

extern "C" int gpu_driver_version(void)
{
	int v = 0;

	GPU_CHECK(cudaDriverGetVersion(&v));

	return v;
}

/* ---- the one in use ---- */

static int used = -1; // stays when device_use(-1) sends new work to the CPU: arrays may lie there still
static thread_local int entered = -1; // what cudaSetDevice() was last told on this thread

extern "C" void device_set(int id)
{
	if (0 <= id)
		used = id;
}

static std::atomic<bool> asked;

extern "C" bool device_asked(void)
{
	return asked;
}

extern "C" int gpu_current(void)
{
	return gpu_enter();
}

int gpu_enter(void)
{
	int id = gpu_worker_device(used);

	if (id < 0)
		error("a GPU operation without a GPU in use");

	if (entered != id) {
		asked = true;
		GPU_CHECK(cudaSetDevice(id));
		entered = id;
	}

	return id;
}

const cudaDeviceProp *gpu_properties(void)
{
	return properties(gpu_enter());
}

int gpu_capability(void)
{
	return device_capability(gpu_enter());
}

unsigned gpu_blocks(int per)
{
	return (unsigned)(per * gpu_properties()->multiProcessorCount);
}

/* ---- errors ---- */

/** What to do about it, or "". */
static const char *advice(cudaError_t e)
{
	switch (e) {
	case cudaErrorMemoryAllocation:
		return "; another process may hold the GPU's memory (see " GPU_MONITOR ")";
	case cudaErrorInsufficientDriver:
	case cudaErrorSystemDriverMismatch:
		return "; a newer " GPU_VENDOR " driver is needed (see " GPU_MONITOR ")";
	case cudaErrorNoKernelImageForDevice:
		return "; this build has no code for this GPU: build with " GPU_ARCH_MAKE;
	case cudaErrorDevicesUnavailable:
	case cudaErrorSystemNotReady:
	case cudaErrorECCUncorrectable:
		return "; the GPU is busy, broken or lost (see " GPU_MONITOR
		       "); --device cpu computes without it";
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchFailure:
		return "; the GPU stopped a kernel, which is a bug: please report it; --device cpu computes "
		       "without it";
	default:
		return "";
	}
}

void gpu_check(cudaError_t e, const char *call)
{
	if (cudaSuccess != e)
		error("GPU: %s: %s%s", call, cudaGetErrorString(e), advice(e));
}

void gpu_room(const void *kernel, const char *name, size_t shared)
{
	if (shared > gpu_properties()->sharedMemPerBlockOptin)
		error("GPU: kernel %s needs %zu bytes of shared memory, %s has %zu", name, shared,
		        gpu_properties()->name, gpu_properties()->sharedMemPerBlockOptin);

	// what a worker has asked for stays: another's smaller launch must not take it away
	static std::mutex lock;
	static std::map<std::pair<int, const void *>, size_t> most;
	std::lock_guard<std::mutex> hold(lock);
	size_t *had = &most[{gpu_enter(), kernel}];

	if (shared > *had) {
		GPU_CHECK(cudaFuncSetAttribute(
		        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
		*had = shared;
	}
}

void gpu_launched(const char *kernel, dim3 grid, dim3 block, size_t shared)
{
	cudaError_t e = cudaGetLastError();

	if (cudaSuccess != e)
		error("GPU: kernel %s, %u x %u x %u blocks of %u x %u x %u threads, %zu bytes shared: %s%s",
		        kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
		        cudaGetErrorString(e), advice(e));
}
