/* The CUDA runtime on the processor: everything is done when a call returns. Device memory is one range of
 * addresses, unreadable but while a kernel or a copy runs. */

#include <map>
#include <mutex>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "cuda_runtime.h"
#include "emulator.h"
extern "C" {
#include "num/device/cuda/settings.h"
}

#if defined __SANITIZE_ADDRESS__
#define POISON 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define POISON 1
#endif
#endif

#ifdef POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

struct emulated_stream {
	int device;
};

struct emulated_event {
	double time; // [ms], below 0: not recorded
};

struct emulated_pool {
	int device;
};

namespace
{

enum { GPUS_MOST = 8, ALIGN = 512, GAP = 512 };

thread_local cudaError_t last;
thread_local int device;

std::mutex lock;
char *base;
size_t used_to;                        // the highest byte ever given out
std::map<char *, size_t> taken, spare; // by address
size_t left[GPUS_MOST];
int opened;

long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return (NULL != text && *text) ? strtol(text, NULL, 10) : otherwise;
}

size_t memory(void)
{
	static const size_t bytes = gpu_setting_bytes("GANTRY_EMULATED_MEM", (size_t)8 << 30);

	return bytes;
}

int gpus(void)
{
	long n = setting("GANTRY_EMULATED_GPUS", 1);

	return (n < 0) ? 0 : (n > GPUS_MOST) ? GPUS_MOST : (int)n;
}

/** The addresses of all devices follow each other. */
void reserve(void)
{
	if (NULL != base)
		return;

	void *p = mmap(NULL, memory() * (size_t)gpus(), PROT_NONE,
	        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (MAP_FAILED == p) {
		perror("emulated GPU: its memory");
		abort();
	}

	base = (char *)p;
	for (int i = 0; i < gpus(); i++) {
		spare[base + memory() * (size_t)i] = memory();
		left[i] = memory();
	}
}

int device_at(const char *p)
{
	return (int)((size_t)(p - base) / memory());
}

void protect(int how)
{
	if (0 != used_to && 0 != mprotect(base, used_to, how)) {
		perror("emulated GPU: mprotect");
		abort();
	}
}

double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);

	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

} // namespace

void emulated_open(void)
{
	std::lock_guard<std::mutex> hold(lock);

	if (0 == opened++)
		protect(PROT_READ | PROT_WRITE);
}

void emulated_close(void)
{
	std::lock_guard<std::mutex> hold(lock);

	if (0 == --opened)
		protect(PROT_NONE);
}

cudaError_t emulated_result(cudaError_t e)
{
	if (cudaSuccess != e)
		last = e;

	return e;
}

cudaError_t emulated_alloc(void **p, size_t n)
{
	std::lock_guard<std::mutex> hold(lock);
	const size_t page = 4096, room = (n + GAP + ALIGN - 1) / ALIGN * ALIGN;

	reserve();
	*p = NULL;

	for (auto s = spare.begin(); s != spare.end(); ++s) {
		char *at = s->first;

		if (s->second < room || device_at(at) != device)
			continue;

		if (s->second > room)
			spare[at + room] = s->second - room;
		spare.erase(s);
		taken[at] = room;
		left[device] -= room;

		size_t end = ((size_t)(at - base) + room + page - 1) / page * page;

		if (end > used_to) {
			used_to = end;
			protect(opened ? PROT_READ | PROT_WRITE : PROT_NONE);
		}
		ASAN_UNPOISON_MEMORY_REGION(at, n);
		ASAN_POISON_MEMORY_REGION(at + n, room - n);
		*p = at;

		return cudaSuccess;
	}

	return emulated_result(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *p)
{
	std::lock_guard<std::mutex> hold(lock);

	if (NULL == p)
		return cudaSuccess;

	auto t = taken.find((char *)p);

	if (t == taken.end())
		return emulated_result(cudaErrorInvalidValue);

	char *at = t->first;
	size_t n = t->second;

	taken.erase(t);
	left[device_at(at)] += n;
	ASAN_POISON_MEMORY_REGION(at, n);

	auto after = spare.lower_bound(at);

	if (after != spare.end() && after->first == at + n && device_at(after->first) == device_at(at)) {
		n += after->second;
		after = spare.erase(after);
	}
	if (after != spare.begin()) {
		auto before = std::prev(after);

		if (before->first + before->second == at && device_at(before->first) == device_at(at)) {
			before->second += n;
			return cudaSuccess;
		}
	}
	spare[at] = n;

	return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t)
{
	return cudaFree(p);
}

cudaError_t emulated_alloc_host(void **p, size_t n)
{
	*p = NULL;

	return emulated_result((0 == posix_memalign(p, 4096, n)) ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *p)
{
	free(p);

	return cudaSuccess;
}

cudaError_t cudaHostRegister(void *, size_t, unsigned)
{
	return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *)
{
	return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int id)
{
	static emulated_pool pools[GPUS_MOST];

	*pool = &pools[id];

	return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
	return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void *value)
{
	std::lock_guard<std::mutex> hold(lock);

	(void)pool;
	*(uint64_t *)value = (NULL == base) ? 0 : memory() - left[device];

	return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t)
{
	return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all)
{
	std::lock_guard<std::mutex> hold(lock);

	reserve();
	*free_bytes = left[device];
	*all = memory();

	return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
	std::lock_guard<std::mutex> hold(lock);
	const char *at = (const char *)p;
	const bool here = NULL != base && base <= at && at < base + memory() * (size_t)gpus();

	memset(a, 0, sizeof *a);
	a->type = here ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
	a->device = here ? device_at(at) : -1;

	return cudaSuccess;
}

/* ---- copies ---- */

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_step, const void *from, size_t from_step, size_t width,
        size_t rows, cudaMemcpyKind, cudaStream_t)
{
	if (to_step < width || from_step < width)
		return emulated_result(cudaErrorInvalidValue);

	emulated_open();
	for (size_t i = 0; i < rows; i++)
		memmove((char *)to + i * to_step, (const char *)from + i * from_step, width);
	emulated_close();

	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s)
{
	return cudaMemcpy2DAsync(to, n, from, n, n, 1, kind, s);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(to, from, n, kind, 0);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t)
{
	emulated_open();
	memset(to, value, n);
	emulated_close();

	return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t n)
{
	return cudaMemsetAsync(to, value, n, 0);
}

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *n)
{
	*n = gpus();

	return emulated_result((0 < *n) ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *id)
{
	*id = device;

	return cudaSuccess;
}

cudaError_t cudaSetDevice(int id)
{
	if (id < 0 || id >= gpus())
		return emulated_result(cudaErrorInvalidDevice);

	device = id;

	return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int id)
{
	if (id < 0 || id >= gpus())
		return emulated_result(cudaErrorInvalidDevice);

	const char *capability = getenv("GANTRY_EMULATED_CC");

	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "emulated GPU");
	p->major = 9;
	if (NULL != capability && *capability)
		sscanf(capability, "%d.%d", &p->major, &p->minor);
	p->totalGlobalMem = memory();
	p->sharedMemPerBlock = 48 << 10;
	p->sharedMemPerBlockOptin = (p->major >= 9) ? 227 << 10 : (p->major == 8) ? 163 << 10 : 64 << 10;
	p->sharedMemPerMultiprocessor = p->sharedMemPerBlockOptin + 1024;
	p->totalConstMem = 64 << 10;
	p->multiProcessorCount = 4;
	p->warpSize = 32;
	p->maxThreadsPerBlock = 1024;
	p->maxThreadsPerMultiProcessor = 2048;
	p->regsPerBlock = p->regsPerMultiprocessor = 65536;
	p->l2CacheSize = 4 << 20;
	p->unifiedAddressing = 1;
	p->asyncEngineCount = 1;
	p->maxGridSize[0] = 0x7fffffff;
	p->maxGridSize[1] = p->maxGridSize[2] = 65535;
	p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
	p->maxThreadsDim[2] = 64;
	p->memoryPoolsSupported = 1;

	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int id)
{
	cudaDeviceProp p;
	cudaError_t e = cudaGetDeviceProperties(&p, id);

	if (cudaSuccess != e)
		return e;

	switch (what) {
	case cudaDevAttrMaxSharedMemoryPerBlock:
		*value = (int)p.sharedMemPerBlock;
		break;
	case cudaDevAttrMultiProcessorCount:
		*value = p.multiProcessorCount;
		break;
	case cudaDevAttrL2CacheSize:
		*value = p.l2CacheSize;
		break;
	case cudaDevAttrMaxThreadsPerMultiProcessor:
		*value = p.maxThreadsPerMultiProcessor;
		break;
	case cudaDevAttrComputeCapabilityMajor:
		*value = p.major;
		break;
	case cudaDevAttrComputeCapabilityMinor:
		*value = p.minor;
		break;
	case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
		*value = (int)p.sharedMemPerMultiprocessor;
		break;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin:
		*value = (int)p.sharedMemPerBlockOptin;
		break;
	case cudaDevAttrMemoryPoolsSupported:
		*value = p.memoryPoolsSupported;
		break;
	}

	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = 13000;

	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	return cudaDriverGetVersion(version);
}

/* ---- errors ---- */

cudaError_t cudaPeekAtLastError(void)
{
	return last;
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t e = last;

	last = cudaSuccess;

	return e;
}

const char *cudaGetErrorString(cudaError_t e)
{
	switch (e) {
	case cudaSuccess:
		return "no error";
	case cudaErrorInvalidValue:
		return "invalid argument";
	case cudaErrorMemoryAllocation:
		return "out of memory";
	case cudaErrorInvalidConfiguration:
		return "invalid configuration argument";
	case cudaErrorNoDevice:
		return "no CUDA-capable device is detected";
	case cudaErrorInvalidDevice:
		return "invalid device ordinal";
	default:
		return "unknown error";
	}
}

const char *cudaGetErrorName(cudaError_t e)
{
	return cudaGetErrorString(e);
}

/* ---- streams and events: everything has happened ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
	*s = new emulated_stream();
	(*s)->device = device;

	return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *s)
{
	return cudaStreamCreateWithFlags(s, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	delete s;

	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
	return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t)
{
	return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
	return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t fn, void *ctx)
{
	fn(ctx);

	return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
	*e = new emulated_event();
	(*e)->time = -1.;

	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *e)
{
	return cudaEventCreateWithFlags(e, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
	delete e;

	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t)
{
	e->time = milliseconds();

	return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
	return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t)
{
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	*ms = (float)(to->time - from->time);

	return cudaSuccess;
}
