#ifndef CT_PROJECTOR_XRAY_BACKEND_H
#define CT_PROJECTOR_XRAY_BACKEND_H

#include "ct/projector/xray.h"

/** An implementation of the X-ray transform on one kind of device. add: the result is added to the output.
 * Without add, the pixels of the tile's views are overwritten, and the tile must contain the whole volume
 * (all rows of bricks). */
struct xray_backend {
	const char *name;
	bool large_tiles; // a call costs much: as few as may be
	void (*forward)(const struct xray *x, enum dtype type, void *proj, const void *vol,
	        const struct xray_tile *tile, bool add);
	/** vol += A' proj. */
	void (*adjoint)(const struct xray *x, enum dtype type, void *vol, const void *proj,
	        const struct xray_tile *tile);
};

/** cpu: computes on the CPU. gpu: computes on the GPU, with both arrays in GPU memory. through: computes on
 * the GPU, with one or both arrays on the host; the arrays are transferred in parts that fit into GPU memory.
 * opencl: like the backend `through`, but on an OpenCL device. */
extern const struct xray_backend xray_backend_cpu, xray_backend_gpu, xray_backend_through,
        xray_backend_opencl;

/** The backend for these arrays. It depends on where the arrays reside and, for arrays on the host, on the
 * device in use.
 */
extern const struct xray_backend *xray_backend_of(const void *vol, const void *proj);

/** Data of an operator on the GPU, and on an OpenCL device; made by the first call. */
struct xray_gpu;
extern void xray_gpu_free(struct xray_gpu *p);
struct xray_opencl;
extern void xray_opencl_free(struct xray_opencl *p);

/** Transfers the bricks of a tile to the GPU and computes them, with at most `slices` slices and `views`
 * views at a time; parts begin at multiples of `views`. xray_backend_through calls this function with the
 * sizes of xray_gpu_cut(). */
extern void xray_gpu_through(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_tile *tile, bool forward, bool add, long slices, long views);

/** Chooses the numbers of slices and views at a time for which the computation from arrays on the host takes
 * the least time. Returns the bytes of all transfers. */
extern double xray_gpu_cut(const struct xray *x, enum dtype type, bool forward, long *slices, long *views);

#endif
