/** Mathematical morphology. */

#include <math.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "num/kern/convert.h"
#include "volume/morph.h"

int main_morph(int argc, char *argv[]);

struct words {
	const char *op;
	struct opt_doubles radius;
	int shape, kind;
	bool mm, binary, shape_given, kind_given;
};

static const int neighbours[] = {6, 18, 26};

static enum morph_op op_parse(const char *word)
{
	static const char *const ops[] = {"erode", "dilate", "open", "close", "fill"};

	for (int k = 0; k < 5; k++)
		if (0 == strcmp(word, ops[k]))
			return (enum morph_op)k;

	usage_error("OP: unknown word '%s' (valid: erode, dilate, open, close, fill)", word);
}

static void check_words(const struct morph *m, const struct words *w)
{
	const bool fill = MORPH_FILL == m->op;

	if (fill && (w->radius.n > 0 || w->shape_given || w->mm || w->binary || m->has_outside))
		usage_error("fill supports no option except --connectivity");

	if (!fill && w->kind_given)
		usage_error("--connectivity has no effect without fill");

	if (!fill && 0 == w->radius.n)
		usage_error("expected --radius R");

	if (w->radius.n > (m->ball ? 1 : 3))
		usage_error("--radius: expected %s", m->ball ? "R (a ball)" : "R or RX:RY:RZ");
}

/** Lengths along the dimensions of a box: those that are not given are those before. */
static double radius_of(const struct words *w, int d)
{
	return w->radius.v[d < w->radius.n ? d : w->radius.n - 1];
}

static void set_radius(struct morph *m, const struct words *w, const struct hdr *h)
{
	bool some = false;

	m->radius = w->radius.v[0];

	for (int d = 0; d < 3; d++) {
		m->h[d] = w->mm ? fabs(h->spacing[d]) : 1.;

		const double reach = radius_of(w, d) / m->h[d] * (1. + 1e-9);

		if (!(reach < 1e9))
			usage_error("--radius: %g voxels along %c, expected less than 1e9", reach, "xyz"[d]);

		m->box[d] = (long)reach;
		some = some || 1. <= reach;
	}

	if (!some)
		usage_error("--radius: %g %s reaches no other voxel", m->radius, w->mm ? "mm" : "voxels");
}

static void check_outside(const struct morph *m, const struct cfl *in)
{
	if (m->has_outside && !m->binary && !convert_holds(in->hdr.type, m->outside))
		error("--outside: %g does not fit into %s", m->outside, dtype_name(in->hdr.type));
}

static struct cfl *create(const char *name, const struct morph *m)
{
	struct hdr h;

	hdr_copy(&h, &m->in->hdr);

	if (m->binary) {
		h.type = DT_BOOL;
		h.quantity = Q_MASK;
		h.unit[0] = '\0';
	}

	struct cfl *out = cfl_create(name, &h);

	hdr_free(&h);

	return out;
}

int main_morph(int argc, char *argv[])
{
	struct morph m = {0};
	struct words w = {0};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLES('r', "radius", &w.radius, "R[:RY:RZ]", 0, 1e9,
	                "radius of the ball, or half the box [voxels]"),
	        OPT_FLAG(0, "mm", &w.mm, "the radius is in mm"),
	        {'s', "shape", OPT_KIND_CHOICE, &w.shape, "ball|box", "of the structuring element", 0, 0, 0,
	                &w.shape_given},
	        {0, "outside", OPT_KIND_DOUBLE, &m.outside, "V",
	                "value outside the volume (default: not used)", 0, 0, 0, &m.has_outside},
	        OPT_FLAG('b', "binary", &w.binary, "IN is a mask of any type: not 0 is true"),
	        {'c', "connectivity", OPT_KIND_CHOICE, &w.kind, "6|18|26",
	                "fill: neighbours of the background", 0, 0, 0, &w.kind_given},
	        ARG_STRING("OP", &w.op, "erode, dilate, open, close or fill"),
	        ARG_IN("IN", &in, "mask (bool), or any real array"),
	        ARG_OUT("OUT", &out, "mask, or values of the type of IN"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "morph",
	                  .group = GROUP_MEASURE,
	                  .synonyms = "erode dilate erosion dilation opening closing imfill morphology",
	                  .about = "Erode, dilate, open, close, fill holes",
	                  .details = "erode: the minimum over a ball or box around each voxel.\n"
	                             "dilate: the maximum over a ball or box around each voxel.\n"
	                             "open: erode, followed by dilate.\n"
	                             "close: dilate, followed by erode.\n"
	                             "fill: a mask of IN with filled holes. Holes are background voxels "
	                             "that are not connected to the border of the volume.\n\n"
	                             "A mask has the type bool or the quantity mask. The option --binary "
	                             "treats any array as a mask. If IN is a mask, OUT is a mask, too. If "
	                             "IN is not a mask, all operations except fill keep the type of IN. A "
	                             "ball of radius R contains the voxels whose centres are at most R "
	                             "away. In images, the ball is a disc. With --mm, R and all distances "
	                             "are in mm.\n\n"
	                             "Voxels outside the volume do not count. Objects therefore neither "
	                             "shrink nor grow at the border. The option --outside gives the voxels "
	                             "outside the volume a value. For masks, the value of --outside is 0 "
	                             "or 1. The operations open and close also use the value of --outside "
	                             "between their two steps. Each channel and each time is a separate "
	                             "volume. NaN is an error.",
	                  .examples = "gantry morph open -r 2 mask clean\n"
	                              "gantry morph close --mm -r 0.5 mask closed\n"
	                              "gantry morph fill mask solid\n"
	                              "gantry morph dilate --shape box -r 3:3:0 volume highest",
	                  .memory = "for open and close, a copy of IN. Masks with a ball of a radius R "
	                            "above 32 voxels need 4 bytes for each voxel of 4 R + 8 slices",
	                  .opts = opts},
	        argc, argv);

	m.op = op_parse(w.op);
	m.ball = 0 == w.shape;
	m.neighbours = neighbours[w.kind];
	check_words(&m, &w);
	m.in = cfl_open(in);
	cfl_expect_real(m.in);
	m.binary =
	        w.binary || MORPH_FILL == m.op || DT_BOOL == m.in->hdr.type || Q_MASK == m.in->hdr.quantity;

	if (MORPH_FILL != m.op)
		set_radius(&m, &w, &m.in->hdr);

	check_outside(&m, m.in);
	tool_needs(morph_memory(&m, &m.in->hdr), 0.);
	m.out = create(out, &m);
	morph_run(&m);
	cfl_close(m.in);
	cfl_close(m.out);
	leave(EXIT_DONE);
}
