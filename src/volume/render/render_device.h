#ifndef VOLUME_RENDER_RENDER_DEVICE_H
#define VOLUME_RENDER_RENDER_DEVICE_H

#include "volume/render/render_kern.h"

/** Pictures on a GPU. Volumes that fit stay in GPU memory between pictures. Larger volumes are copied to the
 * GPU slab by slab for each picture. */
struct render_device;

/** Allocates device memory for the volumes of r. With `by_slabs`, or if the volumes do not fit, the memory
 * holds one slab. Warns and returns NULL if the CPU must draw. */
extern struct render_device *render_device_create(const struct render *r, long halo, bool by_slabs);
extern void render_device_free(struct render_device *g);

/** Returns the largest number of slices of a slab. The device also holds `halo` slices on each side of the
 * slab. */
extern long render_device_slices(const struct render_device *g);

/** Copies the initial state of all pixels and the tables of p to the device. */
extern void render_device_start(struct render_device *g, const struct render_pass *p);

/** Copies p->blocks to the device, without data that the mode of p does not need. */
extern void render_device_see(struct render_device *g, const struct render_pass *p);

/** Makes slices [first, last) available on the device. Sets p->field[].base and p->labels to device
 * addresses. */
extern void render_device_select(
        struct render_device *g, struct render_pass *p, const struct render *r, long first, long last);

/** Continues the rays of pixel rows [top, top + rows) through the slab of p. */
extern void render_device_cast(struct render_device *g, const struct render_pass *p, long top, long rows);

/** Copies the pixels from the device to p->state. */
extern void render_device_end(struct render_device *g, const struct render_pass *p);

/** The GPU kernels. */
struct render_kernels {
	/** Implements render_device_cast(), with device addresses in p. */
	void (*cast)(const struct render_pass *p, long top, long rows);
};

extern const struct render_kernels render_kernels_gpu;

#endif
