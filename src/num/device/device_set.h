#ifndef NUM_DEVICE_DEVICE_SET_H
#define NUM_DEVICE_DEVICE_SET_H

#include <stdbool.h>

#include "misc/options/opt.h"

/** For device_use(): the GPU that the device layer works with from now on, or -1. */
extern void device_set(int id);

/** For tool_on_device(): what the command line says. */
extern void device_choose(enum tool_device kind, int id, const char *what);

/** Whether a GPU has been asked for anything yet. */
extern bool device_asked(void);

#endif
