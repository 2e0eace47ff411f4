#include "ct/geometry/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

enum { BLOCK = 1 << 14 };

/** A block as float64 or complex128 is split and stored in the wanted type. */
static void store(enum dtype type, void *out, long at, long n, const double *x, long step)
{
	for (long i = 0; i < n; i++) {
		if (DT_FLOAT32 == type)
			((float *)out)[at + i] = (float)x[step * i];
		else
			((double *)out)[at + i] = x[step * i];
	}
}

/** Index of the first value that is not finite as float32, or n. */
static long first_bad(enum dtype type, long n, const double *x)
{
	for (long i = 0; i < n; i++)
		if (!isfinite(DT_FLOAT32 == type ? (float)x[i] : x[i]))
			return i;

	return n;
}

static void refuse(const struct cfl *f, long size, long first, long at)
{
	error("%s: element %ld of view %ld is not finite, expected line integrals; clean the data first",
	        f->name, at % size, first + at / size);
}

/** n elements at `in`, the `skip`-th of view `first` and so on. */
static void take(const struct cfl *f, const char *in, enum dtype type, long size, long first, long skip,
        long n, void *re, void *im)
{
	enum dtype from = f->hdr.type;
	long parts = dtype_is_complex(from) ? 2 : 1, bad = n;

#pragma omp parallel for schedule(static) reduction(min : bad) num_threads(threads_for(2. * (double)n))
	for (long at = 0; at < n; at += BLOCK) {
		long m = (n - at < BLOCK) ? n - at : BLOCK;
		double *x = mem_alloc((size_t)(m * parts) * sizeof *x);

		convert((2 == parts) ? DT_COMPLEX128 : DT_FLOAT64, x, from, in + at * (long)dtype_size(from),
		        m, NARROW_SATURATE);

		long b = first_bad(type, m * parts, x);

		if (b < m * parts && at + b / parts < bad)
			bad = at + b / parts;

		store(type, re, at, m, x, parts);

		if (2 == parts)
			store(type, im, at, m, x + 1, parts);

		free(x);
	}

	if (bad < n)
		refuse(f, size, first, skip + bad);
}

/** The first of n elements, some of which are not finite. */
static long bad_element(const struct cfl *f, const char *in, enum dtype type, long n)
{
	const bool pairs = dtype_is_complex(f->hdr.type);
	const long bytes = (long)dtype_size(f->hdr.type);
	long i = 0;

	for (double x[2]; i < n - 1; i++) {
		convert(pairs ? DT_COMPLEX128 : DT_FLOAT64, x, f->hdr.type, in + i * bytes, 1,
		        NARROW_SATURATE);

		if (first_bad(type, pairs ? 2 : 1, x) < (pairs ? 2 : 1))
			break;
	}

	return i;
}

/** As take(), onto the GPU: they are brought as they lie, and converted and split there. */
static void take_there(const struct cfl *f, const char *in, enum dtype type, long size, long first, long skip,
        long n, void *re, void *im)
{
	const enum dtype from = f->hdr.type;
	const bool pairs = dtype_is_complex(from);
	const enum dtype to = !pairs ? type : (DT_FLOAT32 == type) ? DT_COMPLEX64 : DT_COMPLEX128;
	const long step = (long)dtype_size(type), steps = 2 * step;
	char *z = pairs ? device_alloc((size_t)n * dtype_size(to)) : re;

	device_load(to, z, from, in, n);

	// the sum of squares is faster than a look at each, and as telling unless it is too large itself
	if (!dtype_is_integer(from) && !isfinite(vec_dot(to, n, z, z)) && 0 < vec_count_nonfinite(to, n, z))
		refuse(f, size, first, skip + bad_element(f, in, type, n));

	if (!pairs)
		return;

	md_copy2(1, &n, &step, re, &steps, z, (size_t)step);
	md_copy2(1, &n, &step, im, &steps, z + step, (size_t)step);
	device_free(z);
}

void views_next(struct cfl *f, enum dtype type, long size, long first, long n, void *re, void *im)
{
	(device_holds(re) ? take_there : take)(f, cfl_next(f, n), type, size, first, 0, n, re, im);
}

void views_at(struct cfl *f, enum dtype type, long size, long first, long n, void *re, void *im)
{
	views_part(f, type, size, first, 0, n, re, im);
}

void views_part(struct cfl *f, enum dtype type, long size, long view, long skip, long n, void *re, void *im)
{
	const char *all = cfl_map(f);

	(device_holds(re) ? take_there : take)(f, all + (view * size + skip) * (long)dtype_size(f->hdr.type),
	        type, size, view, skip, n, re, im);
}

enum dtype views_type(int wanted, enum dtype data)
{
	enum dtype t = (0 <= wanted) ? (enum dtype)wanted : dtype_compute(data);
	bool complex_data = dtype_is_complex(data);

	if (t != dtype_compute(t) || dtype_is_complex(t) != complex_data)
		usage_error("--type %s, expected %s for %s data", dtype_name(t),
		        complex_data ? "complex64 or complex128" : "float32 or float64",
		        complex_data ? "complex" : "real");

	return t;
}

void views_expect_line_integrals(const struct cfl *f)
{
	cfl_expect(f, 1u << Q_LINE_INTEGRAL, "run gantry normalize first (of a volume: gantry project)");

	if (Q_UNKNOWN != f->hdr.quantity || 0 != strcmp(f->hdr.unit, "1/mm"))
		return;

	const char *found =
	        "has the unit 1/mm, as filtered projections have; expected line integrals, without a unit";

	if (tool_force())
		warn("%s: %s", f->name, found);
	else
		error("%s: %s (--force goes on all the same)", f->name, found);
}

/** Ranges, not the name of a file: those begin otherwise, or are written ./2. */
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
			error("--views %s: element %ld is %g, expected numbers of views from 0 to %ld", file,
			        i, x[i], views - 1);

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

	for (long k = 0; k < n; k++)
		out->view[k] = g->view[list ? list[k] : k];

	if (at)
		*at = list;
	else
		free(list);

	return out;
}
