#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"

int main_reshape(int argc, char *argv[]);

static _Noreturn void does_not_fit(const struct cfl *x, const char *text)
{
	error("%s has %ld elements (%s), but sizes %s cannot hold exactly this number", x->name, x->count,
	        hdr_shape(&x->hdr), text);
}

/* Sizes with at most one -1, which takes the remaining elements. */
static void parse_sizes(const char *text, const struct cfl *x, long dims[DIMS])
{
	int n = parse_longs(text, DIMS, dims, "SIZES");
	long product = 1;
	int open = -1;

	for (int d = 0; d < n; d++) {
		if (-1 == dims[d] && open >= 0)
			usage_error("SIZES: '%s' contains -1 twice, expected at most once", text);

		if (dims[d] < 1 && -1 != dims[d])
			usage_error(
			        "SIZES: %ld in '%s', expected at least 1, or -1 for the remaining elements",
			        dims[d], text);

		if (-1 == dims[d])
			open = d;
		else
			product = mul_checked(product, dims[d], "SIZES");
	}

	for (int d = n; d < DIMS; d++)
		dims[d] = 1;

	if (open >= 0 && 0 == x->count % product)
		dims[open] = x->count / product;
	else if (open >= 0 || product != x->count)
		does_not_fit(x, text);
}

int main_reshape(int argc, char *argv[])
{
	const char *text = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_STRING("SIZES", &text, "new sizes, e.g. 64:64:-1; -1 takes the remaining elements"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "the same elements in the same order, same type"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "reshape",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "squeeze",
	                  .about = "Change the dimensions of an array, but keep its elements",
	                  .details = "The order of the elements does not change; dimension 0 is the "
	                             "fastest. A dimension that is neither split nor joined keeps its "
	                             "spacing and origin, even if its number changes. All other dimensions "
	                             "lose their spacing and origin.",
	                  .examples = "gantry reshape 512:512:-1 frames volume\n"
	                              "gantry reshape -1 volume line",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;
	long dims[DIMS];

	parse_sizes(text, x, dims);
	hdr_copy(&h, &x->hdr);
	shaping_reshape(&h, dims);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	shaping_straight(y, x, "reshaping");
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
