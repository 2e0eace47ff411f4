#ifndef VOLUME_MEASURE_H
#define VOLUME_MEASURE_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Measurements of one volume (x, y, z). */

/** Counts of the pore voxels (value 0) of a mask. */
struct porosity {
	long voxels, pores; // all voxels and pore voxels in the region
	long open, closed;  // pore voxels connected to the border of the volume, other pore voxels
	long closed_pores;  // number of closed pores in the region
};

/** Counts the pore voxels of a mask where `region` is not 0. `region` has the dims of `solid`; NULL means the
 * whole volume. `neighbours` is 6, 18 or 26. */
extern void measure_porosity(struct porosity *s, struct cfl *solid, struct cfl *region, int neighbours);

/**
 * Thickness of an object. The thickness at a voxel is the diameter of the largest ball in the object that
 * contains the voxel. Balls are centred on voxels. The radius of a ball is the distance to the nearest
 * background voxel.
 *
 *   T. Hildebrand, P. Rüegsegger: A new method for the model-independent assessment of thickness in
 *   three-dimensional images. Journal of Microscopy 185, 67-75 (1997).
 */
struct thickness {
	long voxels;                // of the object
	double mean, std, min, max; // [mm]
};

/** Measures the thickness of an object. `out` is NULL or receives the thickness in float32 [mm], 0 in the
 * background. `invert` swaps object and background. A mask without object or background is an error(). */
extern void measure_thickness(struct thickness *s, struct cfl *out, struct cfl *in, bool invert);

/** Returns how many bytes measure_thickness() allocates. */
extern long measure_thickness_memory(const struct cfl *in, bool out);

/** Diameters of components [mm]. A component has the diameter of a ball of equal volume (images: circle of
 * equal area). */
struct sizes {
	long count, cut; // number of components, number at the border
	double mean, min, max;
	double by_number[3], by_volume[3]; // 10, 50 and 90 % percentiles, by number and by volume
};

/** Measures the components of nonzero voxels. With `whole`, components that touch the border are ignored.
 * Calls error() if no component remains. */
extern void measure_sizes(struct sizes *s, struct cfl *in, int neighbours, bool whole);

/** Returns the diameter [mm] of a ball (rank 3) or circle (rank 2) as large as `voxels` voxels. For rank 1,
 * returns the length [mm] of `voxels` voxels. */
extern double measure_diameter(const struct hdr *h, long voxels);

#endif
