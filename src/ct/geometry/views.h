#ifndef CT_GEOMETRY_VIEWS_H
#define CT_GEOMETRY_VIEWS_H

#include "ct/geometry/geom.h"

/** Returns the element type for computing with data of type `data`. The result is `wanted`, or
 * dtype_compute(data) if `wanted` is -1. For real data, `wanted` must be float32 or float64. For complex
 * data, `wanted` must be complex64 or complex128. Other types are a usage_error(). */
extern enum dtype views_type(int wanted, enum dtype data);

/** Checks that the header describes line integrals. Other projections cause error(), or a warning with
 * --force. Filtered projections are recognised by their unit; line integrals have no unit. */
extern void views_expect_line_integrals(const struct cfl *f);

/** The option --views of commands that project or reconstruct. */
#define OPT_VIEWS(text)                                                                                      \
	{                                                                                                    \
		0, "views", OPT_KIND_ARRAY, text, "RANGE[,RANGE..]|FILE",                                    \
		        "only these views, counted from 0", OPT_OR_NUMBER, 0, 0, 0                           \
	}

/** Returns the geometry of the views selected by `text`, the value of --views, in the given order. If `text`
 * is NULL, the result is a copy of g. `*at` becomes the malloc'd list of view numbers, or NULL if all views
 * are used. `at` may be NULL. A list of ranges is recorded in the history. View numbers outside g are an
 * error() or a usage_error(). `name` is the geometry file, for messages. */
extern struct geom *views_geometry(const char *text, const struct geom *g, const char *name, long **at);

/** Returns whether the view numbers at[0..n-1] are strictly increasing. */
extern bool views_ascend(const long at[], long n);

#endif
