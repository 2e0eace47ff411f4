#ifndef VOLUME_RENDER_RENDER_DEVICE_H
#define VOLUME_RENDER_RENDER_DEVICE_H

#include "volume/render/render_kern.h"

/**
 * Pictures on a GPU. Volumes stay in its memory from one picture to the next if they fit; otherwise each slab
 * is copied there before it is drawn. Samples and their order are those of the CPU.
 */
struct render_device;

/** Allocates device memory for the volumes of r, or for slabs of them if by_slabs is set or they do not fit.
 * Returns NULL, and says why, if the CPU must draw them. */
extern struct render_device *render_device_create(const struct render *r, long halo, bool by_slabs);
extern void render_device_free(struct render_device *g);

/** The largest number of slices of a slab. The device also has the `halo` slices before and after the
 * slab. */
extern long render_device_slices(const struct render_device *g);

/** Copies the initial state of all pixels and the tables of p to the device. */
extern void render_device_start(struct render_device *g, const struct render_pass *p);

/** Copies p->blocks to the device, except what the mode of p does not need. */
extern void render_device_see(struct render_device *g, const struct render_pass *p);

/** Makes slices first .. last - 1 available, and points p->field[].base and p->labels at them. */
extern void render_device_select(
        struct render_device *g, struct render_pass *p, const struct render *r, long first, long last);

/** Continues the rays of `rows` rows of pixels from row `top` on through the slab of p. */
extern void render_device_cast(struct render_device *g, const struct render_pass *p, long top, long rows);

/** Copies the pixels to p->state. */
extern void render_device_end(struct render_device *g, const struct render_pass *p);

/** Kernels of the GPU. */
struct render_kernels {
	/** As render_device_cast(), with addresses of the device in p. */
	void (*cast)(const struct render_pass *p, long top, long rows);
};

extern const struct render_kernels render_kernels_gpu;

#endif
