/** RTK: ThreeDCircularProjectionGeometry as XML, version 3. RTK's axis of rotation is its y; RTK's (x, y, z)
 * is (x, z, -y) here, so that its gantry angle is our scan angle. The rotation R = Rz(-in plane) Rx(-out of
 * plane) Ry(-gantry) converts RTK's fixed coordinates to those of the detector, whose axes are columns, rows
 * and the normal towards the source. In these the source is at (SourceOffsetX, SourceOffsetY,
 * SourceToIsocenterDistance) and the projection's physical origin at (ProjectionOffsetX, ProjectionOffsetY,
 * SID - SDD); SDD = 0 is a parallel beam along the normal. A cylinder of radius R touches the detector's
 * plane where that offset is 0. Sizes of pixels are those of the projections, centred on their origin. */

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"

enum { GANTRY, OUT_OF_PLANE, IN_PLANE, SID, SDD, SOURCE_X, SOURCE_Y, OFFSET_X, OFFSET_Y, RTK_NUMBERS };

static const char *const tag_names[RTK_NUMBERS] = {"GantryAngle", "OutOfPlaneAngle", "InPlaneAngle",
        "SourceToIsocenterDistance", "SourceToDetectorDistance", "SourceOffsetX", "SourceOffsetY",
        "ProjectionOffsetX", "ProjectionOffsetY"};

static const double degree = M_PI / 180.;

static void to_world(double w[3], const double rtk[3])
{
	double p[3] = {rtk[0], -rtk[2], rtk[1]};

	memcpy(w, p, sizeof p);
}

static void to_rtk(double r[3], const double world[3])
{
	double p[3] = {world[0], world[2], -world[1]};

	memcpy(r, p, sizeof p);
}

/** R: its rows are the detector's axes in RTK's fixed system. */
static void rotation(double r[3][3], const double v[RTK_NUMBERS])
{
	const double cg = cos(v[GANTRY] * degree), sg = sin(v[GANTRY] * degree);
	const double co = cos(v[OUT_OF_PLANE] * degree), so = sin(v[OUT_OF_PLANE] * degree);
	const double ci = cos(v[IN_PLANE] * degree), si = sin(v[IN_PLANE] * degree);
	/* Rx(-o) Ry(-g) */
	const double m[3][3] = {{cg, 0., -sg}, {so * sg, co, so * cg}, {co * sg, -so, co * cg}};

	for (int j = 0; j < 3; j++) {
		r[0][j] = ci * m[0][j] + si * m[1][j];
		r[1][j] = -si * m[0][j] + ci * m[1][j];
		r[2][j] = m[2][j];
	}
}

/** R' p in world coordinates. */
static void from_detector(double w[3], const double r[3][3], double x, double y, double z)
{
	double p[3];

	for (int j = 0; j < 3; j++)
		p[j] = r[0][j] * x + r[1][j] * y + r[2][j] * z;

	to_world(w, p);
}

static struct geom_view view_of(const double v[RTK_NUMBERS], double radius, const double pitch[2])
{
	struct geom_view w;
	double r[3][3];
	const bool parallel = v[SDD] == 0.;
	const double turn = (radius > 0.) ? v[OFFSET_X] / radius : 0.;
	const double depth = parallel ? -v[SID] : v[SID] - v[SDD];
	const double x = (radius > 0.) ? radius * sin(turn) : v[OFFSET_X];
	const double bend = (radius > 0.) ? radius * (1. - cos(turn)) : 0.;

	rotation(r, v);
	from_detector(
	        w.s, r, parallel ? 0. : v[SOURCE_X], parallel ? 0. : v[SOURCE_Y], parallel ? -1. : v[SID]);
	from_detector(w.d, r, x, v[OFFSET_Y], parallel ? 0. : depth + bend);
	from_detector(w.u, r, pitch[0] * cos(turn), 0., pitch[0] * sin(turn));
	from_detector(w.v, r, 0., pitch[1], 0.);
	return w;
}

/** Whether the tag at p has that name; error() where it has attributes, which RTK does not write. */
static bool is_tag(const struct exchange_source *f, const char *p, const char *name)
{
	const size_t n = strlen(name);

	if (0 != strncmp(p, name, n))
		return false;

	if (isspace((unsigned char)p[n]) || '/' == p[n])
		error("%s: <%s> is empty or has attributes, expected the plain tag <%s>", f->path, name,
		        name);

	return '>' == p[n];
}

/** The number in <name>..</name> at p; false when another tag is there. */
static bool tag_number(const struct exchange_source *f, const char *p, const char *name, double *out)
{
	char *end;

	if (!is_tag(f, p, name))
		return false;

	p += strlen(name) + 1;
	*out = strtod(p, &end);

	const bool any = end > p;

	end += strspn(end, " \t\r\n");

	if (!any || 0 != strncmp(end, "</", 2) || !isfinite(*out))
		error("%s: <%s> must be a finite number", f->path, name);

	return true;
}

static void read_tag(const struct exchange_source *f, const char *p, double v[RTK_NUMBERS], double *radius)
{
	for (int i = 0; i < RTK_NUMBERS; i++)
		if (tag_number(f, p, tag_names[i], v + i))
			return;

	if (!tag_number(f, p, "Angle", v + GANTRY)) // of older files
		tag_number(f, p, "RadiusCylindricalDetector", radius);
}

/** What follows the next '<' that does not begin a comment; NULL at the end. */
static const char *next_tag(const char *p)
{
	while (p && (p = strchr(p, '<')) && 0 == strncmp(p, "<!--", 4))
		p = strstr(p, "-->");

	return p ? p + 1 : NULL;
}

static long count_projections(const struct exchange_source *f)
{
	long n = 0;

	for (const char *p = next_tag(f->text); p; p = next_tag(p))
		n += is_tag(f, p, "Projection");

	return n;
}

/** Versions 2 and 3 are alike. */
static void check_root(const struct exchange_source *f, long views)
{
	static const char name[] = "RTKThreeDCircularGeometry";
	const char *p = next_tag(f->text), *version;

	while (p && 0 != strncmp(p, name, sizeof name - 1))
		p = next_tag(p);

	if (!p || views < 1)
		error("%s contains no <%s> with projections", f->path, name);

	version = strstr(p, "version=\"");

	if (!version || version > strchrnul(p, '>'))
		error("%s: <%s> has no version (valid: 2, 3)", f->path, name);

	version += strlen("version=\"");

	if (('2' != *version && '3' != *version) || '"' != version[1])
		error("%s: unknown version '%.*s' of <%s> (valid: 2, 3)", f->path,
		        (int)strcspn(version, "\">\n"), version, name);
}

/** A projection's values: distances that can be meant. SDD = 0 is a parallel beam. */
static void check_projection(const struct exchange_source *f, const double v[RTK_NUMBERS], long k)
{
	if (!(v[SDD] >= 0.))
		error("%s: projection %ld: SourceToDetectorDistance is %g, expected 0 (parallel beam) or a "
		      "positive distance",
		        f->path, k, v[SDD]);

	if (v[SDD] > 0. && !(v[SID] > 0.))
		error("%s: projection %ld: SourceToIsocenterDistance is missing or %g, expected a positive "
		      "distance",
		        f->path, k, v[SID]);
}

struct geom *rtk_read(struct exchange_source *f)
{
	double shared[RTK_NUMBERS] = {0.}, own[RTK_NUMBERS] = {0.}, radius = 0., pitch[2];
	const long views = count_projections(f);
	long size[2], k = 0;
	bool inside = false;

	check_root(f, views);
	exchange_detector(f, true, size, pitch);

	struct geom *g = geom_create(
	        exchange_views(f, "the number of projections", (double)views), size[0], size[1], false);

	for (const char *p = next_tag(f->text); p; p = next_tag(p)) {
		const bool begins = is_tag(f, p, "Projection"), ends = is_tag(f, p, "/Projection");

		if ((begins && inside) || (ends && !inside))
			error("%s: projection %ld: <Projection> and </Projection> do not alternate", f->path,
			        k);

		if (begins)
			memcpy(own, shared, sizeof own);

		if (!begins && !ends)
			read_tag(f, p, inside ? own : shared, &radius);

		inside = (inside || begins) && !ends;

		if (!ends)
			continue;

		if (k && (own[SDD] == 0.) != g->parallel)
			error("%s: projection %ld and projection 0 have different beams (one is parallel, "
			      "the other is not)",
			        f->path, k);

		check_projection(f, own, k);
		g->parallel = own[SDD] == 0.;
		g->view[k++] = view_of(own, radius, pitch);
	}

	if (inside)
		error("%s: projection %ld has no </Projection>", f->path, k);

	if (!(radius >= 0.) || (radius > 0. && g->parallel))
		error("%s: the detector radius is %g, expected 0, or a positive radius with a point source",
		        f->path, radius);

	g->radius = radius;
	return g;
}

/** The frame in which a cylinder's tangent plane faces the isocentre: its normal is turned about the rows'
 * direction so that it goes through the isocentre and the cylinder's axis. Returns the arc from the place
 * where the plane touches to the detector's centre [mm]. */
static double touching_frame(struct exchange_frame *f, const struct geom_view *w, double radius)
{
	const double x = dot3(w->d, f->u), z = dot3(w->d, f->n) + radius, far = hypot(x, z);
	double u[3], n[3];

	if (!(far > 1e-9 * radius))
		return 0.;

	const double sign = (z < 0.) ? -1. : 1., c = sign * z / far, s = sign * x / far;

	for (int i = 0; i < 3; i++) {
		n[i] = c * f->n[i] + s * f->u[i];
		u[i] = c * f->u[i] - s * f->n[i];
	}

	memcpy(f->n, n, sizeof n);
	memcpy(f->u, u, sizeof u);
	return radius * atan2(s, c);
}

static void parameters(double v[RTK_NUMBERS], const struct geom *g, const char *name, long view)
{
	const struct geom_view *w = g->view + view;
	struct exchange_frame f = exchange_frame(g, view);
	double arc = (g->radius > 0.) ? touching_frame(&f, w, g->radius) : 0.;
	double r[3][3], depth;

	to_rtk(r[0], f.u);
	to_rtk(r[1], f.v);
	to_rtk(r[2], f.n);

	const double level = fmax(-1., fmin(1., -r[2][1]));

	v[OUT_OF_PLANE] = asin(level) / degree;

	if (fabs(level) < 1. - 1e-12) {
		v[GANTRY] = atan2(r[2][0], r[2][2]) / degree;
		v[IN_PLANE] = atan2(r[0][1], r[1][1]) / degree;
	} else { // the beam runs along the axis: one of the two angles is free
		v[GANTRY] = atan2(-r[0][2], r[0][0]) / degree;
		v[IN_PLANE] = 0.;
	}

	for (int i = 0; i <= IN_PLANE; i++)
		v[i] += (v[i] < 0.) ? 360. : 0.;

	v[OFFSET_X] = (g->radius > 0.) ? arc : dot3(w->d, f.u);
	v[OFFSET_Y] = dot3(w->d, f.v);
	depth = dot3(w->d, f.n);

	if (g->radius > 0.)
		depth -= g->radius * (1. - cos(arc / g->radius));

	v[SOURCE_X] = g->parallel ? 0. : dot3(w->s, f.u);
	v[SOURCE_Y] = g->parallel ? 0. : dot3(w->s, f.v);
	v[SID] = g->parallel ? 1000. : dot3(w->s, f.n);
	v[SDD] = g->parallel ? 0. : v[SID] - depth;

	if (g->parallel && !exchange_same(-dot3(w->s, f.n), norm3(w->s), norm3(w->s)))
		error("%s: view %ld: RTK needs a parallel beam perpendicular to the detector", name, view);
}

/** Numbers with the digits that RTK's own writer has. */
static void tag(struct str *out, const char *indent, const char *name, double x)
{
	str_printf(out, "%s<%s>%.15g</%s>\n", indent, name, x + 0., name);
}

/** The matrix for information: RTK compares it with the parameters. */
static void matrix(struct str *out, const double v[RTK_NUMBERS])
{
	double r[3][3], m[3][4] = {{0.}};
	const bool parallel = v[SDD] == 0.;

	rotation(r, v);

	for (int j = 0; j < 3; j++) {
		const double to = parallel ? 0. : r[2][j];

		m[0][j] = parallel ? r[0][j] : -v[SDD] * r[0][j] + (v[SOURCE_X] - v[OFFSET_X]) * to;
		m[1][j] = parallel ? r[1][j] : -v[SDD] * r[1][j] + (v[SOURCE_Y] - v[OFFSET_Y]) * to;
		m[2][j] = to;
	}

	m[0][3] = parallel ? -v[OFFSET_X] : v[SDD] * v[SOURCE_X] - (v[SOURCE_X] - v[OFFSET_X]) * v[SID];
	m[1][3] = parallel ? -v[OFFSET_Y] : v[SDD] * v[SOURCE_Y] - (v[SOURCE_Y] - v[OFFSET_Y]) * v[SID];
	m[2][3] = parallel ? 1. : -v[SID];
	str_add(out, "    <Matrix>\n");

	for (int i = 0; i < 3; i++)
		str_printf(out, "      %.15g %.15g %.15g %.15g\n", m[i][0] + 0., m[i][1] + 0., m[i][2] + 0.,
		        m[i][3] + 0.);

	str_add(out, "    </Matrix>\n");
}

/** The same value in every view? */
static bool is_shared(const double *v, long views, int i)
{
	for (long k = 1; k < views; k++)
		if (v[k * RTK_NUMBERS + i] != v[i])
			return false;

	return i != GANTRY;
}

void rtk_write(struct str *out, const struct geom *g, const char *name)
{
	double *v = mem_alloc(mul_checked(g->views, RTK_NUMBERS * sizeof *v, name));
	bool shared[RTK_NUMBERS];

	expect_orthogonal(g, name, "RTK");
	expect_one_pitch(g, name, "RTK");
	expect_right_handed(g, name, "RTK");

	if (g->radius > 0. && g->parallel)
		error("%s: RTK's parallel beam cannot have a curved detector (radius %g mm)", name,
		        g->radius);

	for (long k = 0; k < g->views; k++)
		parameters(v + k * RTK_NUMBERS, g, name, k);

	str_add(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE RTKGEOMETRY>\n");
	str_add(out, "<RTKThreeDCircularGeometry version=\"3\">\n  <!-- ");
	exchange_note(out, g);
	str_add(out, " -->\n");

	for (int i = 0; i < RTK_NUMBERS; i++)
		if ((shared[i] = is_shared(v, g->views, i)) && v[i] != 0.)
			tag(out, "  ", tag_names[i], v[i]);

	if (g->radius > 0.)
		tag(out, "  ", "RadiusCylindricalDetector", g->radius);

	for (long k = 0; k < g->views; k++) {
		str_add(out, "  <Projection>\n");

		for (int i = 0; i < RTK_NUMBERS; i++)
			if (!shared[i])
				tag(out, "    ", tag_names[i], v[k * RTK_NUMBERS + i]);

		matrix(out, v + k * RTK_NUMBERS);
		str_add(out, "  </Projection>\n");
	}

	str_add(out, "</RTKThreeDCircularGeometry>\n");
	free(v);
}
