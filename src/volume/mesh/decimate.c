#include "volume/mesh/decimate.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"

enum { RING = 64, QUADRIC = 10, NONE = -1, WAYS = 4 };

/** Sum of w (n.x + d)^2: xx xy xz xd yy yz yd zz zd dd. */
struct quadric {
	double a[QUADRIC];
};

/** An edge that may be collapsed; stale when one of its vertices has changed since. */
struct candidate {
	double cost;
	uint32_t u, v, stamp;
};

struct heap {
	long n, room;
	struct candidate *c;
};

/** Corner c of triangle c / 3; corner_next(c) and corner_prev(c) follow and precede it. */
struct work {
	struct mesh *m;
	uint32_t *opposite; // [3 nt] corner across the edge that faces it
	long *corner;       // [nv] one corner at each vertex, NONE: it is gone
	uint32_t *stamp;    // [nv] counts changes
	double (*x)[3];     // [nv] relative to the middle
	struct quadric *q;  // [nv]
	bool *gone;         // [nt]
	long left;
	struct heap heap;
};

/** The triangles around a vertex, counter-clockwise: its corner in each, and the vertex after it. */
struct ring {
	int n;
	uint32_t corner[RING], next[RING];
};

/* ---- heap of WAYS children: the least cost first, ties by the vertices ---- */

static bool heap_before(const struct candidate *a, const struct candidate *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;

	return a->u != b->u ? a->u < b->u : (a->v != b->v ? a->v < b->v : a->stamp < b->stamp);
}

static void heap_down(struct heap *h, long i)
{
	const struct candidate c = h->c[i];

	for (long first = WAYS * i + 1; first < h->n; first = WAYS * i + 1) {
		const long end = first + WAYS < h->n ? first + WAYS : h->n;
		long k = first;

		for (long j = first + 1; j < end; j++)
			k = heap_before(&h->c[j], &h->c[k]) ? j : k;

		if (!heap_before(&h->c[k], &c))
			break;

		h->c[i] = h->c[k];
		i = k;
	}

	h->c[i] = c;
}

static void heap_push(struct heap *h, struct candidate c)
{
	if (h->n == h->room) {
		h->room = h->room + h->room / 2 + 64;
		h->c = mem_realloc(h->c, (size_t)h->room * sizeof *h->c);
	}

	long i = h->n++;

	for (; i > 0 && heap_before(&c, &h->c[(i - 1) / WAYS]); i = (i - 1) / WAYS)
		h->c[i] = h->c[(i - 1) / WAYS];

	h->c[i] = c;
}

static struct candidate heap_pop(struct heap *h)
{
	const struct candidate c = h->c[0];

	h->c[0] = h->c[--h->n];

	if (h->n > 0)
		heap_down(h, 0);

	return c;
}

/* ---- quadrics ---- */

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* (b - a) x (c - a) */
static void cross(double out[3], const double a[3], const double b[3], const double c[3])
{
	for (int i = 0; i < 3; i++) {
		const int j = (i + 1) % 3, k = (i + 2) % 3;

		out[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
	}
}

/* The plane of a triangle, weighted by its area. */
static struct quadric plane_quadric(const double a[3], const double b[3], const double c[3])
{
	struct quadric q = {0};
	double n[4];

	cross(n, a, b, c);

	const double twice = sqrt(dot(n, n));

	if (!(twice > 0.))
		return q;

	for (int i = 0; i < 3; i++)
		n[i] /= twice;

	n[3] = -dot(n, a);

	for (int i = 0, k = 0; i < 4; i++)
		for (int j = i; j < 4; j++)
			q.a[k++] = 0.5 * twice * n[i] * n[j];

	return q;
}

static struct quadric quadric_sum(const struct quadric *p, const struct quadric *q)
{
	struct quadric s;

	for (int i = 0; i < QUADRIC; i++)
		s.a[i] = p->a[i] + q->a[i];

	return s;
}

static double quadric_at(const struct quadric *q, const double x[3])
{
	const double *a = q->a;

	return a[0] * x[0] * x[0] + a[4] * x[1] * x[1] + a[7] * x[2] * x[2] + a[9] +
	       2. * (a[1] * x[0] * x[1] + a[2] * x[0] * x[2] + a[5] * x[1] * x[2] + a[3] * x[0] +
	                    a[6] * x[1] + a[8] * x[2]);
}

/* Where q is least; false where that is not well determined. */
static bool quadric_least(const struct quadric *q, double x[3])
{
	const double *a = q->a;
	const double c[3] = {a[4] * a[7] - a[5] * a[5], a[2] * a[5] - a[1] * a[7], a[1] * a[5] - a[2] * a[4]};
	const double d[3] = {a[0] * a[7] - a[2] * a[2], a[1] * a[2] - a[0] * a[5], a[0] * a[4] - a[1] * a[1]};
	const double det = a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
	const double trace = a[0] + a[4] + a[7];

	if (!(det > 1e-10 * trace * trace * trace))
		return false;

	x[0] = -(c[0] * a[3] + c[1] * a[6] + c[2] * a[8]) / det;
	x[1] = -(c[1] * a[3] + d[0] * a[6] + d[1] * a[8]) / det;
	x[2] = -(c[2] * a[3] + d[1] * a[6] + d[2] * a[8]) / det;
	return true;
}

static bool within(const double a[3], const double b[3], double square)
{
	const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};

	return dot(d, d) <= square;
}

/* Where the collapse of u and v would put the vertex, and what it costs: the error and, to prefer short edges
 * where all is flat, a little of the length. */
static double collapse_cost(const struct work *w, uint32_t u, uint32_t v, double at[3])
{
	const struct quadric q = quadric_sum(&w->q[u], &w->q[v]);
	const double *a = w->x[u], *b = w->x[v];
	const double edge[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
	const double trace = q.a[0] + q.a[4] + q.a[7];
	double middle[3], best = DBL_MAX;

	for (int i = 0; i < 3; i++)
		middle[i] = 0.5 * (a[i] + b[i]);

	const double *const tries[] = {middle, a, b};
	const bool least = quadric_least(&q, at) && within(at, middle, 4. * dot(edge, edge));

	if (least)
		best = quadric_at(&q, at);
	else
		memcpy(at, middle, sizeof middle);

	for (int i = 0; !least && i < 3; i++) {
		const double cost = quadric_at(&q, tries[i]);

		if (cost < best) {
			best = cost;
			memcpy(at, tries[i], 3 * sizeof *at);
		}
	}

	return fmax(best, 0.) + 1e-6 * trace * dot(edge, edge);
}

static void push(struct work *w, uint32_t u, uint32_t v)
{
	double at[3];
	const uint32_t lo = u < v ? u : v, hi = u < v ? v : u;

	heap_push(&w->heap,
	        (struct candidate){collapse_cost(w, lo, hi, at), lo, hi, w->stamp[lo] + w->stamp[hi]});
}

/* ---- topology ---- */

/* false where there are too many triangles for a ring. */
static bool ring_of(const struct work *w, uint32_t v, struct ring *r)
{
	const uint32_t start = (uint32_t)w->corner[v];
	uint32_t c = start;

	r->n = 0;

	do {
		if (RING == r->n)
			return false;

		r->corner[r->n] = c;
		r->next[r->n++] = w->m->t[corner_next(c)];
		c = corner_next(w->opposite[corner_next(c)]);
	} while (c != start);

	return true;
}

static int ring_place(const struct ring *r, uint32_t v)
{
	for (int i = 0; i < r->n; i++)
		if (r->next[i] == v)
			return i;

	return -1;
}

/* The link condition: u and v have just the two neighbours in common that face their edge, and these keep
 * three triangles. */
static bool keeps_topology(const struct work *w, const struct ring *u, const struct ring *v, int place)
{
	const uint32_t faces[2] = {u->next[(place + 1) % u->n], u->next[(place + u->n - 1) % u->n]};
	struct ring r;
	int common = 0;

	for (int i = 0; i < u->n; i++)
		common += ring_place(v, u->next[i]) >= 0;

	for (int i = 0; i < 2; i++)
		if (!ring_of(w, faces[i], &r) || r.n < 4)
			return false;

	return 2 == common && u->n + v->n - 4 >= 3 && u->n + v->n - 4 <= RING;
}

/* Whether the triangles of a ring, but those that hold `other`, keep their side when its vertex moves. */
static bool keeps_sides(const struct work *w, const struct ring *r, uint32_t other, const double at[3])
{
	for (int i = 0; i < r->n; i++) {
		const uint32_t p = r->next[i], q = r->next[(i + 1) % r->n];
		double before[3], after[3];

		if (p == other || q == other)
			continue;

		cross(before, w->x[w->m->t[r->corner[i]]], w->x[p], w->x[q]);
		cross(after, at, w->x[p], w->x[q]);

		const double a = dot(before, before), b = dot(after, after), both = dot(before, after);

		if (!(b > 1e-6 * a) || !(both > 0.) || !(both * both > 0.04 * a * b))
			return false;
	}

	return true;
}

static void glue(struct work *w, uint32_t a, uint32_t b)
{
	w->opposite[a] = b;
	w->opposite[b] = a;
}

/* Takes out the triangle of corner `apex`, whose edge has collapsed; `keep` is what that edge became. */
static void remove_triangle(struct work *w, uint32_t apex, uint32_t keep)
{
	const uint32_t p = w->opposite[corner_next(apex)], q = w->opposite[corner_prev(apex)];

	glue(w, p, q);
	w->gone[apex / 3] = true;
	w->left--;
	// across p lie the apex's vertex and the kept one
	w->corner[w->m->t[apex]] = w->m->t[corner_next(p)] == w->m->t[apex] ? corner_next(p) : corner_prev(p);
	w->corner[keep] = w->m->t[corner_next(p)] == w->m->t[apex] ? corner_prev(p) : corner_next(p);
}

static void collapse(
        struct work *w, const struct ring *u, const struct ring *v, int place, const double at[3])
{
	const uint32_t keep = w->m->t[u->corner[0]], lost = w->m->t[v->corner[0]];
	// the two triangles at the edge: where it goes from u to v, and back
	const uint32_t there = corner_prev(u->corner[place]);
	const uint32_t back = w->opposite[there];

	for (int i = 0; i < v->n; i++)
		w->m->t[v->corner[i]] = keep;

	memcpy(w->x[keep], at, 3 * sizeof *at);
	w->q[keep] = quadric_sum(&w->q[keep], &w->q[lost]);
	w->corner[lost] = NONE;
	w->stamp[keep]++;
	remove_triangle(w, there, keep);
	remove_triangle(w, back, keep);
}

/* Whether the cheapest candidate was collapsed. */
static bool try_collapse(struct work *w, const struct candidate *c)
{
	struct ring u, v;
	double at[3];

	if (NONE == w->corner[c->u] || NONE == w->corner[c->v] ||
	        c->stamp != w->stamp[c->u] + w->stamp[c->v] || !ring_of(w, c->u, &u) || !ring_of(w, c->v, &v))
		return false;

	const int place = ring_place(&u, c->v);

	if (place < 0 || !keeps_topology(w, &u, &v, place))
		return false;

	collapse_cost(w, c->u, c->v, at);

	if (!keeps_sides(w, &u, c->v, at) || !keeps_sides(w, &v, c->u, at))
		return false;

	collapse(w, &u, &v, place, at);

	if (ring_of(w, c->u, &u))
		for (int i = 0; i < u.n; i++)
			push(w, c->u, u.next[i]);

	return true;
}

/* ---- before and after ---- */

static void find_middle(const struct mesh *m, double middle[3])
{
	for (int i = 0; i < 3; i++) {
		float lo = FLT_MAX, hi = -FLT_MAX;

		for (long v = 0; v < m->nv; v++) {
			lo = fminf(lo, m->v[3 * v + i]);
			hi = fmaxf(hi, m->v[3 * v + i]);
		}

		middle[i] = 0.5 * ((double)lo + (double)hi);
	}
}

static void add_planes(struct work *w)
{
	for (long t = 0; t < w->m->nt; t++) {
		const uint32_t *c = w->m->t + 3 * t;
		const struct quadric q = plane_quadric(w->x[c[0]], w->x[c[1]], w->x[c[2]]);

		for (int i = 0; i < 3; i++) {
			w->q[c[i]] = quadric_sum(&w->q[c[i]], &q);
			w->corner[c[i]] = 3 * t + i;
		}
	}
}

static void work_create(struct work *w, struct mesh *m, const double middle[3])
{
	const size_t nv = (size_t)m->nv + 1;

	*w = (struct work){.m = m, .opposite = mesh_opposites(m), .left = m->nt};
	w->corner = mem_alloc(nv * sizeof *w->corner);
	w->stamp = mem_calloc(nv, sizeof *w->stamp);
	w->x = mem_alloc(nv * sizeof *w->x);
	w->q = mem_calloc(nv, sizeof *w->q);
	w->gone = mem_calloc((size_t)m->nt + 1, sizeof *w->gone);

	for (long i = 0; i < 3 * m->nv; i++)
		w->x[i / 3][i % 3] = (double)m->v[i] - middle[i % 3];

	for (long v = 0; v < m->nv; v++)
		w->corner[v] = NONE;

	add_planes(w);

	for (long c = 0; c < 3 * m->nt; c++) {
		const uint32_t u = m->t[c], v = m->t[corner_next((uint32_t)c)];

		if (u < v)
			push(w, u, v);
	}
}

static void work_free(struct work *w)
{
	free(w->opposite);
	free(w->corner);
	free(w->stamp);
	free(w->x);
	free(w->q);
	free(w->gone);
	free(w->heap.c);
}

/* What is left moves to the front, in its order. */
static void compact(struct work *w, const double middle[3])
{
	struct mesh *m = w->m;
	uint32_t nv = 0;
	long nt = 0;

	for (long v = 0; v < m->nv; v++) {
		if (NONE == w->corner[v])
			continue;

		for (int i = 0; i < 3; i++)
			m->v[3L * nv + i] = (float)(w->x[v][i] + middle[i]);

		w->stamp[v] = nv++;
	}

	for (long t = 0; t < m->nt; t++) {
		if (w->gone[t])
			continue;

		for (int i = 0; i < 3; i++)
			m->t[3 * nt + i] = w->stamp[m->t[3 * t + i]];

		nt++;
	}

	m->nv = nv;
	m->nt = nt;
}

void mesh_decimate(struct mesh *m, double share, const char *name)
{
	const long target = (long)floor(share * (double)m->nt);
	double middle[3];
	struct work w;

	if (m->nt > UINT32_MAX / 3)
		error("%s has %ld triangles, at most %u can be decimated", name, m->nt, UINT32_MAX / 3);

	find_middle(m, middle);
	work_create(&w, m, middle);
	progress_start("decimating", m->nt - target);

	while (w.left > target && w.heap.n > 0) {
		const struct candidate c = heap_pop(&w.heap);

		if (try_collapse(&w, &c))
			progress_add(2);
	}

	progress_end();
	compact(&w, middle);
	work_free(&w);
}
