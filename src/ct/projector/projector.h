#ifndef CT_PROJECTOR_PROJECTOR_H
#define CT_PROJECTOR_PROJECTOR_H

#include "ct/projector/xray.h"

/**
 * The paths of the X-ray transform are in three lists: for the CPU, the GPU and OpenCL. Each row of a list
 * has the functions that compute A and A' of one model, for the views that the row supports. A view is
 * computed by the first row of the model that supports the view. Each list ends with a general row per model,
 * for any view and type; a missing general row is an error at link time. GANTRY_PROJECTOR=NAME keeps only the
 * rows with this name.
 *
 * A path is one file with its functions, and one row (cpu/projectors.c, gpu/projectors.c,
 * opencl/projectors.c).
 */

struct xray_call;
struct brick_kernels;

struct projector {
	const char *name;  // of the path, the same for all models and devices
	const char *views; // that it takes, in words (doc/projectors.md)
	enum xray_model model;
	unsigned types; // of data: 1u << DT_FLOAT32 | ..

	/** Computes the data of the path for a scan. open: the views that no earlier row supports for float32
	 * in both directions. Rows with the same `plan` share the data. NULL: the path needs no data. */
	void *(*plan)(const struct xray *x, const bool *open);
	void (*free)(void *plan);

	/** Whether the path supports a view; NULL: the path supports any view. */
	bool (*takes)(const struct xray *x, const void *plan, long view, bool forward);

	/** Memory of a call besides its operands [bytes]; NULL: the call needs no memory. */
	double (*memory)(const void *plan, const struct xray_call *p, bool forward);

	/** proj += A vol, and vol += A' proj, for a run of consecutive views whose rows have this function.
	 */
	void (*forward)(void *plan, const struct xray_call *p);
	void (*adjoint)(void *plan, const struct xray_call *p);

	/** For bricks_forward() and bricks_adjoint(): kernels for a brick and a view, in float32 and float64.
	 */
	const struct brick_kernels *kernels[2];
};

/** A list; earlier rows take precedence. */
struct projector_list {
	const char *device;
	const struct projector *row;
	int rows;
};

extern const struct projector_list projectors_cpu, projectors_gpu, projectors_opencl;

/** The rows of a list that are chosen for the views of x, and the data that their `plan` computed. */
struct projectors;
extern struct projectors *projectors_create(const struct projector_list *list, const struct xray *x);
extern void projectors_free(struct projectors *p);

/** The row that computes a view for data of this type (float32, float64, or complex of these). If the row of
 * GANTRY_PROJECTOR does not support the view: NULL from projectors_take(), error() from projectors_row(). */
extern const struct projector *projectors_take(
        const struct projectors *p, enum dtype type, bool forward, long view);
extern const struct projector *projectors_row(
        const struct projectors *p, enum dtype type, bool forward, long view);
extern void *projectors_plan(const struct projectors *p, const struct projector *row);

/** The data that the function `plan` of a row computed; NULL if there is none. */
extern void *projectors_plan_by(
        const struct projectors *p, void *(*plan)(const struct xray *x, const bool *open));

/** Whether `row` computes any view, for this type and direction. */
extern bool projectors_use(
        const struct projectors *p, enum dtype type, bool forward, const struct projector *row);

/** Whether calls of rows are counted, because --profile or -v reports them at the end of the command. */
extern bool projectors_count(void);

/** Counts a call with its time [ns], bytes, and the product of its voxels and views. Any thread
 * may call this function. */
extern void projectors_count_call(const struct projectors *p, const struct projector *row, bool forward,
        long nanoseconds, long bytes, double updates);

/** The names of the rows in use, in the order of the list, joined by "+"; release by free(). */
extern char *projectors_names(const struct projectors *p, enum dtype type, bool forward);

#endif
