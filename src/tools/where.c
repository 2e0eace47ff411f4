/** Selection by a mask, and the positions where a mask is true. */

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/file/warn_grid.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/kern/convert.h"
#include "num/kern/kern.h"
#include "num/md/flpmath.h"
#include "num/shape/merge_header.h"
#include "num/shape/positions.h"
#include "num/shape/slabs.h"

int main_where(int argc, char *argv[]);

/** A or B: an array or a number. */
struct choice {
	struct cfl *file; // NULL: a number
	complex double number;
	int slot;                           // of the array among the inputs
	_Alignas(16) unsigned char one[16]; // the number in the work type
};

struct select {
	kern_fn *fn;
	struct choice c[2];
	unsigned scalar;
	enum dtype work;
};

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct select *s = ctx;
	const void *v[2];

	(void)first;

	for (int i = 0; i < 2; i++)
		v[i] = s->c[i].file ? in[s->c[i].slot] : s->c[i].one;

	s->fn(n, out, in[0], v[0], v[1], s->scalar);
}

/** Bits alone are chosen: floats of their size stand for integers. */
static void block_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct select *s = ctx;
	const enum dtype t = dtype_is_integer(s->work) && DT_BOOL != s->work ? DT_FLOAT64 : s->work;
	const long mask[1] = {1}, strs[1] = {(long)dtype_size(t)}, none[1] = {0};
	const long *istrs[3] = {mask};
	const void *v[3] = {in[0]};
	struct md_chain f = {0};
	int x[3];

	(void)first;

	for (int i = 0; i < 2; i++) {
		v[1 + i] = s->c[i].file ? in[s->c[i].slot] : s->c[i].one;
		istrs[1 + i] = s->c[i].file ? strs : none;
	}

	x[0] = chain_operand(&f, DT_BOOL);
	x[1] = chain_operand(&f, t);
	x[2] = chain_operand(&f, t);
	chain_op3(&f, OP_SELECT, x[0], x[1], x[2]);
	md_chain(&f, t, 1, &n, strs, out, istrs, v);
}

static void choice_open(struct choice *c, const char *text, int slot)
{
	*c = (struct choice){0};

	if (parse_is_number(text)) {
		c->number = parse_complex(text, "a number");
		return;
	}

	c->file = cfl_open(text);
	c->slot = slot;
}

/** Can elements of that type be this number? Floats take the nearest. */
static bool holds(enum dtype t, complex double z)
{
	double value[2] = {creal(z), cimag(z)};
	unsigned char element[16];

	if (dtype_is_complex(t))
		return true;

	if (0. != cimag(z))
		return false;

	if (DT_BOOL == t)
		return 0. == creal(z) || 1. == creal(z);

	return dtype_is_float(t) || (creal(z) == rint(creal(z)) &&
	                                    0 == convert(t, element, DT_FLOAT64, value, 1, NARROW_SATURATE));
}

/** The first of these that holds a number, to be promoted with the other choice; or that of a number alone.
 */
static enum dtype number_type(complex double z, bool alone)
{
	static const enum dtype small[] = {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_UINT32,
	        DT_INT64, DT_UINT64, DT_FLOAT32, DT_COMPLEX64};
	static const enum dtype large[] = {DT_INT64, DT_UINT64, DT_FLOAT64, DT_COMPLEX128};
	const enum dtype *t = alone ? large : small;

	while (!holds(*t, z))
		t++;

	return *t;
}

static enum dtype result_type(const struct choice *a, const struct choice *b)
{
	if (a->file && b->file)
		return dtype_promote(a->file->hdr.type, b->file->hdr.type);

	if (!a->file && !b->file)
		return dtype_promote(number_type(a->number, true), number_type(b->number, true));

	enum dtype t = a->file ? a->file->hdr.type : b->file->hdr.type;
	complex double z = a->file ? b->number : a->number;

	return holds(t, z) ? t : dtype_promote(t, number_type(z, false));
}

/** Takes grids of dims that are longer in g. */
static void stretch(struct hdr *h, const struct hdr *g)
{
	for (int d = 0; d < DIMS; d++) {
		if (h->dims[d] > 1 || 1 == g->dims[d])
			continue;

		h->dims[d] = g->dims[d];
		h->spacing[d] = g->spacing[d];
		h->origin[d] = g->origin[d];
		h->has_spacing |= g->has_spacing;
		h->has_origin |= g->has_origin;
	}
}

/** What the choices are, where they agree or one of them is a number; the mask gives its grid alone. */
static void make_header(struct hdr *h, const struct cfl *mask, const struct choice c[2])
{
	const struct cfl *a = c[0].file ? c[0].file : c[1].file, *b = c[1].file ? c[1].file : a;

	hdr_copy(h, a ? &a->hdr : &mask->hdr);

	if (!a || a->hdr.quantity != b->hdr.quantity)
		h->quantity = Q_UNKNOWN;

	if (!a || 0 != strcmp(a->hdr.unit, b->hdr.unit))
		h->unit[0] = '\0';

	h->has_detector =
	        h->has_detector && a && Q_UNKNOWN != h->quantity && merge_same_detector(&a->hdr, &b->hdr);

	if (b)
		stretch(h, &b->hdr);

	stretch(h, &mask->hdr);
}

static void select_choice(struct cfl *mask, const char *a, const char *b, int type, const char *out)
{
	struct select s = {0};
	struct hdr h;

	choice_open(&s.c[0], a, 1);
	choice_open(&s.c[1], b, s.c[0].file ? 2 : 1);
	make_header(&h, mask, s.c);

	for (int i = 0; i < 2; i++)
		if (s.c[i].file)
			cfl_warn_grid(mask, &s.c[i].file->hdr, s.c[i].file->name);

	enum dtype result = result_type(&s.c[0], &s.c[1]);
	enum dtype work = dtype_work(type >= 0 ? dtype_promote(result, (enum dtype)type) : result);
	struct cfl *in[3] = {mask};
	int n = 1;

	h.type = type >= 0 ? (enum dtype)type : result;
	s.fn = kern_op(OP_SELECT, work);
	s.work = work;

	for (int i = 0; i < 2; i++) {
		double value[2] = {creal(s.c[i].number), cimag(s.c[i].number)};

		if (s.c[i].file) {
			in[n++] = s.c[i].file;
		} else {
			convert(work, s.c[i].one, DT_COMPLEX128, value, 1, NARROW_SATURATE);
			s.scalar |= 2u << i;
		}
	}

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	slabs_run_anywhere(y, work, n, in, (const enum dtype[]){DT_BOOL, work, work}, block, block_on_device,
	        &s, "selecting");

	for (int i = 0; i < n; i++)
		cfl_close(in[i]);

	cfl_close(y);
}

static void find_positions(struct cfl *mask, int type, const char *out)
{
	struct positions *p = positions_create(mask);
	int rank = hdr_rank(&mask->hdr);
	struct hdr h;

	if (type >= 0)
		usage_error("--type has no effect without A and B (positions are int64)");

	if (0 == positions_count(p))
		error("%s: all %ld elements are false, so there are no positions to write", mask->name,
		        mask->count);

	hdr_init(&h);
	hdr_set_dims(&h, 2, (const long[]){rank, positions_count(p)});
	h.type = DT_INT64;

	struct cfl *y = cfl_create(out, &h);

	positions_find(p, rank, cfl_map_out(y));
	positions_free(p);
	cfl_close(mask);
	cfl_close(y);
}

int main_where(int argc, char *argv[])
{
	const char *mask = NULL, *a = NULL, *b = NULL, *out = NULL;
	int type = -1;

	const struct opt opts[] = {
	        OPT_TYPE(&type),
	        ARG_IN("MASK", &mask, "any array: true where it is not 0"),
	        ARG_IN_OR_NUMBER_OPTIONAL("A", &a, "array or number where MASK is true"),
	        ARG_IN_OR_NUMBER_OPTIONAL("B", &b, "array or number where MASK is false"),
	        ARG_OUT("OUT", &out, "the chosen values; without A and B the positions where MASK is true"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "where",
	                  .group = GROUP_CALCULATE,
	                  .synonyms = "find mask",
	                  .about = "Choose between two arrays by a mask, or list where a mask is true",
	                  .details = "MASK, A and B are repeated along dimensions of length 1. If A and B "
	                             "are arrays, the type of OUT is the smallest that holds both types. "
	                             "For an array and a number, OUT has the type of the array, if this "
	                             "type can hold the number. Two numbers give int64 if both are "
	                             "integers, complex128 if one is complex, and otherwise float64.\n\n"
	                             "Without A and B, OUT is an int64 array with the dimensions (rank, n). "
	                             "The rank is the number of dimensions of MASK, and n is the number of "
	                             "true elements. Column k has the indices of the k-th element of MASK "
	                             "that is not 0. The elements are counted in storage order, with "
	                             "dimension 0 fastest. NaN is true. Type ./2 for a file named 2.",
	                  .examples = "gantry where mask volume 0 masked\n"
	                              "gantry where mask volume other mixed\n"
	                              "gantry where mask positions",
	                  .opts = opts},
	        argc, argv);

	if (a && !b)
		usage_error("A without B: expected MASK A B OUT or MASK OUT");

	struct cfl *m = cfl_open(mask);

	if (a)
		select_choice(m, a, b, type, out);
	else
		find_positions(m, type, out);

	leave(EXIT_DONE);
}
