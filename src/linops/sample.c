/* Sampling: rows of an array, or elements under a mask. The adjoint reads elements through the inverse of
 * the index list, so that each output is written by one thread. */

#include <stdlib.h>
#include <string.h>

#include "linops/fit.h"
#include "linops/shapes.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/threads.h"
#include "num/md/multind.h"

/** Row at[k] of (inner, n, outer) becomes row k of (inner, m, outer); row i of the input went to the rows
 * order[first[i]] .. order[first[i + 1] - 1], ascending. A complex element counts as two reals. */
struct sample {
	enum dtype type;
	long inner, n, m, outer;
	long *at, *first, *order;
};

#define REAL        float
#define NAMED(name) name##_float
#include "linops/sample_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "linops/sample_impl.inc"

static void sample_forward(const void *self, void *dst, const void *src)
{
	const struct sample *s = self;

	if (DT_FLOAT32 == dtype_real(s->type))
		take_float(s, dst, src);
	else
		take_double(s, dst, src);
}

static void sample_adjoint(const void *self, void *dst, const void *src)
{
	const struct sample *s = self;

	if (DT_FLOAT32 == dtype_real(s->type))
		put_float(s, dst, src);
	else
		put_double(s, dst, src);
}

static void sample_destroy(void *self)
{
	struct sample *s = self;

	free(s->at);
	free(s->first);
	free(s->order);
	free(s);
}

static const struct linop_ops sample_ops = {
        .name = "sample", .forward = sample_forward, .adjoint = sample_adjoint, .destroy = sample_destroy};

/** Counting sort of the rows by where they come from. */
static void invert(struct sample *s)
{
	s->first = mem_calloc((size_t)s->n + 2, sizeof s->first[0]);
	s->order = mem_alloc((size_t)s->m * sizeof s->order[0]);

	for (long k = 0; k < s->m; k++)
		s->first[s->at[k] + 2]++;

	for (long i = 0; i < s->n; i++)
		s->first[i + 2] += s->first[i + 1];

	for (long k = 0; k < s->m; k++)
		s->order[s->first[s->at[k] + 1]++] = k;
}

/** Of an array that is (inner, n, outer) elements; takes s->at. */
static struct linop *create(struct sample s, int OD, const long odims[], int ID, const long idims[])
{
	struct sample *o = NEW(struct sample);

	*o = s;
	o->inner *= dtype_is_complex(s.type) ? 2 : 1;
	invert(o);

	return linop_create(&sample_ops, o, s.type, OD, odims, ID, idims);
}

struct linop *linop_sample_create(enum dtype type, int D, const long dims[], int d, long n, const long at[])
{
	if (d < 0 || d >= D || D > DIMS)
		error("the samples are along dimension %d, expected one of 0 to %d", d, D - 1);

	if (n < 1)
		error("the number of samples is %ld, expected at least 1", n);

	for (long k = 0; k < n; k++)
		if (at[k] < 0 || at[k] >= dims[d])
			error("sample %ld is element %ld along dimension %d, expected 0 to %ld", k, at[k], d,
			        dims[d] - 1);

	struct sample s = {.type = type,
	        .inner = md_calc_size(d, dims),
	        .n = dims[d],
	        .m = n,
	        .outer = md_calc_size(D - d - 1, dims + d + 1)};
	long odims[DIMS];

	md_copy_dims(D, odims, dims);
	odims[d] = n;
	s.at = mem_alloc((size_t)n * sizeof s.at[0]);
	memcpy(s.at, at, (size_t)n * sizeof s.at[0]);

	return create(s, D, odims, D, dims);
}

struct linop *linop_sample_mask_create(enum dtype type, int D, const long dims[], const unsigned char mask[])
{
	struct sample s = {.type = type, .inner = 1, .n = md_calc_size(D, dims), .outer = 1};

	for (long i = 0; i < s.n; i++)
		s.m += 0 != mask[i];

	if (0 == s.m)
		error("all %ld elements of the mask are 0", s.n);

	s.at = mem_alloc((size_t)s.m * sizeof s.at[0]);

	for (long i = 0, k = 0; i < s.n; i++)
		if (0 != mask[i])
			s.at[k++] = i;

	return create(s, 1, &s.m, D, dims);
}
