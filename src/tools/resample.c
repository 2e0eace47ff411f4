/* Volumes on other grids. */

#include <string.h>

#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/kern/convert.h"
#include "volume/resample/space.h"
#include "volume/resample/volumes.h"
#include "volume/resample/warp.h"

int main_resample(int argc, char *argv[]);

struct motion {
	struct opt_doubles rotate, shift, centre;
	const char *affine, *warp;
	bool inverse;
};

/** Numbers of an option that takes three, or with `one` that for z. */
static void three(const char *name, const struct opt_doubles *o, bool one, double v[3])
{
	if (0 == o->n)
		return;

	if (3 != o->n && !(one && 1 == o->n))
		usage_error("%s has %d numbers, expected %s3", name, o->n, one ? "1 or " : "");

	for (int d = 0; d < o->n; d++)
		v[1 == o->n ? 2 : d] = o->v[d];
}

/** Places of the output to those of the input. */
static void choose_motion(struct affine *m, const struct motion *o)
{
	double degrees[3] = {0.}, shift[3] = {0.}, centre[3] = {0.};

	three("--rotate", &o->rotate, true, degrees);
	three("--shift", &o->shift, false, shift);
	three("--centre", &o->centre, false, centre);

	if (o->affine && (o->rotate.n || o->shift.n))
		usage_error("--affine excludes --rotate and --shift");

	if (o->warp && (o->affine || o->rotate.n || o->shift.n))
		usage_error("--warp excludes --affine, --rotate and --shift");

	if (o->centre.n && !o->rotate.n)
		usage_error("--centre has no effect without --rotate");

	if (o->inverse && !o->affine && !o->rotate.n && !o->shift.n)
		usage_error("--inverse has no effect without --affine, --rotate or --shift");

	if (o->affine)
		affine_read(m, o->affine);
	else
		affine_rigid(m, degrees, centre, shift);

	struct affine back;

	affine_inverse(&back, m, o->affine ? o->affine : "--rotate");

	if (o->inverse)
		*m = back;
}

/** Masks and labels are not mixed. */
static enum resample_kernel default_kernel(const struct hdr *h)
{
	return (DT_BOOL == h->type || Q_MASK == h->quantity) ? RESAMPLE_NEAREST : RESAMPLE_LINEAR;
}

int main_resample(int argc, char *argv[])
{
	struct space_opts grid = {0};
	struct motion motion = {0};
	int kernel = 0, type = -1;
	bool aliasing = false;
	double fill = 0.;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_LONGS(0, "size", &grid.size, "NX[:NY[:NZ]]", 1, 0x7fffffffffff,
	                "size [voxels] (default: keeps the extent)"),
	        OPT_DOUBLES(0, "spacing", &grid.spacing, "SX[:SY[:SZ]]", 1e-300, 1e300,
	                "voxel size [mm] (default: keeps the extent)"),
	        OPT_DOUBLES(0, "origin", &grid.origin, "X:Y:Z", 0, 0,
	                "centre of the first voxel [mm] (default: the same centre)"),
	        OPT_ARRAY(0, "like", &grid.like, "VOL", "take size, spacing, origin and direction from VOL"),
	        OPT_DOUBLES(0, "rotate", &motion.rotate, "DEG|X:Y:Z", 0, 0,
	                "rotate about z, or about x, then y, then z [degrees]"),
	        OPT_DOUBLES(0, "shift", &motion.shift, "X:Y:Z", 0, 0, "shift after the rotation [mm]"),
	        OPT_DOUBLES(0, "centre", &motion.centre, "X:Y:Z", 0, 0,
	                "centre of the rotation [mm] (default: 0:0:0, the rotation axis)"),
	        OPT_INFILE(0, "affine", &motion.affine, "FILE",
	                "affine map from positions in OUT to positions in IN [mm]"),
	        OPT_ARRAY(0, "warp", &motion.warp, "FIELD", "displacements (x, y, z, 3) [mm]"),
	        OPT_FLAG(0, "inverse", &motion.inverse, "apply the inverse of the map"),
	        OPT_CHOICE(0, "interpolation", &kernel, "auto|nearest|linear|cubic|catmull-rom|lanczos",
	                "interpolation (auto: nearest for masks, else linear)"),
	        OPT_FLAG(0, "no-anti-aliasing", &aliasing, "no low-pass filter where OUT is coarser"),
	        OPT_DOUBLE(0, "fill", &fill, "V", 0, 0, "value outside the input"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "volume (x, y, z, ..)"),
	        ARG_OUT("OUT", &out, "volume on the new grid"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "resample",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "rescale zoom interpolate affine_transform imresize regrid rotate",
	                  .about = "Resample, rotate or transform a volume onto another grid",
	                  .details = "Every voxel of OUT gets the value of IN at the position of the voxel. "
	                             "A position is the origin plus the index times the spacing [mm]. If a "
	                             "header has a section # Direction, this section gives the axes of the "
	                             "positions.\n\n"
	                             "The option --rotate rotates the object counter-clockwise, seen from "
	                             "the positive end of the axis. The option --affine reads the matrix A "
	                             "and the vector b of x_in = A x_out + b [mm]. Each of the three lines "
	                             "of the file contains a row of A and an element of b. The command "
	                             "'gantry register' writes a file for --affine. The option --warp reads "
	                             "displacements u [mm]. With --warp, the position in IN is x_in = x_out "
	                             "+ u(x_out). The displacements have a separate grid, and are "
	                             "interpolated linearly.\n\n"
	                             "Some of the kernels of --interpolation are:\n\n"
	                             "cubic: B-spline of degree 3 through the samples. The kernel cubic has "
	                             "order 4, and is the most accurate kernel.\n"
	                             "catmull-rom: cubic convolution with a = -1/2. The kernel catmull-rom "
	                             "has order 3, and is twice as fast as cubic.\n"
	                             "lanczos: sinc function with a window of three lobes.\n\n"
	                             "For the interpolation, the volume is mirrored at its ends. Voxels of "
	                             "OUT more than half a voxel outside IN get the value of --fill.\n\n"
	                             "If OUT is coarser than IN, IN is first low-pass filtered. The filter "
	                             "before resampling is the interpolation kernel, widened to the spacing "
	                             "of OUT. With --interpolation nearest, IN is not filtered.\n\n"
	                             "OUT has the type float32, float64 or complex. With --interpolation "
	                             "nearest, OUT has the type of IN. Each channel and each time is "
	                             "resampled separately.",
	                  .examples = "gantry resample --spacing 0.5 vol finer\n"
	                              "gantry resample --rotate 30 --interpolation cubic vol turned\n"
	                              "gantry resample --like fixed --affine map.txt moving aligned\n"
	                              "gantry resample --warp motion frame still",
	                  .memory = "the part of IN that OUT needs, as float32 or float64. A part larger "
	                            "than half of the allowed memory is processed in pieces",
	                  .opts = opts},
	        argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;
	struct space from, to;
	struct affine m;
	struct resample r = {.fill = fill};

	cfl_expect(x, ~(1u << Q_GEOMETRY), "a geometry is transformed by gantry geom");
	choose_motion(&m, &motion);
	hdr_copy(&h, &x->hdr);
	space_from_header(&from, &x->hdr, x->name);
	space_choose(&to, &grid, &from, &h);
	space_map(r.at, &from, &to, &m);
	memcpy(r.in, from.n, sizeof r.in);
	memcpy(r.out, to.n, sizeof r.out);
	r.kernel = kernel ? (enum resample_kernel)(kernel - 1) : default_kernel(&h);
	h.type = (0 <= type)                      ? (enum dtype)type
	         : (RESAMPLE_NEAREST == r.kernel) ? h.type
	                                          : dtype_compute(h.type);

	if (!convert_holds(h.type, fill))
		error("--fill: %g does not fit into %s", fill, dtype_name(h.type));

	if (!aliasing)
		resample_coarser(&r);

	if (!motion.warp && resample_misses(&r))
		warn("%s: all voxels of the output are outside the input and become %g (check --origin, "
		     "--like, --shift and --affine)",
		        x->name, fill);

	struct cfl *field = motion.warp ? cfl_open(motion.warp) : NULL;
	struct warp *warp = field ? warp_create(&r, field, &from, &to) : NULL;
	resample_positions_fn *positions = warp ? warp_positions : NULL;
	const long bytes = volumes_memory(x, &r, positions, warp);

	tool_needs(bytes, 0.);

	struct cfl *y = cfl_create(out, &h);

	volumes_resample(y, x, &r, positions, warp, bytes);
	warp_free(warp);
	hdr_free(&h);
	cfl_close(x);

	if (field)
		cfl_close(field);

	cfl_close(y);
	leave(EXIT_DONE);
}
