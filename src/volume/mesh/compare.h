#ifndef VOLUME_MESH_COMPARE_H
#define VOLUME_MESH_COMPARE_H

#include <stdbool.h>

/** Prints statistics of signed distances [mm] from the vertices of mesh file `a` to the surface of `b`.
 * Distances are positive outside `b`. The statistics are number, mean, standard deviation, root mean square,
 * extremes and percentiles. With `both`, prints also the distances from `b` to `a` and the Hausdorff
 * distance. The Hausdorff distance is the largest |distance| of all vertices in both directions. If `colored`
 * is not NULL, writes mesh `a` to a PLY file with distances as property and colour. Returns the largest
 * |distance|. */
extern double mesh_compare(const char *a, const char *b, bool both, const char *colored);

#endif
