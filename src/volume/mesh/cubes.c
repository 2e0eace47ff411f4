#include "volume/mesh/cubes.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static int cube_edge(const struct cubes *c, int a, int b)
{
	const int from = a & b;

	for (int e = 0; e < CUBE_EDGES; e++)
		if (c->from[e] == from && (from | 1 << e / 4) == (a | b))
			return e;

	assert(false);
	return -1;
}

/* Whether two edges are in one face of the cell. */
static bool cube_same_face(const struct cubes *c, int e, int f)
{
	const int a = c->from[e], b = a | 1 << e / 4, p = c->from[f], q = p | 1 << f / 4;

	return (a & b & p & q) != 0 || (a | b | p | q) != 7;
}

/* Cuts a loop of n edges into triangles by ears, trying all; false where a diagonal must lie in a face. */
static bool cube_ears(struct cubes *c, int s, const int loop[], int n)
{
	unsigned char *out = c->t[s] + 3 * c->n[s];

	for (int i = 0; i < n; i++) {
		const int before = loop[(i + n - 1) % n], after = loop[(i + 1) % n];
		int rest[CUBE_EDGES], m = 0;

		if (n > 3 && cube_same_face(c, before, after))
			continue;

		for (int j = 0; j < n; j++)
			if (j != i)
				rest[m++] = loop[j];

		out[0] = (unsigned char)before;
		out[1] = (unsigned char)loop[i];
		out[2] = (unsigned char)after;
		c->n[s]++;

		if (3 == n || cube_ears(c, s, rest, m))
			return true;

		c->n[s]--;
	}

	return false;
}

/* next[e] = the edge to which a segment leads from e, -1: none. Inside is on the left of it, seen from
 * outside the cell. */
static void cube_segments(const struct cubes *c, int s, int next[CUBE_EDGES])
{
	memset(next, -1, CUBE_EDGES * sizeof *next);

	for (int face = 0; face < 6; face++) {
		const int axis = face / 2, side = face % 2;
		const int b = 1 << (axis + 1) % 3, d = 1 << (axis + 2) % 3, o = side << axis;
		const int f[4] = {o, o | (side ? b : d), o | b | d, o | (side ? d : b)};

		for (int i = 0; i < 4; i++) {
			int j = i + 1;

			if (s >> f[i] & 1 || !(s >> f[j % 4] & 1))
				continue;

			while (s >> f[(j + 1) % 4] & 1)
				j++;

			next[cube_edge(c, f[i], f[(i + 1) % 4])] = cube_edge(c, f[j % 4], f[(j + 1) % 4]);
		}
	}
}

static void cube_case(struct cubes *c, int s)
{
	int next[CUBE_EDGES];

	cube_segments(c, s, next);

	for (int e = 0; e < CUBE_EDGES; e++) {
		int loop[CUBE_EDGES], m = 0;

		for (int p = e; next[p] >= 0; m++) {
			const int q = next[p];

			next[p] = -1;
			loop[m] = p;
			p = q;
		}

		const bool cut = 0 == m || cube_ears(c, s, loop, m);

		assert(cut);
		(void)cut;
	}
}

void cubes_table(struct cubes *c)
{
	memset(c, 0, sizeof *c);

	for (int e = 0; e < CUBE_EDGES; e++) {
		const int axis = e / 4, lo = 0 == axis ? 1 : 0, hi = 2 == axis ? 1 : 2;

		c->from[e] = (e & 1) << lo | (e >> 1 & 1) << hi;
	}

	for (int s = 0; s < CUBE_CASES; s++)
		cube_case(c, s);
}
