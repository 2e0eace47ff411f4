#ifndef CT_PROJECTOR_XRAY_BACKEND_H
#define CT_PROJECTOR_XRAY_BACKEND_H

#include "ct/projector/xray.h"

/** Where the X-ray transform is computed. add: to what the output holds; else the pixels of the piece's views
 * are overwritten, which the whole volume must then be a part of (all rows of bricks). */
struct xray_backend {
	const char *name;
	bool large_pieces; // a call costs much: as few as may be
	void (*forward)(const struct xray *x, enum dtype type, void *proj, const void *vol,
	        const struct xray_piece *piece, bool add);
	/** vol += A' proj. */
	void (*adjoint)(const struct xray *x, enum dtype type, void *vol, const void *proj,
	        const struct xray_piece *piece);
};

/** On the CPU; on the GPU, arrays there; on the GPU, arrays on the host, or one of them, which pass through
 * in parts that fit its memory. */
extern const struct xray_backend xray_backend_cpu, xray_backend_gpu, xray_backend_through;

/** By the place of the arrays; on the host, that of the device in use. */
extern const struct xray_backend *xray_backend_of(const void *vol, const void *proj);

/** What the GPU keeps of an operator: made by the first call. */
struct xray_gpu;
extern void xray_gpu_free(struct xray_gpu *p);

/** The bricks of a piece through the GPU's memory, at most so many slices and views at a time, these from
 * multiples of `views` on: what xray_backend_through does with those of xray_gpu_cut(). */
extern void xray_gpu_through(const struct xray *x, enum dtype type, void *vol, void *proj,
        const struct xray_piece *piece, bool forward, bool add, long slices, long views);

/** How arrays on the host would pass through the GPU: slices of the volume and views at a time, those that
 * take least time. Returns what crosses to it and back [bytes]. */
extern double xray_gpu_cut(const struct xray *x, enum dtype type, bool forward, long *slices, long *views);

#endif
