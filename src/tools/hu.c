/** Calibration to Hounsfield units, or to any scale known at some positions. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "misc/options/parse.h"
#include "num/md/flpmath.h"
#include "num/shape/slabs.h"
#include "num/stat/region_stats.h"

int main_hu(int argc, char *argv[]);

/* out = slope in + offset */
struct line {
	double slope, offset;
	long bad; // results that are not finite
};

static void apply(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct line *l = ctx;
	const double *x = in[0];
	double *y = out;
	long bad = 0;

	(void)first;

	for (long i = 0; i < n; i++) {
		y[i] = l->slope * x[i] + l->offset;
		bad += !isfinite(y[i]);
	}

#pragma omp atomic
	l->bad += bad;
}

static void apply_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct line *l = ctx;
	const long strs[1] = {sizeof(double)};
	struct md_chain f = {0};
	int x = chain_operand(&f, DT_FLOAT64), slope = chain_constant(&f, DT_FLOAT64, l->slope);

	(void)first;
	chain_op3(&f, OP_MULADD, slope, x, chain_constant(&f, DT_FLOAT64, l->offset));
	md_chain(&f, DT_FLOAT64, 1, &n, strs, out, (const long *const[]){strs}, in);
	l->bad += vec_count_nonfinite(DT_FLOAT64, n, out);
}

/* What is known: values measured and the units they stand for. */
struct point {
	struct region region;
	bool measured; // as the mean of the region
	double hu, value;
};

/* SHAPE=HU */
static void parse_point(struct point *p, const char *word)
{
	const char *equals = strrchr(word, '=');

	if (equals == NULL)
		usage_error("--point: found '%s', expected SHAPE=HU", word);

	char *shape = strndup(word, (size_t)(equals - word));

	region_parse(&p->region, shape, "--point"); // keeps the text
	p->hu = parse_double(equals + 1, "--point");
	p->measured = true;
}

static void measure(struct point *p, struct cfl *x)
{
	struct region_stats s;

	cfl_map(x); // several passes: a stream is spooled
	region_stats(&s, 1, &p->region, x, NULL);

	if (0 == s.n || s.bad > 0)
		error("%s: %s contains %ld finite elements and %ld others, expected only finite ones",
		        x->name, p->region.text, s.n, s.bad);

	p->value = s.mean;
	verbose("%s: mean %.6g, %g HU", p->region.text, s.mean, p->hu);
}

/* The least-squares line through the points. */
static struct line fit(const struct point *p, int n, const char *name)
{
	double mx = 0., my = 0., xx = 0., xy = 0., worst = 0.;

	for (int k = 0; k < n; k++) {
		mx += p[k].value / n;
		my += p[k].hu / n;
	}

	for (int k = 0; k < n; k++) {
		xx += (p[k].value - mx) * (p[k].value - mx);
		xy += (p[k].value - mx) * (p[k].hu - my);
	}

	if (!(xx > 0.) || xy == 0.)
		error("%s: all regions have the value %g (use regions of different materials)", name, mx);

	struct line l = {.slope = xy / xx, .offset = my - xy / xx * mx};

	for (int k = 0; k < n; k++)
		worst = fmax(worst, fabs(l.slope * p[k].value + l.offset - p[k].hu));

	if (l.slope < 0.)
		warn("%s: larger values get smaller Hounsfield units: have the regions been interchanged?",
		        name);

	if (n > 2)
		info("largest deviation from the line fitted to %d regions: %.4g HU", n, worst);

	return l;
}

/* What 1/mm is in the unit of a volume. */
static double of_unit(const struct cfl *x)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {{"", 1.}, {"1/mm", 1.}, {"mm^-1", 1.}, {"mm-1", 1.}, {"1/cm", 10.}, {"cm^-1", 10.},
	        {"cm-1", 10.}, {"1/m", 1000.}, {"m^-1", 1000.}, {"m-1", 1000.}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (0 == strcmp(units[i].name, x->hdr.unit))
			return units[i].factor;

	error("%s has the unit '%s', expected 1/mm, 1/cm or 1/m when attenuations are given as numbers",
	        x->name, x->hdr.unit);
}

int main_hu(int argc, char *argv[])
{
	double water = 0., air = 0.;
	const char *water_region = NULL, *air_region = NULL, *in = NULL, *out = NULL;
	struct opt_list words = {0};
	int type = -1;

	const struct opt opts[] = {
	        OPT_DOUBLE('w', "water", &water, "MU", 0, 0, "attenuation of water [1/mm]"),
	        OPT_DOUBLE('a', "air", &air, "MU", 0, 0, "attenuation of air [1/mm] (default: 0)"),
	        OPT_STRING(
	                0, "water-region", &water_region, "SHAPE", "region of water: " REGION_FORMS " [mm]"),
	        OPT_STRING(0, "air-region", &air_region, "SHAPE", "region of air"),
	        OPT_STRINGS('p', "point", &words, "SHAPE=HU",
	                "a material of known Hounsfield units; two or more: a line is fitted"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "attenuation"),
	        ARG_OUT("OUT", &out, "Hounsfield units"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "hu",
	                .group = GROUP_CALIBRATE,
	                .synonyms = "hounsfield",
	                .about = "Calibrate a volume to Hounsfield units",
	                .details =
	                        "The Hounsfield units are HU = 1000 (mu - mu_water) / (mu_water - mu_air), "
	                        "where mu is the attenuation. The scale is that of G. N. Hounsfield (Br. "
	                        "J. Radiol. 46, 1973). Water becomes 0, and air becomes -1000. The "
	                        "attenuations of water and air are given, or measured as means over "
	                        "regions of the volume.\n\n"
	                        "The option --point gives a material of known Hounsfield units, such as a "
	                        "rod of a calibration phantom. Repeat --point for each material; at least "
	                        "two materials are needed. The command fits a line to the materials by "
	                        "least squares. With three or more materials, the largest deviation from "
	                        "the line is reported.\n\n"
	                        "Attenuations are given in 1/mm, even if the unit of the volume is 1/cm or "
	                        "1/m. The volume must be free of cupping; 'gantry harden' corrects the "
	                        "projections for beam hardening.",
	                .examples =
	                        "gantry hu --water 0.0193 volume hounsfield\n"
	                        "gantry hu --water-region cyl:0:0:10 --air-region cyl:90:0:5 --type int16 "
	                        "volume hounsfield\n"
	                        "gantry hu --point cyl:0:0:5=0 --point cyl:30:0:4=-1000 --point "
	                        "cyl:0:30:4=340 volume hounsfield",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	const bool by_points = words.n > 0;

	if (by_points == (water > 0. || water_region != NULL))
		usage_error("expected either --water, --water-region or at least two --point");

	if (words.n == 1)
		usage_error("--point: found one, expected at least two");

	if (water > 0. && water_region != NULL)
		usage_error("expected one of --water and --water-region");

	if (air != 0. && air_region != NULL)
		usage_error("expected one of --air and --air-region");

	if (by_points && (air_region != NULL || air != 0.))
		usage_error("--point excludes --air");

	const int n = by_points ? words.n : 2;
	struct point *p = mem_calloc((size_t)n, sizeof *p);

	for (int k = 0; k < words.n; k++)
		parse_point(&p[k], words.v[k]);

	if (!by_points) {
		p[0] = (struct point){.hu = 0., .value = water};
		p[1] = (struct point){.hu = -1000., .value = air};
	}

	if (water_region != NULL) {
		region_parse(&p[0].region, water_region, "--water-region");
		p[0].measured = true;
	}

	if (air_region != NULL) {
		region_parse(&p[1].region, air_region, "--air-region");
		p[1].measured = true;
	}

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_ATTENUATION, "reconstruct it first (gantry fbp)");

	const double factor = (water > 0. || air != 0.) ? of_unit(x) : 1.;

	if (factor != 1.)
		info("%s is in %s: attenuations given in 1/mm are multiplied by %g", in, x->hdr.unit, factor);

	for (int k = 0; k < n; k++)
		if (p[k].measured)
			measure(&p[k], x);
		else
			p[k].value *= factor;

	struct line l = fit(p, n, in);

	hdr_copy(&h, &x->hdr);
	h.type = type >= 0 ? (enum dtype)type : dtype_compute(h.type);
	h.quantity = Q_HOUNSFIELD;
	strcpy(h.unit, "HU");
	info("HU = %.6g mu %+.6g", l.slope, l.offset);

	struct cfl *y = cfl_create(out, &h);

	slabs_run_anywhere(y, DT_FLOAT64, 1, (struct cfl *[]){x}, (enum dtype[]){DT_FLOAT64}, apply,
	        apply_on_device, &l, "calibrating");

	ranks_sum(&l.bad, 1);

	if (l.bad)
		warn("%s: %ld of %ld values are not finite, and have no Hounsfield units", in, l.bad,
		        x->count);

	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
