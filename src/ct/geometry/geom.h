#ifndef CT_GEOMETRY_GEOM_H
#define CT_GEOMETRY_GEOM_H

#include <stdbool.h>

#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/** The geometry of a scan describes the source and the detector in each view (doc/geometry.md). World
 * coordinates are right-handed, in mm. The rotation axis is z. */
struct geom_view {
	double s[3]; // source; for a parallel beam, direction from source to detector
	double d[3]; // centre of the detector
	double u[3]; // step from one column to the next
	double v[3]; // step from one row to the next
};

struct geom {
	long views;
	long cols, rows;
	double radius; // radius of a curved detector [mm]; 0 means flat
	bool parallel;
	bool stack; // stack of fans: row b has the source s + (b - (rows-1)/2) v; v is along z; u and s - d
	            // are perpendicular to z
	struct geom_view *view;
};

/** The option --detector of commands that read a geometry. */
#define OPT_DETECTOR(list, help) OPT_LONGS(0, "detector", list, "COLS[:ROWS]", 1, 0x7fffffff, help)

/** Reads a geometry array (4, 4, views). The elements are real, or complex with zero imaginary part. The
 * detector size is taken from --detector, the header or `proj`, in this order. `detector` and `proj` may be
 * NULL. A geometry of one row becomes a stack (geom_stack_rows()) if the projections have several rows. An
 * array that is not a valid geometry is an error() naming the file. All views must have the same kind of
 * beam. A missing detector size is an error(). */
extern struct geom *geom_load(struct cfl *f, const struct opt_longs *detector, const struct cfl *proj);
/** Reads an array (4, 4, views, channels, times) with one geometry per channel and time. The returned array
 * of geometries is malloc'd. Channels vary fastest. `frames` becomes the numbers of channels and times.
 * Other arguments and errors are those of geom_load(). */
extern struct geom **geom_load_frames(
        struct cfl *f, const struct opt_longs *detector, const struct cfl *proj, long frames[2]);
extern void geom_free(struct geom *g);

/** Checks a geometry, as geom_load() does. Values that are not finite are an error(). Zero or parallel u and
 * v are an error(). Rays parallel to the detector are an error(). A curved detector that covers 360 degrees
 * or more is an error(). All messages contain `name` and the view. */
extern void geom_check(const struct geom *g, const char *name);

/** Converts a geometry of one row into a stack of `rows` rows. The rays must be in a plane perpendicular to
 * z. The rows are `step` mm apart and centred at the height z [mm]. In a fan beam, each row gets its own
 * source. For other geometries, or if `rows` is 1, the function changes nothing and returns false. */
extern bool geom_stack_rows(struct geom *g, long rows, double step, double z);

/** Calls geom_stack_rows() with one row per slice of the grid. A geometry that cannot be converted is an
 * error() naming `name`. */
struct grid;
extern void geom_stack_over(struct geom *g, const struct grid *grid, const char *name);

/** For a stack of fans, calls error() with the geometry's `name`. */
extern void geom_expect_source(const struct geom *g, const char *name);

/** These functions convert a geometry to an array file.
 * - geom_header(): Sets dims, type, quantity, unit and detector of the header h. The type is float64.
 * - geom_store(): Writes the 4 x 4 numbers of every view to `out`. */
extern void geom_header(const struct geom *g, struct hdr *h);
extern void geom_store(const struct geom *g, double *out);

/** Writes a geometry as an array file. */
extern void geom_write(const char *name, const struct geom *g);

/** Creates a geometry with uninitialised views. */
extern struct geom *geom_create(long views, long cols, long rows, bool parallel);

/** Computes the centre p of pixel (a, b) [mm]. The indices a and b may be fractions. */
extern void geom_pixel(const struct geom *g, long view, double a, double b, double p[3]);

/** Computes the ray through the centre of pixel (a, b). `s` becomes the source, or the centre of the pixel
 * for a parallel beam. `dir` becomes the direction, of any length. */
extern void geom_ray(const struct geom *g, long view, double a, double b, double s[3], double dir[3]);

/** Computes the column *a and the row *b at which the ray through point x [mm] meets the detector. The
 * results may be fractions and may be outside the detector. The function returns false if x is behind the
 * source. The function also returns false if the ray misses the detector's plane or cylinder. */
extern bool geom_project(const struct geom *g, long view, const double x[3], double *a, double *b);

/** Shifts the detector of every view by a number of columns and rows, which may be fractions. The columns of
 * a curved detector are shifted along the arc. In a stack of fans, the sources move with the rows. */
extern void geom_shift(struct geom *g, double columns, double rows);

/** Computes the unit normal n at the centre of the detector, towards the source. */
extern void geom_normal(const struct geom *g, long view, double n[3]);

/** Returns the magnification of the rotation axis, n.(d-s) / n.(-s). The magnification of a parallel beam is
 * 1. If the axis is not in front of the source, the result is not positive or not finite. */
extern double geom_magnification(const struct geom *g, long view);

/** Computes the field of view near the axis over all views [mm]. `*radius` becomes the largest distance from
 * the axis to a ray at the left or right detector edge. `z` becomes the range of heights at which rays of
 * the middle column pass the axis. The edges are the outer edges of the pixels. */
extern void geom_field_of_view(const struct geom *g, double *radius, double z[2]);

/** Returns the scan angle of a view about z [rad], in [0, 2 pi). Angles are counter-clockwise. At angle 0,
 * the source is on the negative y axis, or a parallel beam points along y. */
extern double geom_angle(const struct geom *g, long view);

/** Sets the header h for projections of this geometry. Dims 0 to 2 and the spacing are set; higher dims are
 * unchanged. The quantity is line-integral, without a unit. */
extern void geom_proj_header(const struct geom *g, struct hdr *h);

/** Calls error() if dims 0 to 2 of proj are not (cols, rows, views). */
extern void geom_check_proj(const struct geom *g, const struct cfl *geom_file, const struct cfl *proj);

/** The grid of a volume. The centre of voxel (i, j, k) is origin + (i sx, j sy, k sz) [mm]. */
struct grid {
	long size[3];
	double spacing[3];
	double origin[3];
};

/** Computes the default grid of doc/geometry.md from view 0. A rotation axis that is not in front of the
 * source is an error(). */
extern void geom_default_grid(const struct geom *g, struct grid *out);
/** Returns whether a grid covers the field of view around the axis. The default grid may be too small for
 * offset detectors, helices and tilted detectors. */
extern bool geom_grid_covers(const struct geom *g, const struct grid *grid);

/** These functions copy a grid from and to a header. A grid is stored in dims 0 to 2, spacing and origin of a
 * header. */
extern void grid_from_header(struct grid *g, const struct hdr *h);
extern void grid_to_header(const struct grid *g, struct hdr *h);

/** The options --size, --spacing, --origin and --like. Every command that writes a volume has these options.
 */
struct grid_opts {
	struct opt_longs size;
	struct opt_doubles spacing, origin;
	const char *like;
};
#define OPT_GRID(o)                                                                                          \
	OPT_LONGS(0, "size", &(o)->size, "NX[:NY[:NZ]]", 1, 0x7fffffffffff,                                  \
	        "volume size [voxels] (default: from the geometry)"),                                        \
	        OPT_DOUBLES(0, "spacing", &(o)->spacing, "SX[:SY[:SZ]]", 1e-300, 1e300, "voxel size [mm]"),  \
	        OPT_DOUBLES(0, "origin", &(o)->origin, "X:Y:Z", 0, 0,                                        \
	                "centre of the first voxel [mm] (default: centred)"),                                \
	        OPT_ARRAY(0, "like", &(o)->like, "VOL", "take size, spacing and origin from VOL")

/** Chooses the grid from the options, the header of --like and the default grid. The grid is recorded in the
 * history (tool_record()). A default grid that does not cover the field of view causes a warning. */
extern void grid_choose(struct grid *out, const struct grid_opts *o, const struct geom *g);

/** Warns if the only slice of a volume is not in the plane of the rays. Only geometries with one detector row
 * are checked. A slice outside the plane contributes to the rays with reduced weight or not at all. */
extern void grid_warn_slice(const struct grid *grid, const struct geom *g, const char *name);

#endif
