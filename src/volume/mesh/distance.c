#include "volume/mesh/distance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"

enum { LEAF = 4, BLOCK = 256, DEPTH_MAX = 64 };

/** Node k contains the triangles order[lo..hi). The children 2 k + 1 and 2 k + 2 of node k contain one half
 * of these triangles each. Nodes of the last level are leaves. */
struct mesh_tree {
	const struct mesh *m;
	int depth; // levels below the root
	uint32_t *order;
	float (*box)[6];    // per node: low x y z, high x y z
	uint32_t *across;   // mesh_opposites()
	float (*normal)[3]; // at vertices, weighted by angles
	long open;
};

/** The nearest point found so far. */
struct nearest {
	double square, at[3];
	uint32_t triangle;
	int part; // 0..2 corner, 3..5 the edge that faces corner part - 3, 6 inside
};

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void corner_at(const struct mesh *m, uint32_t corner, double x[3])
{
	const float *v = m->v + 3L * m->t[corner];

	for (int i = 0; i < 3; i++)
		x[i] = v[i];
}

static void subtract(double out[3], const double a[3], const double b[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = a[i] - b[i];
}

/* ---- the tree ---- */

/* Three times the middle of a triangle along one axis. */
static double middle(const struct mesh *m, uint32_t t, int axis)
{
	const uint32_t *c = m->t + 3L * t;

	return (double)m->v[3L * c[0] + axis] + m->v[3L * c[1] + axis] + m->v[3L * c[2] + axis];
}

/* Moves the triangles whose middles are below that of place k before it (Hoare's selection). */
static void split(const struct mesh *m, uint32_t *list, long lo, long hi, long k, int axis)
{
	while (lo < hi) {
		const double pivot = middle(m, list[lo + (hi - lo) / 2], axis);
		long i = lo, j = hi;

		while (i <= j) {
			while (middle(m, list[i], axis) < pivot)
				i++;

			while (middle(m, list[j], axis) > pivot)
				j--;

			if (i <= j) {
				const uint32_t t = list[i];

				list[i++] = list[j];
				list[j--] = t;
			}
		}

		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			return;
	}
}

static void set_box(struct mesh_tree *t, long node, long lo, long hi)
{
	float *b = t->box[node];

	for (int i = 0; i < 3; i++) {
		b[i] = FLT_MAX;
		b[3 + i] = -FLT_MAX;
	}

	for (long k = lo; k < hi; k++)
		for (int c = 0; c < 3; c++)
			for (int i = 0; i < 3; i++) {
				const float x = t->m->v[3L * t->m->t[3L * t->order[k] + c] + i];

				b[i] = fminf(b[i], x);
				b[3 + i] = fmaxf(b[3 + i], x);
			}
}

static void build(struct mesh_tree *t, long node, int level, long lo, long hi)
{
	set_box(t, node, lo, hi);

	if (level == t->depth)
		return;

	const float *b = t->box[node];
	int axis = 0;

	for (int i = 1; i < 3; i++)
		if (b[3 + i] - b[i] > b[3 + axis] - b[axis])
			axis = i;

	const long half = lo + (hi - lo) / 2;

	split(t->m, t->order, lo, hi - 1, half, axis);

#pragma omp task if (hi - lo > 4096)
	build(t, 2 * node + 1, level + 1, lo, half);
	build(t, 2 * node + 2, level + 1, half, hi);
#pragma omp taskwait
}

/* Normal of a triangle, of length 1; zeros where it has none. */
static void face_normal(const struct mesh *m, uint32_t t, double n[3])
{
	double a[3], b[3], c[3];

	corner_at(m, 3 * t, a);
	corner_at(m, 3 * t + 1, b);
	corner_at(m, 3 * t + 2, c);
	subtract(b, b, a);
	subtract(c, c, a);

	for (int i = 0; i < 3; i++)
		n[i] = b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3];

	const double length = sqrt(dot(n, n));

	for (int i = 0; i < 3; i++)
		n[i] = length > 0. ? n[i] / length : 0.;
}

static double angle_at(const struct mesh *m, uint32_t corner)
{
	double x[3], a[3], b[3];

	corner_at(m, corner, x);
	corner_at(m, corner_next(corner), a);
	corner_at(m, corner_prev(corner), b);
	subtract(a, a, x);
	subtract(b, b, x);

	const double length = sqrt(dot(a, a) * dot(b, b));
	const double cosine = length > 0. ? dot(a, b) / length : 1.;

	return acos(fmax(-1., fmin(1., cosine)));
}

static void set_normals(struct mesh_tree *t)
{
	for (uint32_t c = 0; c < 3 * t->m->nt; c++) {
		const double angle = angle_at(t->m, c);
		double n[3];

		face_normal(t->m, c / 3, n);

		for (int i = 0; i < 3; i++)
			t->normal[t->m->t[c]][i] += (float)(angle * n[i]);
	}
}

struct mesh_tree *mesh_tree_create(const struct mesh *m)
{
	struct mesh_tree *t = NEW(struct mesh_tree);

	t->m = m;
	t->across = mesh_opposites(m);
	t->order = mem_alloc((size_t)m->nt * sizeof *t->order);
	t->normal = mem_calloc((size_t)m->nv, sizeof *t->normal);

	for (long i = 0; i < m->nt; i++)
		t->order[i] = (uint32_t)i;

	while (m->nt >> t->depth > LEAF)
		t->depth++;

	t->box = mem_alloc(((size_t)2 << t->depth) * sizeof *t->box);

	for (long c = 0; c < 3 * m->nt; c++)
		t->open += UINT32_MAX == t->across[c];

#pragma omp parallel num_threads(threads_for(300. * (double)m->nt))
#pragma omp single
	build(t, 0, 0, 0, m->nt);

	set_normals(t);
	return t;
}

void mesh_tree_free(struct mesh_tree *t)
{
	free(t->across);
	free(t->order);
	free(t->normal);
	free(t->box);
	free(t);
}

long mesh_tree_open(const struct mesh_tree *t)
{
	return t->open;
}

/* ---- the nearest point ---- */

static double box_square(const float b[6], const double x[3])
{
	double sum = 0.;

	for (int i = 0; i < 3; i++) {
		const double below = (double)b[i] - x[i], above = x[i] - (double)b[3 + i];
		const double d = fmax(0., fmax(below, above));

		sum += d * d;
	}

	return sum;
}

/* a + s (b - a) + t (c - a), if that is nearer than what is known. */
static void offer(struct nearest *n, const double x[3], uint32_t triangle, int part, const double a[3],
        const double b[3], double s, const double c[3], double t)
{
	double p[3], d[3];

	for (int i = 0; i < 3; i++)
		p[i] = a[i] + s * (b[i] - a[i]) + t * (c[i] - a[i]);

	subtract(d, x, p);

	const double square = dot(d, d);

	if (square < n->square) {
		*n = (struct nearest){.square = square, .triangle = triangle, .part = part};
		memcpy(n->at, p, sizeof p);
	}
}

/* The nearest point of a triangle by the region that holds x (C. Ericson: Real-time collision detection,
 * 2005, 5.1.5). */
static void try_triangle(const struct mesh *m, uint32_t t, const double x[3], struct nearest *n)
{
	double a[3], b[3], c[3], ab[3], ac[3], ax[3], bx[3], cx[3];

	corner_at(m, 3 * t, a);
	corner_at(m, 3 * t + 1, b);
	corner_at(m, 3 * t + 2, c);
	subtract(ab, b, a);
	subtract(ac, c, a);
	subtract(ax, x, a);
	subtract(bx, x, b);
	subtract(cx, x, c);

	const double d1 = dot(ab, ax), d2 = dot(ac, ax), d3 = dot(ab, bx), d4 = dot(ac, bx);
	const double d5 = dot(ab, cx), d6 = dot(ac, cx);
	const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;

	if (d1 <= 0. && d2 <= 0.)
		offer(n, x, t, 0, a, b, 0., c, 0.);
	else if (d3 >= 0. && d4 <= d3)
		offer(n, x, t, 1, b, c, 0., a, 0.);
	else if (d6 >= 0. && d5 <= d6)
		offer(n, x, t, 2, c, a, 0., b, 0.);
	else if (vc <= 0. && d1 >= 0. && d3 <= 0.)
		offer(n, x, t, 5, a, b, d1 / (d1 - d3), c, 0.);
	else if (vb <= 0. && d2 >= 0. && d6 <= 0.)
		offer(n, x, t, 4, a, c, d2 / (d2 - d6), b, 0.);
	else if (va <= 0. && d4 - d3 >= 0. && d5 - d6 >= 0.)
		offer(n, x, t, 3, b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)), a, 0.);
	else
		offer(n, x, t, 6, a, b, vb / (va + vb + vc), c, vc / (va + vb + vc));
}

static void find_nearest(const struct mesh_tree *t, const double x[3], struct nearest *n)
{
	struct {
		long node, lo, hi;
		int level;
		double square;
	} stack[DEPTH_MAX], at = {0, 0, t->m->nt, 0, box_square(t->box[0], x)};
	int top = 0;

	stack[top++] = at;

	while (top > 0) {
		at = stack[--top];

		if (!(at.square < n->square))
			continue;

		if (at.level == t->depth) {
			for (long k = at.lo; k < at.hi; k++)
				try_triangle(t->m, t->order[k], x, n);

			continue;
		}

		const long half = at.lo + (at.hi - at.lo) / 2, left = 2 * at.node + 1;
		const double l = box_square(t->box[left], x), r = box_square(t->box[left + 1], x);

		// the nearer one comes on top
		for (int i = 0; i < 2; i++) {
			const int right = (0 == i) == (l <= r);

			stack[top].node = left + right;
			stack[top].lo = right ? half : at.lo;
			stack[top].hi = right ? at.hi : half;
			stack[top].level = at.level + 1;
			stack[top++].square = right ? r : l;
		}
	}
}

static void normal_there(const struct mesh_tree *t, const struct nearest *n, double normal[3])
{
	const uint32_t corner = 3 * n->triangle + (uint32_t)(n->part % 3);

	if (n->part < 3) {
		for (int i = 0; i < 3; i++)
			normal[i] = t->normal[t->m->t[corner]][i];

		return;
	}

	face_normal(t->m, n->triangle, normal);

	if (n->part < 6 && t->across[corner] != UINT32_MAX) {
		double other[3];

		face_normal(t->m, t->across[corner] / 3, other);

		for (int i = 0; i < 3; i++)
			normal[i] += other[i];
	}
}

/* `n` holds the nearest triangle of the point before, which is tried first. */
static double distance_of(const struct mesh_tree *t, const float point[3], struct nearest *n)
{
	const double x[3] = {point[0], point[1], point[2]};
	double normal[3], away[3];

	n->square = INFINITY;
	try_triangle(t->m, n->triangle, x, n);
	find_nearest(t, x, n);
	normal_there(t, n, normal);
	subtract(away, x, n->at);
	return copysign(sqrt(n->square), dot(away, normal) < 0. ? -1. : 1.);
}

void mesh_tree_distances(const struct mesh_tree *t, long n, const float (*x)[3], double *out)
{
	progress_start("measuring distances", n);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(1000. * (double)n))
	for (long block = 0; block < (n + BLOCK - 1) / BLOCK; block++) {
		const long end = (block + 1) * BLOCK < n ? (block + 1) * BLOCK : n;
		struct nearest near = {0};

		for (long i = block * BLOCK; i < end; i++)
			out[i] = distance_of(t, x[i], &near);

		progress_add(end - block * BLOCK);
	}

	progress_end();
}

/* ---- statistics ---- */

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Linear between the values next to place p (n - 1), as NumPy does. */
static double percentile(const double *sorted, long n, double p)
{
	const double at = p * (double)(n - 1);
	const long i = (long)at, j = i + 1 < n ? i + 1 : i;

	return sorted[i] + (at - (double)i) * (sorted[j] - sorted[i]);
}

void distance_stats(struct distance_stats *s, long n, const double *d)
{
	static const double places[] = {0.01, 0.05, 0.5, 0.95, 0.99};
	double *sorted = mem_alloc((size_t)n * sizeof *sorted);
	double sum = 0., squares = 0., off = 0.;

	for (long i = 0; i < n; i++) {
		sum += d[i];
		squares += d[i] * d[i];
		sorted[i] = fabs(d[i]);
	}

	for (long i = 0; i < n; i++)
		off += (d[i] - sum / (double)n) * (d[i] - sum / (double)n);

	qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
	*s = (struct distance_stats){.mean = sum / (double)n, .rms = sqrt(squares / (double)n)};
	s->std = sqrt(off / (double)n);
	s->far = sorted[n - 1];
	s->far99 = percentile(sorted, n, 0.99);
	memcpy(sorted, d, (size_t)n * sizeof *sorted);
	qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
	s->min = sorted[0];
	s->max = sorted[n - 1];

	for (int i = 0; i < 5; i++)
		s->percentile[i] = percentile(sorted, n, places[i]);

	free(sorted);
}
