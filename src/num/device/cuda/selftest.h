#ifndef NUM_DEVICE_CUDA_SELFTEST_H
#define NUM_DEVICE_CUDA_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Self-tests of kernel families. Each family runs a small test, compared with the CPU's result, when a
 * process first uses it on a GPU and driver that have not passed it yet with this build. Passed tests are
 * recorded in the user's cache folder (num/device/cache.h). One thread at a time runs tests. Other threads
 * wait if they need a family that has not passed yet, so that no untested family is used.
 *
 *     GPU_SELFTEST(name, function); in any module; bool function(char *why, size_t room)
 *     GPU_SELFTEST_DECLARE(name); gpu_selftest(&gpu_selftest_name); where the family is entered: error() when
 *     it fails
 */
struct gpu_selftest {
	const char *name;
	bool (*fn)(char *why, size_t room); // on the device in use; why: what was found and expected
	bool compiles;                      // a kernel, which takes the emulator's compiler seconds
	struct gpu_selftest *next;          // of all, by name
	int state[64];                      // in this process, by device
};

#ifdef __cplusplus
#define GPU_SELFTEST_C extern "C"
extern "C" {
#else
#define GPU_SELFTEST_C extern
#endif

#define GPU_SELFTEST_DECLARE(name_) GPU_SELFTEST_C struct gpu_selftest gpu_selftest_##name_
#define GPU_SELFTEST_OF(name_, function, compiles_)                                                          \
	GPU_SELFTEST_DECLARE(name_);                                                                         \
	struct gpu_selftest gpu_selftest_##name_ = {#name_, function, compiles_, NULL, {0}};                 \
	__attribute__((constructor)) static void gpu_selftest_add_##name_(void)                              \
	{                                                                                                    \
		gpu_selftest_add(&gpu_selftest_##name_);                                                     \
	}                                                                                                    \
	GPU_SELFTEST_DECLARE(name_)
#define GPU_SELFTEST(name_, function) GPU_SELFTEST_OF(name_, function, false)

extern void gpu_selftest(struct gpu_selftest *t);
extern void gpu_selftest_add(struct gpu_selftest *t);

/** Whether the calling thread runs a self-test. The thread then does the work of all workers, since other
 * threads would wait for the test.
 */
extern bool gpu_selftest_runs(void);

/** Size of the arrays of a test [float32]: of each input; the results have four times this size. */
enum { SELFTEST_NUMBERS = 1 << 12 };

/** Whether work() gives the same result for arrays on the host and on the device: to `tolerance` times the
 * largest result, or bit by bit if `tolerance` is 0. out: 4 SELFTEST_NUMBERS elements, initially 0; x, y:
 * values between -1/2 and 1/2. */
extern bool gpu_selftest_same(char *why, size_t room, const char *what,
        void (*work)(float *out, const float *x, const float *y), double tolerance);

#ifdef __cplusplus
}
#endif

GPU_SELFTEST_DECLARE(device);
GPU_SELFTEST_DECLARE(operators);
GPU_SELFTEST_DECLARE(reductions);
GPU_SELFTEST_DECLARE(integers);
GPU_SELFTEST_DECLARE(copies);
GPU_SELFTEST_DECLARE(expressions);
GPU_SELFTEST_DECLARE(generated);
GPU_SELFTEST_DECLARE(fft);
GPU_SELFTEST_DECLARE(blas);

#endif
