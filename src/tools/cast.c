#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/array/array.h"
#include "num/device/device_load.h"
#include "num/shape/slabs.h"

int main_cast(int argc, char *argv[]);

struct cast {
	enum dtype to, from;
	enum narrow mode;
	long lost;
};

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct cast *c = ctx;
	long lost = convert(c->to, out, c->from, in[0], n, c->mode);

	(void)first;

#pragma omp atomic
	c->lost += lost;
}

static void block_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct cast *c = ctx;

	(void)first;
	c->lost += device_convert(c->to, out, c->from, in[0], n, true);
}

/** Reports how many values did not fit, and how they were changed. */
static void report(const struct cast *c, const struct cfl *x)
{
	const char *to = dtype_name(c->to);
	bool real_part = dtype_is_complex(c->from) && !dtype_is_complex(c->to);
	const char *why = real_part ? "have an imaginary part or do not fit" : "do not fit";

	if (NARROW_ERROR == c->mode)
		error("%ld of %ld values of %s %s into %s", c->lost, x->count, x->name, why, to);

	warn("%ld of %ld values of %s %s into %s: %s", c->lost, x->count, x->name, why, to,
	        real_part ? "real parts kept" : convert_word(c->to, c->mode));
}

/** One pass, block by block. */
static void cast_blocks(struct cfl *y, struct cfl *x, enum narrow mode)
{
	struct cast c = {y->hdr.type, x->hdr.type, mode, 0};

	slabs_run_anywhere(y, c.to, 1, (struct cfl *const[]){x}, (const enum dtype[]){c.from}, block,
	        (NARROW_WRAP == mode) ? NULL : block_on_device, &c, "cast");

	ranks_sum(&c.lost, 1);

	if (0 < c.lost)
		report(&c, x);
}

/** A file of foreign byte or element order, read where it is mapped. */
static void cast_foreign(struct cfl *y, struct cfl *x, enum narrow mode)
{
	struct array *in = array_open(x), *out = array_out(y);

	out->name = x->name;
	array_copy(out, in, (struct array_rules){mode, DOMAIN_NAN});
	array_free(in);
	array_free(out);
}

int main_cast(int argc, char *argv[])
{
	const char *in = NULL, *out = NULL;
	int type = -1;
	int mode = NARROW_SATURATE;

	const struct opt opts[] = {
	        OPT_TYPE(&type),
	        OPT_CHOICE(0, "narrow", &mode, "saturate|wrap|error",
	                "values outside the range of TYPE: clip, wrap modulo 2^bits, or fail"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the same values as TYPE"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "cast",
	        .group = GROUP_MAKE,
	        .synonyms = "astype convert",
	        .about = "Change the element type of an array",
	        .details = "Conversion to integers rounds to the nearest integer. A value halfway between "
	                   "two integers becomes the even one. As an integer, NaN becomes 0. Conversion "
	                   "to bool gives 1 where the value is not 0. Conversion from complex to real "
	                   "keeps the real part. The command counts and reports the values that do not "
	                   "fit TYPE. A value out of range does not fit, nor does NaN as an integer. A "
	                   "complex value does not fit a real type if its imaginary part is not 0. BART "
	                   "and other readers of .cfl files expect the type complex64. Files of foreign "
	                   "byte order, and .npy files in C order, are read without a converted copy. The "
	                   "page doc/types.md has all rules of conversion.",
	        .examples = "gantry cast --type float32 counts counts32\ngantry cast --type uint16 --narrow "
	                    "error volume stack",
	        .by_parts = true,
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	if (type < 0)
		usage_error("no --type: expected the element type of the output, e.g. --type float32");

	struct cfl *x = cfl_open(in);
	const bool stream = 0 == strcmp(in, "-");
	struct hdr h;

	hdr_copy(&h, &x->hdr);
	h.type = (enum dtype)type;

	struct cfl *y = cfl_create(out, &h);

	if (cfl_is_mapped(x) || stream)
		cast_blocks(y, x, (enum narrow)mode);
	else
		cast_foreign(y, x, (enum narrow)mode);

	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
