#ifndef CT_PROJECTOR_XRAY_H
#define CT_PROJECTOR_XRAY_H

#include "ct/geometry/geom.h"
#include "linops/linop.h"
#include "misc/file/cfl.h"

/**
 * The X-ray transform A: volume (nx, ny, nz) [1/mm] -> projections (cols, rows, views) [no unit], and its
 * exact transpose. A ray is a half-line from the source (a line for a parallel beam) through the pixel's
 * centre. The model is Joseph's method [1] with the dominant axis chosen for each ray, Siddon's method, or
 * separable footprints (doc/projectors.md).
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

/** Names of the models, as in --model. */
extern const char *const xray_model_name[XRAY_MODELS];

/** Whether a pixel is a mean over its area, not the value of the ray through its centre. */
extern bool xray_model_averages(enum xray_model model);

/** The option --model of the commands that project. */
#define OPT_MODEL(model) OPT_CHOICE(0, "model", model, XRAY_MODEL_NAMES, "projector model")

struct xray;

/** Copies geometry and grid. */
extern struct xray *xray_create(const struct geom *g, const struct grid *grid, enum xray_model model);
extern void xray_free(struct xray *x);

/** proj = A vol for views [first, first+n); proj contains only these views. type: float32, float64, or
 * complex of these. The result does not depend on the number of threads or the partition into views. */
extern void xray_forward(
        const struct xray *x, enum dtype type, void *proj, const void *vol, long first, long n);

/** vol += A' proj over views [first, first+n), in view order, so that batches of views in order give the same
 * bits as one call. */
extern void xray_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, long first, long n);

/** A tile of the transform: some views and some rows of bricks. Rows of bricks are along x, and numbered
 * along y, then z. Calls for all tiles give the same bits as one call if they process the rows of each view
 * in ascending order, and the views of each row in ascending order. */
struct xray_tile {
	long first, views; // of the geometry
	long row, rows;    // of bricks
	const long *at;    // where view first + k lies in proj [views]; NULL: one after the other
	bool blank;        // forward: proj is known to hold zeros
};
extern long xray_rows(const struct xray *x);

/** proj += A vol, and vol += A' proj, for the tile; vol is the whole volume. */
extern void xray_forward_tile(
        const struct xray *x, enum dtype type, void *proj, const void *vol, const struct xray_tile *tile);
extern void xray_adjoint_tile(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_tile *tile);

/** proj = A vol, and vol += A' proj, of all views, computed jointly by the ranks of the command
 * (misc/ranks/ranks.h). All ranks call these functions, and each rank has both arrays on the host. In A, a
 * rank computes some views and receives the other views. In A', a rank computes some rows of bricks and
 * receives the other rows. The result is bit-identical to that of one process. */
extern void xray_forward_shared(const struct xray *x, enum dtype type, void *proj, const void *vol);
extern void xray_adjoint_shared(const struct xray *x, enum dtype type, void *vol, const void *proj);

/** A volume or projections within a distributed vector (num/md/distributed.h): `n` elements at `data`; the
 * array begins at element `at`. */
struct xray_vector {
	void *data;
	long n, at;
};

/** The transforms of all views for distributed vectors, computed jointly by the ranks. In A, a rank computes
 * some views, and receives the volume piece by piece. In A', a rank computes some rows of bricks, and
 * receives the projections in batches of views. */
extern void xray_forward_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *proj, const struct xray_vector *vol);
extern void xray_adjoint_distributed(
        const struct xray *x, enum dtype type, const struct xray_vector *vol, const struct xray_vector *proj);

/** After this call A M and M A' replace A and A'. M is the projection onto the volumes that are 0 outside the
 * mask (NULL: none), which the caller keeps. The adjoint sets voxels outside the mask to 0, or leaves them
 * unchanged where no ray is computed. */
struct mask;
extern void xray_set_mask(struct xray *x, const struct mask *mask);

/** A number of views per call for which the fixed cost of a call (one copy of the volume) is negligible; not
 * more than the views of the geometry. */
extern long xray_batch(const struct xray *x, enum dtype type);

/** Names of the CPU paths that compute the views (projector.h), in the order of the list, joined by "+";
 * release by free(). */
extern char *xray_paths(const struct xray *x, enum dtype type, bool forward);

/** Private memory of a call [bytes]: a row of bricks, or a brick per thread. */
extern long xray_memory(const struct xray *x, enum dtype type);

/** The type in which a projection of the array `data` is computed: `asked` (--type), or if `asked` is -1, the
 * type that suits the array. usage_error() if `asked` does not suit the array. */
extern enum dtype xray_choose_type(int asked, const struct cfl *data);

/** Checks that results computed from the finite numbers of `name` are finite. Results that are not finite end
 * the command with error(): the numbers are too large for the type. */
extern void xray_expect_finite(
        enum dtype type, long n, const void *result, const char *name, const char *what);

/** References in float64 for tests and for the command `gantry check`. Each function computes one pixel of A
 * vol, or one voxel of A' proj, directly from the definition. */
extern double xray_reference_pixel(const struct xray *x, const double *vol, long a, long b, long view);
extern double xray_reference_voxel(const struct xray *x, const double *proj, long i, long j, long k);

/** The transform as an operator on (nx, ny, nz, channel, time) -> (cols, rows, views, channel, time); with
 * complex types it acts on both parts. */
extern struct linop *linop_xray_create(const struct geom *g, const struct grid *grid, enum xray_model model,
        enum dtype type, long channels, long times);
/** The operator A M, with the mask M as in xray_set_mask(). */
extern struct linop *linop_xray_masked_create(const struct geom *g, const struct grid *grid,
        enum xray_model model, enum dtype type, long channels, long times, const struct mask *mask);

#endif
