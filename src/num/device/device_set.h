#ifndef NUM_DEVICE_DEVICE_SET_H
#define NUM_DEVICE_DEVICE_SET_H

#include <stdbool.h>

/** For device_use(): sets the GPU that the device layer uses; -1: none. */
extern void device_set(int id);

/** Whether a GPU has been used yet. */
extern bool device_asked(void);

#endif
