#ifndef NUM_DEVICE_SET_H
#define NUM_DEVICE_SET_H

/** For device_use(): the GPU that the device layer works with from now on, or -1. */
extern void device_set(int id);

#endif
