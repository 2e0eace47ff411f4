#ifndef NUM_DEVICE_DEVICE_FILES_H
#define NUM_DEVICE_DEVICE_FILES_H

#include "misc/file/cfl.h"
#include "num/device/device.h"

/** Describes elements [first, first + n) of an input as an operand of a slab (device_run_pipeline()). Several
 * threads read ordinary files. Other inputs are read in order, each element once, as by cfl_next(). */
extern struct device_part device_part_in(struct cfl *f, long first, long n);

/** Like device_part_in() for an output. cfl_put() writes files; streams are written in order. */
extern struct device_part device_part_out(struct cfl *f, long first, long n);

#endif
