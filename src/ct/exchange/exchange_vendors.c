/** Settings files of scanners, read only.
 *
 * Nikon's .xtekct, as CIL's NikonDataReader interprets it [1]: the object turns by -(InitialAngle + k
 * AngularStep) + 180 degrees in CIL's frame, and pixel (0, 0) is the upper right one there. The rotation axis
 * is ObjectOffsetX to the left of the line from source to detector, or half the sum of CentreOfRotationTop
 * and CentreOfRotationBottom (on the detector) if that is not given, and is tilted by ObjectRoll and
 * ObjectTilt.
 *
 * SkyScan's .log, as NRecon and TIGRE's BrukerDataLoader interpret it [2]: pixels are the Image Pixel Size at
 * the axis. The beam meets the detector at a right angle in line Optical Axis, counted from the lower edge of
 * the picture, whose upper row comes first. Beyond 10 m the beam is parallel. The scanner turns
 * counter-clockwise for the Rotation Direction CC.
 *
 * [1] Core Imaging Library, cil.io.NikonDataReader
 * [2] TIGRE, tigre.utilities.io.BrukerDataLoader; Bruker, "NRecon user guide"
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/orbit.h"
#include "misc/error.h"
#include "misc/formats/keys.h"

static const double degree = M_PI / 180., parallel_from = 10e3; // [mm]

/* Lines Key=Value. */
static void read_lines(struct keys *k, const struct exchange_source *f)
{
	*k = (struct keys){.path = f->path};

	for (const char *p = f->text; *p;) {
		const size_t n = strcspn(p, "\n");
		const char *equal = memchr(p, '=', n);

		if (equal && ';' != *p)
			keys_add(k, p, p + (equal - p), equal + 1, p + n);

		p += n + ('\n' == p[n]);
	}
}

static double number(const struct keys *k, const char *name, double other)
{
	double v = other;

	if (isnan(other))
		keys_expect(k, name);

	if (keys_get(k, name) && *keys_get(k, name))
		keys_doubles(k, name, 1, &v);

	if (!isfinite(v))
		error("%s: %s is not a finite number", k->path, name);

	return v;
}

static double length(const struct keys *k, const char *name)
{
	const double v = number(k, name, NAN);

	if (!(v > 0.))
		error("%s: %s is %g, expected a positive length", k->path, name, v);

	return v;
}

struct geom *nikon_read(struct exchange_source *f)
{
	struct keys k;
	struct str s = {0};

	read_lines(&k, f);

	const long views = exchange_views(f, "Projections", number(&k, "Projections", NAN));
	const long cols = exchange_count(f, "DetectorPixelsX", number(&k, "DetectorPixelsX", NAN));
	const long rows = exchange_count(f, "DetectorPixelsY", number(&k, "DetectorPixelsY", NAN));
	const double sod = length(&k, "SrcToObject"), sdd = length(&k, "SrcToDetector");
	const double pitch[2] = {length(&k, "DetectorPixelSizeX"), length(&k, "DetectorPixelSizeY")};
	const double top = number(&k, "CentreOfRotationTop", 0.),
	             bottom = number(&k, "CentreOfRotationBottom", 0.);
	const double offset = number(&k, "ObjectOffsetX", 0.5 * (top + bottom) * sod / sdd);
	const double roll = keys_get(&k, "ObjectRoll") ? number(&k, "ObjectRoll", 0.) * degree
	                                               : -atan2(top - bottom, (double)rows * pitch[1]);
	const double tilt = -number(&k, "ObjectTilt", 0.) * degree;
	const double first = number(&k, "InitialAngle", 0.), step = number(&k, "AngularStep", NAN);
	const double source[3] = {0., 0., 0.}, detector[3] = {0., sdd, 0.}, position[3] = {-offset, sod, 0.};
	const double axis[3] = {sin(roll), -sin(tilt) * cos(roll), cos(tilt) * cos(roll)};

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "DetectorOffsetY" : "DetectorOffsetX";

		if (0. != number(&k, name, 0.))
			warn("%s: %s = %g is ignored ('gantry geom --center' or 'gantry geom --shift-%c' "
			     "shifts the detector)",
			        f->path, name, number(&k, name, 0.), i ? 'v' : 'u');
	}

	str_add(&s, "AcquisitionGeometry.create_Cone3D(source_position=");
	exchange_list(&s, 3, source);
	str_add(&s, ", detector_position=");
	exchange_list(&s, 3, detector);
	str_add(&s, ", rotation_axis_position=");
	exchange_list(&s, 3, position);
	str_add(&s, ", rotation_axis_direction=");
	exchange_list(&s, 3, axis);
	str_printf(&s, ").set_panel(num_pixels=[%ld, %ld], pixel_size=", cols, rows);
	exchange_list(&s, 2, pitch);
	str_add(&s, ", origin='top-right').set_angles(angles=[");

	for (long i = 0; i < views; i++) {
		str_add(&s, i ? ", " : "");
		str_add_double(&s, 180. - first - step * (double)i + 0., 6);
	}

	str_add(&s, "])");
	keys_free(&k);

	struct exchange_source cil = {.path = f->path, .text = s.data, .hints = f->hints};
	struct geom *g = cil_read(&cil);

	free(s.data);
	return g;
}

/** 1 counter-clockwise, -1 clockwise. */
static double sense(const struct keys *k)
{
	const char *way = keys_get(k, "Rotation Direction");

	if (!way)
		warn("%s: 'Rotation Direction' is missing, so counter-clockwise rotation is assumed (for "
		     "clockwise rotation, add 'Rotation Direction=CW')",
		        k->path);

	return (way && 1 == exchange_choice(k->path, "Rotation Direction", way, "CC|CW")) ? -1. : 1.;
}

/** A scan that is not a circle. */
static void expect_round(const struct keys *k)
{
	const char *path = keys_get(k, "Scanning Trajectory");

	if (path)
		exchange_choice(k->path, "Scanning Trajectory", path, "ROUND");
}

struct geom *skyscan_read(struct exchange_source *f)
{
	struct keys k;

	read_lines(&k, f);

	const long views = exchange_views(f, "Number Of Files", number(&k, "Number Of Files", NAN));
	const long cols = exchange_count(f, "Number Of Columns", number(&k, "Number Of Columns", NAN));
	const long rows = exchange_count(f, "Number Of Rows", number(&k, "Number Of Rows", NAN));
	const double sod = length(&k, "Object to Source (mm)");
	const double sdd = keys_get(&k, "Camera to Source (mm)") ? length(&k, "Camera to Source (mm)") : sod;
	const double size = length(&k, "Image Pixel Size (um)") * 1e-3;
	const double line = number(&k, "Optical Axis (line)", 0.5 * (double)rows);
	const double step = number(&k, "Rotation Step (deg)", NAN);
	const double start = number(&k, "Scanning Start Angle", 0.);
	const double sign = sense(&k);

	expect_round(&k);

	const bool parallel = sod > parallel_from;
	const double pitch = parallel ? size : size * sdd / sod;
	const struct orbit o = {.parallel = parallel,
	        .sod = sod,
	        .sdd = sdd,
	        .pitch = {pitch, -pitch},
	        .offset = {0., (0.5 * (double)rows - line) * pitch}};
	double *angle = mem_alloc((size_t)views * sizeof *angle);

	for (long i = 0; i < views; i++)
		angle[i] = sign * (start + step * (double)i);

	struct geom *g = orbit_geom(&o, views, angle, cols, rows);

	free(angle);
	keys_free(&k);
	return g;
}
