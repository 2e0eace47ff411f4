#ifndef VOLUME_MESH_CUBES_H
#define VOLUME_MESH_CUBES_H

/**
 * The triangles of marching cubes for the 256 combinations of inside and outside corners of a cell. Corner x
 * + 2 y + 4 z of a cell is a bit of the case; edge e runs along axis e / 4 from corner `from`[e].
 *
 * The table is derived: on each face every run of inside corners is cut off by one segment, so that the two
 * cells at a face agree. The segments of a cell form directed loops, which are divided into triangles without
 * a diagonal in a face, so that no edge gets four triangles.
 */
enum { CUBE_EDGES = 12, CUBE_CASES = 256, CUBE_TRIANGLES = 12 };

struct cubes {
	int from[CUBE_EDGES];
	unsigned short edges[CUBE_CASES];                // those that are cut, a bit each
	unsigned char n[CUBE_CASES];                     // triangles
	unsigned char t[CUBE_CASES][3 * CUBE_TRIANGLES]; // their edges, counter-clockwise seen from outside
};

extern void cubes_table(struct cubes *c);

#endif
