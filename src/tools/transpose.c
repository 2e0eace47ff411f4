#include "misc/error.h"
#include "misc/opt.h"
#include "num/shaping.h"

int main_transpose(int argc, char *argv[]);

/* The grid goes with the data. */
static void swap_grid(struct hdr *h, int a, int b)
{
	double spacing = h->spacing[a], origin = h->origin[a];

	h->spacing[a] = h->spacing[b];
	h->spacing[b] = spacing;
	h->origin[a] = h->origin[b];
	h->origin[b] = origin;
}

int main_transpose(int argc, char *argv[])
{
	int a = 0, b = 0;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        ARG_DIM("DIM1", &a, "a dimension, by number or name"),
	        ARG_DIM("DIM2", &b, "the dimension to exchange it with"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "same elements and type, the two dims exchanged"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "transpose",
	                  .about = "Exchange two dimensions of an array",
	                  .details = "Spacing and origin go with their dimension.",
	                  .examples =
	                          "gantry transpose y z volume turned\ngantry transpose 0 1 image transposed",
	                  .opts = opts},
	        argc, argv);

	struct hdr h;
	struct shaping s;
	struct cfl *x = shaping_open(&s, &h, in);

	struct shaping_dim d = s.dim[a];
	s.dim[a] = s.dim[b];
	s.dim[b] = d;

	shaping_dims(&s, &h);
	swap_grid(&h, a, b);
	shaping_write(&s, &h, a == b ? 0 : 1UL << a | 1UL << b, x, out, "transposing");
	leave(EXIT_DONE);
}
