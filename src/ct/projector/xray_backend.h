#ifndef CT_PROJECTOR_XRAY_BACKEND_H
#define CT_PROJECTOR_XRAY_BACKEND_H

#include "ct/projector/xray.h"

/** Where the X-ray transform is computed. add: to the output; else the pixels of the tile's views are
 * overwritten, and the tile must contain the whole volume (all rows of bricks). */
struct xray_backend {
	const char *name;
	bool large_tiles; // a call costs much: as few as may be
	void (*forward)(const struct xray *x, enum dtype type, void *proj, const void *vol,
	        const struct xray_tile *tile, bool add);
	/** vol += A' proj. */
	void (*adjoint)(const struct xray *x, enum dtype type, void *vol, const void *proj,
	        const struct xray_tile *tile);
};

/** On the CPU; on the GPU, arrays there; on the GPU, arrays on the host, or one of them, which pass through
 * in parts that fit its memory; by OpenCL, likewise. */
extern const struct xray_backend xray_backend_cpu, xray_backend_gpu, xray_backend_through,
        xray_backend_opencl;

/** By the place of the arrays; for arrays on the host, the device in use. */
extern const struct xray_backend *xray_backend_of(const void *vol, const void *proj);

/** What the GPU, and a device of OpenCL, keep of an operator: made by the first call. */
struct xray_gpu;
extern void xray_gpu_free(struct xray_gpu *p);
struct xray_opencl;
extern void xray_opencl_free(struct xray_opencl *p);

/** The bricks of a tile through the GPU's memory, at most so many slices and views at a time, the views from
 * multiples of `views` on: as xray_backend_through does with the sizes of xray_gpu_cut(). */
extern void xray_gpu_through(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_tile *tile, bool forward, bool add, long slices, long views);

/** How arrays on the host pass through the GPU: the numbers of slices and views at a time that take the least
 * time. Returns the bytes of all transfers. */
extern double xray_gpu_cut(const struct xray *x, enum dtype type, bool forward, long *slices, long *views);

#endif
