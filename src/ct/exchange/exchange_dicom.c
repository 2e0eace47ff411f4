/** DICOM-CT-PD, read only: the projections of a medical scanner, one per file [1].
 *
 * The format's cylindrical coordinates (rho, phi, z) are left-handed and fixed to the patient. Seen from the
 * table towards the gantry, phi is 0 at the top and increases counter-clockwise, z increases away from the
 * viewer, x = -rho sin phi to the right and y = rho cos phi upwards. In Gantry's coordinates x and z are the
 * same and y points downwards: angle t is -phi. For a patient who lies supine, head first, these are the axes
 * of DICOM's images.
 *
 * The detector's focal centre is at (rho_0, phi_0, z_0); the source differs from it by the shifts of the
 * flying focal spot. The line from the focal centre to the axis, at a right angle to it, meets the detector
 * at the central element (column, row; counted from 1, with fractions) in the distance d_0. A cylindrical
 * detector is an arc about the focal centre. With the detector at the bottom, column 1 is the leftmost and
 * row 1 the furthest.
 *
 * [1] B. Chen et al., Development and validation of an open data format for CT projection data, Med. Phys.
 * 42, 6964 (2015), and the DICOM-CT-PD user manual
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange.h"
#include "misc/error.h"
#include "misc/formats/dicom/dicom.h"
#include "misc/mem.h"
#include "num/shape/stack.h"

static bool is_flat(const struct dicom *d)
{
	return 0 == strcmp(d->shape, "FLAT");
}

static void check(const struct dicom *d, const char *path)
{
	const struct {
		const char *name;
		double value;
		bool length;
	} need[] = {{"DetectorFocalCenterAngularPosition (7031,1001)", d->angle, false},
	        {"DetectorFocalCenterAxialPosition (7031,1002)", d->focal_z, false},
	        {"DetectorFocalCenterRadialDistance (7031,1003)", d->focal_r, true},
	        {"ConstantRadialDistance (7031,1031)", d->distance, true},
	        {"DetectorCentralElement (7031,1033)", d->center[0] + d->center[1], false},
	        {"DetectorElementTransverseSpacing (7029,1002)", d->pitch[0], true},
	        {"DetectorElementAxialSpacing (7029,1006)", d->pitch[1], true},
	        {"NumberofDetectorColumns (7029,1011)", (double)d->detector[0], true},
	        {"NumberofDetectorRows (7029,1010)", (double)d->detector[1], true},
	        {"source position shifts (7033,100b), (7033,100c), (7033,100d)",
	                d->shift_angle + d->shift_z + d->shift_r, false}};

	for (size_t i = 0; i < sizeof need / sizeof *need; i++)
		if (!isfinite(need[i].value) || (need[i].length && !(need[i].value > 0.)))
			error("%s: %s is missing or has the invalid value %g (is this a DICOM-CT-PD "
			      "projection?)",
			        path, need[i].name, need[i].value);

	if (1 != d->frames)
		error("%s contains %ld frames, expected one projection per file", path, d->frames);

	if (0 != strcmp(d->shape, "CYLINDRICAL") && !is_flat(d))
		error("%s: DetectorShape (7029,100b) is '%s', expected CYLINDRICAL or FLAT", path, d->shape);
}

static void check_same(const struct dicom *d, const struct dicom *first, const char *path, const char *other)
{
	if (0 != strcmp(d->shape, first->shape) || d->distance != first->distance ||
	        d->detector[0] != first->detector[0] || d->detector[1] != first->detector[1] ||
	        d->pitch[0] != first->pitch[0] || d->pitch[1] != first->pitch[1])
		error("%s: the detector (shape, size, pitch or distance) differs from that in %s (give the "
		      "files of one scan)",
		        path, other);
}

static void place(const struct dicom *d, struct geom_view *w)
{
	const double middle[2] = {0.5 * (double)(d->detector[0] - 1) - (d->center[0] - 1.),
	        0.5 * (double)(d->detector[1] - 1) - (d->center[1] - 1.)}; // beyond the central element
	const double to[2] = {sin(d->angle), cos(d->angle)}, along[2] = {to[1], -to[0]};
	const double source = d->angle + d->shift_angle, rho = d->focal_r + d->shift_r;
	const double fan = is_flat(d) ? 0. : middle[0] * d->pitch[0] / d->distance;
	const double beside = is_flat(d) ? middle[0] * d->pitch[0] : d->distance * sin(fan);

	*w = (struct geom_view){.s = {-rho * sin(source), -rho * cos(source), d->focal_z + d->shift_z},
	        .v = {0., 0., -d->pitch[1]}};

	for (int i = 0; i < 2; i++) {
		w->d[i] = (d->distance * cos(fan) - d->focal_r) * to[i] + beside * along[i];
		w->u[i] = d->pitch[0] * (cos(fan) * along[i] - sin(fan) * to[i]);
	}

	w->d[2] = d->focal_z - middle[1] * d->pitch[1];
}

struct geom *exchange_read_dicom(int n, struct named_file files[])
{
	struct stack *s =
	        stack_open(n, files, PART_DATA, -1, false); // puts the files into the order of import
	struct geom *g = NULL;
	struct dicom first;

	for (int k = 0; k < n; k++) {
		struct dicom d;

		if (s->format != &format_dicom)
			error("%s: not a DICOM file", files[k].path);

		dicom_read(&d, files[k].path);
		check(&d, files[k].path);

		if (0 == k) {
			g = geom_create(n, d.detector[0], d.detector[1], false);
			g->radius = is_flat(&d) ? 0. : d.distance;
			first = d;
		}

		check_same(&d, &first, files[k].path, files[0].path);
		place(&d, g->view + k);
	}

	stack_free(s);
	geom_check(g, files[0].path);
	return g;
}
