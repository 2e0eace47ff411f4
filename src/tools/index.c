#include <math.h>
#include <stdint.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/progress.h"
#include "num/kern/convert.h"

int main_index(int argc, char *argv[]);

enum { BLOCK = 1 << 14, SLAB = 1 << 20 }; // [elements]

/* A number as text, with all its digits. */
struct number {
	double real;
	bool whole;
	__int128 integer;
};

/* start + i step, in whole numbers where both are: 64 bits hold them all. */
struct count {
	struct number start, step;
	enum dtype whole; // DT_INT64, DT_UINT64; DT_FLOAT64: not in whole numbers
};

/* Digits, with a sign or without. */
static bool is_integer(const char *text)
{
	text += '-' == *text || '+' == *text;

	return '\0' != *text && strlen(text) == strspn(text, "0123456789");
}

static struct number parse_number(const char *text, const char *what)
{
	struct number x = {.real = parse_double(text, what)};
	const bool negative = '-' == *text;

	x.whole = is_integer(text) ? fabs(x.real) <= 0x1p64
	                           : (x.real == rint(x.real) && fabs(x.real) <= 0x1p53);

	if (!(fabs(x.real) <= 0x1p1000))
		usage_error("%s is %s, expected a number up to 1e300", what, text);

	if (!x.whole)
		return x;

	x.integer = (__int128)x.real;

	if (is_integer(text)) {
		x.integer = 0;

		for (text += negative || '+' == *text; '\0' != *text; text++)
			x.integer = 10 * x.integer + (*text - '0');

		x.integer = negative ? -x.integer : x.integer;
	}

	return x;
}

/* The 64-bit type for all numbers of a count of that many, unsigned where that is asked for or needed. */
static enum dtype whole_type(const struct count *c, long size, int type)
{
	if (!c->start.whole || !c->step.whole)
		return DT_FLOAT64;

	const __int128 first = c->start.integer, last = first + (size - 1) * c->step.integer;
	const __int128 low = (first < last) ? first : last, high = (first < last) ? last : first;

	if (INT64_MIN <= low && high <= INT64_MAX)
		return DT_INT64;

	if (0 <= low && high <= (__int128)UINT64_MAX)
		return DT_UINT64;

	if (0 > type || dtype_is_integer((enum dtype)type))
		error("the numbers from %.17g to %.17g do not fit into %s (--type float64 rounds them)",
		        (double)first, (double)last, dtype_name(DT_UINT64 == type ? DT_UINT64 : DT_INT64));

	return DT_FLOAT64;
}

/* Elements [first, first + n) as type t at out; returns how many t cannot hold. */
static long count_block(const struct count *c, enum dtype t, char *out, long first, long n)
{
	const uint64_t start = (uint64_t)c->start.integer, step = (uint64_t)c->step.integer;
	const bool whole = DT_FLOAT64 != c->whole;
	union {
		uint64_t i[BLOCK];
		double f[BLOCK];
	} v;

	for (long k = 0; k < n && whole; k++)
		v.i[k] = start + (uint64_t)(first + k) * step; // modulo 2^64

	for (long k = 0; k < n && !whole; k++)
		v.f[k] = c->start.real + (double)(first + k) * c->step.real;

	return convert(t, out, c->whole, &v, n, NARROW_SATURATE);
}

static void count_all(const struct count *c, struct cfl *y)
{
	enum dtype t = y->hdr.type;
	long size = (long)dtype_size(t), lost = 0;

	progress_start("counting", y->count);

	for (long first = 0; first < y->count; first += SLAB) {
		long n = y->count - first < SLAB ? y->count - first : SLAB;
		char *out = cfl_slab(y, n);

#pragma omp parallel for schedule(static) reduction(+ : lost)
		for (long k = 0; k < n; k += BLOCK)
			lost += count_block(c, t, out + k * size, first + k, n - k < BLOCK ? n - k : BLOCK);

		progress_add(n);
	}

	progress_end();

	if (lost > 0)
		error("%ld of the %ld numbers from %.17g to %.17g do not fit into %s", lost, y->count,
		        c->start.real, c->start.real + (double)(y->count - 1) * c->step.real, dtype_name(t));
}

int main_index(int argc, char *argv[])
{
	const char *start = "0", *step = "1";
	int dim = 0, type = -1;
	long size = 0;
	const char *out = NULL;

	const struct opt opts[] = {
	        OPT_STRING(0, "start", &start, "X", "the first number"),
	        OPT_STRING(0, "step", &step, "X", "step between numbers"),
	        OPT_TYPE(&type),
	        ARG_DIM("DIM", &dim, "the dimension to count along, by number or name"),
	        ARG_LONG("SIZE", &size, 1, 0x1p62, "how many numbers"),
	        ARG_OUT("OUT", &out, "the numbers; the other dims have length 1"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "index",
	                  .group = GROUP_MAKE,
	                  .synonyms = "arange linspace",
	                  .about = "Make an array that counts along a dimension",
	                  .details = "Element i is START + i STEP. If START and STEP are integers, the "
	                             "elements are exact and have the type int64. If an element reaches "
	                             "2^63, the type is uint64. If START or STEP is not an integer, the "
	                             "type is float64. The option --type sets another type. Commands such "
	                             "as 'gantry expr' repeat OUT along the dimensions of length 1.",
	                  .examples = "gantry index x 128 i\n"
	                              "gantry index view 360 --step 0.5 --type float32 angles",
	                  .opts = opts},
	        argc, argv);

	struct count c = {parse_number(start, "--start"), parse_number(step, "--step"), DT_FLOAT64};
	struct hdr h;

	c.whole = whole_type(&c, size, type);
	hdr_init(&h);
	h.dims[dim] = size;
	h.type = type >= 0 ? (enum dtype)type : c.whole;

	struct cfl *y = cfl_create(out, &h);

	count_all(&c, y);
	cfl_close(y);
	leave(EXIT_DONE);
}
