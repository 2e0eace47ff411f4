#ifndef CT_PROJECTOR_BRICKS_H
#define CT_PROJECTOR_BRICKS_H

#include "ct/projector/xray.h"

/**
 * Internals of the X-ray transform A on the CPU. The volume is divided into bricks, which are blocks of
 * voxels. The division into bricks depends on the volume and the geometry, but not on the number of threads.
 * A brick is copied into a small buffer with a border of zeros.
 *
 * The contribution of a brick to a ray needs no other bricks. So A is the sum of the contributions of all
 * bricks. A and A' use the same weights. In A', one thread computes a brick, view by view.
 */

/** One view in voxel index coordinates. Pixel (a, b) is at `d + x[a] u + (b - (rows-1)/2) v + z[a] n`. */
struct xray_view {
	double s[3], d[3], u[3], v[3], n[3];
	double dual[3][3];   // the rows map (x, y, z) to components along u, v, n
	const double *x, *z; // one element per detector column
	bool untilted;       // detector columns are parallel to z
};

struct xray {
	struct geom *g;
	struct grid grid;
	enum xray_model model;
	const struct mask *mask; // NULL means no mask
	struct xray_view *view;
	double **tables; // x and z of curved detectors; views with equal pixel pitch share a table
	long ntables;
	int edge[3];                // size of a brick [voxels]
	long bricks[3];             // number of bricks along x, y and z
	int stride[3];              // strides of a brick buffer [elements]
	int lead;                   // offset of the brick in the buffer [elements]
	long room;                  // size of a brick buffer [elements]
	struct xray *plane;         // transform of one slice for a stack of fans; else NULL
	struct projectors *cpu;     // functions that compute the views on the CPU (projector.h)
	struct xray_gpu *gpu;       // data on the device (xray_backend.h); NULL before first use
	struct xray_opencl *opencl; // data for OpenCL; NULL before first use
};

/** A brick, given by the index of its first voxel and its size [voxels]. */
struct brick {
	long first[3];
	int size[3];
};

/** Returns component i of the direction of the ray to the middle row of a detector column. For another row
 * of a fan or cone beam, the caller adds a multiple of v. The direction depends on view and pixel only.
 * So a ray has the same dominant axis in all bricks. */
static inline double column_direction(const struct xray *x, const struct xray_view *w, long column, int i)
{
	return x->g->parallel ? w->s[i]
	                      : ((w->d[i] - w->s[i]) + w->x[column] * w->u[i]) + w->z[column] * w->n[i];
}

/** Sets the size of bricks and the layout of brick buffers in *x. */
extern void bricks_cut(struct xray *x);
/** Sets *b to brick (bx, by, bz) of the volume. The last brick along an axis may be smaller. */
extern void brick_at(struct brick *b, const struct xray *x, long bx, long by, long bz);

/** The range of pixels of one view whose rays may meet a brick. */
struct brick_bounds {
	bool all;          // no bounds are known, so all pixels count
	double x[2], y[2]; // columns and rows from the centre, on the tangent plane
	double from[3];    // components of the source position, or of the beam direction, along u, v, n
	bool parallel;
};

/** Finds the pixels of a view whose rays may meet a brick. */
extern void brick_bounds_find(struct brick_bounds *s, const struct xray *x, const struct brick *b, long view);
/**
 * These functions set [*lo, *hi) to the pixels whose rays may meet a brick. The range is empty if *lo >=
 * *hi.
 *
 * - brick_bounds_columns(): Sets the range of detector columns.
 * - brick_bounds_rows(): Sets the range of detector rows in one column.
 */
extern void brick_bounds_columns(
        const struct brick_bounds *s, const struct xray *x, long view, long *lo, long *hi);
extern void brick_bounds_rows(const struct brick_bounds *s, const struct xray *x, const struct xray_view *w,
        long column, long *lo, long *hi);

/**
 * Functions that copy a brick, for one element type. `step` is the distance of neighbouring voxels in vol
 * [elements]. `step` is 2 for the real or imaginary part of complex data.
 *
 * - load(): Copies a brick from the volume into a buffer.
 * - save(): Copies a brick from a buffer into the volume.
 */
struct brick_store {
	void (*load)(const struct xray *x, const struct brick *b, void *buffer, const void *vol, int step);
	void (*save)(const struct xray *x, const struct brick *b, void *vol, const void *buffer, int step);
};

extern const struct brick_store brick_store_float, brick_store_double;

/**
 * For one element type, these functions project between a brick and columns [lo, hi) of a view. `proj`
 * points to the first pixel of the view. `step` is the distance of neighbouring pixels in proj [elements].
 *
 * - forward(): Computes proj += A brick.
 * - adjoint(): Computes brick += A' proj.
 */
struct brick_kernels {
	void (*forward)(const struct xray *x, const struct brick *b, void *proj, const void *buffer,
	        long view, long lo, long hi, int step);
	void (*adjoint)(const struct xray *x, const struct brick *b, void *buffer, const void *proj,
	        long view, long lo, long hi, int step);
	bool costly; // many operations per voxel, so the overhead per brick is negligible
};

struct gpu_tile;

/** Arguments of one call that computes A or A'. The call computes the real or the imaginary part of the
 * data. The data are one tile, which is a part of the volume and of the projections. `step` is the
 * distance of neighbouring voxels, and `apart` that of neighbouring pixels [elements]. In complex data,
 * `step` and `apart` are 2. */
struct xray_call {
	const struct xray *x;
	const struct brick_store *store;
	enum dtype type; // type of the data
	size_t size;     // size of a real number [bytes]
	int step, apart;
	char *vol, *proj;
	const struct xray_tile *tile; // tile of arrays on the host
	const struct gpu_tile *gpu;   // tile of arrays on the device
	long *spent; // time of all threads [ns], one element per row of projectors_cpu; NULL if not measured
};

/** Returns the address of a view in the projections of a call. `view` is a view number of the whole
 * geometry. */
extern char *xray_call_view(const struct xray_call *p, long view);
/** Sets *b to brick i of a row of bricks along x. */
extern void brick_of_row(struct brick *b, const struct xray *x, long i, long row);
/** Copies a brick from the volume into a brick buffer. Voxels outside the mask become 0. */
extern void brick_load(const struct xray_call *p, const struct brick *b, char *buffer);
/** Returns true only if all voxels of the brick are outside the mask. If the mask is a file, returns
 * false. */
extern bool brick_hidden(const struct xray *x, const struct brick *b);
/** Returns the number of threads that suits the amount of work of a call. */
extern int xray_call_threads(const struct xray_call *p);

#endif
