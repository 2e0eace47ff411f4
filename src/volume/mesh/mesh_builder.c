#include "volume/mesh/mesh_builder.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"

void builder_vertex(struct mesh_builder *b, const double x[3])
{
	if (b->nv == UINT32_MAX)
		error("%s: more than %u vertices", b->path, UINT32_MAX);

	if (b->nv == b->room_v) {
		b->room_v = 2 * b->room_v + 1024;
		b->v = mem_realloc(b->v, (size_t)b->room_v * sizeof *b->v);
	}

	for (int i = 0; i < 3; i++) {
		// 0 and -0 are one place
		b->v[b->nv][i] = (float)x[i] + 0.f;

		if (!isfinite(b->v[b->nv][i]))
			error("%s: vertex %ld is not finite", b->path, b->nv);
	}

	b->nv++;
}

void builder_corner(struct mesh_builder *b, long i, long vertex)
{
	if (vertex < 0 || vertex >= UINT32_MAX)
		error("%s: a triangle refers to vertex %ld, which is not a valid vertex number", b->path,
		        vertex);

	if (b->nt + 1 >= b->room_t) {
		b->room_t = 2 * b->room_t + 1024;
		b->t = mem_realloc(b->t, (size_t)b->room_t * sizeof *b->t);
	}

	uint32_t *t = b->t[b->nt];

	if (i < 3) {
		t[i] = (uint32_t)vertex;
		b->nt += 2 == i;
		return;
	}

	memcpy(t, b->t[b->nt - 1], sizeof *b->t);
	t[1] = t[2];
	t[2] = (uint32_t)vertex;
	b->nt++;
}

static uint64_t hash_of(const float x[3])
{
	uint32_t u[3];

	memcpy(u, x, sizeof u);

	uint64_t h = (u[0] * 0x9e3779b97f4a7c15u) ^ u[1];

	h = (h * 0xbf58476d1ce4e5b9u) ^ u[2];
	h *= 0x94d049bb133111ebu;
	return h ^ h >> 29;
}

/* to[v]: the new number of vertex v; the kept vertices move to the front. */
static long join_vertices(float (*x)[3], long nv, uint32_t *to)
{
	uint64_t room = 16;

	while (room < 2 * (uint64_t)nv)
		room *= 2;

	uint32_t *table = mem_alloc(room * sizeof *table);
	uint32_t n = 0;

	memset(table, 0xff, room * sizeof *table);

	for (long v = 0; v < nv; v++) {
		uint64_t i = hash_of(x[v]) & (room - 1);

		while (table[i] != UINT32_MAX && 0 != memcmp(x[table[i]], x[v], sizeof *x))
			i = (i + 1) & (room - 1);

		if (UINT32_MAX == table[i]) {
			table[i] = n;
			memcpy(x[n++], x[v], sizeof *x);
		}

		to[v] = table[i];
	}

	free(table);
	return n;
}

void builder_finish(struct mesh_builder *b, struct mesh *m)
{
	uint32_t *to = mem_alloc((size_t)(b->nv + 1) * sizeof *to);
	const long nv = b->nv;
	long nt = 0;

	b->nv = join_vertices(b->v, nv, to);

	for (long t = 0; t < b->nt; t++) {
		uint32_t *c = b->t[t];

		for (int i = 0; i < 3; i++) {
			if (c[i] >= nv)
				error("%s: a triangle refers to vertex %u, but there are %ld vertices",
				        b->path, c[i], nv);

			c[i] = to[c[i]];
		}

		if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0])
			memcpy(b->t[nt++], c, sizeof *b->t);
	}

	free(to);

	if (0 == nt)
		error("%s: contains no triangle", b->path);

	*m = (struct mesh){.nv = b->nv, .nt = nt, .v = *b->v, .t = *b->t};
	*b = (struct mesh_builder){0};
}
