/* Types, shapes and constants of an expression's terms: one loop from the operands up. */

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/expr/windows/box.h"
#include "num/expr/expr_type.h"
#include "num/expr/windows/sampler.h"
#include "num/kern/kern.h"

void expr_error_at(long column, const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	error("expression, %s: %s", expr_place(column), s.data);
}

/** Marks what the outputs need. */
static void mark_used(struct binding *b)
{
	const struct expr *e = b->e;

	for (int i = 0; i < e->nout; i++)
		b->facts[e->out[i].term].used = true;

	for (int i = e->n - 1; i >= 0; i--)
		for (int k = 0; b->facts[i].used && k < e->terms[i].args; k++)
			b->facts[e->terms[i].arg[k]].used = true;
}

/** Extents that all operands that are used share. */
static void common_dims(struct binding *b)
{
	const struct expr *e = b->e;

	md_singleton_dims(DIMS, b->dims);

	for (int i = 0; i < e->nin; i++) {
		const long *dims = b->in[i].dims;

		for (int d = 0; b->facts[e->in[i].term].used && d < DIMS; d++) {
			if (1 == b->dims[d])
				b->dims[d] = dims[d];
			else if (1 != dims[d] && dims[d] != b->dims[d])
				b->dims[d] = 0;
		}
	}
}

/** Operands of which only samples are taken give extents and grids where no others do. */
static void use_sampled(struct binding *b)
{
	const struct expr *e = b->e;

	for (int i = 0; i < e->nin; i++)
		if (b->facts[e->in[i].term].used)
			return;

	for (int i = 0; i < e->n; i++)
		if (b->facts[i].used && TERM_SAMPLE == e->terms[i].kind)
			b->facts[e->terms[i].id].used = true;
}

static bool has_operand(const struct binding *b)
{
	for (int i = 0; i < b->e->nin; i++)
		if (b->facts[b->e->in[i].term].used)
			return true;

	return false;
}

/** The common extent of dim d, which an index variable, coordinate or extent needs. */
static long extent(const struct binding *b, const struct term *t)
{
	static const char letters[] = {'i', 'n'};

	if (TERM_COORDINATE == t->kind) {
		if (!has_operand(b))
			expr_error_at(t->column,
			        "there is no operand whose grid would give the coordinate %c", 'x' + t->id);
	} else if (!has_operand(b)) {
		expr_error_at(t->column, "there is no operand whose extent would give %c%d",
		        letters[TERM_EXTENT == t->kind], t->id);
	}

	if (0 == b->dims[t->id])
		expr_error_at(t->column, "the operands have different extents along dimension %d", t->id);

	return b->dims[t->id];
}

static double operand_origin(const struct expr_operand *o, int d)
{
	return isnan(o->origin[d]) ? -(double)(o->dims[d] - 1) / 2. * o->spacing[d] : o->origin[d];
}

/** Grid of dim d: of the operands that extend along it, which must agree; else of the first. */
static void find_grid(struct binding *b, const struct term *t)
{
	const struct expr_operand *from = NULL;
	int d = t->id;

	for (int i = 0; i < b->e->nin; i++) {
		const struct expr_operand *o = &b->in[i];

		if (!b->facts[b->e->in[i].term].used || (1 == o->dims[d] && 1 != b->dims[d]))
			continue;

		if (NULL == from)
			from = o;
		else if (from->dims[d] > 1 && (from->spacing[d] != o->spacing[d] ||
		                                      operand_origin(from, d) != operand_origin(o, d)))
			expr_error_at(t->column,
			        "operands with different spacing or origin along dimension %d have no common "
			        "coordinate %c",
			        d, 'x' + d);
	}

	b->spacing[d] = from->spacing[d];
	b->origin[d] = operand_origin(from, d);
}

/** The type of a weak term beside others like it. */
static enum dtype natural(const struct facts *f)
{
	if (!f->weak || DT_UINT64 == f->type)
		return f->type;

	if (dtype_is_complex(f->type))
		return DT_COMPLEX128;

	return dtype_is_float(f->type) ? DT_FLOAT64 : DT_INT64;
}

static bool holds(enum dtype t, int64_t low, uint64_t high)
{
	int bits = 8 * (int)dtype_size(t);

	if (DT_BOOL == t)
		return false;

	if (t >= DT_UINT8)
		return low >= 0 && high <= UINT64_MAX >> (64 - bits);

	return low >= -(int64_t)(UINT64_MAX >> 1 >> (64 - bits)) - 1 &&
	       high <= UINT64_MAX >> 1 >> (64 - bits);
}

/** The smallest type for that range. */
static enum dtype smallest(int64_t low, uint64_t high)
{
	static const enum dtype order[] = {
	        DT_UINT8, DT_INT8, DT_UINT16, DT_INT16, DT_UINT32, DT_INT32, DT_UINT64, DT_INT64};

	for (int i = 0; i < 8; i++)
		if (holds(order[i], low, high))
			return order[i];

	return DT_FLOAT64; // from below 0 to over 2^63
}

static enum dtype complex_of(enum dtype t)
{
	return dtype_is_complex(t) ? t : DT_COMPLEX32 + (t - DT_FLOAT16);
}

/** The type a weak term takes beside arrays of type t. */
static enum dtype adapt(const struct facts *f, enum dtype t)
{
	enum dtype real = dtype_real(t);

	if (dtype_is_integer(f->type)) {
		if (!dtype_is_integer(t))
			return real;

		return holds(t, f->low, f->high) ? t : smallest(f->low, f->high);
	}

	if (dtype_is_integer(t))
		real = dtype_size(t) <= 2 ? DT_FLOAT32 : DT_FLOAT64;

	return dtype_is_complex(f->type) ? complex_of(real) : real;
}

/** The same beside terms that are all weak and wanted in type `want`. */
static enum dtype adapt_to_want(const struct facts *f, enum dtype want)
{
	if (dtype_is_integer(want))
		return natural(f);

	return dtype_is_complex(f->type) ? complex_of(want) : dtype_real(want);
}

/** The first operand that decides the type: a condition does not. */
static int first_operand(const struct term *t)
{
	return (TERM_OP == t->kind && OP_SELECT == t->id) ? 1 : 0;
}

/** Whether some operand has a type of its own; the type that holds those. */
static bool strong_type(const struct binding *b, const struct term *t, enum dtype *type)
{
	bool strong = false;

	for (int k = first_operand(t); k < t->args; k++) {
		const struct facts *f = &b->facts[t->arg[k]];

		if (f->weak)
			continue;

		*type = strong ? dtype_promote(*type, f->type) : f->type;
		strong = true;
	}

	return strong;
}

static long constant_long(const struct facts *f)
{
	int64_t v;

	memcpy(&v, f->value, sizeof v);

	return v;
}

bool expr_is_product(const struct binding *b, const struct term *t, long *exponent)
{
	const struct facts *f = &b->facts[t->arg[1]];

	if (TERM_OP != t->kind || OP_POW != t->id || !f->constant || DT_INT64 != f->type)
		return false;

	*exponent = constant_long(f);

	return *exponent >= 0;
}

/** Whether weak integers beside each other are uint64: one is, and none is below 0. */
static bool all_uint64(const struct binding *b, const struct term *t)
{
	bool large = false;

	for (int k = first_operand(t); k < t->args; k++) {
		const struct facts *f = &b->facts[t->arg[k]];

		if (!dtype_is_integer(f->type) || f->low < 0)
			return false;

		large = large || DT_UINT64 == f->type;
	}

	return large;
}

/** Element types of the operands of a term. */
static void operand_types(
        const struct binding *b, const struct term *t, bool heed, enum dtype want, enum dtype in[3])
{
	enum dtype type = DT_BOOL;
	bool strong = strong_type(b, t, &type), large = !strong && all_uint64(b, t);

	for (int k = 0; k < t->args; k++) {
		const struct facts *f = &b->facts[t->arg[k]];

		if (k < first_operand(t))
			in[k] = DT_BOOL;
		else if (!f->weak)
			in[k] = f->type;
		else if (strong)
			in[k] = adapt(f, type);
		else if (heed)
			in[k] = adapt_to_want(f, want);
		else
			in[k] = large ? DT_UINT64 : natural(f);
	}
}

/** Whether an integer operand of the term may be below 0 although its type is unsigned. */
static bool has_below(const struct binding *b, const struct term *t)
{
	for (int k = first_operand(t); k < t->args; k++)
		if (b->facts[t->arg[k]].below)
			return true;

	return false;
}

static bool infer_types(const struct binding *b, int term, bool heed, enum dtype want, struct op_types *types)
{
	const struct term *t = &b->e->terms[term];
	enum domain domain = b->rules.domain;
	enum dtype in[3];
	long exponent;

	operand_types(b, t, heed, want, in);

	if (TERM_REDUCTION == t->kind)
		return reduction_types((enum reduction)t->id, in, types);

	if (expr_is_product(b, t, &exponent)) { // no type but the base's, and always a value
		in[1] = DT_BOOL;
		domain = DOMAIN_NAN;
	}

	if (!op_types((enum op)t->id, in, domain, types))
		return false;

	// products of uint32 have the type of their operands but are made in uint64: not where that loses a
	// sign
	if (DT_UINT64 == types->value && DT_UINT64 != types->result && has_below(b, t))
		types->work = types->value = DT_INT64;

	return true;
}

struct op_types expr_types(const struct binding *b, int term, enum dtype want)
{
	const struct facts *f = &b->facts[term];
	bool heed = f->weak && !f->scalar && !dtype_is_integer(f->type);
	struct op_types types = {0};

	infer_types(b, term, heed, want, &types);

	return types;
}

/** Shape of a term: that of its operands, repeated along dims of length 1. */
static void infer_dims(struct binding *b, int term)
{
	const struct term *t = &b->e->terms[term];
	long *dims = b->facts[term].dims;

	for (int k = 0; k < t->args; k++) {
		const long *in = b->facts[t->arg[k]].dims;

		for (int d = 0; d < DIMS; d++) {
			if (1 == dims[d])
				dims[d] = in[d];

			if (1 == in[d] || in[d] == dims[d])
				continue;

			struct hdr a, c;

			hdr_init(&a);
			hdr_init(&c);
			md_copy_dims(DIMS, a.dims, b->facts[t->arg[0]].dims);
			md_copy_dims(DIMS, c.dims, in);
			expr_error_at(t->column,
			        "operands of '%s' are %s and %s: expected equal dimensions, or 1 where an "
			        "operand is repeated",
			        term_name(t), hdr_shape(&a), hdr_shape(&c));
		}
	}
}

static int64_t clamp_low(__int128 v)
{
	return (v < INT64_MIN) ? INT64_MIN : (v > INT64_MAX) ? INT64_MAX : (int64_t)v;
}

static uint64_t clamp_high(__int128 v)
{
	return (v < 0) ? 0 : (v > (__int128)UINT64_MAX) ? UINT64_MAX : (uint64_t)v;
}

static __int128 min128(__int128 a, __int128 b)
{
	return (a < b) ? a : b;
}

static __int128 max128(__int128 a, __int128 b)
{
	return (a > b) ? a : b;
}

/** Range of a weak integer term from those of its operands; all of int64 where that is not simple. `high` of
 * negative ranges is 0: wider than need be. */
static void infer_range(const struct binding *b, const struct term *t, struct facts *f)
{
	int first = first_operand(t);
	const struct facts *x = &b->facts[t->arg[first]], *y = &b->facts[t->arg[t->args - 1]];
	__int128 low = INT64_MIN, high = INT64_MAX;
	bool large = 0 < x->high && y->high > UINT64_MAX / x->high;
	__int128 p[4] = {(__int128)x->low * y->low, (__int128)x->low * (__int128)y->high,
	        (__int128)x->high * y->low, large ? UINT64_MAX : x->high * y->high};

	switch (t->id) {
	case OP_NEG:
		low = -(__int128)x->high;
		high = -(__int128)x->low;
		break;
	case OP_ADD:
		low = (__int128)x->low + y->low;
		high = (__int128)x->high + y->high;
		break;
	case OP_SUB:
		low = (__int128)x->low - y->high;
		high = (__int128)x->high - y->low;
		break;
	case OP_MUL:
		low = min128(min128(p[0], p[1]), min128(p[2], p[3]));
		high = max128(max128(p[0], p[1]), max128(p[2], p[3]));
		break;
	case OP_MOD:
		if (y->low > 0) {
			low = 0;
			high = (__int128)y->high - 1;
		}
		break;
	case OP_SELECT:
	case OP_MIN:
	case OP_MAX:
		low = min128(x->low, y->low);
		high = max128(x->high, y->high);
		break;
	}

	f->low = clamp_low(low);
	f->high = clamp_high(high);
}

static void range_of_type(struct facts *f)
{
	int bits = 8 * (int)dtype_size(f->type);
	bool is_unsigned = f->type >= DT_UINT8;

	f->low = is_unsigned ? 0 : -(int64_t)(UINT64_MAX >> 1 >> (64 - bits)) - 1;
	f->high = UINT64_MAX >> (64 - bits) >> (is_unsigned ? 0 : 1);
}

static void range_of_value(struct facts *f)
{
	if (DT_UINT64 == f->type) {
		memcpy(&f->high, f->value, sizeof f->high);
		f->low = (f->high > INT64_MAX) ? INT64_MAX : (int64_t)f->high;
	} else {
		f->low = constant_long(f);
		f->high = (f->low < 0) ? 0 : (uint64_t)f->low;
	}
}

/** The value of a term whose operands are constants, by the kernel that would compute it. Not where a domain
 * error has to be told: then it is left to the run. */
static void fold(struct binding *b, const struct term *t, struct facts *f, const struct op_types *types)
{
	unsigned char arg[3][16] = {0};
	kern_fn *fn = kern_op((enum op)t->id, types->work);

	for (int k = 0; k < t->args; k++) {
		const struct facts *g = &b->facts[t->arg[k]];
		enum dtype to = (k < first_operand(t)) ? DT_BOOL : types->work;

		if (!g->constant)
			return;

		convert(to, arg[k], dtype_work(g->type), g->value, 1, NARROW_SATURATE);
	}

	bool told = DOMAIN_WARN == b->rules.domain || DOMAIN_ERROR == b->rules.domain;

	if (told && op_has_domain((enum op)t->id) && !dtype_is_complex(types->work) &&
	        0 < kern_domain((enum op)t->id, types->work, 1, arg[0], arg[1], 0))
		return;

	fn(1, f->value, arg[0], arg[1], arg[2], 0);
	f->constant = true;
}

static __int128 constant_integer(const struct facts *f)
{
	uint64_t u;

	memcpy(&u, f->value, sizeof u);

	return (DT_UINT64 == f->type) ? (__int128)u : (__int128)constant_long(f);
}

static void set_integer(struct facts *f, __int128 v)
{
	const uint64_t u = (uint64_t)v;

	f->type = (v > INT64_MAX) ? DT_UINT64 : DT_INT64;
	memcpy(f->value, &u, sizeof u);
}

static void set_real(struct facts *f, double v)
{
	f->type = DT_FLOAT64;
	memcpy(f->value, &v, sizeof v);
}

/** x^y; false beyond 128 bits. */
static bool exact_power(__int128 x, __int128 y, __int128 *r)
{
	bool over = false;

	for (*r = 1; y > 0; y /= 2) {
		over = over || (0 != y % 2 && __builtin_mul_overflow(*r, x, r));
		over = over || (1 < y && __builtin_mul_overflow(x, x, &x));
	}

	return !over;
}

/** The exact result of an operator on integers; false beyond 128 bits, *known false for other operators. */
static bool exact_result(enum op op, const __int128 x[3], __int128 *r, bool *known)
{
	__int128 p;

	*known = true;

	switch (op) {
	case OP_NEG:
		return !__builtin_sub_overflow((__int128)0, x[0], r);
	case OP_ABS:
		return !__builtin_sub_overflow((__int128)0, (x[0] < 0) ? x[0] : -x[0], r);
	case OP_SQUARE:
	case OP_ABS2:
		return !__builtin_mul_overflow(x[0], x[0], r);
	case OP_ADD:
		return !__builtin_add_overflow(x[0], x[1], r);
	case OP_SUB:
		return !__builtin_sub_overflow(x[0], x[1], r);
	case OP_MUL:
	case OP_MULC:
		return !__builtin_mul_overflow(x[0], x[1], r);
	case OP_MULADD:
		return !__builtin_mul_overflow(x[0], x[1], &p) && !__builtin_add_overflow(p, x[2], r);
	case OP_POW:
		*known = x[1] >= 0;
		return *known && exact_power(x[0], x[1], r);
	default:
		*known = false;
		return false;
	}
}

/** Sums, products and powers of whole numbers: the smallest of int64, uint64 and float64 that holds the exact
 * result. False where this is something else. */
static bool fold_integers(const struct binding *b, const struct term *t, struct facts *f)
{
	__int128 x[3] = {0}, r = 0;
	double d[3] = {0}, real;
	bool known;

	for (int k = 0; k < t->args; k++) {
		const struct facts *g = &b->facts[t->arg[k]];

		if (!g->constant || !g->weak || !dtype_is_integer(g->type))
			return false;

		x[k] = constant_integer(g);
		d[k] = (double)x[k];
	}

	const bool exact = exact_result((enum op)t->id, x, &r, &known);

	if (!known)
		return false;

	kern_op((enum op)t->id, DT_FLOAT64)(1, &real, &d[0], &d[1], &d[2], 0);

	if (exact && INT64_MIN <= r && r <= (__int128)UINT64_MAX)
		set_integer(f, r);
	else
		set_real(f, exact ? (double)r : real);

	f->constant = true;

	return true;
}

static const char *type_list(const struct binding *b, const struct term *t)
{
	static _Thread_local char text[128];
	size_t n = 0;

	text[0] = '\0';

	for (int k = 0; k < t->args; k++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k ? " and " : "",
		        dtype_name(b->facts[t->arg[k]].type));

	return text;
}

static void infer_op(struct binding *b, int term)
{
	const struct term *t = &b->e->terms[term];
	struct facts *f = &b->facts[term];
	struct op_types types;
	enum dtype unused;

	infer_dims(b, term);

	if (!infer_types(b, term, false, DT_FLOAT64, &types))
		expr_error_at(t->column, "'%s' is not defined for %s", term_name(t), type_list(b, t));

	f->type = types.result;
	f->scalar = true;
	f->below = TERM_OP == t->kind && dtype_is_integer(f->type) && DT_INT64 == types.value &&
	           (OP_SUB == t->id || OP_NEG == t->id || has_below(b, t));

	if (TERM_REDUCTION == t->kind) {
		md_singleton_dims(DIMS, f->dims);
		f->weak = DT_BOOL != f->type;

		if (dtype_is_integer(f->type))
			range_of_type(f);

		return;
	}

	f->weak = DT_BOOL != f->type && !strong_type(b, t, &unused);

	for (int k = 0; k < t->args; k++)
		f->scalar = f->scalar && b->facts[t->arg[k]].scalar;

	if (f->scalar && !(f->weak && fold_integers(b, t, f)))
		fold(b, t, f, &types);

	if (f->weak && dtype_is_integer(f->type))
		infer_range(b, t, f);

	if (f->constant && f->weak && dtype_is_integer(f->type))
		range_of_value(f);
}

static void infer_number(const struct binding *b, const struct term *t, struct facts *f)
{
	complex double z = 0;
	long n;

	f->weak = f->scalar = f->constant = true;

	switch (t->kind) {
	case TERM_INTEGER:
		f->type = (t->integer > INT64_MAX) ? DT_UINT64 : DT_INT64;
		memcpy(f->value, &t->integer, sizeof t->integer);
		break;
	case TERM_EXTENT:
		f->type = DT_INT64;
		n = extent(b, t);
		memcpy(f->value, &n, sizeof n);
		break;
	case TERM_FLOAT:
		f->type = DT_FLOAT64;
		memcpy(f->value, &t->value, sizeof t->value);
		return;
	default:
		f->type = DT_COMPLEX128;
		z = __builtin_complex(0., t->value);
		memcpy(f->value, &z, sizeof z);
		return;
	}

	range_of_value(f);
}

/** Neighbours, and other forms of the same elements. */
static void infer_form(struct binding *b, int term)
{
	const struct term *t = &b->e->terms[term];
	const struct facts *a = &b->facts[t->arg[0]],
	                   *like = &b->facts[(TERM_LIKE == t->kind) ? t->id : t->arg[0]];
	struct facts *f = &b->facts[term];

	if ((TERM_MEDIAN == t->kind || (TERM_BOX == t->kind && BOX_MEAN != t->id)) &&
	        dtype_is_complex(a->type))
		expr_error_at(t->column, "'%s' is not defined for %s: complex numbers have no order",
		        (TERM_MEDIAN == t->kind) ? "median"
		        : (BOX_MIN == t->id)     ? "min"
		                                 : "max",
		        dtype_name(a->type));

	*f = *a;

	if (TERM_WIDE == t->kind)
		f->type = dtype_is_complex(a->type) ? DT_COMPLEX128
		          : dtype_is_float(a->type) || 1 == t->id
		                  ? DT_FLOAT64
		                  : ((DT_UINT64 == a->type) ? DT_UINT64 : DT_INT64);

	if (TERM_LIKE == t->kind) {
		f->weak = like->weak;
		f->type = like->type;

		if (dtype_is_integer(like->type))
			f->type = (dtype_size(like->type) <= 2) ? DT_FLOAT32 : DT_FLOAT64;
	}

	if (f->type != a->type)
		f->constant = false;
}

/** Values of an operand at places: as large as these are, and as the operand's further dims. */
static void infer_sample(struct binding *b, int term)
{
	const struct term *t = &b->e->terms[term], *from = &b->e->terms[t->id];
	struct facts *f = &b->facts[term];

	if (TERM_INPUT != from->kind)
		expr_error_at(t->column, "%s takes values of an operand, found the coordinate %c",
		        term_name(t), 'x' + from->id);

	for (int k = 0; k < t->args; k++)
		if (dtype_is_complex(b->facts[t->arg[k]].type))
			expr_error_at(t->column, "a place of %s is of type %s, expected real numbers [mm]",
			        term_name(t), dtype_name(b->facts[t->arg[k]].type));

	infer_dims(b, term);

	for (int d = 3; d < DIMS; d++) {
		const long n = b->in[from->id].dims[d];

		if (1 != n && 1 != f->dims[d] && n != f->dims[d])
			expr_error_at(t->column, "%s: %ld places along dimension %d, but %ld images there",
			        term_name(t), f->dims[d], d, n);

		f->dims[d] = (1 == n) ? f->dims[d] : n;
	}

	f->type = sampler_type((enum sampler_method)t->shift[0], b->in[from->id].type);
}

/** 1 / spacing along dim id: of the operands, which must agree. */
static void infer_per_mm(struct binding *b, const struct term *t, struct facts *f)
{
	double h = 1.;

	if (!has_operand(b))
		expr_error_at(t->column, "no operand whose spacing a derivative could use");

	for (int i = 0, n = 0; i < b->e->nin; i++) {
		const struct expr_operand *o = &b->in[i];

		if (!b->facts[b->e->in[i].term].used || 1 == o->dims[t->id])
			continue;

		if (0 < n++ && o->spacing[t->id] != h)
			expr_error_at(t->column,
			        "operands of different spacing along dimension %d: %g and %g mm", t->id, h,
			        o->spacing[t->id]);

		h = o->spacing[t->id];
	}

	h = 1. / h;
	f->weak = f->scalar = f->constant = true;
	f->type = DT_FLOAT64;
	memcpy(f->value, &h, sizeof h);
}

static void infer_term(struct binding *b, int term)
{
	const struct term *t = &b->e->terms[term];
	struct facts *f = &b->facts[term];

	md_singleton_dims(DIMS, f->dims);

	switch (t->kind) {
	case TERM_INTEGER:
	case TERM_FLOAT:
	case TERM_IMAGINARY:
	case TERM_EXTENT:
		infer_number(b, t, f);
		break;
	case TERM_INPUT:
		f->type = b->in[t->id].type;
		md_copy_dims(DIMS, f->dims, b->in[t->id].dims);
		break;
	case TERM_INDEX:
	case TERM_COORDINATE:
		f->weak = true;
		f->type = (TERM_INDEX == t->kind) ? DT_INT64 : DT_FLOAT64;
		f->dims[t->id] = extent(b, t);
		f->high = (uint64_t)(f->dims[t->id] > 0 ? f->dims[t->id] - 1 : 0);

		if (TERM_COORDINATE == t->kind)
			find_grid(b, t);
		break;
	case TERM_SHIFT:
	case TERM_MEDIAN:
	case TERM_BOX:
	case TERM_WIDE:
	case TERM_LIKE:
		infer_form(b, term);
		break;
	case TERM_PER_MM:
		infer_per_mm(b, t, f);
		break;
	case TERM_SAMPLE:
		infer_sample(b, term);
		break;
	case TERM_OP:
	case TERM_REDUCTION:
		infer_op(b, term);
		break;
	}
}

void expr_infer(struct binding *b)
{
	b->facts = mem_calloc((size_t)b->e->n, sizeof *b->facts);
	mark_used(b);
	use_sampled(b);
	common_dims(b);

	for (int i = 0; i < b->e->n; i++)
		if (b->facts[i].used)
			infer_term(b, i);
}
