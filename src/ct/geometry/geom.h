#ifndef CT_GEOMETRY_GEOM_H
#define CT_GEOMETRY_GEOM_H

#include <stdbool.h>

#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/**
 * Geometry of a scan: position of source and detector in each view (doc/geometry.md). World coordinates are
 * right-handed, in mm; the rotation axis is z.
 */
struct geom_view {
	double s[3]; // source point; parallel beam: direction from source to detector
	double d[3]; // centre of the detector
	double u[3]; // step to the next column
	double v[3]; // step to the next row
};

struct geom {
	long views;
	long cols, rows;
	double radius; // [mm] of a curved detector, 0 = flat
	bool parallel;
	bool stack; // of fans: row b has a source of its own, s + (b - (rows-1)/2) v; v along z, s - d and u
	            // not
	struct geom_view *view;
};

/** The option --detector of commands that read a geometry. */
#define OPT_DETECTOR(list, help) OPT_LONGS(0, "detector", list, "COLS[:ROWS]", 1, 0x7fffffff, help)

/** Reads a geometry array (4, 4, views), any real type or complex with zero imaginary part. The detector size
 * is that of --detector, else that of the header, else that of proj (--detector and proj may be NULL).
 * error() naming the file if dims or w components are implausible, views have different beams, u or v is
 * zero, an element is NaN, or the detector size is missing. If the geometry has one row and the projections
 * have several, the geometry is used for each row (geom_stack_rows()). */
extern struct geom *geom_load(struct cfl *f, const struct opt_longs *detector, const struct cfl *proj);
/** geom_load() for an array (4, 4, views, channels, times): one geometry per channel and time. The channel
 * varies fastest; all geometries have the same number of views. frames: the numbers of channels and times.
 * The returned array is malloc'd. */
extern struct geom **geom_load_frames(
        struct cfl *f, const struct opt_longs *detector, const struct cfl *proj, long frames[2]);
extern void geom_free(struct geom *g);

/** error() naming `name` and the view if u, v or the rays are implausible, or if the pixels of a curved
 * detector cover 360 degrees or more. geom_load() calls this check. */
extern void geom_check(const struct geom *g, const char *name);

/** Converts a geometry of one row whose rays are in a plane perpendicular to z (a fan or a 2-D parallel beam)
 * into a stack of `rows` rows. The rows are `step` mm apart and centred at height z [mm], each with its own
 * source. Returns false and changes nothing for other geometries, or if rows is 1. */
extern bool geom_stack_rows(struct geom *g, long rows, double step, double z);

/** geom_stack_rows() with one row per slice of the grid; error() naming the geometry if that is impossible.
 */
struct grid;
extern void geom_stack_over(struct geom *g, const struct grid *grid, const char *name);

/** error() naming the geometry if it is a stack of fans. */
extern void geom_expect_source(const struct geom *g, const char *name);

/** Fills h (dims, type float64, quantity geometry, detector) and writes the 4 x 4 numbers of every view into
 * out. */
extern void geom_header(const struct geom *g, struct hdr *h);
extern void geom_store(const struct geom *g, double *out);

/** Writes a geometry as an array file. */
extern void geom_write(const char *name, const struct geom *g);

/** A new, uninitialised geometry with this number of views. */
extern struct geom *geom_create(long views, long cols, long rows, bool parallel);

/** Centre of pixel (a, b), fractions allowed [mm]. */
extern void geom_pixel(const struct geom *g, long view, double a, double b, double p[3]);

/** Ray through the centre of pixel (a, b): a point on it (the source, or the pixel itself when parallel) and
 * its direction, any length. */
extern void geom_ray(const struct geom *g, long view, double a, double b, double s[3], double dir[3]);

/** Column and row at which the ray through point x [mm] meets the detector (fractions; anywhere on its plane
 * or cylinder, also outside its pixels). Returns false if the ray does not meet the detector: x is behind the
 * source, or the ray misses the plane or cylinder. */
extern bool geom_project(const struct geom *g, long view, const double x[3], double *a, double *b);

/** Moves the detector of every view by columns and rows (fractions allowed) within its surface; columns of a
 * curved detector are moved along the arc. */
extern void geom_shift(struct geom *g, double columns, double rows);

/** Unit normal at the centre of the detector, towards the source. */
extern void geom_normal(const struct geom *g, long view, double n[3]);

/** Magnification of the rotation axis, n.(d-s) / n.(-s); 1 for a parallel beam; not positive or not finite if
 * the axis is not in front of the source. */
extern double geom_magnification(const struct geom *g, long view);

/** The field of view near the axis over all views [mm]. *radius: the largest distance of the rays of the
 * first and last column from the z axis. z: the range of heights at which the rays of the middle column meet
 * the axis. radius and z are computed for the outer edges of pixels, not for centres. */
extern void geom_field_of_view(const struct geom *g, double *radius, double z[2]);

/** Scan angle of a view about z [rad], computed from the source (or from the beam direction):
 * counter-clockwise, in [0, 2 pi), 0 for a view at angle 0 (doc/geometry.md). */
extern double geom_angle(const struct geom *g, long view);

/** Fills the header h of projections: dims 0-2, spacing (the pitch), quantity line-integral, no unit. The
 * higher dims are unchanged. */
extern void geom_proj_header(const struct geom *g, struct hdr *h);

/** error() unless proj's dims 0-2 are (cols, rows, views); names both files. */
extern void geom_check_proj(const struct geom *g, const struct cfl *geom_file, const struct cfl *proj);

/** A volume grid: centre of voxel (i,j,k) = origin + (i sx, j sy, k sz) [mm]. */
struct grid {
	long size[3];
	double spacing[3];
	double origin[3];
};

/** The default grid of doc/geometry.md for view 0. */
extern void geom_default_grid(const struct geom *g, struct grid *out);
/** Whether a grid covers the field of view around the axis. The default grid may not cover this region for
 * offset detectors, helices and tilted detectors. */
extern bool geom_grid_covers(const struct geom *g, const struct grid *grid);

extern void grid_from_header(struct grid *g, const struct hdr *h);
extern void grid_to_header(const struct grid *g, struct hdr *h); // dims 0-2, spacing, origin

/** The options --size --spacing --origin --like, shared by every command that writes a volume. */
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

/** Chooses the grid from the options, the header of --like and the default, and records it in the history
 * (tool_record); warns if the default does not cover the field of view. */
extern void grid_choose(struct grid *out, const struct grid_opts *o, const struct geom *g);

/** Warns if a volume of one slice is not in the plane of a geometry with one detector row. A slice outside
 * the plane of the rays contributes to the rays with reduced weight or not at all. */
extern void grid_warn_slice(const struct grid *grid, const struct geom *g, const char *name);

#endif
