#ifndef VOLUME_MESH_CUBES_H
#define VOLUME_MESH_CUBES_H

/**
 * The triangles of marching cubes for the 256 combinations of inside and outside corners of a cell. Corner x
 * + 2 y + 4 z of a cell is a bit of the case; edge e runs along axis e / 4 from corner `from`[e].
 *
 * The table is computed, not stored. On each face of a cell one segment separates every run of inside
 * corners, so that both cells at the face have the same segments. The segments of a cell form directed loops.
 * Loops are divided into triangles without diagonals in a face, so that no edge has four triangles.
 */
enum { CUBE_EDGES = 12, CUBE_CASES = 256, CUBE_TRIANGLES = 12 };

struct cubes {
	int from[CUBE_EDGES];
	unsigned short edges[CUBE_CASES];                // intersected edges, as bits
	unsigned char n[CUBE_CASES];                     // triangles
	unsigned char t[CUBE_CASES][3 * CUBE_TRIANGLES]; // their edges, counter-clockwise seen from outside
};

extern void cubes_table(struct cubes *c);

#endif
