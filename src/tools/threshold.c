/** Masks from values. */

#include <stdlib.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/looping/looping.h"
#include "misc/options/opt.h"
#include "volume/otsu_levels.h"
#include "volume/threshold.h"

int main_threshold(int argc, char *argv[]);

struct words {
	struct opt_doubles value, hysteresis;
	struct opt_longs adaptive;
	long classes;
	double offset;
	int kind; // of neighbours
	bool otsu, invert, offset_given, classes_given, kind_given;
};

static const int neighbours[] = {6, 18, 26};

static bool ascend(const struct opt_doubles *d)
{
	for (int k = 1; k < d->n; k++)
		if (!(d->v[k - 1] < d->v[k]))
			return false;

	return true;
}

static void check_words(struct words *w)
{
	const int ways = w->otsu + (w->value.n > 0) + (w->hysteresis.n > 0) + (w->adaptive.n > 0);

	if (ways > 1)
		usage_error("expected one of --value, --otsu, --hysteresis, --adaptive");

	w->otsu = w->otsu || 0 == ways;

	if (!ascend(&w->value))
		usage_error("--value: expected ascending levels");

	if (w->hysteresis.n > 0 && (2 != w->hysteresis.n || !ascend(&w->hysteresis)))
		usage_error("--hysteresis: expected LO:HI with LO < HI");

	if (w->adaptive.n > 3)
		usage_error("--adaptive: expected R or RX:RY:RZ");

	bool radius = false;

	for (int d = 0; d < w->adaptive.n; d++)
		radius = radius || w->adaptive.v[d] > 0;

	if (w->adaptive.n > 0 && !radius)
		usage_error(
		        "--adaptive: a box of radius 0 is the voxel itself, expected a radius of at least 1");

	if (w->classes_given && !w->otsu)
		usage_error("--classes has no effect without --otsu");

	if (w->offset_given && 0 == w->adaptive.n)
		usage_error("--offset has no effect without --adaptive");

	if (w->kind_given && 0 == w->hysteresis.n)
		usage_error("--connectivity has no effect without --hysteresis");

	if (w->invert && (w->hysteresis.n > 0 || w->value.n > 1 || w->classes > 2))
		usage_error("--invert: expected one level");
}

/** The levels of Otsu's method become those of the command line. */
static void choose(struct words *w, struct cfl *in)
{
	struct opt_doubles *level = &w->value;

	otsu_levels(level->v, (int)w->classes, in);

	if (tool_plan())
		return;

	struct str s = {0};

	for (int k = 0; k < level->n; k++) {
		str_add(&s, k > 0 ? ":" : "");
		str_add_double(&s, level->v[k], 9);
	}

	info("levels %s", s.data);

	if (!looping_active()) { // else each slice has its own
		tool_record_drop("otsu");
		tool_record_drop("classes");
		tool_record("value", "%s", s.data);
	}

	free(s.data);
}

static struct cfl *create(const char *name, const struct cfl *in, int classes)
{
	struct hdr h;

	hdr_copy(&h, &in->hdr);
	h.type = classes > 2 ? DT_UINT8 : DT_BOOL;
	h.quantity = classes > 2 ? Q_UNKNOWN : Q_MASK;
	h.unit[0] = '\0';

	struct cfl *out = cfl_create(name, &h);

	hdr_free(&h);

	return out;
}

static void adapt(struct cfl *out, struct cfl *in, const struct words *w)
{
	const struct opt_longs *r = &w->adaptive;
	const long radius[3] = {r->v[0], 1 < r->n ? r->v[1] : r->v[0], 2 < r->n ? r->v[2] : r->v[0]};

	threshold_adaptive(out, in, radius, w->offset, w->invert);
}

int main_threshold(int argc, char *argv[])
{
	struct words w = {.classes = 2};
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLES(0, "value", &w.value, "V[:V2..]", 0, 0,
	                "greater than V; several: number of levels exceeded"),
	        OPT_FLAG(0, "otsu", &w.otsu, "level of Otsu's method (default)"),
	        {0, "classes", OPT_KIND_LONG, &w.classes, "N", "classes of Otsu's method", 0, 2, 8,
	                &w.classes_given},
	        OPT_DOUBLES(0, "hysteresis", &w.hysteresis, "LO:HI", 0, 0,
	                "above LO and connected to a voxel above HI"),
	        {'c', "connectivity", OPT_KIND_CHOICE, &w.kind, "6|18|26", "neighbours for --hysteresis", 0,
	                0, 0, &w.kind_given},
	        OPT_LONGS(0, "adaptive", &w.adaptive, "R[:RY:RZ]", 0, 1L << 40,
	                "above the mean of the box of this radius [voxels]"),
	        {0, "offset", OPT_KIND_DOUBLE, &w.offset, "C", "--adaptive: above the mean minus C", 0, 0, 0,
	                &w.offset_given},
	        OPT_FLAG('i', "invert", &w.invert, "invert the selection"),
	        ARG_IN("IN", &in, "real array"),
	        ARG_OUT("OUT", &out, "mask (bool), or classes from 0 (uint8)"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "threshold",
	                  .group = GROUP_MEASURE,
	                  .synonyms = "binarize binarise otsu segment imbinarize",
	                  .about = "Select voxels by value (Otsu's method, levels, hysteresis, local mean)",
	                  .details = "The mask is true where a value is greater than the level. By default, "
	                             "Otsu's method chooses the level from the values of the whole array. "
	                             "Otsu's method maximises the variance between the classes (IEEE "
	                             "Transactions on Systems, Man, and Cybernetics 9, 62-66, 1979). The "
	                             "histogram for Otsu's method has at most 4096 bins, from the smallest "
	                             "to the largest finite value. The levels are printed, and recorded as "
	                             "--value in the history. With --loop, each slice has its own levels, "
	                             "and the levels are not recorded.\n\n"
	                             "With --adaptive, each voxel is compared with the mean of a box around "
	                             "the voxel. With --adaptive R, the box has 2 R + 1 voxels along each "
	                             "axis. Voxels of the box outside the volume are ignored. Each channel "
	                             "and each time is a separate volume.\n\n"
	                             "NaN is background, and a warning gives the number of NaN. With "
	                             "--adaptive, NaN and infinite values are errors.",
	                  .examples = "gantry threshold volume mask\n"
	                              "gantry threshold --classes 3 volume classes\n"
	                              "gantry threshold --hysteresis 0.01:0.02 -c 26 volume mask\n"
	                              "gantry threshold --adaptive 15 --offset -0.001 volume mask",
	                  .memory = "with --adaptive, 3 slices of float64. With --hysteresis, 4 bytes for "
	                            "each run of voxels above LO along x",
	                  .opts = opts},
	        argc, argv);

	check_words(&w);

	struct cfl *x = cfl_open(in);

	cfl_expect_real(x);

	if (w.otsu)
		w.value.n = (int)w.classes - 1;

	struct cfl *y = tool_plan() ? create(out, x, w.value.n + 1) : NULL; // starts the trial

	if (w.otsu)
		choose(&w, x);

	if (y == NULL)
		y = create(out, x, w.value.n + 1);

	if (w.hysteresis.n > 0)
		threshold_hysteresis(y, x, w.hysteresis.v[0], w.hysteresis.v[1], neighbours[w.kind]);
	else if (w.adaptive.n > 0)
		adapt(y, x, &w);
	else
		threshold_levels(y, x, w.value.n, w.value.v, w.invert);

	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
