#ifndef NUM_DEVICE_DEVICE_CHOICE_H
#define NUM_DEVICE_DEVICE_CHOICE_H

#include "misc/options/opt.h"

/** For tool_on_device(): selects the device of the command line. */
extern void device_choose(enum tool_device kind, int id, const char *what);

#endif
