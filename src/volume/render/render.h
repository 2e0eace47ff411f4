#ifndef VOLUME_RENDER_RENDER_H
#define VOLUME_RENDER_RENDER_H

#include <stdbool.h>

#include "misc/dtype.h"
#include "volume/render/transfer.h"

/**
 * Pictures of volumes by ray casting, with one ray per pixel [1]. Samples are taken from front to back, with
 * linear interpolation and shading by the gradient. Empty blocks are skipped [2]. World coordinates are in
 * mm. The origin is the centre of the volume, and z points up.
 *
 * [1] M. Levoy, Display of surfaces from volume data, IEEE Computer Graphics and Applications 8(3), 1988.
 *
 * [2] J. Danskin and P. Hanrahan, Fast algorithms for volume ray tracing, Workshop on Volume Visualization
 * 1992.
 */

enum { RENDER_VOLUMES = 4 };

#define RENDER_MODES "volume|mip|minip|mean|iso|xray"
enum render_mode {
	RENDER_VOLUME, // composited colours and opacities
	RENDER_MIP,    // largest value along the ray
	RENDER_MINIP,  // smallest value
	RENDER_MEAN,
	RENDER_ISO, // the first surface at which the values reach a level
	RENDER_XRAY // line integral: sum of samples times their distance [value mm]
};

#define RENDER_SHADES "phong|diffuse|none"
enum render_shade { RENDER_PHONG, RENDER_DIFFUSE, RENDER_FLAT };

/** The position of the camera and the extent of the picture. `azimuth` is the eye's angle from +x towards +y,
 * `elevation` from the xy plane towards +z. `roll` rotates the picture. */
struct render_camera {
	double azimuth, elevation, roll; // [rad]
	long width, height;              // [pixels]
	double pixel;                    // side of a pixel in the plane through the volume's centre [mm]
	double perspective; // full angle of the smaller side of the picture [rad]; 0 means parallel rays
};

/** The camera for kernels, set by render_view_make(). `plane` is the position of pixel (0, 0). `right` and
 * `down` are steps between pixels. */
struct render_view {
	long width, height;
	bool perspective;
	double centre[3], spacing[3];                         // [voxels], [mm]
	double plane[3], right[3], down[3], ahead[3], eye[3]; // [mm]
	double step;                                          // distance of samples [mm]
	double up[3];                                         // of the picture, of length 1
};

extern void render_view_make(struct render_view *v, const struct render_camera *c, const long n[3],
        const double spacing[3], double step);

struct render_volume {
	const char *name; // for messages
	enum dtype type;
	const void *data;                // elements of the whole volume, x fastest
	const struct transfer *transfer; // for RENDER_VOLUME only
};

struct render_labels {
	enum dtype type;  // an integer type
	const void *data; // NULL means no labels
};

struct render {
	enum render_mode mode;
	enum render_shade shade;
	struct render_camera camera;
	bool light_given;
	double light[2]; // azimuth and elevation [rad]; without light_given, the light moves with the camera
	double step;     // distance of samples [mm]
	double iso;
	double color[3]; // of the isosurface
	long n[3];
	double spacing[3];  // [mm]
	double place[3][2]; // position of element 0, and signed spacing [mm], for transfer functions
	double clip[3][2];  // the part to draw, first and last position [voxels]
	int volumes;
	struct render_volume volume[RENDER_VOLUMES];
	struct render_labels labels;
	long memory;      // largest number of bytes of volumes in memory; does not change the result
	bool range_known; // value ranges are not needed before the picture; does not change the result
};

/** Minimum and maximum of blocks and of whole volumes, computed before the first picture. */
struct render_extent;

/** Reads the volumes once. Values that are not finite are an error() naming the volume. With r->range_known,
 * parallel rays and one MPI process, render_run() reads and checks volumes drawn in slabs. */
extern struct render_extent *render_extent_create(const struct render *r);
extern void render_extent_free(struct render_extent *e);

/** Returns the number of slices that fit into the memory of the GPU in use, at most r->n[2]. */
extern long render_device_fits(const struct render *r);

/** After this call, the GPU in use, if any, draws pictures of r. If the GPU cannot draw, a warning says why,
 * and the CPU draws. */
extern void render_extent_to_device(struct render_extent *e, const struct render *r);

/** Returns the smallest and the largest value of volume i. If r->range_known is true, the values are not
 * available.
 */
extern void render_extent_of(const struct render_extent *e, int i, double *lo, double *hi);

/** Computes the picture: four numbers per pixel, row by row from the top. In modes volume and iso, the
 * numbers are red, green, blue and opacity. Colours are multiplied by the opacity. In other modes, the
 * numbers are value, 0, 0 and 1. Rays that miss the volume give four zeros. The result does not depend on
 * threads, slabs or instruction sets. */
extern void render_run(const struct render *r, struct render_extent *e, float *picture);

/** Returns how many bytes render_run() allocates; the picture is not included. */
extern long render_memory(const struct render *r);

#endif
