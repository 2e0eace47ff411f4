#ifndef NUM_DEVICE_H
#define NUM_DEVICE_H

/**
 * The GPUs of this machine. Builds without CUDA, and machines without a GPU or driver, have none.
 */

/** Number of usable GPUs; 0 when there is none. */
extern int device_count(void);

/** Name of GPU id, 0 <= id < device_count(), e.g. "NVIDIA H200"; a static buffer. */
extern const char *device_name(int id);

/** Memory of GPU id [bytes]. */
extern long device_memory(int id);

/** Why there is no GPU: "built without CUDA", or what the driver says; "" when there is one. A static string.
 */
extern const char *device_none_reason(void);

#endif
