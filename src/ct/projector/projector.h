#ifndef CT_PROJECTOR_PROJECTOR_H
#define CT_PROJECTOR_PROJECTOR_H

#include "ct/projector/xray.h"

/**
 * The implementations of the X-ray transform are in three lists, for the CPU, the GPU and OpenCL. An
 * implementation is called a path. Most paths support only some views, such as views with untilted detector
 * columns. A row of a list describes a path for one projector model. A view is computed by the first row of
 * the table that supports the view. The last row of each model is the path "general", which supports any view
 * and data type. A missing general row is a link error.
 *
 * The environment variable GANTRY_PROJECTOR=NAME restricts the lists to the path NAME.
 *
 * A new path needs one file with its functions, and one row in a list. The lists are in cpu/projectors.c,
 * gpu/projectors.c and opencl/projectors.c.
 */

struct xray_call;
struct brick_kernels;

struct projector {
	const char *name;  // name of the path, equal for all models and devices
	const char *views; // supported views, in words (doc/projectors.md)
	enum xray_model model;
	unsigned types; // supported types: 1u << DT_FLOAT32 | ..

	/** Computes the data of the path for a scan. The element open[k] is false if earlier rows support
	 * view k for float32 in both directions. Rows with the same function `plan` share the data. `plan`
	 * may be NULL, which means that the path needs no data. */
	void *(*plan)(const struct xray *x, const bool *open);
	void (*free)(void *plan);

	/** Returns whether the path supports a view. `takes` may be NULL, which means that the path supports
	 * any view. */
	bool (*takes)(const struct xray *x, const void *plan, long view, bool forward);

	/** Returns the memory that a call needs besides volume and projections [bytes]. `memory` may be
	 * NULL, which means 0 bytes. */
	double (*memory)(const void *plan, const struct xray_call *p, bool forward);

	/**
	 * These functions compute consecutive views:
	 * - forward(): computes proj += A vol.
	 * - adjoint(): computes vol += A' proj.
	 */
	void (*forward)(void *plan, const struct xray_call *p);
	void (*adjoint)(void *plan, const struct xray_call *p);

	/** Kernels for one brick and one view, for float32 and float64. The functions bricks_forward() and
	 * bricks_adjoint() call these kernels. */
	const struct brick_kernels *kernels[2];
};

/** The list of paths for one device. Earlier rows take precedence. */
struct projector_list {
	const char *device;
	const struct projector *row;
	int rows;
};

extern const struct projector_list projectors_cpu, projectors_gpu, projectors_opencl;

/** The rows of a list that one transform uses. The struct also holds the data that the function `plan` of
 * these rows computed. The caller frees the struct with projectors_free(). */
struct projectors;
extern struct projectors *projectors_create(const struct projector_list *list, const struct xray *x);
extern void projectors_free(struct projectors *p);

/**
 * These functions return the row used for a view, or the data of a row. The type is float32, float64,
 * complex64 or complex128. If GANTRY_PROJECTOR is set, there may be no row for the view.
 * - projectors_take(): returns NULL if there is no row.
 * - projectors_row(): ends with error() if there is no row.
 * - projectors_plan(): returns the data that the function `plan` of a row computed.
 */
extern const struct projector *projectors_take(
        const struct projectors *p, enum dtype type, bool forward, long view);
extern const struct projector *projectors_row(
        const struct projectors *p, enum dtype type, bool forward, long view);
extern void *projectors_plan(const struct projectors *p, const struct projector *row);

/** Returns the data that the function `plan` computed. Returns NULL if no row in use has this function. */
extern void *projectors_plan_by(
        const struct projectors *p, void *(*plan)(const struct xray *x, const bool *open));

/** Returns whether any view uses `row`, for this type and direction. */
extern bool projectors_use(
        const struct projectors *p, enum dtype type, bool forward, const struct projector *row);

/** Returns whether calls of paths must be counted. The options --profile and -v need the counts. */
extern bool projectors_count(void);

/** Counts a call with its time [ns] and its bytes. `updates` is the number of voxels times the number of
 * views. Any thread may call this function. */
extern void projectors_count_call(const struct projectors *p, const struct projector *row, bool forward,
        long nanoseconds, long bytes, double updates);

/** Returns the names of the rows in use, joined by "+", in the order of the list. The caller frees the names
 * with free(). */
extern char *projectors_names(const struct projectors *p, enum dtype type, bool forward);

#endif
