#ifndef CT_PROJECTOR_XRAY_BACKEND_H
#define CT_PROJECTOR_XRAY_BACKEND_H

#include "ct/projector/xray.h"

/** An implementation of the X-ray transform for one kind of device. If `add` is true, forward() adds A vol
 * to proj. If `add` is false, forward() overwrites the tile's views in proj. In this case, the tile must
 * contain all rows of bricks. */
struct xray_backend {
	const char *name;
	bool large_tiles; // calls are expensive, so tiles should be large
	void (*forward)(const struct xray *x, enum dtype type, void *proj, const void *vol,
	        const struct xray_tile *tile, bool add);
	/** Computes vol += A' proj. */
	void (*adjoint)(const struct xray *x, enum dtype type, void *vol, const void *proj,
	        const struct xray_tile *tile);
};

/**
 * The backends differ in the device and in the memory of the arrays:
 * - xray_backend_cpu: computes on the CPU.
 * - xray_backend_gpu: computes on the GPU, with both arrays in GPU memory.
 * - xray_backend_through: computes on the GPU, with one or both arrays in host memory. The arrays are
 *   transferred in pieces that fit into GPU memory.
 * - xray_backend_opencl: computes on an OpenCL device, with both arrays in host memory.
 */
extern const struct xray_backend xray_backend_cpu, xray_backend_gpu, xray_backend_through,
        xray_backend_opencl;

/** Returns the backend for two arrays. The choice depends on the memory that holds the arrays. For arrays in
 * host memory, the choice also depends on the device in use. */
extern const struct xray_backend *xray_backend_of(const void *vol, const void *proj);

/** Data of a transform on the GPU or on an OpenCL device. The first projection creates the data. The
 * function xray_free() frees the data. */
struct xray_gpu;
extern void xray_gpu_free(struct xray_gpu *p);
struct xray_opencl;
extern void xray_opencl_free(struct xray_opencl *p);

/** Computes a tile on the GPU, with one or both arrays in host memory. At most `slices` slices and `views`
 * views are on the GPU at a time. Groups of views begin at multiples of `views`. The backend
 * xray_backend_through gets both numbers from xray_gpu_cut(). */
extern void xray_gpu_through(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_tile *tile, bool forward, bool add, long slices, long views);

/** Chooses how many slices and views are on the GPU at a time, for the shortest computing time. Returns the
 * total size of all transfers [bytes]. */
extern double xray_gpu_cut(const struct xray *x, enum dtype type, bool forward, long *slices, long *views);

#endif
