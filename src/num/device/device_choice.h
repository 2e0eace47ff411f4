#ifndef NUM_DEVICE_DEVICE_CHOICE_H
#define NUM_DEVICE_DEVICE_CHOICE_H

#include "misc/options/opt.h"

/** For tool_on_device(): takes the device that the command line says. */
extern void device_choose(const struct tool_device_choice *choice);

#endif
