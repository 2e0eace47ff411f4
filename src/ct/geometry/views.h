#ifndef CT_GEOMETRY_VIEWS_H
#define CT_GEOMETRY_VIEWS_H

#include "ct/geometry/geom.h"

/** Element type in which data of type `data` are transformed: `wanted`, or dtype_compute(data) if wanted is
 * -1. usage_error() unless `wanted` is float32 or float64 for real data, or complex64 or complex128 for
 * complex data. */
extern enum dtype views_type(int wanted, enum dtype data);

/** error(), or a warning with --force, unless the projections are line integrals according to their header.
 * Filtered projections are recognised by their unit; line integrals have no unit. */
extern void views_expect_line_integrals(const struct cfl *f);

/** The option --views of the commands that project or reconstruct. */
#define OPT_VIEWS(text)                                                                                      \
	{                                                                                                    \
		0, "views", OPT_KIND_ARRAY, text, "RANGE[,RANGE..]|FILE",                                    \
		        "only these views, counted from 0", OPT_OR_NUMBER, 0, 0, 0                           \
	}

/** The geometry with the views that --views (text) selects, in the given order. text NULL: a copy of g. *at
 * becomes the numbers of these views, malloc'd, or NULL if all views are used; `at` may be NULL. A list of
 * ranges is recorded in the history. error() or usage_error() if a view is not in g. name: name of the
 * geometry file, for messages. */
extern struct geom *views_geometry(const char *text, const struct geom *g, const char *name, long **at);

/** Whether the view numbers at[n] are strictly increasing. */
extern bool views_ascend(const long at[], long n);

#endif
