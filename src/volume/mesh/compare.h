#ifndef VOLUME_MESH_COMPARE_H
#define VOLUME_MESH_COMPARE_H

#include <stdbool.h>

/**
 * Reads two meshes and prints statistics of the signed distances from the vertices of `a` to the surface of
 * `b` [mm], positive outside b: a line each for their number, mean, standard deviation, root mean square,
 * extremes and percentiles. With `colored` (NULL: none), also writes a as a PLY file whose vertices have the
 * distance as a property and as a colour. With `both`, the same follows from the vertices of b to the surface
 * of a, and the larger of the two largest |distances|, the Hausdorff distance over the vertices. Returns the
 * largest |distance|.
 */
extern double mesh_compare(const char *a, const char *b, bool both, const char *colored);

#endif
