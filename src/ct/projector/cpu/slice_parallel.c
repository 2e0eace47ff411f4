/* Lines of views between the projections and the kernels, and the order of the work: a layer of bricks and
 * some views at a time. */

#include "ct/projector/cpu/slice_parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/transpose.h"
#include "ct/projector/mask.h"
#include "misc/mem.h"
#include "misc/minmax.h"

enum { FEW_ROWS = 4, TILE_VIEWS = 8, TILE_COLUMNS = 64 };
enum { MOST_COLUMNS = 1 << 21 };     // kernels count the elements of TILE_VIEWS views in int
static const double ALIGNED = 1e-13; // columns from plane to plane: less is none
static const long lines_most =
        16L << 20; // memory of lines [bytes], if that is not less than TILE_VIEWS views

_Static_assert((int)SLICE_PARALLEL_LINE == (int)LEVEL_EDGE, "lines are as long as bricks are high");

/** Whether it is a view for this path. */
static bool slice_parallel_look(struct slice_parallel_view *v, const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;
	const double turn = w->u[0] * w->s[1] - w->u[1] * w->s[0], *h = x->grid.spacing;
	const double first = -(double)(x->g->cols - 1) / 2.;

	if (!w->untilted || w->s[2] != 0. || w->u[2] != 0.)
		return false;

	const int m = (fabs(w->s[0]) >= fabs(w->s[1])) ? 0 : 1;
	const double slope = w->s[1 - m] / w->s[m] * h[1 - m];

	v->across[0] = w->s[1] / turn;
	v->across[1] = -w->s[0] / turn;
	v->column = -(w->d[0] * w->s[1] - w->d[1] * w->s[0]) / turn - first;
	v->wide = fabs(v->across[1 - m]);
	v->soft = fabs(v->across[m]);
	v->reach = v->wide;
	v->length = sqrt(h[m] * h[m] + slope * slope);
	v->rise = w->v[2];
	v->z = w->d[2] - (double)(x->g->rows - 1) / 2. * w->v[2];
	v->fine = 1.;
	return true;
}

/** The reach of a voxel's bounds, and its integral where rows stand on slices. */
static void cast(struct slice_parallel_view *v, const struct xray *x)
{
	v->soft = fmax(v->soft, ALIGNED);
	v->length *= v->wide;
	v->reach = 0.5 * (v->wide + v->soft) + ((x->model == XRAY_SF) ? 0.5 : 0.);
}

/** Whether rays run in faces of voxels, or cross them so slowly that rounding moves the place by much of a
 * voxel: to which of them they belong there by Siddon's method is a matter of the last bits, which forward
 * and adjoint would not agree on. */
static bool in_faces(const struct slice_parallel_view *v, const struct xray *x)
{
	const double near = 1e-9, slow = 1e-7;
	const int p = (fabs(v->across[0]) > fabs(v->across[1])) ? 0 : 1;
	const double slope = -v->across[1 - p] / v->across[p], drift = slope * (double)x->grid.size[1 - p],
	             down = fmax(-drift, 0.) + near, up = fmax(drift, 0.) + near;

	for (long u = 0; u < x->g->cols && fabs(slope) < slow; u++) {
		const double at = ((double)u - v->column) / v->across[p] + 0.5;
		const double face = fmax(ceil(at - down), 0.);

		if (face <= fmin(at + up, (double)x->grid.size[p]))
			return true;
	}

	return false;
}

/** Rows that stand on slices but for rounding stand there; false where they do not. */
static bool snap(struct slice_parallel_view *v, long rows)
{
	const double z = rint(v->z), off = fabs(fabs(v->rise) - 1.) * (double)rows + fabs(v->z - z);

	if (!(off < 1e-9))
		return false;

	v->rise = (v->rise > 0.) ? 1. : -1.;
	v->z = z;
	return true;
}

struct slice_parallel *slice_parallel_create(const struct xray *x)
{
	const struct geom *g = x->g;
	struct slice_parallel *l = NULL;
	bool all = g->parallel && g->radius == 0. && x->grid.size[2] > 1 && g->rows >= FEW_ROWS &&
	           g->cols <= MOST_COLUMNS;

	if (!all)
		return NULL;

	l = NEW(struct slice_parallel);
	*l = (struct slice_parallel){.model = x->model,
	        .cols = g->cols,
	        .rows = g->rows,
	        .views = g->views,
	        .unit = true,
	        .view = mem_calloc(g->views, sizeof *l->view)};

	for (long k = 0; k < g->views && all; k++) {
		all = slice_parallel_look(&l->view[k], x, k);

		l->unit = snap(&l->view[k], g->rows) && l->unit;

		if (x->model != XRAY_JOSEPH) {
			cast(&l->view[k], x);
			all = all && l->unit;
		}

		all = all && l->view[k].reach <= SLICE_PARALLEL_REACH &&
		      !(x->model == XRAY_SIDDON && in_faces(&l->view[k], x));
	}

	if (!all) {
		slice_parallel_free(l);
		return NULL;
	}

	return l;
}

void slice_parallel_free(struct slice_parallel *l)
{
	if (!l)
		return;

	free(l->view);
	free(l);
}

/** Elements from view to view: no power of two. */
static long slice_parallel_pitch(const struct slice_parallel *l)
{
	return (l->cols + 2 * SLICE_PARALLEL_GUARD) * SLICE_PARALLEL_LINE + TRANSPOSE_TILE;
}

/** Views that wait as lines at a time. */
static long slice_parallel_group(const struct slice_parallel *l)
{
	const long n = lines_most / (slice_parallel_pitch(l) * (long)sizeof(float));

	return min_long(max_long(n, TILE_VIEWS), l->views);
}

long slice_parallel_memory(const struct slice_parallel *l)
{
	return mul_checked(
	        slice_parallel_group(l), slice_parallel_pitch(l) * (long)sizeof(float), "lines of views");
}

/** Rows of bricks of one layer, and some views through them. */
struct walk {
	const struct slice_parallel *l;
	const struct xray_call *p;
	long row, rows;   // of bricks
	long view, views; // of the geometry
	long first;       // slice of the layer
	int depth;        // slices
	long blocks;      // of TRANSPOSE_TILE columns in a view
	float *lines;     // of column 0 of the first view
	char *bricks;     // a row of them
};

/** Columns that see these rows of bricks: whole blocks. */
static void find_columns(const struct walk *w, const struct slice_parallel_view *v, long *lo, long *hi)
{
	const struct xray *x = w->p->x;
	const long per = x->bricks[1], row = w->row % per;
	const double y[2] = {row * x->edge[1] - 1., min_long((row + w->rows) * x->edge[1], x->grid.size[1])},
	             end = (double)x->grid.size[0];
	double least = INFINITY, most = -INFINITY;

	for (int c = 0; c < 4; c++) {
		const double at = v->column + ((c & 1) ? end : -1.) * v->across[0] + y[c >> 1] * v->across[1];

		least = fmin(least, at);
		most = fmax(most, at);
	}

	const double a = fmax(floor(least) - 1., 0.), b = fmin(floor(most) + 2., (double)w->l->cols);

	*lo = (a < b) ? (long)a / TRANSPOSE_TILE * TRANSPOSE_TILE : 0;
	*hi = (a < b) ? (long)b : 0;
}

/** A view as a brick sees it. */
static void slice_parallel_see(
        struct slice_parallel_pass *s, const struct walk *w, const struct brick *b, long view)
{
	const struct slice_parallel_view *v = w->l->view + view;
	long lo, hi;

	find_columns(w, v, &lo, &hi);
	*s = (struct slice_parallel_pass){.model = w->l->model,
	        .column = v->column + (b->first[0] - 1.) * v->across[0] + (b->first[1] - 1.) * v->across[1],
	        .across = {v->across[0], v->across[1]},
	        .reach = v->reach,
	        .wide = v->wide,
	        .soft = v->soft,
	        .length = (float)v->length,
	        .lo = (int)lo,
	        .hi = (int)hi,
	        .line = (int)((view - w->view) * slice_parallel_pitch(w->l))};
}

/** Columns of which a brick knows something: [*lo, *hi). */
static void seen(const struct slice_parallel_pass *s, const struct brick *b, int *lo, int *hi)
{
	const double end[2] = {b->size[0] + 1., b->size[1] + 1.};
	const double ring = fabs(s->across[0]) + fabs(s->across[1]), more = fmax(s->reach - ring, 0.);
	double least = s->column - more, most = s->column + more;

	for (int i = 0; i < 2; i++) {
		const double d = end[i] * s->across[i];

		least += (d < 0.) ? d : 0.;
		most += (d > 0.) ? d : 0.;
	}

	*lo = (int)fmin(fmax(ceil(least), (double)s->lo), (double)s->hi);
	*hi = (int)fmax(fmin(floor(most) + 1., (double)s->hi), (double)s->lo);
}

/** What lines begin with: zeros, or the projections. */
enum lines { ZEROS, ROWS };

/** Up to TRANSPOSE_TILE columns of a view, and their slices: slice[k][c]. */
struct block {
	long view, column;
	int columns;
	_Alignas(64) float slice[SLICE_PARALLEL_LINE][TRANSPOSE_TILE];
};

/** The rows that weigh in slices of the layer: [*lo, *hi). */
static void rows_near(const struct walk *w, const struct slice_parallel_view *v, long *lo, long *hi)
{
	const double reach = 1. / v->fine, below = (double)w->first - reach - v->z,
	             above = (double)(w->first + w->depth - 1) + reach - v->z, a = below / v->rise,
	             b = above / v->rise;
	const double first = fmax(ceil(fmin(a, b)), 0.),
	             end = fmin(floor(fmax(a, b)) + 1., (double)w->l->rows);

	*lo = (first < end) ? (long)first : 0;
	*hi = (first < end) ? (long)end : 0;
}

/** Slices of the layer on which a row stands, where all do: [*lo, *hi). */
static void rows_on(const struct walk *w, const struct slice_parallel_view *v, long *lo, long *hi)
{
	const double a = v->z - (double)w->first, b = a + (double)(w->l->rows - 1) * v->rise;
	const double first = fmax(fmin(a, b), 0.), end = fmin(fmax(a, b) + 1., (double)w->depth);

	*lo = (first < end) ? (long)first : 0;
	*hi = (first < end) ? (long)end : 0;
}

static float *row_at(const struct walk *w, const struct block *b, long row)
{
	return (float *)xray_call_view(w->p, b->view) + (row * w->l->cols + b->column) * w->p->apart;
}

static void take_row(float *restrict row, float *restrict slice, int n, int step, float weight)
{
	if (n == TRANSPOSE_TILE && step == 1)
		for (int c = 0; c < TRANSPOSE_TILE; c++)
			slice[c] += weight * row[c];
	else
		for (int c = 0; c < n; c++)
			slice[c] += weight * row[c * step];
}

static void give_row(float *restrict row, float *restrict slice, int n, int step, float weight)
{
	if (n == TRANSPOSE_TILE && step == 1)
		for (int c = 0; c < TRANSPOSE_TILE; c++)
			row[c] += weight * slice[c];
	else
		for (int c = 0; c < n; c++)
			row[c * step] += weight * slice[c];
}

/** Rows, interpolated at slices, or slices at rows, which is the transpose. */
static void rows_and_slices(const struct walk *w, struct block *b, bool give)
{
	const struct slice_parallel_view *v = w->l->view + b->view;
	const double reach = 1. / v->fine;
	const int step = w->p->apart;
	long lo, hi;

	rows_near(w, v, &lo, &hi);

	for (long r = lo; r < hi; r++) {
		const double at = v->z + (double)r * v->rise - (double)w->first;
		float *row = row_at(w, b, r);

		for (int k = (at > reach) ? (int)(at - reach) : 0; k < w->depth && k < at + reach; k++) {
			const float weight = (float)(1. - fabs(at - k) * v->fine);

			if (weight > 0.f)
				(give ? give_row : take_row)(row, b->slice[k], b->columns, step, weight);
		}
	}
}

/** Rows that are slices, to lines or back. */
static void transpose_rows(const struct walk *w, const struct block *b, float *line, bool give)
{
	const struct slice_parallel_view *v = w->l->view + b->view;
	const long next = (long)v->rise * w->l->cols;
	long lo, hi;

	rows_on(w, v, &lo, &hi);

	for (long k = lo; k < hi; k += TRANSPOSE_TILE) {
		float *row = row_at(w, b, lround(((double)(w->first + k) - v->z) * v->rise));
		const int n = (int)min_long(hi - k, TRANSPOSE_TILE);

		if (give)
			transpose_block()(row, next, line + k, SLICE_PARALLEL_LINE, b->columns, n);
		else
			transpose_block()(line + k, SLICE_PARALLEL_LINE, row, next, n, b->columns);
	}
}

/** The same of complex data, whose numbers stand apart. */
static void set_rows(const struct walk *w, const struct block *b)
{
	const struct slice_parallel_view *v = w->l->view + b->view;
	long lo, hi;

	rows_on(w, v, &lo, &hi);

	for (long k = lo; k < hi; k++) {
		float *row = row_at(w, b, lround(((double)(w->first + k) - v->z) * v->rise));

		for (int c = 0; c < b->columns; c++)
			row[c * w->p->apart] = b->slice[k][c];
	}
}

/** Block i of the group of views, and its first line; false where no brick sees it. */
static bool is_block(struct block *b, float **line, const struct walk *w, long i)
{
	const long view = i / w->blocks;
	long lo, hi;

	b->view = w->view + view;
	b->column = i % w->blocks * TRANSPOSE_TILE;
	find_columns(w, w->l->view + b->view, &lo, &hi);
	b->columns = (int)min_long(hi - b->column, TRANSPOSE_TILE);
	*line = w->lines + view * slice_parallel_pitch(w->l) + b->column * SLICE_PARALLEL_LINE;
	return b->column >= lo && b->column < hi;
}

/** A block as lines, and zeros around it. */
static void pick_up(const struct walk *w, long i, enum lines what)
{
	const size_t bytes = SLICE_PARALLEL_LINE * sizeof(float);
	struct block b;
	float *line;
	long lo, hi;

	if (!is_block(&b, &line, w, i))
		return;

	find_columns(w, w->l->view + b.view, &lo, &hi);

	if (b.column == lo)
		memset(line - SLICE_PARALLEL_GUARD * SLICE_PARALLEL_LINE, 0, SLICE_PARALLEL_GUARD * bytes);

	memset(line, 0,
	        (size_t)(b.columns + ((b.column + b.columns == hi) ? SLICE_PARALLEL_GUARD : 0)) * bytes);

	if (what == ZEROS)
		return;

	if (w->l->unit && w->p->apart == 1) {
		transpose_rows(w, &b, line, false);
		return;
	}

	memset(b.slice, 0, sizeof b.slice);
	rows_and_slices(w, &b, false);

	for (int k = 0; k < w->depth; k += TRANSPOSE_TILE)
		transpose_block()(
		        line + k, SLICE_PARALLEL_LINE, b.slice[k], TRANSPOSE_TILE, TRANSPOSE_TILE, b.columns);
}

/** Lines of a block to their rows. */
static void put_down(const struct walk *w, long i)
{
	struct block b;
	float *line;

	if (!is_block(&b, &line, w, i))
		return;

	if (w->l->unit && w->p->apart == 1) {
		transpose_rows(w, &b, line, true);
		return;
	}

	for (int k = 0; k < w->depth; k += TRANSPOSE_TILE)
		transpose_block()(
		        b.slice[k], TRANSPOSE_TILE, line + k, SLICE_PARALLEL_LINE, b.columns, TRANSPOSE_TILE);

	if (w->l->unit)
		set_rows(w, &b);
	else
		rows_and_slices(w, &b, true);
}

static char *brick_buffer(const struct walk *w, long i)
{
	return w->bricks + i * w->p->x->room * (long)w->p->size;
}

static struct slice_parallel_job slice_parallel_job_of(
        const struct walk *w, const struct brick *b, char *buffer)
{
	const struct xray *x = w->p->x;

	return (struct slice_parallel_job){.size = {b->size[0], b->size[1], b->size[2]},
	        .stride = {x->stride[0], x->stride[1]},
	        .box = (float *)buffer + x->lead,
	        .lines = w->lines};
}

/** Views [view, view + views) of the group and columns through row number `row` of bricks. */
static void forward_tile(const struct walk *w, long row, long view, long views, long column)
{
	const struct xray *x = w->p->x;
	const long view_end = min_long(view + views, w->view + w->views);

	for (long i = 0; i < x->bricks[0]; i++) {
		struct brick b;

		brick_of_row(&b, x, i, row);

		if (brick_hidden(x, &b))
			continue;

		const struct slice_parallel_job j = slice_parallel_job_of(w, &b, brick_buffer(w, i));

		for (long k = view; k < view_end; k++) {
			struct slice_parallel_pass s;
			int lo, hi;

			slice_parallel_see(&s, w, &b, k);
			seen(&s, &b, &lo, &hi);
			lo = (lo > column) ? lo : (int)column;
			hi = (hi < column + TILE_COLUMNS) ? hi : (int)column + TILE_COLUMNS;

			if (lo < hi)
				slice_parallel_kernels()->forward(&j, &s, lo, hi);
		}
	}
}

/** All rows of bricks of a layer and a group of views. */
static void forward_walk(const struct walk *w)
{
	const struct xray *x = w->p->x;
	const long across = (w->l->cols + TILE_COLUMNS - 1) / TILE_COLUMNS,
	           tiles = (w->views + TILE_VIEWS - 1) / TILE_VIEWS;

#pragma omp parallel num_threads(xray_call_threads(w->p))
	{
#pragma omp for schedule(dynamic, 8)
		for (long i = 0; i < w->views * w->blocks; i++)
			pick_up(w, i, (w->l->unit && !w->p->tile->blank) ? ROWS : ZEROS);

		for (long row = w->row; row < w->row + w->rows; row++) {
#pragma omp for schedule(dynamic)
			for (long i = 0; i < x->bricks[0]; i++) {
				struct brick b;

				brick_of_row(&b, x, i, row);

				if (!brick_hidden(x, &b))
					brick_load(w->p, &b, brick_buffer(w, i));
			}

#pragma omp for schedule(dynamic)
			for (long i = 0; i < tiles * across; i++)
				forward_tile(w, row, w->view + i / across * TILE_VIEWS, TILE_VIEWS,
				        i % across * TILE_COLUMNS);
		}

#pragma omp for schedule(dynamic, 8)
		for (long i = 0; i < w->views * w->blocks; i++)
			put_down(w, i);
	}
}

/** Columns, neighbours, in which a voxel may weigh. */
static int columns_of(const struct slice_parallel_view *v)
{
	return (int)ceil(2. * v->reach - 1e-9);
}

/** What a brick takes from views [view, view + n), *taps columns at a time. More than a view needs add zeros:
 * sums do not depend on the views that go together. */
static int find_passes(struct slice_parallel_pass *s, const struct walk *w, const struct brick *b, long view,
        long n, int *taps)
{
	int m = 0;

	*taps = 2;

	for (long k = view; k < view + n; k++)
		if (w->l->model == XRAY_SF && columns_of(w->l->view + k) > 2)
			*taps = SLICE_PARALLEL_TAPS;

	for (long k = view; k < view + n; k++) {
		int lo, hi;

		slice_parallel_see(&s[m], w, b, k);
		seen(&s[m], b, &lo, &hi);

		const int passes = (lo < hi) ? (columns_of(w->l->view + k) + *taps - 1) / *taps : 0;

		for (int i = 1; i < passes; i++) {
			s[m + i] = s[m];
			s[m + i].later = *taps * i;
		}

		m += passes;
	}

	return m;
}

static void adjoint_brick(const struct walk *w, const struct brick *b, char *buffer)
{
	const struct xray_call *p = w->p;
	const struct slice_parallel_job j = slice_parallel_job_of(w, b, buffer);
	struct slice_parallel_pass s[SLICE_PARALLEL_PASSES];

	p->store->load(p->x, b, buffer, p->vol, p->step);

	for (long k = w->view; k < w->view + w->views; k += SLICE_PARALLEL_BATCH) {
		const long views = min_long(w->view + w->views - k, SLICE_PARALLEL_BATCH);
		int taps;
		const int n = find_passes(s, w, b, k, views, &taps);

		if (n > 0)
			slice_parallel_kernels()->adjoint(&j, s, n, taps);
	}

	if (p->x->mask)
		mask_brick(p->x->mask, p->x, b, p->size, buffer);

	p->store->save(p->x, b, p->vol, buffer, p->step);
}

static void adjoint_walk(const struct walk *w)
{
	const struct xray *x = w->p->x;
	const long n = x->bricks[0];

#pragma omp parallel num_threads(xray_call_threads(w->p))
	{
		char *buffer = mem_alloc((size_t)x->room * w->p->size);

#pragma omp for schedule(dynamic, 8)
		for (long i = 0; i < w->views * w->blocks; i++)
			pick_up(w, i, ROWS);

#pragma omp for schedule(dynamic)
		for (long i = w->row * n; i < (w->row + w->rows) * n; i++) {
			struct brick b;

			brick_of_row(&b, x, i % n, i / n);

			if (!brick_hidden(x, &b))
				adjoint_brick(w, &b, buffer);
		}

		free(buffer);
	}
}

/** The part in layers, `most` rows of bricks at a time, and groups of views. */
static void slice_parallel_walk(const struct slice_parallel *l, const struct xray_call *p, char *bricks,
        long most, void (*fn)(const struct walk *w))
{
	const struct xray_tile *tile = p->tile;
	const long per = p->x->bricks[1], views = min_long(slice_parallel_group(l), tile->views);
	float *lines = mem_work((size_t)views * (size_t)slice_parallel_pitch(l) * sizeof(float));
	struct walk w = {.l = l,
	        .p = p,
	        .blocks = (l->cols + TRANSPOSE_TILE - 1) / TRANSPOSE_TILE,
	        .lines = lines + SLICE_PARALLEL_GUARD * SLICE_PARALLEL_LINE,
	        .bricks = bricks};

	for (w.row = tile->row; w.row < tile->row + tile->rows; w.row += w.rows) {
		struct brick b;

		w.rows = min_long(min_long(per - w.row % per, tile->row + tile->rows - w.row), most);
		brick_of_row(&b, p->x, 0, w.row);
		w.first = b.first[2];
		w.depth = b.size[2];

		for (w.view = tile->first; w.view < tile->first + tile->views; w.view += w.views) {
			w.views = min_long(views, tile->first + tile->views - w.view);
			fn(&w);
		}
	}

	mem_work_end(lines);
}

/* Where rows lie between slices, a row of bricks is added to them as soon as it is known, so that the sums do
 * not depend on how many there are in a tile. */
void slice_parallel_forward(void *level, const struct xray_call *p)
{
	const struct slice_parallel *l = level;
	char *bricks = mem_alloc(mul_checked(p->x->bricks[0], p->x->room * p->size, "a row of bricks"));

	slice_parallel_walk(l, p, bricks, l->unit ? p->x->bricks[1] : 1, forward_walk);
	free(bricks);
}

void slice_parallel_adjoint(void *level, const struct xray_call *p)
{
	slice_parallel_walk(level, p, NULL, p->x->bricks[1], adjoint_walk);
}
