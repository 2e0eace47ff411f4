#ifndef NUM_DEVICE_SELFTEST_H
#define NUM_DEVICE_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Self-tests of kernel families. When a process first uses a family, a small test with known results runs,
 * unless this build already has a verdict for the device and driver. Verdicts are stored in the user's cache
 * folder (num/device/cache.h). One thread at a time runs tests. Other threads wait if they need a family that
 * has not passed yet, so that no untested family is used.
 *
 * A back end describes its device with selftest_serve(), declares its families with SELFTEST() in any module,
 * and calls selftest_need() before a family is used.
 */
enum selftest_kind { SELFTEST_GPU, SELFTEST_OPENCL, SELFTEST_KINDS };

enum { SELFTEST_DEVICES = 64 };

struct selftest {
	const char *name;
	bool (*fn)(char *why, size_t room); // on the device in use; why: what was found and expected
	bool compiles;                      // a kernel, which takes the emulator's compiler seconds
	bool float64;                       // not for devices without float64
	struct selftest *next;              // of all, by name
	int state[SELFTEST_DEVICES];        // in this process, by device
};

/** The device in use, as its back end describes it. */
struct selftest_device {
	const char *word, *thing; // for messages: "OpenCL", "device"
	int (*number)(void);
	const char *(*name)(void);
	/** Describes the driver: a verdict holds for one family, device name, driver and build. The caller
	 * frees the text. The emulator returns NULL: then no verdict is stored, and tests that compile
	 * kernels are skipped. */
	char *(*state)(void);
	/** Between beside(true) and beside(false), memory is not counted against GANTRY_GPU_MEM. */
	void (*beside)(bool begin);
	bool (*has_float64)(void);
};

#ifdef __cplusplus
extern "C" {
#endif

extern void selftest_serve(enum selftest_kind kind, const struct selftest_device *d);
extern void selftest_add(enum selftest_kind kind, struct selftest *t);

/** Returns when the family has passed on the device in use; error() if it fails or has failed before. */
extern void selftest_need(enum selftest_kind kind, struct selftest *t);

/** Whether the calling thread runs a self-test. */
extern bool selftest_runs(void);

/** The first family; the others follow by `next`, in the order of their names. */
extern struct selftest *selftest_first(enum selftest_kind kind);

/** selftest_applies(): whether the device in use can run the family. selftest_try() runs the family's test,
 * stores the verdict and returns whether the test passed. *error: the largest deviation that the test found,
 * relative to the largest value. */
extern bool selftest_applies(enum selftest_kind kind, const struct selftest *t);
extern bool selftest_try(enum selftest_kind kind, struct selftest *t, double *error, char *why, size_t room);

/** Whether `found` is `expected`: to `tolerance` times the largest value, or bit by bit if `tolerance` is 0.
 * Called by the test functions of families. Records the deviation for selftest_try(). */
extern bool selftest_same(char *why, size_t room, const char *what, const double *found,
        const double *expected, long n, double tolerance);

/** Fills x with pseudorandom numbers between -1/2 and 1/2, so that a test detects exchanged elements. */
extern void selftest_fill(float *x, long n, unsigned seed);

#ifdef __cplusplus
}
#endif

#define SELFTEST(kind_, prefix_, name_, function, compiles_, float64_)                                       \
	struct selftest prefix_##_selftest_##name_ = {#name_, function, compiles_, float64_, NULL, {0}};     \
	__attribute__((constructor)) static void prefix_##_selftest_add_##name_(void)                        \
	{                                                                                                    \
		selftest_add(kind_, &prefix_##_selftest_##name_);                                            \
	}                                                                                                    \
	extern struct selftest prefix_##_selftest_##name_

#endif
