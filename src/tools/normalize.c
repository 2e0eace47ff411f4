/* Normalises counts by flat and dark field and by air, and takes the logarithm. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "correct/normalize_files.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/ranks/ranks.h"

int main_normalize(int argc, char *argv[]);

static struct cfl *open_frames(const char *name)
{
	if (!name)
		return NULL;

	struct cfl *f = cfl_open(name);

	cfl_expect_real(f);
	cfl_expect(f, 1u << Q_COUNTS, "dark and flat are frames of counts");

	return f;
}

/** The list of --flat-views: view numbers that do not fall. */
static void read_flats_at(struct normalizer *z, struct cfl *flat, const char *list)
{
	char *text = mem_strdup(list), *rest = text;
	long *at = mem_alloc((strlen(list) + 1) * sizeof *at), n = 0;

	for (char *word; NULL != (word = strsep(&rest, ","));) {
		at[n] = parse_long(word, "--flat-views");

		if (n && at[n] < at[n - 1])
			usage_error("--flat-views %s: expected ascending numbers", list);

		n++;
	}

	normalizer_flats_at(z, flat, n, at);
	free(text);
	free(at);
}

/** Refuses what would not give a transmission. */
static void check_input(const struct cfl *x, bool frames, bool air, bool log)
{
	cfl_expect_real(x);

	if (frames) {
		cfl_expect(x, 1u << Q_COUNTS, "--dark and --flat are for counts; leave them out");
		return;
	}

	if (air)
		cfl_expect(
		        x, 1u << Q_COUNTS | 1u << Q_TRANSMISSION, "normalize takes counts or transmission");
	else
		cfl_expect(x, 1u << Q_TRANSMISSION, "give --flat or --air with counts");

	if (!air && !log)
		usage_error("nothing to do (give --flat or --air, or remove --no-log)");
}

/** Refuses a flat that gives most of the pixels no transmission. */
static void check_flat(const struct normalizer *z, const char *flat, const char *dark)
{
	const long pixels = z->cols * z->rows, unlit = normalizer_unlit(z);

	if (unlit <= pixels / 2)
		return;

	char *what = dark ? mem_printf("the dark of %s; are they exchanged?", dark) : mem_strdup("0");

	if (tool_force())
		warn("%s: %ld of %ld pixels of the flat are not above %s", flat, unlit, pixels, what);
	else
		error("%s: %ld of %ld pixels of the flat are not above %s (--force continues)", flat, unlit,
		        pixels, what);

	free(what);
}

static void report(const struct normalizer *z, const struct normalize_weighing *v, const struct cfl *x)
{
	if (v->noise.saturated)
		warn("%s: %ld of %ld values are saturated (%g or more): weight 0", x->name,
		        v->noise.saturated, x->count, v->noise.saturation);

	if (z->dead)
		warn("%s: %ld of %ld values are set to the transmission of air (flat not above dark, or "
		     "value not finite)",
		        x->name, z->dead, x->count);

	if (z->clamped)
		warn("%s: %ld of %ld transmissions are below %g and are raised to this limit", x->name,
		        z->clamped, x->count, NORMALIZE_FLOOR);
}

/** --air: ranges of columns that have none in common. */
static void read_air(struct normalizer *z, const char *text)
{
	char *copy = mem_strdup(text), *rest = copy;

	for (char *word; (word = strsep(&rest, ",")); z->airs++) {
		struct normalize_range r;
		long step;

		if (NORMALIZE_RANGES == z->airs)
			usage_error("--air %s: expected at most %d ranges", text, NORMALIZE_RANGES);

		parse_range(word, z->cols, &r.first, &step, &r.count, "--air");

		if (1 != step)
			usage_error("--air %s: a step is not allowed (expected START:STOP)", word);

		for (int k = 0; k < z->airs; k++)
			if (r.first < z->air[k].first + z->air[k].count &&
			        z->air[k].first < r.first + r.count)
				usage_error("--air %s: %s overlaps another range", text, word);

		z->air[z->airs] = r;
	}

	free(copy);
}

/** The largest value of an integer type of 8 or 16 bits; of others no count is known to be saturated. */
static double largest_count(enum dtype type)
{
	switch (type) {
	case DT_UINT8:
		return UINT8_MAX;
	case DT_INT16:
		return INT16_MAX;
	case DT_UINT16:
		return UINT16_MAX;
	default:
		return INFINITY;
	}
}

/** --weights: what the noise is, and the output; the counts' header is h. */
static void begin_weights(struct normalize_weighing *v, const char *name, double saturation,
        const struct normalizer *z, struct cfl *dark, struct cfl *flat, const struct cfl *x)
{
	struct hdr h;

	if (!z->log)
		usage_error("--weights needs line integrals (remove --no-log)");

	if (Q_TRANSMISSION == x->hdr.quantity)
		error("%s contains transmission, but --weights needs counts", x->name);

	normalize_noise_measure(&v->noise, z, dark, flat);
	v->noise.saturation = isnan(saturation) ? largest_count(x->hdr.type) : saturation;
	info("noise of the counts: %.4g counts per photon, standard deviation %.4g without light",
	        v->noise.gain, sqrt(v->noise.read));
	hdr_copy(&h, &x->hdr);
	h.type = dtype_compute(h.type);
	h.quantity = Q_WEIGHTS;
	h.unit[0] = '\0';
	v->w = cfl_create(name, &h);
	hdr_free(&h);
}

int main_normalize(int argc, char *argv[])
{
	const char *dark = NULL, *flat = NULL, *air = NULL, *in = NULL, *out = NULL, *weights = NULL;
	const char *rows = NULL, *flat_views = NULL;
	bool no_log = false;
	long eigen = 0;
	double saturation = NAN;
	struct normalize_weighing v = {.w = NULL};
	int type = -1;

	const struct opt opts[] = {
	        OPT_ARRAY('d', "dark", &dark, "D", "frames without beam (u, v, frame), averaged"),
	        OPT_ARRAY('f', "flat", &flat, "F", "frames without object (u, v, frame), averaged"),
	        OPT_STRING('a', "air", &air, "START:STOP[,..]",
	                "columns that see only air; each view is divided by its mean there"),
	        OPT_STRING('r', "air-rows", &rows, "START:STOP", "rows that --air uses (default: all)"),
	        OPT_STRING(0, "flat-views", &flat_views, "LIST",
	                "view before which each frame of F was taken, as 0,0,450,900; linear in between"),
	        OPT_LONG('e', "eigen", &eigen, "N", 1, 100,
	                "changing flats: N principal components of F, weighted per view"),
	        OPT_FLAG(0, "no-log", &no_log, "write the transmission instead of its minus logarithm"),
	        {0, "weights", OPT_KIND_STRING, &weights, "W",
	                "also write inverse variances of the line integrals, for recon --weights", OPT_OUTPUT,
	                0, 0, 0},
	        OPT_DOUBLE(0, "saturation", &saturation, "N", 1, 1e300,
	                "counts from N on get weight 0 (default: the largest value of uint8, int16, uint16)"),
	        OPT_TYPE(&type), ARG_IN("COUNTS", &in, "counts or transmission (u, v, view)"),
	        ARG_OUT("OUT", &out, "line integrals, or transmission"), OPT_END};

	tool_init(&(struct tool){.name = "normalize",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "normalise flatfield flat-field flatfielding",
	                  .about = "Turn detector counts into line integrals",
	                  .details = "The transmission is t = (counts - dark) / (flat - dark). With --air, "
	                             "the transmission is divided by its mean over the air columns of the "
	                             "view. The division by the mean in air removes drift of the source. "
	                             "The result is the line integral -log t. Transmissions below 1e-6, "
	                             "including zero and negative transmissions, are raised to 1e-6. A "
	                             "pixel whose flat is not above the dark gets the transmission of air. "
	                             "A value that is not finite also gets the transmission of air. The "
	                             "numbers of raised transmissions and of values set to air are "
	                             "reported. The command stops with an error if most pixels of the flat "
	                             "are not above the dark.\n\n"
	                             "By default, the frames of F are averaged. With --flat-views, the "
	                             "flat of each view is interpolated linearly between frames. With "
	                             "--eigen N, the flat of a view is the mean frame plus a weighted sum "
	                             "of N principal components. The weights of the components minimise "
	                             "the total variation of the transmission of each view. The method is "
	                             "that of Van Nieuwenhove and others (Opt. Express 23, 27975, 2015), "
	                             "without denoising of the components. To take only the logarithm of "
	                             "transmissions, use 'gantry log'.\n\n"
	                             "With --weights W, the inverse variance of each line integral is also "
	                             "written. The inverse variance is 1 / ((g c + r) / c^2 + (g f + r) / "
	                             "(N f^2)). In this formula, c is the count minus the dark. The number "
	                             "f is the mean of the N flat frames, minus the dark. The gain g is "
	                             "the number of counts per photon, and r is the variance of a count "
	                             "without light. The numbers g and r are estimated from differences of "
	                             "successive flat and dark frames. With a single flat frame, counts "
	                             "are treated as photons. Dead and saturated pixels have the weight 0. "
	                             "Counts that are not above the dark also have the weight 0.",
	                  .examples = "gantry normalize --dark dark --flat flat counts proj\n"
	                              "gantry normalize --dark dark --flat flat --weights w counts proj\n"
	                              "gantry normalize --air 0:20,-20: transmission proj\n"
	                              "gantry normalize --flat flats --flat-views 0,0,900,900 counts proj\n"
	                              "gantry normalize --dark dark --flat flats --eigen 3 counts proj",
	                  .memory = "with --flat-views or --eigen, the frames of F as float64",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct cfl *fd = open_frames(dark), *ff = open_frames(flat), *x = cfl_open(in);
	struct normalizer z;
	struct hdr h;
	long step = 1;

	check_input(x, dark || flat, air, !no_log);

	if (dark && !flat && !air)
		usage_error("--dark alone gives no transmission (add --flat or --air)");

	if ((flat_views || eigen) && !flat)
		usage_error("--%s needs --flat", eigen ? "eigen" : "flat-views");

	if (flat_views && eigen)
		usage_error("--flat-views and --eigen exclude each other");

	if (rows && !air)
		usage_error("--air-rows needs --air");

	if (!isnan(saturation) && !weights)
		usage_error("--saturation needs --weights");

	normalizer_init(&z, x->hdr.dims[0], x->hdr.dims[1], fd, (flat_views || eigen) ? NULL : ff);
	z.log = !no_log;
	z.views = x->hdr.dims[2];

	if (flat_views)
		read_flats_at(&z, ff, flat_views);

	if (eigen)
		normalizer_eigen_flats(&z, ff, eigen);

	if (flat)
		check_flat(&z, ff->name, fd ? fd->name : NULL);

	if (air)
		read_air(&z, air);

	if (rows)
		parse_range(rows, z.rows, &z.air_row, &step, &z.air_rows, "--air-rows");

	if (1 != step)
		usage_error("--air-rows %s: a step is not allowed (expected START:STOP)", rows);

	hdr_copy(&h, &x->hdr);
	h.type = (0 <= type) ? (enum dtype)type : dtype_compute(h.type);
	h.quantity = z.log ? Q_LINE_INTEGRAL : Q_TRANSMISSION;
	h.unit[0] = '\0';

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);

	if (weights)
		begin_weights(&v, weights, saturation, &z, fd, ff, x);

	normalize_files(&z, &v, x, y);
	ranks_sum(&z.dead, 1);
	ranks_sum(&z.clamped, 1);
	ranks_sum(&v.noise.saturated, 1);
	report(&z, &v, x);

	if (fd)
		cfl_close(fd);

	if (ff)
		cfl_close(ff);

	cfl_close(x);
	cfl_close(y);

	if (v.w)
		cfl_close(v.w);

	normalizer_free(&z);
	leave(EXIT_DONE);
}
