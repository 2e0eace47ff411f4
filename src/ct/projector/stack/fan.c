/* The fast path of stacks of fans: processes layers of slices, and a few views at a time, which are stored
 * as lines along z. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/cpu/footprints.h"
#include "ct/projector/cpu/transpose.h"
#include "ct/projector/mask.h"
#include "ct/projector/model/siddon.h"
#include "ct/projector/stack/fan_kernels.h"
#include "ct/projector/stack/fan_matrix.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"

enum { FEWEST = 4 };                                          // slices that are worth it
enum { MOST_COLUMNS = 1 << 20, MOST_LINES = 1 << 30 };        // which are counted in int
enum { TILE_VIEWS = 16, TILE_COLUMNS = 512, TILES_EACH = 4 }; // of A, and tiles for each thread
enum { BATCH_ELEMENTS = 1 << 15 };                            // of a matrix of A'
enum { LINE_COLUMNS = 256 };                                  // of a view, moved by one thread
static const double lines_most = 128. * 1024. * 1024.;        // memory of lines [bytes], if that is a view

struct stack_fan {
	const struct xray *x;
	long group; // views that wait as lines at a time
};

/** Whether no voxel's footprint is too wide for a table, judged by the volume's corners. */
static bool footprints_fit(const struct xray *plane, long view)
{
	const struct brick all = {.size = {1, 1, 1}};
	struct sf_view w;

	footprints_view(&w, plane, &all, view);

	for (int c = 0; c < 4; c++) {
		struct sf_hit o;

		sf_look(&o, &w, (c & 1) ? (double)plane->grid.size[0] + 1. : 0.,
		        (c & 2) ? (double)plane->grid.size[1] + 1. : 0., 1., plane->g->radius > 0.);

		if (!(o.amount > 0. && o.wide[0] + o.soft[0] < FAN_TAPS - 2))
			return false;
	}

	return true;
}

struct stack_fan *stack_fan_create(const struct xray *x)
{
	bool fits = x->g->stack && x->grid.size[2] >= FEWEST && x->g->cols <= MOST_COLUMNS;

	for (long k = 0; k < x->g->views && fits && x->model == XRAY_SF; k++)
		fits = footprints_fit(x->plane, k);

	if (!fits)
		return NULL;

	struct stack_fan *f = NEW(struct stack_fan);
	const double bytes = (double)x->g->cols * x->stride[1] * sizeof(float),
	             most = fmin(lines_most / bytes, (double)MOST_LINES / (double)x->g->cols);

	*f = (struct stack_fan){.x = x, .group = min_long(x->g->views, max_long((long)most, 1))};
	return f;
}

void stack_fan_free(struct stack_fan *f)
{
	free(f);
}

static long across(const struct xray *x, int axis)
{
	return (x->grid.size[axis] + STACK_EDGE - 1) / STACK_EDGE;
}

double stack_fan_memory(const struct stack_fan *f)
{
	const struct xray *x = f->x;

	return sizeof(float) *
	       ((double)f->group * (double)x->g->cols * x->stride[1] + (double)(across(x, 0) * x->room));
}

/** A layer and some views. */
struct layer {
	const struct xray_call *p;
	const struct xray *x;
	struct fan_lines lines; // of column 0 of the first view
	long view, views;
	long first; // slice
	int depth;  // slices
	int room;   // and those that lines have
	char *bricks;
};

static void brick_in(struct brick *b, const struct layer *l, long bx, long by)
{
	const long *n = l->x->grid.size;

	*b = (struct brick){.first = {bx * STACK_EDGE, by * STACK_EDGE, l->first},
	        .size = {(int)min_long(n[0] - bx * STACK_EDGE, STACK_EDGE),
	                (int)min_long(n[1] - by * STACK_EDGE, STACK_EDGE), l->depth}};
}

static struct fan_lines brick_lines(const struct layer *l, char *buffer)
{
	return (struct fan_lines){(float *)buffer + l->x->lead + 1, l->x->stride[1]};
}

static struct fan_lines view_lines(const struct layer *l, long view, long column)
{
	return (struct fan_lines){
	        l->lines.line + ((view - l->view) * l->x->g->cols + column) * l->lines.pitch, l->lines.pitch};
}

/* ---- between rows and lines ---- */

/** What moves between some columns of a view and their lines. */
struct rows {
	const struct layer *l;
	long view, first, end;             // rows
	const struct stack_slices *slices; // of them
};

static void rows_to_slices(
        const struct rows *r, float (*slice)[TRANSPOSE_TILE], long column, int n, bool give)
{
	const struct layer *l = r->l;
	const long cols = l->x->g->cols;
	const int step = l->p->apart;

	for (long b = r->first; b < r->end; b++) {
		const struct stack_slices *s = r->slices + (b - r->first);
		float *row = (float *)xray_call_view(l->p, r->view) + (b * cols + column) * step;

		for (long k = s->first; k < s->end; k++) {
			const float w = (float)stack_weight(s, k);
			float *at = slice[k - l->first];

			if (give && step == 1 && n == TRANSPOSE_TILE)
				for (int c = 0; c < TRANSPOSE_TILE; c++)
					row[c] += w * at[c];
			else if (give)
				for (int c = 0; c < n; c++)
					row[c * step] += w * at[c];
			else if (step == 1 && n == TRANSPOSE_TILE)
				for (int c = 0; c < TRANSPOSE_TILE; c++)
					at[c] += w * row[c];
			else
				for (int c = 0; c < n; c++)
					at[c] += w * row[c * step];
		}
	}
}

/** The lines of up to TRANSPOSE_TILE columns. */
static void move_block(const struct rows *r, long column, int n, bool give)
{
	_Alignas(64) float slice[STACK_DEPTH + TRANSPOSE_TILE][TRANSPOSE_TILE];
	const struct layer *l = r->l;
	const struct fan_lines to = view_lines(l, r->view, column);

	if (!give) {
		memset(slice, 0, (size_t)l->room * sizeof *slice);
		rows_to_slices(r, slice, column, n, false);
	}

	for (int k = 0; k < l->room; k += TRANSPOSE_TILE)
		if (give)
			transpose_block()(slice[k], TRANSPOSE_TILE, to.line + k, to.pitch, n, TRANSPOSE_TILE);
		else
			transpose_block()(to.line + k, to.pitch, slice[k], TRANSPOSE_TILE, TRANSPOSE_TILE, n);

	if (give)
		rows_to_slices(r, slice, column, n, true);
}

static void move_view(const struct layer *l, long view, long from, long to, bool give)
{
	struct rows r = {.l = l, .view = view};

	stack_rows(l->x, view, l->first, l->first + l->depth, &r.first, &r.end);

	struct stack_slices *s = mem_alloc((size_t)(r.end - r.first + 1) * sizeof *s);

	for (long b = r.first; b < r.end; b++)
		s[b - r.first] = stack_slices(l->x, view, b, l->first, l->first + l->depth);

	r.slices = s;

	for (long a = from; a < to; a += TRANSPOSE_TILE)
		move_block(&r, a, (int)min_long(to - a, TRANSPOSE_TILE), give);

	free(s);
}

/** Rows of all views to lines, or lines to rows, to which they are added. */
static void move_views(const struct layer *l, bool give)
{
	const long cols = l->x->g->cols, parts = (cols + LINE_COLUMNS - 1) / LINE_COLUMNS;

#pragma omp parallel for schedule(static) num_threads(xray_call_threads(l->p))
	for (long i = 0; i < l->views * parts; i++) {
		const long from = i % parts * LINE_COLUMNS;

		move_view(l, l->view + i / parts, from, min_long(from + LINE_COLUMNS, cols), give);
	}
}

/* ---- the weights of a slice ---- */

/** What one thread has in its hands. */
struct hand {
	struct fan_matrix found, transposed;
	struct fan_hits hits[FAN_BATCH];
	float weight[FAN_BATCH][FAN_TAPS][STACK_EDGE];
	int *line; // of each row of the matrix found
	long lines;
};

static struct hand *hand_create(void)
{
	return mem_calloc(1, sizeof(struct hand));
}

static void hand_free(struct hand *h)
{
	fan_matrix_free(&h->found);
	fan_matrix_free(&h->transposed);
	free(h->line);
	free(h);
}

/** The same brick in the plane. */
static struct brick flat(const struct brick *b)
{
	return (struct brick){.first = {b->first[0], b->first[1], 0}, .size = {b->size[0], b->size[1], 1}};
}

/** Columns of a view that see the brick, among [*lo, *hi). */
static void columns_of(const struct xray *plane, const struct brick *b, long view, long *lo, long *hi)
{
	struct brick_bounds bounds;
	long first, end;

	brick_bounds_find(&bounds, plane, b, view);
	brick_bounds_columns(&bounds, plane, view, &first, &end);
	*lo = max_long(*lo, first);
	*hi = max_long(min_long(*hi, end), *lo);
}

/** The next row of the matrix: what a column weighs. */
static void find_column(
        struct fan_matrix *m, const struct xray *plane, const struct brick *b, long view, long column)
{
	const struct xray_view *w = plane->view + view;
	const double *h = plane->grid.spacing;
	double s[3] = {0.}, d[3] = {0.};
	struct column c;
	int n;

	for (int i = 0; i < 2; i++) {
		s[i] = w->s[i] - ((double)b->first[i] - 1.);
		d[i] = column_direction(plane, w, column, i);
	}

	const bool siddon = (plane->model == XRAY_SIDDON);

	n = siddon ? siddon_column_clip(&c, s, d, 0., 0., b->size[0], b->size[1], 1)
	           : column_clip(&c, s, d, 0., 0., b->size[0], b->size[1], 1);
	fan_matrix_room(m, 2L * (n > 0 ? n : 0) + TRANSPOSE_TILE);

	if (n > 0) {
		const double slope = c.slope * h[c.p], length = sqrt(h[c.m] * h[c.m] + slope * slope);

		m->count += (siddon ? fan_kernels()->siddon : fan_kernels()->joseph)(
		        m->index + m->count, m->weight + m->count, &c, b->size, length);
	}

	fan_matrix_end_row(m);
}

/** Footprints of the voxels at x in one view, and their weights. */
static void find_hits(struct hand *h, const struct sf_view *w, int i, int x, int n, long lo, long hi)
{
	struct fan_hits *s = h->hits + i;

	fan_kernels()->look(s, w, x, n, lo, hi);

	for (int tap = 0; tap < s->most; tap++)
		fan_kernels()->weigh(h->weight[i][tap], s, n, tap);
}

/** The next row: what the voxel (., y) gives to columns in some views, these numbered from base[] on. */
static void find_voxel(struct hand *h, int views, int y, const long base[])
{
	struct fan_matrix *m = &h->found;

	for (int i = 0; i < views; i++) {
		const int n = h->hits[i].count[y], first = (int)(base[i] + h->hits[i].first[y]);

		fan_matrix_room(m, n);

		for (int tap = 0; tap < n; tap++) {
			m->index[m->count] = first + tap;
			m->weight[m->count] = h->weight[i][tap][y];
			m->count++;
		}
	}

	fan_matrix_end_row(m);
}

/** Rows of voxels: all that some views give to each. Columns are numbered from base[] on. */
static void find_footprints(struct hand *h, const struct xray *plane, const struct brick *b, long view,
        int views, const long base[], long lo, long hi)
{
	struct sf_view w[FAN_BATCH];

	for (int i = 0; i < views; i++)
		footprints_view(&w[i], plane, b, view + i);

	fan_matrix_clear(&h->found);

	for (int x = 0; x < FAN_RING; x++) {
		const bool in = (x > 0 && x <= b->size[0]);

		for (int i = 0; i < views && in; i++)
			find_hits(h, &w[i], i, x, b->size[1], lo, hi);

		for (int y = 0; y < FAN_RING; y++)
			if (in && y > 0 && y <= b->size[1])
				find_voxel(h, views, y - 1, base);
			else
				fan_matrix_end_row(&h->found);
	}
}

/* ---- A ---- */

/** Columns [lo, hi) of a view through a brick. */
static void forward_brick(const struct layer *l, struct hand *h, const struct brick *b, char *buffer,
        long view, long lo, long hi)
{
	const struct xray *plane = l->x->plane;
	const struct brick one = flat(b);
	const struct fan_matrix *m = &h->found;

	if (plane->model == XRAY_SF) {
		find_footprints(h, plane, &one, view, 1, (const long[]){-lo}, lo, hi);
		fan_matrix_transpose(&h->transposed, &h->found, hi - lo, NULL, false);
		m = &h->transposed;
	} else {
		columns_of(plane, &one, view, &lo, &hi);
		fan_matrix_clear(&h->found);

		for (long a = lo; a < hi; a++)
			find_column(&h->found, plane, &one, view, a);
	}

	fan_kernels()->multiply(m, view_lines(l, view, lo), brick_lines(l, buffer), l->room);
}

static void forward_tile(
        const struct layer *l, struct hand *h, long by, long view, long end, long lo, long hi)
{
	for (long bx = 0; bx < across(l->x, 0); bx++) {
		struct brick b;

		brick_in(&b, l, bx, by);

		if (brick_hidden(l->x, &b))
			continue;

		for (long k = view; k < end; k++)
			forward_brick(
			        l, h, &b, l->bricks + (size_t)(bx * l->x->room) * sizeof(float), k, lo, hi);
	}
}

/** A row of bricks; few views are cut into several tiles of columns. */
static void forward_row(const struct layer *l, long by)
{
	const long most = max_long(l->views / (TILES_EACH * threads_for(INFINITY)), 1);
	const long views = min_long(most, TILE_VIEWS), tiles = (l->views + views - 1) / views;
	const long cols = l->x->g->cols,
	           parts = max_long((TILES_EACH * threads_for(INFINITY) + tiles - 1) / tiles,
	                   (cols + TILE_COLUMNS - 1) / TILE_COLUMNS),
	           width = (cols + parts - 1) / parts;

#pragma omp parallel num_threads(xray_call_threads(l->p))
	{
		struct hand *h = hand_create();

#pragma omp for schedule(dynamic)
		for (long bx = 0; bx < across(l->x, 0); bx++) {
			struct brick b;

			brick_in(&b, l, bx, by);

			if (!brick_hidden(l->x, &b))
				brick_load(l->p, &b, l->bricks + (size_t)(bx * l->x->room) * sizeof(float));
		}

#pragma omp for schedule(dynamic)
		for (long i = 0; i < tiles * parts; i++) {
			const long view = l->view + i / parts * views, lo = i % parts * width;

			if (lo < cols)
				forward_tile(l, h, by, view, min_long(view + views, l->view + l->views), lo,
				        min_long(lo + width, cols));
		}

		hand_free(h);
	}
}

static void forward_layer(const struct layer *l)
{
	const size_t n = (size_t)(l->x->g->cols * l->lines.pitch);

#pragma omp parallel for schedule(static) num_threads(xray_call_threads(l->p))
	for (long k = 0; k < l->views; k++)
		memset(l->lines.line + (size_t)k * n, 0, n * sizeof(float));

	for (long by = 0; by < across(l->x, 1); by++)
		forward_row(l, by);

	move_views(l, true);
}

/* ---- A' ---- */

static void flush(const struct layer *l, struct hand *h, char *buffer)
{
	fan_matrix_transpose(&h->transposed, &h->found, FAN_LINES, h->line, true);
	fan_kernels()->multiply(&h->transposed, brick_lines(l, buffer), l->lines, l->room);
	fan_matrix_clear(&h->found);
}

/** Rays, column by column, turned into what each voxel takes. */
static void adjoint_rays(const struct layer *l, struct hand *h, const struct brick *b, char *buffer)
{
	const struct xray *plane = l->x->plane;

	fan_matrix_clear(&h->found);

	for (long k = l->view; k < l->view + l->views; k++) {
		long lo = 0, hi = plane->g->cols;

		columns_of(plane, b, k, &lo, &hi);

		for (long a = lo; a < hi; a++) {
			find_column(&h->found, plane, b, k, a);

			if (h->found.rows > h->lines) {
				h->lines = 2 * h->found.rows + 64;
				h->line = mem_realloc(h->line, (size_t)h->lines * sizeof *h->line);
			}

			h->line[h->found.rows - 1] = (int)((k - l->view) * plane->g->cols + a);

			if (h->found.count > BATCH_ELEMENTS)
				flush(l, h, buffer);
		}
	}

	flush(l, h, buffer);
}

static void adjoint_footprints(const struct layer *l, struct hand *h, const struct brick *b, char *buffer)
{
	const struct xray *plane = l->x->plane;

	for (long k = 0; k < l->views; k += FAN_BATCH) {
		const int n = (int)min_long(l->views - k, FAN_BATCH);
		long base[FAN_BATCH];

		for (int i = 0; i < n; i++)
			base[i] = (k + i) * plane->g->cols;

		find_footprints(h, plane, b, l->view + k, n, base, 0, plane->g->cols);
		fan_kernels()->multiply(&h->found, brick_lines(l, buffer), l->lines, l->room);
	}
}

static void adjoint_brick(const struct layer *l, struct hand *h, const struct brick *b, char *buffer)
{
	const struct xray_call *p = l->p;
	const struct brick one = flat(b);

	p->store->load(l->x, b, buffer, p->vol, p->step);

	if (l->x->model == XRAY_SF)
		adjoint_footprints(l, h, &one, buffer);
	else
		adjoint_rays(l, h, &one, buffer);

	if (l->x->mask)
		mask_brick(l->x->mask, l->x, b, p->size, buffer);

	p->store->save(l->x, b, p->vol, buffer, p->step);
}

static void adjoint_layer(const struct layer *l)
{
	const long nx = across(l->x, 0), total = nx * across(l->x, 1);

	move_views(l, false);

#pragma omp parallel num_threads(xray_call_threads(l->p))
	{
		char *buffer = mem_alloc((size_t)l->x->room * sizeof(float));
		struct hand *h = hand_create();

#pragma omp for schedule(dynamic)
		for (long i = 0; i < total; i++) {
			struct brick b;

			brick_in(&b, l, i % nx, i / nx);

			if (!brick_hidden(l->x, &b))
				adjoint_brick(l, h, &b, buffer);
		}

		hand_free(h);
		free(buffer);
	}
}

/* ---- layers ---- */

static void walk(const struct stack_fan *f, const struct xray_call *p, bool forward)
{
	const struct xray *x = p->x;
	const struct xray_tile *w = p->tile;
	const long group = min_long(f->group, w->views);
	const size_t bytes = (size_t)(group * x->g->cols * x->stride[1]) * sizeof(float);
	struct layer l = {.p = p, .x = x, .lines = {mem_work(bytes), x->stride[1]}};

	l.bricks = forward ? mem_alloc((size_t)(across(x, 0) * x->room) * sizeof(float)) : NULL;

	for (long row = w->row; row < w->row + w->rows; row++) {
		l.first = row * x->edge[2];
		l.depth = (int)min_long(x->edge[2], x->grid.size[2] - l.first);
		l.room = (l.depth + TRANSPOSE_TILE - 1) / TRANSPOSE_TILE * TRANSPOSE_TILE;

		for (l.view = w->first; l.view < w->first + w->views; l.view += group) {
			l.views = min_long(group, w->first + w->views - l.view);
			(forward ? forward_layer : adjoint_layer)(&l);
		}
	}

	free(l.bricks);
	mem_work_end(l.lines.line);
}

void stack_fan_forward(void *plan, const struct xray_call *p)
{
	walk(plan, p, true);
}

void stack_fan_adjoint(void *plan, const struct xray_call *p)
{
	walk(plan, p, false);
}
