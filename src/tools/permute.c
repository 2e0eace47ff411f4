#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"

int main_permute(int argc, char *argv[]);

/* "2:0:1" or "z,x,y": the named dims, then the others, in their order. */
static unsigned long parse_order(const char *text, int order[DIMS])
{
	char *copy = mem_strdup(text);
	unsigned long seen = 0, moved = 0;
	int n = 0;

	for (char *rest = copy, *word; (word = strsep(&rest, ":,"));) {
		int d = parse_dim(word, "ORDER");

		if (seen & 1UL << d)
			usage_error("ORDER: dimension %s appears twice in '%s'", word, text);

		seen |= 1UL << d;
		order[n++] = d;
	}

	for (int d = 0; d < DIMS; d++)
		if (!(seen & 1UL << d))
			order[n++] = d;

	for (int d = 0; d < DIMS; d++)
		if (order[d] != d)
			moved |= 1UL << d;

	free(copy);
	return moved;
}

int main_permute(int argc, char *argv[])
{
	const char *text = NULL, *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_STRING("ORDER", &text, "dimensions of IN, by number or name, in their new order: 2:0:1"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "same elements and type, with the dims in ORDER"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "permute",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "moveaxis",
	                  .about = "Reorder the dimensions of an array",
	                  .details = "Dimension i of OUT is dimension ORDER[i] of IN, as in NumPy's "
	                             "transpose(). Dimensions that are not in ORDER follow in their present "
	                             "order. Spacing and origin move with their dimension.",
	                  .examples = "gantry permute 2:0:1 volume turned\n"
	                              "gantry permute u,view,v projections sinograms",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	int order[DIMS];
	unsigned long moved = parse_order(text, order);
	struct cfl *x = shaping_open(&s, &h, in);

	shaping_permute(&s, &h, order);
	shaping_write(&s, &h, moved, x, out, "permuting");
	leave(EXIT_DONE);
}
