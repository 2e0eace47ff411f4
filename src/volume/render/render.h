#ifndef VOLUME_RENDER_RENDER_H
#define VOLUME_RENDER_RENDER_H

#include <stdbool.h>

#include "misc/dtype.h"
#include "volume/render/transfer.h"

/**
 * Pictures of volumes by ray casting, one ray per pixel: front to back, with linear interpolation and shading
 * by the gradient. World coordinates are in mm, with the origin at the centre of the volume and z up.
 *
 * [1] M. Levoy, Display of surfaces from volume data, IEEE Computer Graphics and Applications 8(3), 1988.
 * [2] J. Danskin and P. Hanrahan, Fast algorithms for volume ray tracing, Workshop on Volume Visualization
 * 1992.
 */

enum { RENDER_VOLUMES = 4 };

#define RENDER_MODES "volume|mip|minip|mean|iso|xray"
enum render_mode {
	RENDER_VOLUME, // colours and opacities, composited
	RENDER_MIP,    // largest value along the ray
	RENDER_MINIP,  // smallest
	RENDER_MEAN,
	RENDER_ISO, // the first surface at which the values reach a level
	RENDER_XRAY // line integral: sum of samples times their distance [value mm]
};

#define RENDER_SHADES "phong|diffuse|none"
enum render_shade { RENDER_PHONG, RENDER_DIFFUSE, RENDER_FLAT };

/** The position of the camera and the extent of the picture. */
struct render_camera {
	double azimuth, elevation,
	        roll; // [rad]: of the eye, from +x to +y; of the eye, from the xy plane to +z; rotation of
	              // the picture
	long width, height; // [pixels]
	double pixel;       // side of a pixel in the plane of the volume's centre [mm]
	double perspective; // full angle of the picture's smaller side [rad], 0: parallel rays
};

/** The camera for kernels, with rays in voxels. Set by render_view_make(). */
struct render_view {
	long width, height;
	bool perspective;
	double centre[3], spacing[3];                         // [voxels], [mm]
	double plane[3], right[3], down[3], ahead[3], eye[3]; // pixel (0, 0), steps to the next ones; [mm]
	double step;                                          // [mm]
	double up[3];                                         // of the picture, of length 1
};

extern void render_view_make(struct render_view *v, const struct render_camera *c, const long n[3],
        const double spacing[3], double step);

struct render_volume {
	const char *name; // for messages
	enum dtype type;
	const void *data;                // elements of the whole volume, x fastest
	const struct transfer *transfer; // for RENDER_VOLUME
};

struct render_labels {
	enum dtype type;  // an integer type
	const void *data; // NULL: none
};

struct render {
	enum render_mode mode;
	enum render_shade shade;
	struct render_camera camera;
	bool light_given;
	double light[2]; // azimuth and elevation [rad] of the light source; otherwise it moves with the
	                 // camera
	double step;     // [mm]
	double iso;
	double color[3]; // of the surface
	long n[3];
	double spacing[3];  // [mm]
	double place[3][2]; // position of element 0, and signed spacing [mm], for transfer functions
	double clip[3][2];  // the part that is drawn: from, to [voxels]
	int volumes;
	struct render_volume volume[RENDER_VOLUMES];
	struct render_labels labels;
	long memory;      // bytes of volumes in memory at a time; does not change the result
	bool range_known; // smallest and largest values are not needed before the picture; does not change
	                  // the result
};

/** Data computed before the first picture: minimum and maximum of blocks and of whole volumes. */
struct render_extent;

/** Makes one pass over the volumes. error() naming the volume if values are not finite. With r->range_known,
 * volumes that are drawn in slabs along parallel rays are not read yet: render_run() reads and checks them
 * slab by slab. */
extern struct render_extent *render_extent_create(const struct render *r);
extern void render_extent_free(struct render_extent *e);

/** Number of slices of the volumes, at most r->n[2], that fit into the memory of the GPU in use. */
extern long render_device_fits(const struct render *r);

/** From this call on, the GPU in use, if there is one, draws the pictures of r. If it cannot draw them, a
 * warning says why, and the CPU draws them. */
extern void render_extent_to_device(struct render_extent *e, const struct render *r);

/** Smallest and largest value of volume i; not available with r->range_known. */
extern void render_extent_of(const struct render_extent *e, int i, double *lo, double *hi);

/**
 * Computes the picture: four numbers per pixel, row by row from the top. In modes volume and iso they are
 * red, green and blue multiplied by the opacity, and the opacity. In other modes they are the value, 0, 0 and
 * 1, or four zeros if the ray misses the volume. The result does not depend on threads, slabs or instruction
 * sets.
 */
extern void render_run(const struct render *r, struct render_extent *e, float *picture);

/** Memory that render_run() allocates, not counting the picture [bytes]. */
extern long render_memory(const struct render *r);

#endif
