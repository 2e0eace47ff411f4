/** Geometry of a scan along a circle, a helix, over a sphere, or of a tomosynthesis. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ct/geometry/orbit.h"
#include "ct/geometry/plausible.h"
#include "ct/geometry/view_offsets.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/kern/convert.h"

int main_traj(int argc, char *argv[]);

/** Degrees of the golden section of a half turn, and of the golden angle, which spreads points over a sphere.
 */
static const double golden_step = 180. * 0.6180340, sphere_step = 180. * (3. - 2.23606797749979);

struct schedule {
	const char *views; // N, or START:STOP of the listed angles
	double arc, start; // [degrees]; NAN = not given
	bool golden, shortest, radians;
	const char *list; // numbers, text file or array
};

static bool is_list(const char *text)
{
	return *text && strlen(text) == strspn(text, "0123456789+-.eE, ") && strpbrk(text, "0123456789");
}

static double *typed_angles(const char *text, long *n)
{
	char *copy = mem_strdup(text), *rest = copy;
	double *out = mem_alloc((strlen(text) + 1) * sizeof(double));

	*n = 0;
	tool_record("angles", "%s", text);

	for (char *word; (word = strsep(&rest, ",")); (*n)++)
		out[*n] = parse_double(word, "--angles");

	free(copy);
	return out;
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && 0 == strcmp(text + n - m, end);
}

static bool is_array(const char *name)
{
	static const char *const ends[] = {".cfl", ".hdr", ".npy", ".ra"};

	for (int i = 0; i < 4; i++)
		if (ends_in(name, ends[i]))
			return true;

	if (0 == strcmp(name, "-"))
		return true;

	/* NAME of a pair, where no text is called that */
	char *header = mem_printf("%s.hdr", name);
	const bool pair = 0 != access(name, F_OK) && 0 == access(header, F_OK);

	free(header);
	return pair;
}

/** All elements of a real array as float64. */
static double *array_numbers(struct cfl *f)
{
	double *out = mem_alloc(mul_checked(f->count, sizeof(double), f->name));

	cfl_expect_real(f);
	convert(DT_FLOAT64, out, f->hdr.type, cfl_next(f, f->count), f->count, NARROW_WRAP);

	for (long i = 0; i < f->count; i++)
		if (!isfinite(out[i]))
			error("%s: element %ld is not finite", f->name, i);

	return out;
}

static double *array_angles(const char *name, long *n)
{
	tool_record_kind("angles", 0, WORD_ARRAY);

	struct cfl *f = cfl_open(name);
	double *out = array_numbers(f);

	int longer = 0;

	for (int d = 0; d < DIMS; d++)
		longer += f->hdr.dims[d] > 1;

	if (longer > 1)
		error("%s has dimensions %s, expected one dimension of angles [degrees]", name,
		        hdr_shape(&f->hdr));

	*n = f->count;
	cfl_close(f);
	return out;
}

static double *listed_angles(const struct schedule *s, long *n)
{
	long all, first = 0, step = 1, count;
	double *list = is_list(s->list)    ? typed_angles(s->list, &all)
	               : is_array(s->list) ? array_angles(s->list, &all)
	                                   : file_read_numbers(s->list, &all);

	if (all == 0)
		error("%s contains no angles, expected one per line [degrees]", s->list);

	count = all;

	if (s->views && strchr(s->views, ':'))
		parse_range(s->views, all, &first, &step, &count, "--views");
	else if (s->views)
		count = parse_long(s->views, "--views");

	if (count < 1 || count > all)
		usage_error("--views %s: expected 1..%ld (%s has %ld angles)", s->views, all, s->list, all);

	double *out = mem_alloc((size_t)count * sizeof(double));

	for (long k = 0; k < count; k++)
		out[k] = list[first + k * step] * (s->radians ? 180. / M_PI : 1.);

	free(list);
	*n = count;
	return out;
}

/** The arc [degrees] that the options and the kind of scan give. */
static double scan_arc(const struct schedule *s, const struct orbit *o, long cols)
{
	if (s->shortest)
		return orbit_short_arc(o, cols);

	if (!isnan(s->arc))
		return s->arc;

	return o->fixed ? 40. : o->parallel ? 180. : 360.;
}

static double *even_angles(const struct schedule *s, const struct orbit *o, long cols, long *n)
{
	long views = s->views ? parse_long(s->views, "--views") : 180;
	double arc = scan_arc(s, o, cols), start = isnan(s->start) ? 0. : s->start, step;

	if (views < 1)
		usage_error("--views %ld, expected at least 1", views);

	if (0. == arc && views > 1)
		usage_error(
		        "--arc 0 puts all %ld views at one angle, expected another number of degrees", views);

	step = s->golden ? golden_step : o->sphere > 0. ? sphere_step : arc / (double)views;

	if (o->fixed && isnan(s->start))
		start = -0.5 * step * (double)(views - 1);

	double *out = mem_alloc(mul_checked(views, sizeof(double), "--views"));
	bool divided = !s->golden && !(o->sphere > 0.);

	for (long k = 0; k < views; k++)
		out[k] = start + (divided ? (double)k * arc / (double)views : (double)k * step);

	*n = views;
	return out;
}

static void check_schedule(const struct schedule *s, const struct orbit *o)
{
	bool given = !isnan(s->arc) || !isnan(s->start);

	if (s->list && (given || s->golden || s->shortest))
		usage_error("--angles excludes --arc, --short, --start and --golden");

	if (s->radians && !s->list)
		usage_error("--radians requires --angles, other angles are in degrees");

	if (s->golden && (!isnan(s->arc) || s->shortest))
		usage_error("--golden excludes --arc and --short");

	if (s->shortest && !isnan(s->arc))
		usage_error("--short excludes --arc");

	if (o->sphere > 0. && (!isnan(s->arc) || s->shortest))
		usage_error("--sphere excludes --arc and --short");

	if (!s->list && s->views && strchr(s->views, ':'))
		usage_error("--views %s needs --angles (or give a number of views)", s->views);
}

/** Takes one or two numbers; the second is `other` when it was not given. */
static void pair(double out[2], const struct opt_doubles *o, double other, const char *what)
{
	if (o->n > 2)
		usage_error("%s has %d numbers, expected one or two", what, o->n);

	if (o->n > 0) {
		out[0] = o->v[0];
		out[1] = (o->n > 1) ? o->v[1] : other;
	}
}

static void check_distances(struct orbit *o)
{
	o->parallel = isnan(o->sod) && isnan(o->sdd);

	if (!o->parallel && (isnan(o->sod) || isnan(o->sdd)))
		usage_error("%s is missing: --sod and --sdd must be given together",
		        isnan(o->sod) ? "--sod" : "--sdd");

	if (!o->parallel && o->sdd < o->sod)
		warn("--sdd %g mm is less than --sod %g mm: the detector is between source and axis "
		     "(are the two values exchanged?)",
		        o->sdd, o->sod);
}

static void check_pitch(const struct orbit *o, long cols)
{
	if (o->pitch[0] == 0. || o->pitch[1] == 0.)
		usage_error("--pitch %g:%g mm, expected numbers other than 0", o->pitch[0], o->pitch[1]);

	if (o->radius > 0. && !(cols * fabs(o->pitch[0]) < 2. * M_PI * o->radius))
		usage_error("--radius %g mm: %ld columns of %g mm cover more than 360 degrees", o->radius,
		        cols, fabs(o->pitch[0]));
}

static void check_motion(const struct orbit *o)
{
	if (o->fixed && o->parallel)
		usage_error("--tomosynthesis needs --sod and --sdd");

	if (o->fixed && o->helix != 0.)
		usage_error("--tomosynthesis excludes --helix (the detector does not move)");

	if (o->sphere > 0. && o->helix != 0.)
		usage_error("--sphere and --helix exclude each other");

	if (o->sphere > 0. && o->fixed)
		usage_error("--sphere and --tomosynthesis exclude each other");
}

/** Angles at which a source on a line would reach infinity. */
static void check_line(const struct orbit *o, long views, const double angle[])
{
	for (long k = 0; o->fixed && o->line && k < views; k++)
		if (!(fabs(angle[k]) < 90.))
			usage_error("view %ld is at %g degrees, expected an angle between -90 and 90 degrees",
			        k, angle[k]);
}

/** Listed angles that look like radians. */
static void warn_radians(const struct geom *g, const char *list)
{
	struct plausible p;

	plausible_measure(&p, g, NULL);

	if (p.is_radians)
		warn("%s: the %ld views span only %.4g degrees (for angles in radians, give --radians)", list,
		        g->views, p.spread);
}

struct shaking {
	struct opt_doubles deviation;
	const char *file;
	long seed;
};

/** What would lead rays of a stack of fans out of their slices. */
static void check_stack(const struct orbit *o, long rows, const struct shaking *w)
{
	if (o->parallel)
		usage_error("--fan needs a point source: --sod and --sdd");

	if (rows == 1)
		usage_error("--fan: one row is already a fan, expected --detector COLS:ROWS");

	const char *other = (o->tilt != 0.)                                  ? "--tilt"
	                    : (o->sphere > 0.)                               ? "--sphere"
	                    : o->fixed                                       ? "--tomosynthesis"
	                    : (o->detector[0] != 0. || o->detector[1] != 0.) ? "--detector-roll or -tilt"
	                    : (w->deviation.n > 0 || w->file)                ? "--wobble"
	                                                                     : NULL;

	if (other)
		usage_error("--fan excludes %s (rays of a fan stay in one slice)", other);
}

/** Every row has a source of its own. */
static void stack(struct geom *g)
{
	g->stack = true;

	for (long k = 0; k < g->views; k++)
		g->view[k].s[2] = g->view[k].d[2];
}

static void wobble_from_file(struct geom *g, const char *name)
{
	struct cfl *f = cfl_open(name);
	const long *d = f->hdr.dims;

	if (d[0] > VIEW_OFFSET_NUMBERS || d[1] != g->views || hdr_rank(&f->hdr) > 2)
		error("%s has dimensions %s, expected up to %d numbers x %ld views", name, hdr_shape(&f->hdr),
		        VIEW_OFFSET_NUMBERS, g->views);

	double *value = array_numbers(f);

	for (long k = 0; k < g->views; k++)
		view_offsets_apply(g, k, (int)d[0], value + k * d[0]);

	free(value);
	cfl_close(f);
}

static void shake(struct geom *g, const struct shaking *s)
{
	if (s->deviation.n > VIEW_OFFSET_NUMBERS)
		usage_error(
		        "--wobble has %d numbers, expected up to %d", s->deviation.n, VIEW_OFFSET_NUMBERS);

	if (s->file)
		wobble_from_file(g, s->file);

	if (s->deviation.n > 0) {
		tool_record("seed", "%ld", s->seed);
		view_offsets_random(g, s->deviation.n, s->deviation.v, (uint64_t)s->seed);
	}
}

/* Detector, pitch and number of views from projections, what was given apart. The projections are not an
 * input of the geometry in its history: what is taken from them is written out. */
static void take_after(const char *name, struct opt_longs *detector, bool sized, struct opt_doubles *pitch,
        struct schedule *s)
{
	struct cfl *f = cfl_open(name);
	const struct hdr *h = &f->hdr;

	if (!sized)
		*detector = (struct opt_longs){.n = 2, .v = {h->dims[0], h->dims[1]}};

	if (0 == pitch->n && h->has_spacing)
		*pitch = (struct opt_doubles){.n = 2, .v = {h->spacing[0], h->spacing[1]}};

	if (!s->views && !s->list)
		s->views = mem_printf("%ld", h->dims[2]);

	tool_record("detector", "%ld:%ld", detector->v[0], detector->n > 1 ? detector->v[1] : 1);
	tool_record_drop("like");

	if (pitch->n > 0)
		tool_record(
		        "pitch", "%.17g:%.17g", pitch->v[0], pitch->n > 1 ? pitch->v[1] : fabs(pitch->v[0]));

	if (s->views)
		tool_record("views", "%s", s->views);

	cfl_close(f);
}

int main_traj(int argc, char *argv[])
{
	struct orbit o = {.sod = NAN, .sdd = NAN, .pitch = {1., 1.}};
	struct schedule s = {.arc = NAN, .start = NAN};
	struct shaking w = {0};
	struct opt_longs detector = {.n = 2, .v = {128, 1}};
	const char *like = NULL;
	bool sized = false;
	struct opt_doubles pitch = {0}, offset = {0};
	const char *out = NULL;
	int path = -1;
	bool fan = false;

	const struct opt opts[] = {
	        OPT_STRING(0, "views", &s.views, "N",
	                "number of views (default: 180); with --angles START:STOP selects some of them"),
	        OPT_DOUBLE(0, "arc", &s.arc, "DEG", -1e9, 1e9,
	                "total scan angle, end point excluded (default: 180 parallel, 40 tomosynthesis, else "
	                "360); negative: clockwise"),
	        OPT_FLAG(0, "short", &s.shortest, "arc of 180 degrees + fan angle"),
	        OPT_DOUBLE(0, "start", &s.start, "DEG", -1e9, 1e9,
	                "angle of the first view (default: 0; tomosynthesis: centred on 0)"),
	        {0, "detector", OPT_KIND_LONGS, &detector, "COLS[:ROWS]", "pixels (default: 128:1)", 0, 1,
	                0x7fffffff, &sized},
	        OPT_ARRAY(0, "like", &like, "PROJ",
	                "detector, pitch and number of views of these projections, unless given"),
	        OPT_DOUBLES(0, "pitch", &pitch, "PU[:PV]", 0, 0,
	                "distance of columns and rows [mm] (default: 1, PV = |PU|; with --fan |PU| SOD/SDD); "
	                "negative "
	                "mirrors"),
	        OPT_DOUBLE(0, "sod", &o.sod, "MM", 1e-12, 1e12,
	                "distance from source to rotation axis: fan or cone beam"),
	        OPT_DOUBLE(0, "sdd", &o.sdd, "MM", 1e-12, 1e12, "distance from source to detector"),
	        OPT_FLAG(0, "fan", &fan, "a stack of fans: one source per row, at the row's height"),
	        OPT_DOUBLES(0, "offset", &offset, "U[:V]", 0, 0,
	                "shift of the detector to the right and up, seen from the source [mm]"),
	        OPT_DOUBLE(0, "helix", &o.helix, "MM", -1e12, 1e12, "travel along z per turn"),
	        OPT_DOUBLE(0, "tilt", &o.tilt, "DEG", -90, 90,
	                "tilt of the axis towards the source (laminography)"),
	        OPT_DOUBLE(0, "sphere", &o.sphere, "DEG", 0, 90,
	                "source positions on the sphere up to this latitude (90: all of it)"),
	        OPT_CHOICE(0, "tomosynthesis", &path, "arc|line",
	                "the detector is fixed, the source moves on an arc or a line"),
	        OPT_FLAG(0, "golden", &s.golden, "golden angle steps of 180 * 0.6180340 degrees"),
	        OPT_INFILE(0, "angles", &s.list, "LIST|FILE",
	                "angles in degrees: 0,30,45, a text file with one per line, or an array"),
	        OPT_FLAG(0, "radians", &s.radians, "--angles are in radians"),
	        OPT_DOUBLE(0, "radius", &o.radius, "MM", 0, 1e12,
	                "radius of a curved detector (0: flat; SDD: equiangular)"),
	        OPT_DOUBLE(0, "detector-roll", &o.detector[0], "DEG", -180, 180,
	                "in-plane roll of the detector, counter-clockwise from the source"),
	        OPT_DOUBLE(0, "detector-tilt", &o.detector[1], "DEG", -89.9, 89.9,
	                "detector tilt: upper edge towards the source"),
	        OPT_DOUBLE(0, "detector-yaw", &o.detector[2], "DEG", -89.9, 89.9,
	                "detector yaw: right edge towards the source"),
	        OPT_DOUBLES(0, "wobble", &w.deviation, "S1[:S2..]", 0, 1e12,
	                "standard deviations of random offsets per view: detector right, up, towards the "
	                "source [mm], its roll, tilt, yaw [degrees], source right, up, backwards [mm]"),
	        OPT_LONG(0, "seed", &w.seed, "S", 0, 0x1p62,
	                "seed of the random offsets of --wobble (default: 0)"),
	        OPT_ARRAY(0, "wobble-file", &w.file, "ARRAY",
	                "the offsets as an array, numbers x views, in the order of --wobble"),
	        ARG_OUT("OUT", &out, "the geometry, 4 x 4 x views"), OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "traj",
	                .group = GROUP_SIMULATE,
	                .synonyms = "trajectory geometry orbit",
	                .about = "Make the geometry of a scan: parallel, fan or cone beam",
	                .details = "The angle of view k is start + k arc/N for N views. At angle 0, the "
	                           "source is at (0, -SOD, 0) and the detector is at (0, SDD-SOD, 0). "
	                           "Source and detector rotate counter-clockwise, seen from +z. Seen from "
	                           "the source with z up, columns increase to the right and rows increase "
	                           "upwards. A helix passes z = 0 in the middle of its angles. With a "
	                           "single number for --detector, the detector has one row. A detector of "
	                           "one row gives a fan beam or a 2-D parallel beam. For arbitrary paths, "
	                           "write the geometry yourself (doc/geometry-forms.md). The command "
	                           "'gantry geom' changes an existing geometry.",
	                .examples =
	                        "gantry traj --views 360 --sod 1000 --sdd 1500 --pitch 1.5 --detector "
	                        "384:384 geom\n"
	                        "gantry traj --views 180 --detector 256 parallel\n"
	                        "gantry traj --angles angles.txt --views 0:720 --detector 1024:800 "
	                        "--pitch 0.01 measured\n"
	                        "gantry traj --like proj --sod 400 --sdd 600 same\n"
	                        "gantry traj --short --views 220 --sod 500 --sdd 900 --detector 512 fan\n"
	                        "gantry traj --fan --views 360 --sod 500 --sdd 900 --pitch 1.8 --detector "
	                        "512:64 slices\n"
	                        "gantry traj --tilt 30 --views 360 --detector 256:256 laminography\n"
	                        "gantry traj --tomosynthesis arc --arc 50 --views 25 --sod 600 --sdd 650 "
	                        "--detector 256:200 tomo\n"
	                        "gantry traj --sphere 90 --views 500 --sod 400 --sdd 800 --detector "
	                        "128:128 sphere\n"
	                        "gantry traj --angles 0,30,45,90 --wobble 0.2:0.1 --seed 7 --sod 400 --sdd "
	                        "800 --detector 128:128 shaky",
	                .opts = opts,
	        },
	        argc, argv);

	if (like)
		take_after(like, &detector, sized, &pitch, &s);

	if (detector.n > 2)
		usage_error("--detector has %d numbers, expected COLS[:ROWS]", detector.n);

	long views, cols = detector.v[0], rows = (detector.n > 1) ? detector.v[1] : 1;

	o.fixed = path >= 0;
	o.line = path == 1;
	check_distances(&o);
	check_motion(&o);
	const double across = pitch.n > 0 ? fabs(pitch.v[0]) : 1.;

	pair(o.pitch, &pitch, fan ? across * o.sod / o.sdd : across, "--pitch");

	if (pitch.n == 0 && fan)
		o.pitch[1] = o.sod / o.sdd;

	pair(o.offset, &offset, 0., "--offset");
	check_pitch(&o, cols);
	check_schedule(&s, &o);

	double *angle = s.list ? listed_angles(&s, &views) : even_angles(&s, &o, cols, &views);

	check_line(&o, views, angle);

	if (fan)
		check_stack(&o, rows, &w);

	struct geom *g = orbit_geom(&o, views, angle, cols, rows);

	if (s.list && !s.radians)
		warn_radians(g, s.list);

	if (fan)
		stack(g);

	shake(g, &w);
	geom_write(out, g);
	geom_free(g);
	free(angle);
	leave(EXIT_DONE);
}
