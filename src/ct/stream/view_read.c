#include "ct/stream/view_read.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

void view_refuse(const struct cfl *f, long size, long view, long at)
{
	error("%s: element %ld of view %ld is not finite; run gantry outliers first", f->name, at % size,
	        view + at / size);
}

void view_report_clipped(const struct cfl *out, long lost)
{
	if (0 < lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", lost, out->count,
		        dtype_name(out->hdr.type), out->name);
}

long view_place(const struct view_choice *choice, long k)
{
	if (!choice || !choice->at)
		return k;

	return k / choice->n * choice->views + choice->at[k % choice->n];
}

/** Index of the first value that is not finite as float32 or float64, or n. */
static long first_bad(enum dtype type, long n, const double *x)
{
	for (long i = 0; i < n; i++)
		if (!isfinite(DT_FLOAT32 == type ? (float)x[i] : x[i]))
			return i;

	return n;
}

static void store(enum dtype type, void *out, long at, long n, const double *x, long step)
{
	for (long i = 0; i < n; i++) {
		if (DT_FLOAT32 == type)
			((float *)out)[at + i] = (float)x[step * i];
		else
			((double *)out)[at + i] = x[step * i];
	}
}

long view_convert(enum dtype type, void *const out[2], enum dtype from, const void *in, long n)
{
	enum { BLOCK = 1 << 10 };
	const long parts = dtype_is_complex(from) ? 2 : 1;
	double own[2 * BLOCK];

	for (long at = 0; at < n; at += BLOCK) {
		const long m = min_long(n - at, BLOCK);
		const bool straight = (1 == parts && DT_FLOAT64 == type);
		double *x = straight ? (double *)out[0] + at : own;

		convert((2 == parts) ? DT_COMPLEX128 : DT_FLOAT64, x, from,
		        (const char *)in + at * (long)dtype_size(from), m, NARROW_SATURATE);

		const long bad = first_bad(type, m * parts, x);

		if (bad < m * parts)
			return at + bad / parts;

		for (long p = 0; p < parts && !straight; p++)
			store(type, out[p], at, m, x + p, parts);
	}

	return n;
}

/** n elements at `in`, on the host, from element `skip` of a view on. */
static void take(const struct cfl *f, const char *in, enum dtype type, long size, long view, long skip,
        long n, void *const out[2])
{
	enum { BLOCK = 1 << 14 };
	const enum dtype from = f->hdr.type;
	long bad = n;

#pragma omp parallel for schedule(static) reduction(min : bad) num_threads(threads_for(2. * (double)n))
	for (long at = 0; at < n; at += BLOCK) {
		const long m = min_long(n - at, BLOCK), step = (long)dtype_size(type);
		void *const to[2] = {(char *)out[0] + at * step, out[1] ? (char *)out[1] + at * step : NULL};
		const long b = view_convert(type, to, from, in + at * (long)dtype_size(from), m);

		if (b < m)
			bad = min_long(bad, at + b);
	}

	if (bad < n)
		view_refuse(f, size, view, skip + bad);
}

/** The first of n elements, one of which is not finite. */
static long bad_element(const struct cfl *f, const char *in, enum dtype type, long n)
{
	for (long i = 0; i < n; i++) {
		double x[2];
		void *const to[2] = {x, x + 1};

		if (0 == view_convert(type, to, f->hdr.type, in + i * (long)dtype_size(f->hdr.type), 1))
			return i;
	}

	return n - 1;
}

void view_expect_finite(const struct cfl *f, long size, long view, long n, const void *in)
{
	const enum dtype type = f->hdr.type;

	if (0 < vec_count_nonfinite(type, n, in))
		view_refuse(f, size, view, bad_element(f, in, type, n));
}

/** As take(), to the GPU: copied there as they are, converted and split there. */
static void take_there(const struct cfl *f, const char *in, enum dtype type, long size, long view, long skip,
        long n, void *const out[2])
{
	const enum dtype from = f->hdr.type;
	const bool pairs = dtype_is_complex(from);
	const enum dtype to = !pairs ? type : (DT_FLOAT32 == type) ? DT_COMPLEX64 : DT_COMPLEX128;
	const long step = (long)dtype_size(type), steps = 2 * step;
	char *z = pairs ? device_alloc((size_t)n * dtype_size(to)) : out[0];

	device_load(to, z, from, in, n);

	// the sum of squares is faster than a look at each, and as telling unless it is too large itself
	if (!dtype_is_integer(from) && !isfinite(vec_dot(to, n, z, z)) && 0 < vec_count_nonfinite(to, n, z))
		view_refuse(f, size, view, skip + bad_element(f, in, type, n));

	if (!pairs)
		return;

	md_copy2(1, &n, &step, out[0], &steps, z, (size_t)step);
	md_copy2(1, &n, &step, out[1], &steps, z + step, (size_t)step);
	device_free(z);
}

void view_read_at(struct cfl *f, enum dtype type, long size, long view, long skip, long n, void *const out[2])
{
	const char *all = cfl_map(f);

	(device_holds(out[0]) ? take_there : take)(f,
	        all + (view * size + skip) * (long)dtype_size(f->hdr.type), type, size, view, skip, n, out);
}

static void read_next(struct cfl *f, enum dtype type, long size, long view, long n, void *const out[2])
{
	(device_holds(out[0]) ? take_there : take)(
	        f, cfl_next(f, n * size), type, size, view, 0, n * size, out);
}

void view_read(struct cfl *f, struct view_choice *choice, enum dtype type, long size, long first, long n,
        void *const out[2])
{
	if (!choice || !choice->at) {
		read_next(f, type, size, first, n, out);
		return;
	}

	for (long i = 0; i < n; i++) {
		const long place = view_place(choice, first + i), to = i * size * (long)dtype_size(type);
		void *const one[2] = {(char *)out[0] + to, out[1] ? (char *)out[1] + to : NULL};

		if (!choice->in_order) {
			view_read_at(f, type, size, place, 0, size, one);
			continue;
		}

		for (; choice->position < place; choice->position++)
			cfl_next(f, size);

		read_next(f, type, size, place, 1, one);
		choice->position++;
	}
}
