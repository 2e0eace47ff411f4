/* Scans and volumes that overlap. */

#include <math.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "num/kern/convert.h"
#include "num/shape/shaping.h"
#include "volume/stitch/fit.h"
#include "volume/stitch/stitch.h"

int main_stitch(int argc, char *argv[]);

enum { FIT_RIGID = 2 };
static const double SLACK = 0.5; // of positions [voxels]
enum { LEAST = 70 };             // correlation of an overlap that is trusted [%]

static void trust(const struct stitch_match *m, const char *what, const char *advice)
{
	if (!(100. * m->correlation >= LEAST))
		tool_refuse("no overlap found: the best %s, %g, has a correlation of %.3f, expected at least "
		            "%.1f (%s, or use --force)",
		        what, m->at, m->correlation, LEAST / 100., advice);

	info("%s: %g (correlation %.4f)", what, m->at, m->correlation);
}

/** 360 degrees to 180. */
static void half_turn(const char *in, const char *name, double axis)
{
	struct cfl *x = cfl_open(in);
	struct hdr h;
	double at;

	cfl_expect_real(x);
	cfl_expect(x, 1u << Q_LINE_INTEGRAL | 1u << Q_TRANSMISSION | 1u << Q_COUNTS,
	        "one input is a scan of 360 degrees");
	hdr_copy(&h, &x->hdr);

	if (0 != h.dims[2] % 2)
		error("%s has %ld views, expected an even number over 360 degrees", x->name, h.dims[2]);

	if (isnan(axis)) {
		const struct stitch_match m = stitch_find_axis(x);

		trust(&m, "column of the axis", "give --axis");
		axis = m.at;
	}

	if (!(axis > 0. && axis < (double)(h.dims[0] - 1)))
		error("--axis: column %g is outside the views, expected one between 0 and %ld", axis,
		        h.dims[0] - 1);

	const double pitch = h.spacing[0];

	h.dims[0] = stitch_columns(h.dims[0], axis, &at);
	h.dims[2] /= 2;
	hdr_set_grid(&h, 0, pitch, -(double)(h.dims[0] - 1) / 2. * pitch);
	h.type = dtype_compute(h.type);
	tool_record("axis", "%.17g", axis);

	struct cfl *y = cfl_create(name, &h);

	stitch_half_turn(y, x, axis);
	info("the result has %ld columns, with the axis at column %g. Geometry: gantry traj --views %ld "
	     "--detector %ld:%ld --offset %g:0 (multiply the offset by the pitch)",
	        h.dims[0], at, h.dims[2], h.dims[0], h.dims[1], (double)(h.dims[0] - 1) / 2. - at);
	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
}

/** error() if other dims differ. */
static void check_shapes(const struct cfl *a, const struct cfl *b, int d)
{
	for (int k = 0; k < DIMS; k++)
		if (k != d && a->hdr.dims[k] != b->hdr.dims[k])
			error("%s is %s but %s is %s: expected equal sizes in all dimensions except %d",
			        a->name, hdr_shape(&a->hdr), b->name, hdr_shape(&b->hdr), d);
}

static void check_quantities(const struct cfl *a, const struct cfl *b)
{
	if (a->hdr.quantity != b->hdr.quantity)
		error("%s contains %s but %s contains %s: expected the same", a->name,
		        quantity_name(a->hdr.quantity), b->name, quantity_name(b->hdr.quantity));

	if (a->hdr.unit[0] && b->hdr.unit[0] && 0 != strcmp(a->hdr.unit, b->hdr.unit))
		error("%s is in %s but %s is in %s: expected the same", a->name, a->hdr.unit, b->name,
		        b->hdr.unit);
}

/** nb: elements of b, in elements of a. */
static void check_overlap(const struct cfl *a, const struct cfl *b, int d, long overlap, double nb)
{
	const long na = a->hdr.dims[d];

	if (overlap > na || (double)overlap > nb * (1. + 1e-9)) // nb is rounded
		error("--overlap is %ld elements, but %s has %ld elements along dimension %d and %s has the "
		      "length of %.15g elements",
		        overlap, a->name, na, d, b->name, nb);
}

/** Refuses positions at which slices of b are lost, nothing is added to a, or nothing is between a and b. */
static void check_position(const struct stitch_fit *s, double fill)
{
	const char *a = s->a.file->name, *b = s->b.file->name;
	const long na = s->a.space.n[s->d];
	const double after = s->start - (double)na;

	if (!(s->start >= -SLACK))
		tool_refuse("%s begins %.2f voxels before %s, expected after it: these slices are lost "
		            "(exchange the inputs, or use --force)",
		        b, -s->start, a);

	if (s->length <= na)
		tool_refuse("%s ends at slice %.2f of %s, expected at least %ld: no slice is added (use "
		            "--force)",
		        b, s->end, a, na);

	if (!(after <= SLACK))
		tool_refuse("%s begins %.2f voxels after the end of %s, expected an overlap: the gap is "
		            "filled with %g (use --force)",
		        b, after, a, fill);
}

/** Two volumes whose relative position is found by registration. */
static void fitted(const struct opt_list *in, const char *name, int d, long overlap, bool rotate,
        enum resample_kernel kernel, double fill)
{
	struct stitch_fit s = {.d = d};
	struct hdr h;
	enum dtype type;

	if (d > 2)
		usage_error("--fit: dimension %d, expected x, y or z", d);
	if (0 == overlap)
		usage_error("--overlap is 0, expected at least 1 with --fit");

	register_open(&s.a, in->v[0]);
	register_open(&s.b, in->v[1]);
	check_quantities(s.a.file, s.b.file);
	check_overlap(s.a.file, s.b.file, d, overlap, (double)s.b.space.n[d] / stitch_fit_finer(&s));
	type = dtype_compute(dtype_promote(s.a.file->hdr.type, s.b.file->hdr.type));

	if (!convert_holds(type, fill))
		error("--fill: %g does not fit into %s", fill, dtype_name(type));

	stitch_fit_find(&s, rotate, overlap);

	const double deg = 180. / M_PI, *v = s.pose.v,
	             found = fmin((double)s.a.space.n[d], s.end + 1.) - s.start;

	trust(&(struct stitch_match){found, s.match.correlation}, "overlap",
	        (overlap > 0) ? "check --overlap" : "give --overlap");
	check_position(&s, fill);
	s.shift[d] = 0.;
	info("lateral shift: %.3f %.3f %.3f voxels, rotation: %.3f %.3f %.3f degrees", s.shift[0], s.shift[1],
	        s.shift[2], v[0] * deg, v[1] * deg, v[2] * deg);
	hdr_copy(&h, &s.a.file->hdr);
	shaping_subrange(&h, d, 0, 1, s.length);
	h.type = type;
	tool_needs(stitch_fit_memory(&s, kernel), 0.);

	struct cfl *y = cfl_create(name, &h);

	hdr_free(&h);
	stitch_fit_join(y, &s, kernel, fill);
	cfl_close(s.a.file);
	cfl_close(s.b.file);
	cfl_close(y);
}

static void side_by_side(const struct opt_list *in, const char *name, int d, long overlap)
{
	struct cfl *a = cfl_open(in->v[0]), *b = cfl_open(in->v[1]);
	struct hdr h;

	cfl_expect_real(a);
	cfl_expect_real(b);
	check_shapes(a, b, d);
	check_quantities(a, b);
	cfl_warn_spacing(a, b);

	if (overlap < 0) {
		const struct stitch_match m = stitch_find_overlap(a, b, d);

		trust(&m, "overlap", "give --overlap");
		overlap = (long)m.at;
	}

	check_overlap(a, b, d, overlap, (double)b->hdr.dims[d]);
	hdr_copy(&h, &a->hdr);
	shaping_subrange(&h, d, 0, 1, a->hdr.dims[d] + b->hdr.dims[d] - overlap);
	h.type = dtype_compute(dtype_promote(a->hdr.type, b->hdr.type));
	tool_record("overlap", "%ld", overlap);

	struct cfl *y = cfl_create(name, &h);

	hdr_free(&h);
	stitch_side_by_side(y, a, b, d, overlap);
	cfl_close(a);
	cfl_close(b);
	cfl_close(y);
}

int main_stitch(int argc, char *argv[])
{
	struct opt_list in = {0};
	const char *out = NULL;
	double axis = NAN;
	long overlap = -1;
	int dim = -1, fit = 0, kernel = 0;
	double fill = 0.;

	const struct opt opts[] = {
	        OPT_DOUBLE(0, "axis", &axis, "COL", 0, 0,
	                "column of the axis, from 0 (default: by correlation)"),
	        {0, "dim", OPT_KIND_DIM, &dim, "DIM", "dimension along which two inputs overlap", 0, 0, 0,
	                NULL},
	        OPT_LONG(0, "overlap", &overlap, "N", -1, 0x7fffffffffff,
	                "number of overlapping elements (default: by correlation)"),
	        OPT_CHOICE(0, "fit", &fit, "none|shift|rigid",
	                "two volumes: find the shift, or shift and rotation"),
	        OPT_CHOICE(0, "interpolation", &kernel, "linear|cubic|catmull-rom|lanczos",
	                "interpolation of the second volume with --fit"),
	        OPT_DOUBLE(0, "fill", &fill, "V", 0, 0, "with --fit: value outside both volumes"),
	        ARG_IN_MANY("IN", &in, "a scan of 360 degrees, or two arrays with --dim"),
	        ARG_OUT("OUT", &out, "the scan over 180 degrees, or both arrays as one"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "stitch",
	                  .group = GROUP_CORRECT,
	                  .synonyms = "sino_360_to_180 convert360 mosaic merge",
	                  .about = "Stitch offset scans or overlapping volumes",
	                  .details = "A single input must be a parallel-beam scan of 360 degrees with an "
	                             "offset detector. The views must not include the end point of 360 "
	                             "degrees. Each view is joined with the mirror image of the opposite "
	                             "view. The result covers 180 degrees and has nearly twice the columns "
	                             "of the input. A message prints the value of --offset for 'gantry "
	                             "traj'.\n\n"
	                             "Two inputs must be projections or volumes that overlap along --dim. "
	                             "The end of the first input overlaps the beginning of the second "
	                             "input. OUT keeps the origin of the first input.\n\n"
	                             "The option --fit joins two volumes whose relative position is only "
	                             "roughly known. Registration of the overlap finds the shift of the "
	                             "second volume. With --fit rigid, registration also finds the "
	                             "rotation. The search starts from --overlap, or from an overlap found "
	                             "by correlation. At the start, the lateral centres of the volumes are "
	                             "aligned. The second volume is resampled on the grid of the first "
	                             "volume.\n\n"
	                             "In the overlap, the values are blended linearly. By default, "
	                             "correlation finds the axis of a single input, or the overlap of two "
	                             "inputs. A correlation below 0.7 is an error. The options --axis and "
	                             "--overlap set the axis or the overlap without a search. With --fit, "
	                             "the second volume must not begin before the first volume. The second "
	                             "volume must end after the first volume, and there must be no gap "
	                             "between the volumes. The option --force accepts a low correlation and "
	                             "any position. NaN is refused.",
	                  .examples = "gantry stitch scan360 scan180\n"
	                              "gantry stitch --dim z --overlap 40 lower upper both\n"
	                              "gantry stitch --dim z --fit shift --overlap 40 lower upper both",
	                  .memory = "with --fit, both overlaps as float32, with at most 2^26 voxels each. "
	                            "The second volume needs the same memory as in 'gantry resample'",
	                  .opts = opts},
	        argc, argv);

	if (in.n > 2)
		usage_error("%d inputs, expected one scan or two arrays", in.n);

	if (1 == in.n && (0 <= dim || 0 <= overlap || fit))
		usage_error("--dim, --overlap and --fit have no effect on a single scan");

	if (2 == in.n && (dim < 0 || !isnan(axis)))
		usage_error("two inputs: expected --dim and no --axis");

	if (!fit && (kernel || 0. != fill))
		usage_error("--interpolation and --fill have no effect without --fit");

	if (1 == in.n)
		half_turn(in.v[0], out, axis);
	else if (fit)
		fitted(&in, out, dim, overlap, FIT_RIGID == fit,
		        (enum resample_kernel)(kernel + RESAMPLE_LINEAR), fill);
	else
		side_by_side(&in, out, dim, overlap);

	leave(EXIT_DONE);
}
