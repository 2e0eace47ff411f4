#ifndef NUM_DEVICE_DEVICE_FILES_H
#define NUM_DEVICE_DEVICE_FILES_H

#include "misc/file/cfl.h"
#include "num/device/device.h"

/** Describes elements [first, first + n) of input f as an operand for device_run_pipeline(). Several
 * threads read f if f is mapped. Otherwise, elements are read in order, each once. */
extern struct device_part device_part_in(struct cfl *f, long first, long n);

/** Describes elements [first, first + n) of output f. Several threads write f if f accepts cfl_put().
 * Otherwise, elements are written in order. */
extern struct device_part device_part_out(struct cfl *f, long first, long n);

#endif
