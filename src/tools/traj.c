/** Geometry of a scan along a circle or a helix. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/orbit.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/parse.h"

int main_traj(int argc, char *argv[]);

/** Degrees of the golden section of a half turn. */
static const double golden_step = 180. * 0.6180340;

struct schedule {
	const char *views; // N, or START:STOP of the file's lines
	double arc, start; // [degrees]; NAN = not given
	bool golden;
	const char *file;
	bool parallel;
};

static double *file_angles(const struct schedule *s, long *n)
{
	long lines, first = 0, step = 1, count;
	double *all = file_read_numbers(s->file, &lines);

	if (lines == 0)
		error("%s: no angles, expected one per line [degrees]", s->file);

	count = lines;

	if (s->views && strchr(s->views, ':'))
		parse_range(s->views, lines, &first, &step, &count, "--views");
	else if (s->views)
		count = parse_long(s->views, "--views");

	if (count < 1 || count > lines)
		usage_error("--views %s: %s has %ld angles, expected 1..%ld views", s->views, s->file, lines,
		        lines);

	double *out = mem_alloc(count * sizeof(double));

	for (long k = 0; k < count; k++)
		out[k] = all[first + k * step];

	free(all);
	*n = count;
	return out;
}

static double *even_angles(const struct schedule *s, long *n)
{
	double start = isnan(s->start) ? 0. : s->start,
	       arc = isnan(s->arc) ? (s->parallel ? 180. : 360.) : s->arc;
	long views = s->views ? parse_long(s->views, "--views") : 180;

	if (views < 1)
		usage_error("--views %ld, expected at least 1", views);

	if (0. == arc && views > 1)
		usage_error(
		        "--arc 0 puts all %ld views at one angle, expected another number of degrees", views);

	double *out = mem_alloc(mul_checked(views, sizeof(double), "--views"));

	for (long k = 0; k < views; k++)
		out[k] = start + (s->golden ? k * golden_step : k * arc / views);

	*n = views;
	return out;
}

static double *angles(const struct schedule *s, long *n)
{
	bool given = !isnan(s->arc) || !isnan(s->start);

	if (s->file && (given || s->golden))
		usage_error("--angles gives every angle, so --arc, --start and --golden do not go with it");

	if (s->golden && !isnan(s->arc))
		usage_error("--golden steps by the golden angle, so --arc does not go with it");

	if (!s->file && s->views && strchr(s->views, ':'))
		usage_error("--views %s picks lines of --angles FILE, which is missing; expected a number of "
		            "views",
		        s->views);

	return s->file ? file_angles(s, n) : even_angles(s, n);
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
		usage_error("%s is missing: --sod and --sdd go together", isnan(o->sod) ? "--sod" : "--sdd");

	if (!o->parallel && o->sdd < o->sod)
		warn("--sdd %g mm is less than --sod %g mm: the detector stands before the axis (exchanged?)",
		        o->sdd, o->sod);
}

static void check_pitch(const struct orbit *o, long cols)
{
	if (o->pitch[0] == 0. || o->pitch[1] == 0.)
		usage_error("--pitch %g:%g mm, expected numbers other than 0", o->pitch[0], o->pitch[1]);

	if (o->radius > 0. && !(cols * fabs(o->pitch[0]) < 2. * M_PI * o->radius))
		usage_error("--radius %g mm: %ld columns of %g mm are more than a full turn", o->radius, cols,
		        fabs(o->pitch[0]));
}

int main_traj(int argc, char *argv[])
{
	struct orbit o = {.sod = NAN, .sdd = NAN, .pitch = {1., 1.}};
	struct schedule s = {.arc = NAN, .start = NAN};
	struct opt_longs detector = {.n = 2, .v = {128, 1}};
	struct opt_doubles pitch = {0}, offset = {0};
	const char *out = NULL;

	const struct opt opts[] = {
	        OPT_STRING(0, "views", &s.views, "N",
	                "number of views (default: 180); with --angles START:STOP picks lines"),
	        OPT_DOUBLE(0, "arc", &s.arc, "DEG", -1e9, 1e9,
	                "angle from the first view to the end, which is left out (default: 180 parallel, "
	                "else 360); negative turns clockwise"),
	        OPT_DOUBLE(0, "start", &s.start, "DEG", -1e9, 1e9, "angle of the first view (default: 0)"),
	        OPT_LONGS(0, "detector", &detector, "COLS[:ROWS]", 1, 0x7fffffff, "pixels (default: 128:1)"),
	        OPT_DOUBLES(0, "pitch", &pitch, "PU[:PV]", 0, 0,
	                "distance of columns and rows [mm] (default: 1, PV = |PU|); negative mirrors"),
	        OPT_DOUBLE(0, "sod", &o.sod, "MM", 1e-12, 1e12, "source to rotation axis: fan or cone beam"),
	        OPT_DOUBLE(0, "sdd", &o.sdd, "MM", 1e-12, 1e12, "source to detector"),
	        OPT_DOUBLES(0, "offset", &offset, "U[:V]", 0, 0,
	                "moves the detector right and up, seen from the source [mm on the detector]"),
	        OPT_DOUBLE(0, "helix", &o.helix, "MM", -1e12, 1e12, "travel along z per turn"),
	        OPT_DOUBLE(0, "tilt", &o.tilt, "DEG", -90, 90, "leans the axis towards the source"),
	        OPT_FLAG(0, "golden", &s.golden, "steps of 180 * 0.6180340 degrees"),
	        OPT_INFILE(0, "angles", &s.file, "FILE", "angles in degrees, one per line"),
	        OPT_DOUBLE(0, "radius", &o.radius, "MM", 0, 1e12,
	                "of a curved detector, SDD for the equiangular one; 0 = flat"),
	        ARG_OUT("OUT", &out, "the geometry, 4 x 4 x views"), OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "traj",
	                .about = "Geometry of a scan: parallel beam, or fan and cone beam with --sod and "
	                         "--sdd",
	                .details = "Angle k is start + k arc/N. At angle 0 the source stands at (0, -SOD, 0) "
	                           "and the detector at (0, SDD-SOD, 0); views turn counter-clockwise seen "
	                           "from +z. "
	                           "Seen from the source with z up, columns grow to the right and rows up. A "
	                           "helix has the middle of its angles at z = 0. A single number for "
	                           "--detector means one row, a fan or a 2-D parallel beam.",
	                .examples = "gantry traj --views 360 --sod 1000 --sdd 1500 --pitch 1.5 --detector "
	                            "384:384 geom\n"
	                            "gantry traj --views 180 --detector 256 parallel\n"
	                            "gantry traj --angles angles.txt --views 0:720 --detector 1024:800 "
	                            "--pitch 0.01 measured",
	                .opts = opts,
	        },
	        argc, argv);

	if (detector.n > 2)
		usage_error("--detector has %d numbers, expected COLS[:ROWS]", detector.n);

	long views, cols = detector.v[0], rows = (detector.n > 1) ? detector.v[1] : 1;

	check_distances(&o);
	pair(o.pitch, &pitch, pitch.n > 0 ? fabs(pitch.v[0]) : 1., "--pitch");
	pair(o.offset, &offset, 0., "--offset");
	check_pitch(&o, cols);
	s.parallel = o.parallel;

	double *angle = angles(&s, &views);
	struct geom *g = orbit_geom(&o, views, angle, cols, rows);
	struct hdr h;

	hdr_init(&h);
	geom_header(g, &h);

	struct cfl *f = cfl_create(out, &h);

	geom_store(g, cfl_slab(f, f->count));
	cfl_close(f);
	geom_free(g);
	free(angle);
	leave(EXIT_DONE);
}
