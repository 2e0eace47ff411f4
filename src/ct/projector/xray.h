#ifndef CT_PROJECTOR_XRAY_H
#define CT_PROJECTOR_XRAY_H

#include "ct/geometry/geom.h"
#include "linops/linop.h"
#include "misc/file/cfl.h"

/**
 * The X-ray transform A maps a volume (nx, ny, nz) [1/mm] to projections (cols, rows, views) without unit.
 * The operator A' is the exact transpose. Each ray is a half-line from the source through the centre of a
 * pixel. For a parallel beam, a ray is a line. The projector model is Joseph's method [1], Siddon's method
 * or separable footprints (doc/projectors.md). Joseph's method chooses the dominant axis of each ray
 * separately.
 *
 * [1] P. M. Joseph, An improved algorithm for reprojecting rays through pixel images, IEEE TMI 1(3), 1982.
 */
#define XRAY_MODEL_LIST(X, between)                                                                          \
	X(joseph, JOSEPH) between X(siddon, SIDDON)                                                          \
	between X(sf, SF)

#define XRAY_MODEL_ENUM(name, NAME)  XRAY_##NAME,
#define XRAY_MODEL_COUNT(name, NAME) +1
#define XRAY_MODEL_NAME(name, NAME)  #name
enum xray_model { XRAY_MODEL_LIST(XRAY_MODEL_ENUM, ) };
enum { XRAY_MODELS = 0 XRAY_MODEL_LIST(XRAY_MODEL_COUNT, ) };
#define XRAY_MODEL_NAMES XRAY_MODEL_LIST(XRAY_MODEL_NAME, "|")

/** Names of the models, used as values of --model. */
extern const char *const xray_model_name[XRAY_MODELS];

/** Returns whether a pixel is a mean over the pixel's area. Otherwise a pixel is the value of the ray
 * through the pixel's centre. */
extern bool xray_model_averages(enum xray_model model);

/** Defines the option --model. */
#define OPT_MODEL(model) OPT_CHOICE(0, "model", model, XRAY_MODEL_NAMES, "projector model")

struct xray;

/** Creates the transform for a geometry, a grid and a model. Geometry and grid are copied. The caller frees
 * the transform with xray_free(). */
extern struct xray *xray_create(const struct geom *g, const struct grid *grid, enum xray_model model);
extern void xray_free(struct xray *x);

/** Computes proj = A vol for views [first, first + n). The array `proj` contains only these views. The type
 * is float32, float64, complex64 or complex128. The result does not depend on the number of threads.
 * Dividing the views among several calls does not change the result. */
extern void xray_forward(
        const struct xray *x, enum dtype type, void *proj, const void *vol, long first, long n);

/** Computes vol += A' proj for views [first, first + n). The array `proj` contains only these views. Several
 * calls in ascending order of views give the same bits as one call. */
extern void xray_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, long first, long n);

/**
 * A tile consists of some views and some rows of bricks. A brick is a block of voxels (bricks.h). A row of
 * bricks is along x. Rows are numbered along y, then along z. Computing all tiles gives the same bits as
 * one call under two conditions:
 * - For each view, rows of bricks must be processed in ascending order.
 * - For each row of bricks, views must be processed in ascending order.
 */
struct xray_tile {
	long first, views; // views, counted in the geometry
	long row, rows;    // rows of bricks
	const long *at;    // view first + k is view at[k] of proj; NULL means view k
	bool blank;        // for A: the caller asserts that proj is 0
};
extern long xray_rows(const struct xray *x);

/** These functions compute proj += A vol and vol += A' proj for one tile. The array `vol` is the whole
 * volume. */
extern void xray_forward_tile(
        const struct xray *x, enum dtype type, void *proj, const void *vol, const struct xray_tile *tile);
extern void xray_adjoint_tile(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_tile *tile);

/** These functions compute proj = A vol and vol += A' proj for all views. The ranks of the command divide
 * the work (misc/ranks/ranks.h). All ranks must call the function. Every rank has both arrays in host
 * memory, and gets the complete result. The result is bit-identical to the result of one process. */
extern void xray_forward_shared(const struct xray *x, enum dtype type, void *proj, const void *vol);
extern void xray_adjoint_shared(const struct xray *x, enum dtype type, void *vol, const void *proj);

/** An array within a distributed vector (num/md/distributed.h). The array is a volume or projections. The
 * vector has `n` elements at `data`. The array begins at element `at` of the vector. */
struct xray_vector {
	void *data;
	long n, at;
};

/** These functions compute proj = A vol and vol = A' proj for all views of distributed vectors. All ranks
 * must call the function. For A, each rank computes some views. For A', each rank computes some rows of
 * bricks. Each rank receives only the input that the rank needs. */
extern void xray_forward_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *proj, const struct xray_vector *vol);
extern void xray_adjoint_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *vol, const struct xray_vector *proj);

/** Replaces A by A M and A' by M A' in later calls. M sets voxels outside the mask to 0. The caller must not
 * free the mask before the transform. `mask` may be NULL, which means no mask. Outside the mask, the
 * adjoint sets voxels to 0 or leaves their old values. */
struct mask;
extern void xray_set_mask(struct xray *x, const struct mask *mask);

/** Returns how many views per call suffice to make the fixed cost of a call negligible. The number is at most
 * the number of views of the geometry. */
extern long xray_batch(const struct xray *x, enum dtype type);

/** Returns the names of the CPU paths that compute the views (projector.h), joined by "+". The caller frees
 * the names with free(). */
extern char *xray_paths(const struct xray *x, enum dtype type, bool forward);

/** Returns the private memory of a call on the CPU [bytes]. */
extern long xray_memory(const struct xray *x, enum dtype type);

/** Returns the data type in which projections of the array `data` are computed. `asked` is the type given
 * with --type, or -1. For -1, the type follows from the type of the array. An unsuitable `asked` is a
 * usage_error(). */
extern enum dtype xray_choose_type(int asked, const struct cfl *data);

/** Checks that all n elements of `result` are finite. The function is for results of finite input. A result
 * that is not finite is an error(). The message says that the numbers are too large for the type. `name` is
 * the file in the message, and `what` names the results. */
extern void xray_expect_finite(
        enum dtype type, long n, const void *result, const char *name, const char *what);

/** These functions compute one pixel of A vol, or one voxel of A' proj, in float64. The computation follows
 * the definition of the model directly. These functions are references for tests and for the command
 * `gantry check`. */
extern double xray_reference_pixel(const struct xray *x, const double *vol, long a, long b, long view);
extern double xray_reference_voxel(const struct xray *x, const double *proj, long i, long j, long k);

/** Creates the transform as an operator from (nx, ny, nz, channel, time) to (cols, rows, views, channel,
 * time). For complex types, the operator transforms real and imaginary parts separately. */
extern struct linop *linop_xray_create(const struct geom *g, const struct grid *grid, enum xray_model model,
        enum dtype type, long channels, long times);
/** Creates the operator A M, with the mask M of xray_set_mask(). */
extern struct linop *linop_xray_masked_create(const struct geom *g, const struct grid *grid,
        enum xray_model model, enum dtype type, long channels, long times, const struct mask *mask);

#endif
