/* cuFFT (hipFFT on AMD's GPUs), opened on first use. The emulator does not have it. */

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/vendor.h"
#include "num/fft/cuda/fft_exec.h"

#ifdef GANTRY_EMULATE

extern "C" {
#include "misc/mem.h"
#include "num/fft/fft_backend.h"
}

/** Elements of a transform, and bytes from the first of all to the last. */
static long elements(const struct fft_plan *p, size_t size, long dist, size_t *bytes)
{
	long n = 1;

	for (int i = 0; i < p->rank; i++)
		n *= p->n[i];

	*bytes = (size_t)((p->batch - 1) * dist + (n - 1) * p->stride + 1) * size;

	return n;
}

/** One after the other by the CPU. */
static void transform_all(const struct fft_plan *p, char *data, size_t size, long n)
{
	char *one = (char *)mem_alloc((size_t)n * size);

	for (long b = 0; b < p->batch; b++) {
		char *at = data + b * p->dist * (long)size;

		for (long i = 0; i < n; i++)
			memcpy(one + i * (long)size, at + i * p->stride * (long)size, size);

		fft_backend_cpu.fft(p->rank, p->n, 7, (FFT_C2C_INVERSE == p->kind) ? FFT_INVERSE : 0,
		        p->wide ? DT_COMPLEX128 : DT_COMPLEX64, one, one);

		for (long i = 0; i < n; i++)
			memcpy(at + i * p->stride * (long)size, one + i * (long)size, size);
	}

	free(one);
}

extern "C" bool gpu_fft_there(void)
{
	return NULL == getenv("GANTRY_CUFFT");
}

/** Stands in for the library, for complex transforms in place. */
extern "C" bool gpu_fft_exec(const struct fft_plan *p, void *out, void *in)
{
	const size_t size = p->wide ? 16 : 8;
	size_t bytes;

	if (NULL != getenv("GANTRY_CUFFT") || out != in)
		return false;

	const long n = elements(p, size, p->dist, &bytes);
	char *data = (char *)mem_alloc(bytes);

	device_copy(data, in, bytes);
	transform_all(p, data, size, n);
	device_copy(out, data, bytes);
	free(data);

	return true;
}

#else

extern "C" {
#include "misc/mem.h"
}

enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69, FORWARD = -1, INVERSE = 1 };

static struct {
	bool there;
	void *lib;
	int (*create)(int *plan);
	int (*make)(int plan, int rank, long long *n, long long *inembed, long long istride, long long idist,
	        long long *onembed, long long ostride, long long odist, int type, long long batch,
	        size_t *work);
	int (*set_stream)(int plan, cudaStream_t s);
	int (*set_auto)(int plan, int yes);
	int (*set_work)(int plan, void *p);
	int (*c2c)(int plan, void *in, void *out, int direction);
	int (*z2z)(int plan, void *in, void *out, int direction);
	int (*r2c)(int plan, void *in, void *out);
	int (*d2z)(int plan, void *in, void *out);
	int (*c2r)(int plan, void *in, void *out);
	int (*z2d)(int plan, void *in, void *out);
} cufft;

/** Plans of each device, for the life of the process; their work areas are had for each call, so that they
 * count as memory in use only while they are. */
static struct kept {
	struct fft_plan key;
	int device, plan;
	size_t work;
} * kept;
static int kept_count;

static void *symbol(const char *name)
{
	void *p = dlsym(cufft.lib, name);

	cufft.there = cufft.there && NULL != p;

	return p;
}

static void open_library(void)
{
	static const char *const names[] = GPU_FFT_FILES;
	const char *wanted = getenv("GANTRY_CUFFT");

	if (NULL != wanted && 0 == strcmp("none", wanted))
		return;

	for (size_t i = 0; i < sizeof names / sizeof *names && NULL == cufft.lib; i++)
		cufft.lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

	if (NULL == cufft.lib) {
		warn(GPU_FFT " cannot be opened (%s): Fourier transforms run on the CPU", dlerror());
		return;
	}

	cufft.there = true;
	*(void **)&cufft.create = symbol(GPU_FFT_NAME("Create"));
	*(void **)&cufft.make = symbol(GPU_FFT_NAME("MakePlanMany64"));
	*(void **)&cufft.set_stream = symbol(GPU_FFT_NAME("SetStream"));
	*(void **)&cufft.set_auto = symbol(GPU_FFT_NAME("SetAutoAllocation"));
	*(void **)&cufft.set_work = symbol(GPU_FFT_NAME("SetWorkArea"));
	*(void **)&cufft.c2c = symbol(GPU_FFT_NAME("ExecC2C"));
	*(void **)&cufft.z2z = symbol(GPU_FFT_NAME("ExecZ2Z"));
	*(void **)&cufft.r2c = symbol(GPU_FFT_NAME("ExecR2C"));
	*(void **)&cufft.d2z = symbol(GPU_FFT_NAME("ExecD2Z"));
	*(void **)&cufft.c2r = symbol(GPU_FFT_NAME("ExecC2R"));
	*(void **)&cufft.z2d = symbol(GPU_FFT_NAME("ExecZ2D"));
}

static void check(int e, const struct fft_plan *p, const char *what)
{
	if (0 != e)
		error(GPU_FFT ": error %d when it %s %ld transforms of %ld x %ld x %ld elements", e, what,
		        p->batch, p->n[0], (1 < p->rank) ? p->n[1] : 1, (2 < p->rank) ? p->n[2] : 1);
}

static int type_of(const struct fft_plan *p)
{
	switch (p->kind) {
	case FFT_R2C:
		return p->wide ? D2Z : R2C;
	case FFT_C2R:
		return p->wide ? Z2D : C2R;
	default:
		return p->wide ? Z2Z : C2C;
	}
}

static bool same_plan(const struct fft_plan *a, const struct fft_plan *b)
{
	bool same = type_of(a) == type_of(b) && a->rank == b->rank && a->stride == b->stride &&
	            a->in_dist == b->in_dist && a->dist == b->dist && a->batch == b->batch;

	for (int i = 0; i < a->rank; i++)
		same = same && a->n[i] == b->n[i];

	return same;
}

static const struct kept *plan_of(const struct fft_plan *p)
{
	const int id = gpu_enter();

	for (int i = 0; i < kept_count; i++)
		if (id == kept[i].device && same_plan(&kept[i].key, p))
			return &kept[i];

	struct kept k;
	long long n[3] = {1, 1, 1};

	memset(&k, 0, sizeof k);
	k.key = *p;
	k.device = id;

	for (int i = 0; i < p->rank; i++) // its slowest comes first
		n[i] = p->n[p->rank - 1 - i];

	check(cufft.create(&k.plan), p, "plans");
	check(cufft.set_auto(k.plan, 0), p, "plans");
	check(cufft.make(k.plan, p->rank, n, n, p->stride, p->in_dist, n, p->stride, p->dist, type_of(p),
	              p->batch, &k.work),
	        p, "plans");
	kept = (struct kept *)mem_realloc(kept, (size_t)(kept_count + 1) * sizeof *kept);
	kept[kept_count] = k;

	return &kept[kept_count++];
}

static int execute(const struct fft_plan *p, int plan, void *out, void *in)
{
	const int direction = (FFT_C2C_INVERSE == p->kind) ? INVERSE : FORWARD;

	switch (type_of(p)) {
	case C2C:
		return cufft.c2c(plan, in, out, direction);
	case Z2Z:
		return cufft.z2z(plan, in, out, direction);
	case R2C:
		return cufft.r2c(plan, in, out);
	case D2Z:
		return cufft.d2z(plan, in, out);
	case C2R:
		return cufft.c2r(plan, in, out);
	default:
		return cufft.z2d(plan, in, out);
	}
}

extern "C" bool gpu_fft_there(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);

	return cufft.there;
}

extern "C" bool gpu_fft_exec(const struct fft_plan *p, void *out, void *in)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (!gpu_fft_there())
		return false;

	pthread_mutex_lock(&lock);

	const struct kept k = *plan_of(p);
	void *work = (0 < k.work) ? device_alloc(k.work) : NULL;

	check(cufft.set_stream(k.plan, gpu_stream()), p, "runs");

	if (NULL != work)
		check(cufft.set_work(k.plan, work), p, "runs");

	check(execute(p, k.plan, out, in), p, "runs");
	device_free(work);
	pthread_mutex_unlock(&lock);

	return true;
}

#endif
