#include <math.h>
#include <stdint.h>

#include "misc/cfl.h"
#include "misc/error.h"
#include "misc/opt.h"
#include "misc/progress.h"
#include "num/convert.h"

int main_index(int argc, char *argv[]);

enum { BLOCK = 1 << 14, SLAB = 1 << 20 }; // [elements]

/* start + i step, in whole numbers where both are. */
struct count {
	double start, step;
	bool whole;
};

static bool is_whole(double v)
{
	return v == rint(v) && fabs(v) <= 0x1p53;
}

/* Elements [first, first + n) as type t at out; returns how many t cannot hold. */
static long count_block(const struct count *c, enum dtype t, char *out, long first, long n)
{
	union {
		int64_t i[BLOCK];
		double f[BLOCK];
	} v;

	for (long k = 0; k < n && c->whole; k++)
		v.i[k] = (int64_t)c->start + (first + k) * (int64_t)c->step;

	for (long k = 0; k < n && !c->whole; k++)
		v.f[k] = c->start + (double)(first + k) * c->step;

	return convert(t, out, c->whole ? DT_INT64 : DT_FLOAT64, &v, n, NARROW_SATURATE);
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
		        c->start, c->start + (double)(y->count - 1) * c->step, dtype_name(t));
}

int main_index(int argc, char *argv[])
{
	struct count c = {0, 1, true};
	int dim = 0, type = -1;
	long size = 0;
	const char *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLE(0, "start", &c.start, "X", -0x1p1000, 0x1p1000, "the first number"),
	        OPT_DOUBLE(0, "step", &c.step, "X", -0x1p1000, 0x1p1000, "from one number to the next"),
	        OPT_TYPE(&type),
	        ARG_DIM("DIM", &dim, "the dimension to count along, by number or name"),
	        ARG_LONG("SIZE", &size, 1, 0x1p62, "how many numbers"),
	        ARG_OUT("OUT", &out, "the numbers; the other dims have length 1"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "index",
	                  .synonyms = "arange linspace",
	                  .about = "Make an array that counts along a dimension",
	                  .details =
	                          "Element i is START + i STEP: int64 where both are whole numbers, else "
	                          "float64, unless --type says otherwise. The other commands repeat it along "
	                          "the dimensions where it has length 1.",
	                  .examples = "gantry index x 128 i\n"
	                              "gantry index view 360 --step 0.5 --type float32 angles",
	                  .opts = opts},
	        argc, argv);

	double last = c.start + (double)(size - 1) * c.step;
	struct hdr h;

	c.whole = is_whole(c.start) && is_whole(c.step) && fabs(last) < 0x1p62;
	hdr_init(&h);
	h.dims[dim] = size;
	h.type = type >= 0 ? (enum dtype)type : c.whole ? DT_INT64 : DT_FLOAT64;

	struct cfl *y = cfl_create(out, &h);

	count_all(&c, y);
	cfl_close(y);
	leave(EXIT_DONE);
}
