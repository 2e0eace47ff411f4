#ifndef NUM_DEVICE_SELFTEST_H
#define NUM_DEVICE_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Each kernel family has a small self-test with known results. The test runs when a process first uses the
 * family. Verdicts are stored in the user's cache folder (num/device/cache.h). A verdict for the same
 * build, device and driver replaces the test. One thread at a time runs tests. Other threads wait if they
 * need an untested family.
 *
 * A back end describes its device with selftest_serve() and declares families with SELFTEST(). The back
 * end calls selftest_need() before a family is used.
 */
enum selftest_kind { SELFTEST_GPU, SELFTEST_OPENCL, SELFTEST_KINDS };

enum { SELFTEST_DEVICES = 64 };

struct selftest {
	const char *name;
	bool (*fn)(char *why, size_t room); // runs the test; why: found and expected values
	bool compiles;                      // whether the test compiles a kernel
	bool float64;                       // whether the test needs float64
	struct selftest *next;              // in the order of names
	int state[SELFTEST_DEVICES];        // per device, in this process
};

/** Describes the device that a back end uses. */
struct selftest_device {
	const char *word, *thing; // for messages: "OpenCL", "device"
	int (*number)(void);
	const char *(*name)(void);
	/** Returns a description of the driver. The caller frees the text. A verdict holds for one family,
	 * device name, driver and build. The emulator returns NULL. Without a description, no verdict is
	 * stored and tests that compile kernels are skipped. */
	char *(*state)(void);
	/** Between beside(true) and beside(false), GANTRY_GPU_MEM does not limit allocations. */
	void (*beside)(bool begin);
	bool (*has_float64)(void);
};

#ifdef __cplusplus
extern "C" {
#endif

extern void selftest_serve(enum selftest_kind kind, const struct selftest_device *d);
extern void selftest_add(enum selftest_kind kind, struct selftest *t);

/** Returns after the family has passed its test on the device. A failed test, now or stored earlier, is an
 * error(). */
extern void selftest_need(enum selftest_kind kind, struct selftest *t);

/** Returns whether the calling thread runs a self-test. */
extern bool selftest_runs(void);

/** Returns the first family. The member `next` points to the next family by name. */
extern struct selftest *selftest_first(enum selftest_kind kind);

/** Returns whether the device in use can run the family. */
extern bool selftest_applies(enum selftest_kind kind, const struct selftest *t);
/** Runs the test of the family, stores the verdict and returns whether the test passed. Sets *error to the
 * largest deviation, relative to the largest expected value. */
extern bool selftest_try(enum selftest_kind kind, struct selftest *t, double *error, char *why, size_t room);

/** Returns whether `found` equals `expected` within `tolerance` times the largest expected value. A
 * tolerance of 0 requires bit-identical values. Test functions call selftest_same(). The deviation is
 * recorded for selftest_try(). */
extern bool selftest_same(char *why, size_t room, const char *what, const double *found,
        const double *expected, long n, double tolerance);

/** Fills x with pseudorandom numbers between -1/2 and 1/2. */
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
