#ifndef NUM_DEVICE_OPENCL_SELFTEST_H
#define NUM_DEVICE_OPENCL_SELFTEST_H

#include "num/device/selftest.h"

/**
 * These macros declare self-tests of OpenCL kernel families (num/device/selftest.h).
 *
 *     OPENCL_SELFTEST(name, function); in any module
 *     OPENCL_SELFTEST_FLOAT64(name, function); for devices with float64
 *     opencl_selftest(&opencl_selftest_name); before the family is used
 */
#define OPENCL_SELFTEST(name, function)         SELFTEST(SELFTEST_OPENCL, opencl, name, function, false, false)
#define OPENCL_SELFTEST_FLOAT64(name, function) SELFTEST(SELFTEST_OPENCL, opencl, name, function, false, true)

extern struct selftest opencl_selftest_copies, opencl_selftest_expressions,
        opencl_selftest_expressions_float64, opencl_selftest_reductions, opencl_selftest_neighbourhoods,
        opencl_selftest_samplers, opencl_selftest_back_projection_float32,
        opencl_selftest_back_projection_float64, opencl_selftest_masks;

extern void opencl_selftest(struct selftest *t);

#endif
