#ifndef NUM_CUDA_SELFTEST_H
#define NUM_CUDA_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Self-tests of kernel families. Each family runs a small one, compared with numbers computed on the host,
 * when a process first uses it on a GPU and driver that have not passed it yet with this build; that they
 * have is kept in the user's cache folder (num/cuda/cache.h).
 *
 *     GPU_SELFTEST(name, function);        in the family's file; bool function(char *why, size_t room)
 *     gpu_selftest(&gpu_selftest_name);    where the family is entered: error() when it fails
 *
 * and a line in FAMILIES below.
 */
#define GPU_SELFTEST_FAMILIES(X) X(device)

struct gpu_selftest {
	const char *name;
	bool (*fn)(char *why, size_t room); // on the device in use; why: what was found and expected
	bool passed[64];                    // in this process, by device
};

#ifdef __cplusplus
#define GPU_SELFTEST(name_, function)                                                                        \
	extern "C" struct gpu_selftest gpu_selftest_##name_;                                                 \
	struct gpu_selftest gpu_selftest_##name_ = {#name_, function, {}}
extern "C" {
#endif

#define GPU_SELFTEST_DECLARE(name) extern struct gpu_selftest gpu_selftest_##name;
GPU_SELFTEST_FAMILIES(GPU_SELFTEST_DECLARE)
#undef GPU_SELFTEST_DECLARE

extern void gpu_selftest(struct gpu_selftest *t);

#ifdef __cplusplus
}
#endif

#endif
