#ifndef NUM_DEVICE_DEVICE_CHOICE_H
#define NUM_DEVICE_DEVICE_CHOICE_H

#include "misc/options/opt.h"

/** For tool_on_device(): selects the device given on the command line. */
extern void device_choose(const struct tool_device_choice *choice);

#endif
