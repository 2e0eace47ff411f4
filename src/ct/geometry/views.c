#include "ct/geometry/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/kern/convert.h"

enum dtype views_type(int wanted, enum dtype data)
{
	enum dtype t = (0 <= wanted) ? (enum dtype)wanted : dtype_compute(data);
	bool complex_data = dtype_is_complex(data);

	if (t != dtype_compute(t) || dtype_is_complex(t) != complex_data)
		usage_error("--type %s: expected %s for %s data", dtype_name(t),
		        complex_data ? "complex64 or complex128" : "float32 or float64",
		        complex_data ? "complex" : "real");

	return t;
}

void views_expect_line_integrals(const struct cfl *f)
{
	cfl_expect(f, 1u << Q_LINE_INTEGRAL, "run gantry normalize first (for a volume: gantry project)");

	if (Q_UNKNOWN != f->hdr.quantity || 0 != strcmp(f->hdr.unit, "1/mm"))
		return;

	const char *found =
	        "has the unit 1/mm, as filtered projections have; expected line integrals, without a unit";

	if (tool_force())
		warn("%s: %s", f->name, found);
	else
		error("%s: %s (--force continues)", f->name, found);
}

/** Whether a text is a list of ranges; files with such names are written ./2. */
static bool is_list(const char *text)
{
	return strspn(text, "0123456789:,-+") == strlen(text);
}

/** The numbers of an array. */
static long *read_list(const char *file, long views, long *n)
{
	struct cfl *f = cfl_open(file);
	long *list = mem_alloc(mul_checked(f->count, sizeof *list, file));
	double *x = mem_alloc(mul_checked(f->count, sizeof *x, file));

	cfl_expect_real(f);
	*n = f->count;
	convert(DT_FLOAT64, x, f->hdr.type, cfl_next(f, *n), *n, NARROW_SATURATE);

	for (long i = 0; i < *n; i++) {
		if (!(x[i] >= 0. && x[i] < views && x[i] == floor(x[i])))
			error("--views %s: element %ld is %g, expected view numbers from 0 to %ld", file, i,
			        x[i], views - 1);

		list[i] = (long)x[i];
	}

	cfl_close(f);
	free(x);
	return list;
}

bool views_ascend(const long at[], long n)
{
	for (long i = 1; i < n; i++)
		if (at[i] <= at[i - 1])
			return false;

	return true;
}

struct geom *views_geometry(const char *text, const struct geom *g, const char *name, long **at)
{
	long n = g->views, *list = NULL;

	if (text && is_list(text)) {
		char *what = mem_printf("--views of %s", name);

		list = parse_index_list(text, g->views, &n, what);
		tool_record("views", "%s", text);
		free(what);
	} else if (text) {
		list = read_list(text, g->views, &n);
	}

	struct geom *out = geom_create(n, g->cols, g->rows, g->parallel);

	out->radius = g->radius;
	out->stack = g->stack;

	for (long k = 0; k < n; k++)
		out->view[k] = g->view[list ? list[k] : k];

	if (at)
		*at = list;
	else
		free(list);

	return out;
}
