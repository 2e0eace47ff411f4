#ifndef VOLUME_MEASURE_H
#define VOLUME_MEASURE_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Measurements of one volume (x, y, z). */

/** Counts of pore voxels, which are 0 in a mask of the solid. */
struct porosity {
	long voxels, pores; // in the region
	long open, closed;  // pores connected to the border of the volume; others
	long closed_pores;  // number of closed components
};

/** region: an array of the same dims, whose voxels of value 0 are ignored; NULL: no region. neighbours of
 * pores: 6, 18, 26.
 */
extern void measure_porosity(struct porosity *s, struct cfl *solid, struct cfl *region, int neighbours);

/** The thickness of an object at a voxel: the diameter of the largest ball in the object that contains the
 * voxel; balls are centred on voxels, with the distance to the nearest background voxel as their radius.
 *
 *   T. Hildebrand, P. Rüegsegger: A new method for the model-independent assessment of thickness in
 *   three-dimensional images. Journal of Microscopy 185, 67-75 (1997).
 */
struct thickness {
	long voxels;                // of the object
	double mean, std, min, max; // [mm]
};

/** out (float32, mm; NULL: none): the thickness of each voxel, 0 in the background. invert: swaps object and
 * background. error() if there is no object or no background. */
extern void measure_thickness(struct thickness *s, struct cfl *out, struct cfl *in, bool invert);

/** Private memory needed [bytes]. */
extern long measure_thickness_memory(const struct cfl *in, bool out);

/** Diameters [mm] of balls with the volumes of the components (for images: of circles with their areas). */
struct sizes {
	long count, cut; // components; those at the border of the volume
	double mean, min, max;
	double by_number[3], by_volume[3]; // 10, 50 and 90 % percentiles, by number and by volume
};

/** whole: ignore components that touch the border. error() if no component remains. */
extern void measure_sizes(struct sizes *s, struct cfl *in, int neighbours, bool whole);

/** Diameter [mm] of the ball (rank 3) or circle (rank 2) as large as this number of voxels; for rank 1, their
 * length. */
extern double measure_diameter(const struct hdr *h, long voxels);

#endif
