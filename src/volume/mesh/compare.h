#ifndef VOLUME_MESH_COMPARE_H
#define VOLUME_MESH_COMPARE_H

#include <stdbool.h>

/**
 * Reads two meshes and prints statistics of the signed distances from the vertices of `a` to the surface of
 * `b` [mm], positive outside b. There is one line each for number, mean, standard deviation, root mean
 * square, extremes and percentiles. With `colored` (NULL: none), also writes a as a PLY file whose vertices
 * have the distance as a property and as a colour. With `both`, also prints the statistics from the vertices
 * of b to the surface of a, and the Hausdorff distance over the vertices: the larger of the two largest
 * |distances|. Returns the largest |distance|.
 */
extern double mesh_compare(const char *a, const char *b, bool both, const char *colored);

#endif
