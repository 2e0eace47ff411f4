/* Isosurfaces: the table of cases, and meshes of noise, closed and manifold. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "misc/mem.h"
#include "volume/mesh/cubes.h"
#include "volume/mesh/decimate.h"
#include "volume/mesh/isosurface.h"
#include "volume/mesh/smooth.h"
#include "volume/otsu.h"

static struct cubes cubes;

/* The edges of a case that have one end inside. */
static int cut_edges(int s)
{
	int cut = 0;

	for (int e = 0; e < CUBE_EDGES; e++) {
		const int a = cubes.from[e], b = a | 1 << e / 4;

		cut |= ((s >> a ^ s >> b) & 1) << e;
	}

	return cut;
}

/* How often the triangles of a case go along an edge from p to q. */
static int steps(int s, int p, int q)
{
	int n = 0;

	for (int i = 0; i < 3 * cubes.n[s]; i++)
		n += p == cubes.t[s][i] && q == cubes.t[s][i % 3 == 2 ? i - 2 : i + 1];

	return n;
}

/* Every step once at most; of each vertex one fan, which begins and ends on faces of the cell. */
static bool good_case(int s)
{
	const int cut = cut_edges(s);

	for (int p = 0; p < CUBE_EDGES; p++) {
		int out = 0, in = 0;

		for (int q = 0; q < CUBE_EDGES; q++) {
			const int there = steps(s, p, q), back = steps(s, q, p);

			if (there > 1 || back > 1)
				return false;

			out += there && !back;
			in += back && !there;
		}

		if (out != (cut >> p & 1) || in != out)
			return false;
	}

	return true;
}

static void test_cubes(void)
{
	int bad = 0;

	cubes_table(&cubes);

	for (int s = 0; s < CUBE_CASES; s++)
		bad += !good_case(s);

	check(0 == bad, "each of 256 cases has the cut edges and one border through each (%d have not)", bad);
	check(0 == cubes.n[0] && 0 == cubes.n[255] && 1 == cubes.n[1] && 1 == cubes.n[254], "single corners");
}

static void init(struct isosurface *s, struct mesh *m, const void *data, enum dtype type, const long n[3])
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, 3, n);
	h.type = type;
	isosurface_init(s, &h, data, "x");
	hdr_free(&h);
	*m = (struct mesh){0};
}

static bool finite_in_order(const struct mesh *m)
{
	for (long i = 0; i < 3 * m->nv; i++)
		if (!isfinite(m->v[i]))
			return false;

	for (long i = 0; i < 3 * m->nt; i++)
		if (m->t[i] >= m->nv)
			return false;

	return true;
}

static void test_noise(const long n[3], long values)
{
	const long count = n[0] * n[1] * n[2];
	uint8_t *x = mem_alloc((size_t)count);
	uint64_t state = 1;
	struct isosurface s;
	struct mesh m;

	for (long i = 0; i < count; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		x[i] = (uint8_t)((state >> 33) % (uint64_t)values);
	}

	init(&s, &m, x, DT_UINT8, n);
	s.level = (double)values / 2.;
	isosurface(&m, &s, "x");
	check((m.nt > 0 || 1 == count) && 0 == mesh_open_edges(&m) && finite_in_order(&m),
	        "noise %ld x %ld x %ld of %ld values: closed and manifold", n[0], n[1], n[2], values);

	const long before = m.nt;

	mesh_smooth(&m, 3, "x");
	mesh_decimate(&m, 0.01, "x");
	check(m.nt <= before && 0 == mesh_open_edges(&m) && finite_in_order(&m),
	        "closed after %ld of %ld stay", m.nt, before);
	mesh_free(&m);

	init(&s, &m, x, DT_UINT8, n);
	s.level = 1.;
	s.label = true;
	isosurface(&m, &s, "x");
	check(0 == mesh_open_edges(&m) && finite_in_order(&m), "the same for one label");
	mesh_free(&m);
	free(x);
}

/* The part of the array that a box holds is meshed as if it were alone, in its place. */
static void test_box(void)
{
	uint8_t x[6 * 5 * 4] = {0};
	struct isosurface s;
	struct mesh m;
	double volume, area;

	memset(x, 1, sizeof x);
	init(&s, &m, x, DT_UINT8, (long[]){6, 5, 4});
	s.level = 0.5;
	memcpy(s.lo, (long[]){1, 2, 3}, sizeof s.lo);
	memcpy(s.hi, (long[]){3, 4, 4}, sizeof s.hi);
	isosurface(&m, &s, "x");
	mesh_measure(&m, &volume, &area);

	float lo[3] = {9, 9, 9}, hi[3] = {-9, -9, -9};

	for (long i = 0; i < 3 * m.nv; i++) {
		lo[i % 3] = fminf(lo[i % 3], m.v[i]);
		hi[i % 3] = fmaxf(hi[i % 3], m.v[i]);
	}

	check(-2.f == lo[0] && 0.f == hi[0] && -0.5f == lo[1] && 1.5f == hi[1] && 1.f == lo[2] &&
	                2.f == hi[2] && 63 == s.border && volume > 2. && volume < 4. && area > 0.,
	        "a box of the volume stays in its place");
	mesh_free(&m);
}

/* Takes parts of a mesh that is known: each is the same as there. */
struct parts {
	struct mesh whole;
	_Atomic(long) vertices, triangles, bad;
};

static void take_part(void *ctx, const struct mesh *m, const long v[2], const long t[2])
{
	struct parts *p = ctx;
	const struct mesh *w = &p->whole;

	p->vertices += v[1] - v[0];
	p->triangles += t[1] - t[0];
	p->bad += 0 != memcmp(m->v + 3 * v[0], w->v + 3 * v[0], (size_t)(v[1] - v[0]) * 3 * sizeof *m->v);
	p->bad += 0 != memcmp(m->t + 3 * t[0], w->t + 3 * t[0], (size_t)(t[1] - t[0]) * 3 * sizeof *m->t);

	for (long i = 3 * t[0]; i < 3 * t[1]; i++)
		p->bad += 0 != memcmp(m->v + 3L * m->t[i], w->v + 3L * m->t[i], 3 * sizeof *m->v);
}

static void test_parts(const long n[3])
{
	const long count = n[0] * n[1] * n[2];
	uint8_t *x = mem_calloc((size_t)count, 1);
	struct isosurface s;
	struct parts p = {0};
	double volume, area, sum[2];

	for (long i = 0; i < count; i++)
		x[i] = (uint8_t)(i * i % 251 * (i % 7) % 256);

	init(&s, &p.whole, x, DT_UINT8, n);
	s.level = 100.;
	s.axes[1][1] = -1.;
	isosurface(&p.whole, &s, "x");
	mesh_measure(&p.whole, sum, sum + 1);
	isosurface_count(&s, "x");
	isosurface_parts(&s, take_part, &p, &volume, &area);
	check(0 == p.bad && s.nv == p.vertices && s.nt == p.triangles && s.nv == p.whole.nv && s.nt > 0,
	        "%ld x %ld x %ld in parts: the same vertices and triangles (%ld differ)", n[0], n[1], n[2],
	        (long)p.bad);
	check(fabs(volume / sum[0] - 1.) < 1e-12 && fabs(area / sum[1] - 1.) < 1e-12,
	        "the parts' volume and area are those of the mesh");
	mesh_free(&p.whole);
	free(x);
}

/* A mesh that cannot lose more: the tetrahedron; and the least of noise is closed. */
static void test_decimate(void)
{
	const float v[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
	const uint32_t t[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
	struct mesh m = {4, 4, mem_alloc(sizeof v), mem_alloc(sizeof t)};
	double volume, area;

	memcpy(m.v, v, sizeof v);
	memcpy(m.t, t, sizeof t);
	mesh_measure(&m, &volume, &area);
	check(0 == mesh_open_edges(&m) && fabs(volume - 1. / 6.) < 1e-12 &&
	                fabs(area - 1.5 - sqrt(0.75)) < 1e-12,
	        "volume and area of a tetrahedron");
	mesh_decimate(&m, 0.1, "x");
	check(4 == m.nv && 4 == m.nt && 0 == mesh_open_edges(&m), "a tetrahedron stays");
	m.t[0] = 1;
	check(mesh_open_edges(&m) > 0, "an open mesh is found");
	mesh_free(&m);
}

static void test_otsu(void)
{
	check(1.5 == otsu_bin(4, (long[]){5, 5, 0, 10}), "Otsu: the middle of an empty bin");
	check(0. == otsu_bin(2, (long[]){1, 1}), "Otsu: two bins");
	check(isnan(otsu_bin(3, (long[]){0, 7, 0})), "Otsu: one bin");
}

int main(void)
{
	test_cubes();
	test_noise((long[]){62, 20, 30}, 256);
	test_noise((long[]){61, 17, 18}, 2);
	test_noise((long[]){126, 9, 16}, 3);
	test_noise((long[]){1, 1, 1}, 2);
	test_noise((long[]){130, 1, 33}, 5);
	test_box();
	test_parts((long[]){70, 9, 47});
	test_parts((long[]){3, 4, 15});
	test_parts((long[]){62, 5, 16});
	test_decimate();
	test_otsu();
	return checks_failed != 0;
}
