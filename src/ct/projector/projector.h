#ifndef CT_PROJECTOR_PROJECTOR_H
#define CT_PROJECTOR_PROJECTOR_H

#include "ct/projector/xray.h"

/**
 * The paths of the X-ray transform as data. A row of a list computes A and A' of one model for the views that
 * it takes; the first row of the model that takes a view computes it. One list for the CPU, one for the GPU.
 * Each ends with a general row for every model, for any view and type: a model without does not link.
 * GANTRY_PROJECTOR=NAME leaves the rows of that name alone.
 *
 * A path is one file with its functions, and one row (cpu/projectors.c, gpu/projectors.c).
 */

struct xray_part;
struct brick_kernels;

struct projector {
	const char *name;  // of the path, the same for all models and devices
	const char *views; // that it takes, in words (doc/projectors.md)
	enum xray_model model;
	unsigned types; // of data: 1u << DT_FLOAT32 | ..

	/** What the path keeps of a scan; open: views that no row before takes for float32 in both
	 * directions. Rows with the same function share it. NULL: nothing. */
	void *(*plan)(const struct xray *x, const bool *open);
	void (*free)(void *plan);

	/** Whether the path computes that view; NULL: any. */
	bool (*takes)(const struct xray *x, const void *plan, long view, bool forward);

	/** Memory that a call takes beside its operands [bytes]; NULL: none. */
	double (*memory)(const void *plan, const struct xray_part *p, bool forward);

	/** proj += A vol, and vol += A' proj, of a run of views whose rows have this function. */
	void (*forward)(void *plan, const struct xray_part *p);
	void (*adjoint)(void *plan, const struct xray_part *p);

	/** Of bricks_forward() and bricks_adjoint(): what a brick gives to a view, in float32 and float64. */
	const struct brick_kernels *kernels[2];
};

/** A list, in order. */
struct projector_list {
	const char *device;
	const struct projector *row;
	int rows;
};

extern const struct projector_list projectors_cpu, projectors_gpu;

/** The rows of a list for the views of x, and their plans. */
struct projectors;
extern struct projectors *projectors_create(const struct projector_list *list, const struct xray *x);
extern void projectors_free(struct projectors *p);

/** The row that takes a view of data of that type (float32, float64, or complex of these). Where
 * GANTRY_PROJECTOR's does not: NULL, and error(). */
extern const struct projector *projectors_take(
        const struct projectors *p, enum dtype type, bool forward, long view);
extern const struct projector *projectors_row(
        const struct projectors *p, enum dtype type, bool forward, long view);
extern void *projectors_plan(const struct projectors *p, const struct projector *row);

/** The plan that a function of the list has made, NULL: none. */
extern void *projectors_plan_by(
        const struct projectors *p, void *(*plan)(const struct xray *x, const bool *open));

/** Whether any view goes that row's way. */
extern bool projectors_use(
        const struct projectors *p, enum dtype type, bool forward, const struct projector *row);

/** Whether calls of rows are to be counted: --profile or -v, which name them when the command ends. */
extern bool projectors_count(void);

/** Counts a call that took so long [ns], went over so many bytes, and over so many voxels in so many views
 * (their product). Any thread. */
extern void projectors_count_call(const struct projectors *p, const struct projector *row, bool forward,
        long nanoseconds, long bytes, double updates);

/** The names of the rows that take views, in the order of the list, "+" between them; free(). */
extern char *projectors_names(const struct projectors *p, enum dtype type, bool forward);

#endif
