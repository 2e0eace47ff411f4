/* Copies, with conversion of type and byte order, and the handling of overlap and narrowing. */

#include <string.h>

#include "misc/error.h"
#include "num/array/array_internal.h"
#include "num/array/array_loop.h"
#include "num/array/array_table.h"

struct array_copier array_copier(const struct array *out, const struct array *in, enum narrow narrow)
{
	return (struct array_copier){out->type, in->type, out->swapped, in->swapped, narrow, false, 0};
}

void array_copy_line(void *copier, long n, const long step[], char *const ptr[])
{
	struct array_copier *c = copier;
	const bool direct = !c->to_swapped && step[0] == (long)dtype_size(c->to) && !c->stream;
	char raw[16 * KERN_BLOCK] __attribute__((aligned(64)));
	char buf[16 * KERN_BLOCK] __attribute__((aligned(64)));
	const void *p = kern_load(c->from, raw, c->from, c->from_swapped, ptr[1], step[1], n);
	long lost = convert(c->to, direct ? ptr[0] : buf, c->from, p, n, c->narrow);

	if (!direct)
		kern_store(c->to, c->to_swapped, ptr[0], step[0], c->to, buf, n, c->narrow, c->stream);

	if (0 < lost) {
#pragma omp atomic
		c->lost += lost;
	}
}

/** Bytes move as they are. */
static bool is_plain(const struct array *out, const struct array *in)
{
	return out->type == in->type && DT_BOOL != in->type &&
	       (out->swapped == in->swapped || 1 == dtype_unit(in->type));
}

long array_plain_copy(const struct array *out, const struct array *in, enum narrow narrow)
{
	struct array_loop l;
	struct array_copier c = array_copier(out, in, narrow);

	if (!array_loop_init(&l, 2, (const struct array *const[]){out, in}))
		return 0;

	if (is_plain(out, in)) {
		md_copy2(l.D, l.dims, l.strs[0], l.ptr[0], l.strs[1], l.ptr[1], l.size[0]);
		return 0;
	}

	c.stream = array_streams(out) && array_is_contiguous(out);
	array_loop_run(&l, array_copy_line, &c);

	return c.lost;
}

struct array *array_clone(const struct array *a)
{
	return array_cast(a, a->type, array_default);
}

const struct array *array_apart(const struct array *out, const struct array *in)
{
	return array_conflict(out, in) ? array_clone(in) : array_dup(in);
}

void array_report_lost(const struct array *out, enum dtype from, long lost, struct array_rules r)
{
	const char *to = dtype_name(out->type);
	const bool real_part = dtype_is_complex(from) && !dtype_is_complex(out->type);
	const char *why = real_part ? "have an imaginary part or do not fit" : "do not fit";

	if (0 == lost)
		return;

	if (NARROW_ERROR == r.narrow)
		error("%ld of %ld values of %s %s into %s", lost, array_count(out), array_label(out), why,
		        to);

	warn("%ld of %ld values of %s %s into %s: %s", lost, array_count(out), array_label(out), why, to,
	        real_part ? "real parts kept" : convert_word(out->type, r.narrow));
}

void array_copy(struct array *out, const struct array *in, struct array_rules r)
{
	array_check_shape(out, in);
	array_check_output(out);

	const struct array *a = array_apart(out, in);

	array_report_lost(out, in->type, array_entries()->copy(out, a, r.narrow), r);
	array_free(a);
}

struct array *array_cast(const struct array *a, enum dtype t, struct array_rules r)
{
	struct array *out = array_create(t, DIMS, a->dims);

	out->name = a->name;
	array_report_lost(out, a->type, array_entries()->copy(out, a, r.narrow), r);

	return out;
}

void array_plain_fill(const struct array *out, const void *value)
{
	struct array_loop l;

	if (array_loop_init(&l, 1, &out))
		md_fill2(l.D, l.dims, l.strs[0], l.ptr[0], value, l.size[0]);
}

void array_fill(struct array *out, const void *value, enum dtype type)
{
	char element[16];
	const long one = 1;

	array_check_output(out);

	struct array *to = array_borrow(out->type, 1, &one, NULL, element);
	struct array *from = array_borrow(type, 1, &one, NULL, (void *)value);

	to->swapped = out->swapped;
	to->name = out->name;
	array_report_lost(to, type, array_plain_copy(to, from, array_default.narrow), array_default);
	array_entries()->fill(out, element);
	array_free(to);
	array_free(from);
}
