#ifndef CT_PROJECTOR_BRICKS_H
#define CT_PROJECTOR_BRICKS_H

#include "ct/projector/xray.h"

/**
 * Internals of the X-ray transform on the CPU. The volume is partitioned into bricks; the partition depends
 * on the volume and the geometry, but not on the number of threads. A brick is copied into a small buffer
 * with a border of zeros. The contribution of a brick to a ray needs no other bricks, so A is a sum over
 * bricks. A' applies the transpose brick by brick, with the same weights. In A', each brick is computed by
 * one thread, view by view.
 */

/** A view in voxel index coordinates: pixel (a, b) is at d + x[a] u + (b - (rows-1)/2) v + z[a] n. */
struct xray_view {
	double s[3], d[3], u[3], v[3], n[3];
	double dual[3][3];   // rows: coordinates (x, y, z) of a point along u, v, n
	const double *x, *z; // per column
	bool untilted;       // columns are parallel to z
};

struct xray {
	struct geom *g;
	struct grid grid;
	enum xray_model model;
	const struct mask *mask; // NULL: every voxel counts
	struct xray_view *view;
	double **tables; // column tables of curved detectors, shared by views of one pitch
	long ntables;
	int edge[3];    // voxels of a brick
	long bricks[3]; // how many along each axis
	int stride[3];  // of the buffer of a brick [elements]
	int lead;       // unused elements before the box, so that each line along z starts at a cache line
	long room;      // elements of the buffer
	struct xray *plane;         // of a stack of fans: the transform of one slice; else NULL
	struct projectors *cpu;     // the paths of its views (projector.h)
	struct xray_gpu *gpu;       // data on the device (xray_backend.h); NULL: none yet
	struct xray_opencl *opencl; // the same for OpenCL
};

/** A brick: its first voxel and its size. */
struct brick {
	long first[3];
	int size[3];
};

/** Component i of the direction of the ray to the middle row of a column. For another row of a fan or cone
 * beam, a multiple of v is added. The direction depends only on view and pixel, so that the dominant axis of
 * a ray is the same in all bricks. */
static inline double column_direction(const struct xray *x, const struct xray_view *w, long column, int i)
{
	return x->g->parallel ? w->s[i]
	                      : ((w->d[i] - w->s[i]) + w->x[column] * w->u[i]) + w->z[column] * w->n[i];
}

/** Chooses the size of bricks and the layout of their buffers. */
extern void bricks_cut(struct xray *x);
extern void brick_at(struct brick *b, const struct xray *x, long bx, long by, long bz);

/** The columns and rows of one view whose rays may meet a brick. */
struct brick_bounds {
	bool all;          // no bounds known: all pixels
	double x[2], y[2]; // range on the detector's tangent plane, in columns and rows from the centre
	double from[3];    // source, or beam direction, along u, v, n
	bool parallel;
};

extern void brick_bounds_find(struct brick_bounds *s, const struct xray *x, const struct brick *b, long view);
/** Ranges [lo, hi) of columns, and of rows for a column; a range is empty if lo >= hi. */
extern void brick_bounds_columns(
        const struct brick_bounds *s, const struct xray *x, long view, long *lo, long *hi);
extern void brick_bounds_rows(const struct brick_bounds *s, const struct xray *x, const struct xray_view *w,
        long column, long *lo, long *hi);

/** Copies between the volume and the buffer of a brick, for one element type; step: elements between
 * neighbours in vol (2 for a part of complex data). */
struct brick_store {
	void (*load)(const struct xray *x, const struct brick *b, void *buffer, const void *vol, int step);
	void (*save)(const struct xray *x, const struct brick *b, void *vol, const void *buffer, int step);
};

extern const struct brick_store brick_store_float, brick_store_double;

/** For one element type: proj += A brick, or brick += A' proj, for columns [lo, hi) of one view. proj points
 * to that view; step: elements between neighbours in proj. */
struct brick_kernels {
	void (*forward)(const struct xray *x, const struct brick *b, void *proj, const void *buffer,
	        long view, long lo, long hi, int step);
	void (*adjoint)(const struct xray *x, const struct brick *b, void *buffer, const void *proj,
	        long view, long lo, long hi, int step);
	bool costly; // per voxel: the overhead of a brick is negligible
};

struct gpu_tile;

/** The arguments of a call of a path, for the real or imaginary part of the data of a tile, float32 or
 * float64. step: elements between neighbouring voxels; apart: elements between neighbouring pixels (2 in
 * complex data). */
struct xray_call {
	const struct xray *x;
	const struct brick_store *store;
	enum dtype type; // of the data
	size_t size;     // of an element of the real or imaginary part [bytes]
	int step, apart;
	char *vol, *proj;
	const struct xray_tile *tile; // arrays on the host
	const struct gpu_tile *gpu;   // arrays on the device
	long *spent;                  // NULL, or per path: time of all threads in its kernels [ns]
};

/** Address of view `view` (counted in the geometry) in the projections. */
extern char *xray_call_view(const struct xray_call *p, long view);
/** brick_of_row(): brick i of a row of bricks along x. brick_load(): copies a brick into its buffer; voxels
 * outside the mask are 0.
 */
extern void brick_of_row(struct brick *b, const struct xray *x, long i, long row);
extern void brick_load(const struct xray_call *p, const struct brick *b, char *buffer);
/** Whether the brick is completely outside the mask. */
extern bool brick_hidden(const struct xray *x, const struct brick *b);
/** The number of threads for the work of the call (threads_for). */
extern int xray_call_threads(const struct xray_call *p);

#endif
