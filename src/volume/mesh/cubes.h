#ifndef VOLUME_MESH_CUBES_H
#define VOLUME_MESH_CUBES_H

/**
 * Triangles of marching cubes for the 256 cases of a cell. Bit `x + 2 y + 4 z` of a case is set if cell
 * corner (x, y, z) is inside. Edge e starts at corner `from[e]` and runs along axis `e / 4`.
 *
 * The surfaces of neighbouring cells match, and no edge has four triangles.
 */
enum { CUBE_EDGES = 12, CUBE_CASES = 256, CUBE_TRIANGLES = 12 };

struct cubes {
	int from[CUBE_EDGES];
	unsigned char n[CUBE_CASES];                     // number of triangles
	unsigned char t[CUBE_CASES][3 * CUBE_TRIANGLES]; // edges, counter-clockwise seen from outside
};

extern void cubes_table(struct cubes *c);

#endif
