/* Generated kernels: compiled by NVRTC (hipRTC for AMD) for the device in use, loaded through the driver,
 * kept in the process and on disk. Neither library is linked. Under the emulator the system's C++ compiler
 * replaces NVRTC.
 */

#include <dlfcn.h>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>
#include <unordered_map>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/vendor.h"
#include "num/expr/cuda/expr_device.h"
#include "num/expr/cuda/expr_fold.h"

extern "C" {
#include "num/device/cache.h"
#include "num/device/cuda/settings.h"
}

static std::mutex lock;
static std::unordered_map<std::string, const void *> kernels; // by what is particular to them, and the device
static struct expr_kernel_counts counts;

/** A missing kernel, which is interpreted instead: reported once. */
static void give_up(const std::string &why)
{
	static bool said;

	if (!said)
		warn("GPU: a generated kernel cannot be used: %.400s; it is interpreted, which is slower",
		        why.c_str());

	said = true;
}

#ifdef GANTRY_EMULATE

typedef void block_fn(const void *args, unsigned block);

static std::string compiler_version(void)
{
	return "c++";
}

static bool compiler_found(void)
{
	static const bool found =
	        NULL == getenv("GANTRY_NO_NVRTC") && 0 == system("command -v c++ > /dev/null 2>&1");

	return found;
}

static bool write_file(const char *path, const void *data, size_t bytes)
{
	FILE *f = fopen(path, "wb");

	return NULL != f && bytes == fwrite(data, 1, bytes, f) && 0 == fclose(f);
}

/** A folder for a moment. */
struct folder {
	char path[64];

	folder()
	{
		snprintf(path, sizeof path, "/tmp/gantry-kernel.XXXXXX");
		if (NULL == mkdtemp(path))
			error("%s: cannot be made", path);
	}
	~folder()
	{
		for (const char *name : {"k.cc", "k.so"})
			unlink((path + std::string("/") + name).c_str());
		rmdir(path);
	}
	std::string file(const char *name) const
	{
		return path + std::string("/") + name;
	}
};

/** The code; none where the compiler refuses it. */
static std::string compile(const char *text)
{
	const folder f;
	const std::string source = f.file("k.cc"), object = f.file("k.so");
	const std::string command =
	        "c++ -std=c++17 -O1 -w -ffp-contract=off -fPIC -shared -o " + object + " " + source;
	std::string code;

	if (!write_file(source.c_str(), text, strlen(text)) || 0 != system(command.c_str())) {
		give_up("the compiler refuses it: " + command);
		return code;
	}

	FILE *in = fopen(object.c_str(), "rb");
	char part[4096];

	for (size_t n; NULL != in && 0 < (n = fread(part, 1, sizeof part, in));)
		code.append(part, n);

	if (NULL != in)
		fclose(in);

	return code;
}

static const void *load(const void *code, size_t bytes)
{
	const folder f;
	const std::string object = f.file("k.so");

	if (!write_file(object.c_str(), code, bytes))
		error("%s: cannot be written", object.c_str());

	void *so = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);

	return (NULL == so) ? NULL : dlsym(so, "gantry_expr");
}

/** A block of a generated kernel is a call: one thread of the emulator's. */
static __global__ void call_block(const void *kernel, const int64_t *args)
{
	((block_fn *)(size_t)kernel)(args, blockIdx.x);
}

void expr_kernel_run(const void *kernel, long blocks, const int64_t *args, long)
{
	GPU_LAUNCH(call_block, blocks, 1, 0, gpu_stream(), kernel, args);
}

#else

#include <cuda.h>
#include <nvrtc.h>

/** NVRTC's functions, as they are found. */
#define NVRTC_FUNCTIONS(X)                                                                                   \
	X(nvrtcVersion)                                                                                      \
	X(nvrtcCreateProgram)                                                                                \
	X(nvrtcCompileProgram)                                                                               \
	X(nvrtcGetProgramLogSize)                                                                            \
	X(nvrtcGetProgramLog)                                                                                \
	X(nvrtcGetCUBINSize)                                                                                 \
	X(nvrtcGetCUBIN)                                                                                     \
	X(nvrtcDestroyProgram)

struct nvrtc {
#define X(f) decltype(&::f) f;
	NVRTC_FUNCTIONS(X)
#undef X
};

static bool find(void *so, struct nvrtc *n)
{
#define TEXT(f) #f // of what f expands to
#define X(f)                                                                                                 \
	n->f = (decltype(&::f))dlsym(so, TEXT(f));                                                           \
	if (NULL == n->f)                                                                                    \
		return false;
	NVRTC_FUNCTIONS(X)
#undef X
#undef TEXT
	return true;
}

static const struct nvrtc *open_nvrtc(void)
{
	static struct nvrtc functions;
	static bool tried, found;
	const std::string names[] = GPU_RTC_FILES(CUDART_VERSION / 1000);

	if (!tried && NULL == getenv("GANTRY_NO_NVRTC"))
		for (const std::string &name : names) {
			void *so = found ? NULL : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);

			found = found || (NULL != so && find(so, &functions));
		}

	tried = true;

	return found ? &functions : NULL;
}

static bool compiler_found(void)
{
	return NULL != open_nvrtc();
}

static std::string compiler_version(void)
{
	int major = 0, minor = 0;

	open_nvrtc()->nvrtcVersion(&major, &minor);

	return std::to_string(major) + "." + std::to_string(minor);
}

/** The code; none where NVRTC refuses it. */
static std::string compile(const char *text)
{
	const struct nvrtc *n = open_nvrtc();
	const std::string architecture = gpu_rtc_architecture(gpu_properties());
	const char *options[] = {architecture.c_str(), GPU_RTC_OPTIONS};
	const std::string source = std::string(GPU_RTC_PRELUDE) + text;
	nvrtcProgram program;

	if (NVRTC_SUCCESS !=
	        n->nvrtcCreateProgram(&program, source.c_str(), "expression.cu", 0, NULL, NULL)) {
		give_up(GPU_RTC " cannot begin to compile");
		return std::string();
	}

	if (NVRTC_SUCCESS !=
	        n->nvrtcCompileProgram(program, (int)(sizeof options / sizeof *options), options)) {
		size_t bytes = 0;

		n->nvrtcGetProgramLogSize(program, &bytes);

		std::string log(bytes, ' ');

		n->nvrtcGetProgramLog(program, &log[0]);
		n->nvrtcDestroyProgram(&program);
		give_up(GPU_RTC " " + compiler_version() + " refuses it (" + architecture +
		        "): " + log.c_str());

		return std::string();
	}

	size_t bytes = 0;

	n->nvrtcGetCUBINSize(program, &bytes);

	std::string code(bytes, ' ');

	n->nvrtcGetCUBIN(program, &code[0]);
	n->nvrtcDestroyProgram(&program);

	return code;
}

/** A function of the driver. */
template <class F> static F driver(const char *name)
{
	void *p = NULL;
	cudaDriverEntryPointQueryResult found;

	GPU_CHECK(cudaGetDriverEntryPointByVersion(name, &p, 12000, cudaEnableDefault, &found));

	if (NULL == p)
		error("GPU: the " GPU_VENDOR " driver has no %s(), expected one of CUDA 12 or newer", name);

	return (F)p;
}

static const void *load(const void *code, size_t)
{
	static const auto load_data = driver<decltype(&cuModuleLoadData)>("cuModuleLoadData");
	static const auto get_function = driver<decltype(&cuModuleGetFunction)>("cuModuleGetFunction");
	CUmodule module;
	CUfunction function;

	GPU_CHECK(cudaFree(0)); // the context

	if (CUDA_SUCCESS != load_data(&module, code) ||
	        CUDA_SUCCESS != get_function(&function, module, "gantry_expr"))
		return NULL;

	return function;
}

void expr_kernel_run(const void *kernel, long blocks, const int64_t *args, long words)
{
	static const auto launch = driver<decltype(&cuLaunchKernel)>("cuLaunchKernel");
	void *arguments[] = {(void *)args};

	if (blocks < 1 || blocks > 0x7fffffffL)
		error("a GPU kernel of %ld blocks, expected 1 to 2147483647", blocks);

	(void)words;
	gpu_enter();

	CUresult e = launch((CUfunction)kernel, (unsigned)blocks, 1, 1, EXPR_THREADS, 1, 1, 0,
	        (CUstream)gpu_stream(), arguments, NULL);

	if (CUDA_SUCCESS != e)
		error("GPU: the kernel of an expression, %ld blocks of %d threads, is refused by the driver "
		      "(error "
		      "%d)",
		        blocks, EXPR_THREADS, (int)e);
}

#endif

/** Compiles, or takes what is on disk: what cannot be loaded is compiled again. NULL: that did not help. */
static const void *make(const std::string &text, const std::string &about)
{
	const std::string key = about + text;
	size_t bytes = 0;
	void *code = cache_read(key.c_str(), &bytes);
	const void *kernel = (NULL == code) ? NULL : load(code, bytes);

	free(code);

	if (NULL != kernel) {
		counts.disk++;
		return kernel;
	}

	const std::string fresh = compile(text.c_str());

	if (fresh.empty())
		return NULL;

	kernel = load(fresh.data(), fresh.size());

	if (NULL == kernel) {
		give_up("what was compiled cannot be loaded");
		return NULL;
	}

	cache_write(key.c_str(), fresh.data(), fresh.size());
	counts.compiled++;

	return kernel;
}

const void *expr_kernel_of(const char *library, const char *text)
{
	const std::lock_guard<std::mutex> hold(lock);

	if (!compiler_found())
		return NULL;

	const std::string about = "gantry " GANTRY_VERSION " " + gpu_rtc_architecture(gpu_properties()) +
	                          " compiler " + compiler_version() + "\n";
	const std::string key = std::to_string(gpu_enter()) + about + text;
	const auto at = kernels.find(key);

	if (at != kernels.end()) {
		counts.process++;
		return at->second;
	}

	const void *kernel = make(std::string(library) + text, about);

	kernels[key] = kernel;

	return kernel;
}

bool expr_kernel_compiler(void)
{
	const std::lock_guard<std::mutex> hold(lock);

	return compiler_found();
}

struct expr_kernel_counts expr_kernel_counts(void)
{
	return counts;
}

void expr_kernel_forget(void)
{
	const std::lock_guard<std::mutex> hold(lock);

	kernels.clear();
}
