#ifndef NUM_DEVICE_DEVICE_CHOICE_H
#define NUM_DEVICE_DEVICE_CHOICE_H

#include "misc/options/opt.h"

/** Selects the device given on the command line. A missing device is an error(). */
extern void device_choose(const struct tool_device_choice *choice);

#endif
