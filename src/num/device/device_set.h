#ifndef NUM_DEVICE_DEVICE_SET_H
#define NUM_DEVICE_DEVICE_SET_H

#include <stdbool.h>

/** Sets the GPU that the device layer uses. A negative id has no effect. */
extern void device_set(int id);

/** Returns whether this process has used a GPU. */
extern bool device_asked(void);

#endif
