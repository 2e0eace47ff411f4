/** Single slices: bricks with x and with y contiguous, and the rays of a view through them. */

#include "ct/projector/slice/single_slice.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/cpu/transpose.h"
#include "ct/projector/mask.h"
#include "misc/mem.h"
#include "misc/minmax.h"

struct single_slice {
	long views;
	bool takes[];
};

/** joseph_axis() within the slice. */
static int axis_of(const struct xray *x, const struct xray_view *w, long column)
{
	return (fabs(column_direction(x, w, column, 0)) >= fabs(column_direction(x, w, column, 1))) ? 0 : 1;
}

/** Whether rays of dominant axis m, towards `sign` of it, may reach a brick whose middle plane is behind a
 * source at s. Rays are ordered by their positions in the middle plane, which must be in front of the source.
 * Such rays advance along m at least as far as along the other axis. */
static bool splits_brick(const struct xray *x, int m, const double s[2], double sign)
{
	const long n = x->grid.size[m];
	const double apart = fmax(0., fmax(-1. - s[1 - m], s[1 - m] - (double)x->grid.size[1 - m]));

	for (long first = 0; first < n; first += x->edge[m]) {
		const double half = (double)(min_long(x->edge[m], n - first) - 1) / 2.;
		const double beyond = sign * (s[m] - ((double)first + half));

		if (-1. <= beyond && beyond <= half + 1. - apart)
			return true;
	}

	return false;
}

/** The same for all rays of a fan. */
static bool splits_bricks(const struct xray *x, const struct xray_view *w)
{
	const long last = x->g->cols - 1;

	for (int m = 0; m < 2 && !x->g->parallel; m++) {
		const bool between =
		        column_direction(x, w, 0, 1 - m) * column_direction(x, w, last, 1 - m) <= 0.;

		for (int k = 0; k < 2; k++) {
			const long column = k ? last : 0;
			const double sign = (column_direction(x, w, column, m) < 0.) ? -1. : 1.;

			if ((between || m == axis_of(x, w, column)) && splits_brick(x, m, w->s, sign))
				return true;
		}
	}

	return false;
}

/** Rays within the slice, and a slice completely in front of the source. */
static bool is_level(const struct xray *x, long view)
{
	const struct xray_view *w = x->view + view;
	const struct brick all = {.size = {(int)min_long(x->grid.size[0], 1L << 30),
	                                  (int)min_long(x->grid.size[1], 1L << 30), 1}};
	struct brick_bounds bounds;

	brick_bounds_find(&bounds, x, &all, view);
	return !bounds.all && w->s[2] == 0. && w->d[2] == 0. && w->u[2] == 0. && !splits_bricks(x, w);
}

struct single_slice *single_slice_create(const struct xray *x)
{
	const struct geom *g = x->g;
	bool some = false;

	if (x->grid.size[2] != 1 || g->rows != 1 || g->radius > 0. || g->stack || x->edge[0] > SLICE_EDGE ||
	        x->edge[1] > SLICE_EDGE)
		return NULL;

	struct single_slice *s = mem_calloc(1, sizeof *s + (size_t)g->views * sizeof *s->takes);

	s->views = g->views;

	for (long k = 0; k < g->views; k++)
		some |= s->takes[k] = is_level(x, k);

	if (some)
		return s;

	single_slice_free(s);
	return NULL;
}

void single_slice_free(struct single_slice *s)
{
	free(s);
}

bool single_slice_takes(const struct single_slice *s, long view)
{
	return s && s->takes[view];
}

/* ---- bricks ---- */

/** A line of voxels along x in the volume. */
static float *line_of(const struct xray_call *p, const struct brick *b, int j)
{
	return (float *)p->vol + ((b->first[1] + j) * p->x->grid.size[0] + b->first[0]) * p->step;
}

/** Voxels outside the mask become 0. */
static void hide(const struct xray_call *p, const struct brick *b, int j, float *line)
{
	bool inside[SLICE_EDGE];

	if (!p->x->mask)
		return;

	mask_line(p->x->mask, b->first[0], b->size[0], b->first[1] + j, 0, inside);

	for (int i = 0; i < b->size[0]; i++)
		line[i] = inside[i] ? line[i] : 0.f;
}

static void load(const struct xray_call *p, const struct brick *b, float *box)
{
	for (int j = 0; j < b->size[1]; j++) {
		const float *from = line_of(p, b, j);
		float *to = box + j * SLICE_PITCH + SLICE_GUARD;

		for (int i = 0; i < b->size[0]; i++)
			to[i] = from[(long)i * p->step];
	}
}

static void save(const struct xray_call *p, const struct brick *b, float *box)
{
	for (int j = 0; j < b->size[1]; j++) {
		float *to = line_of(p, b, j), *from = box + j * SLICE_PITCH + SLICE_GUARD;

		hide(p, b, j, from);

		for (int i = 0; i < b->size[0]; i++)
			to[(long)i * p->step] = from[i];
	}
}

/** Lines of nx voxels become lines of ny voxels. */
static void turn(float *to, const float *from, int nx, int ny)
{
	for (int j = 0; j < ny; j += TRANSPOSE_TILE)
		for (int i = 0; i < nx; i += TRANSPOSE_TILE)
			transpose_block()(to + i * SLICE_PITCH + SLICE_GUARD + j, SLICE_PITCH,
			        from + j * SLICE_PITCH + SLICE_GUARD + i, SLICE_PITCH,
			        (ny - j < TRANSPOSE_TILE) ? ny - j : TRANSPOSE_TILE,
			        (nx - i < TRANSPOSE_TILE) ? nx - i : TRANSPOSE_TILE);
}

/** For A: with y contiguous (dominant axis 0) in the first half of `boxes`, with x contiguous (1) in the
 * second. */
static void load_both(const struct xray_call *p, const struct brick *b, float *boxes)
{
	float *straight = boxes + SLICE_ROOM;

	memset(boxes, 0, 2 * SLICE_ROOM * sizeof *boxes);
	load(p, b, straight);

	for (int j = 0; j < b->size[1]; j++)
		hide(p, b, j, straight + j * SLICE_PITCH + SLICE_GUARD);

	turn(boxes, straight, b->size[0], b->size[1]);
}

/* ---- rays ---- */

/** Which ray meets voxel x of plane n: column `first`, and from there upwards (sign 1) or downwards (-1). */
static void find_columns(struct slice_rays *r, const struct xray *x, const struct brick *b,
        const struct brick_bounds *bounds, const struct xray_view *w, int m, long first, int sign)
{
	const double fx = bounds->from[0], fz = bounds->from[2], middle = (double)(x->g->cols - 1) / 2.;
	const int axis[3] = {-1, 1 - m, m}; // of 1, x and n
	double corner[2], *num = r->num, *den = r->den;

	for (int i = 0; i < 2; i++)
		corner[i] = (double)b->first[i] - w->d[i];

	for (int i = 0; i < 3; i++) {
		double u, n; // along the detector and its normal

		if (i == 0) {
			u = w->dual[0][0] * corner[0] + w->dual[0][1] * corner[1];
			n = w->dual[2][0] * corner[0] + w->dual[2][1] * corner[1];
		} else {
			u = w->dual[0][axis[i]];
			n = w->dual[2][axis[i]];
		}

		den[i] = bounds->parallel ? (i == 0) : (i == 0) * fz - n;
		num[i] = bounds->parallel ? u - n * fx / fz : fz * u - fx * n;
		num[i] = sign * (num[i] + (middle - (double)first) * den[i]);
	}
}

/** Position of a column's ray in the middle plane. */
static double middle_of(const struct slice_rays *r, double x)
{
	const double at = (r->planes - 1) / 2. - r->s[0];

	return r->parallel ? r->s[1] + x * r->u[1] + (at - x * r->u[0]) * r->d[1] / r->d[0]
	                   : r->s[1] + at * (r->d[1] + x * r->u[1]) / (r->d[0] + x * r->u[0]);
}

/** Columns [from, to) of dominant axis m. */
static void find_rays(struct slice_rays *r, const struct xray *x, const struct brick *b,
        const struct brick_bounds *bounds, const struct xray_view *w, int m, long from, long to)
{
	const double low = (double)from - (double)(x->g->cols - 1) / 2., high = low + (double)(to - 1 - from);

	r->siddon = (x->model == XRAY_SIDDON);
	r->parallel = x->g->parallel;
	r->n = (int)(to - from);
	r->planes = b->size[m];
	r->voxels = b->size[1 - m];

	for (int k = 0; k < 2; k++) {
		const int i = k ? 1 - m : m;

		r->s[k] = (r->parallel ? w->d[i] : w->s[i]) - (double)b->first[i];
		r->d[k] = r->parallel ? w->s[i] : w->d[i] - w->s[i];
		r->u[k] = w->u[i];
		r->spacing[k] = x->grid.spacing[i];
	}

	r->sign = (middle_of(r, low) <= middle_of(r, high)) ? 1. : -1.;
	r->x = (r->sign > 0.) ? low : high;
	find_columns(r, x, b, bounds, w, m, (r->sign > 0.) ? from : to - 1, (int)r->sign);
	slice_kernels()->aim(r);
}

/** The two copies of a brick, by dominant axis; of A' one is up to date. */
struct copies {
	float *box[2];
	int now; // that one
};

/** Rays of columns [from, to), all of one dominant axis, through a brick. */
static void follow(const struct xray_call *p, const struct brick *b, const struct brick_bounds *bounds,
        long view, int m, long from, long to, float *box, bool forward)
{
	const struct xray *x = p->x;
	struct slice_rays r;

	find_rays(&r, x, b, bounds, x->view + view, m, from, to);

	float *pixel = (float *)xray_call_view(p, view) + ((r.sign > 0.) ? from : to - 1) * p->apart,
	      *y = r.y + SLICE_PAD;
	const long next = (r.sign > 0.) ? p->apart : -p->apart;

	if (forward) {
		slice_kernels()->forward(&r, box);

		for (int l = 0; l < r.n; l++)
			pixel[l * next] += y[l] * r.length[l];

		return;
	}

	memset(r.y, 0, SLICE_PAD * sizeof *r.y);
	memset(y + r.n, 0, SLICE_PAD * sizeof *y);

	for (int l = 0; l < r.n; l++)
		y[l] = pixel[l * next] * r.length[l];

	slice_kernels()->adjoint(&r, box);
}

/** Columns [lo, hi) of a view that meet the brick, in runs of the same dominant axis. */
static void sweep(const struct xray_call *p, const struct brick *b, struct copies *c, long view, long lo,
        long hi, bool forward)
{
	const struct xray *x = p->x;
	const struct xray_view *w = x->view + view;
	struct brick_bounds bounds;
	long first, end;

	brick_bounds_find(&bounds, x, b, view);
	brick_bounds_columns(&bounds, x, view, &first, &end);
	first = max_long(first, lo);
	end = min_long(end, hi);

	for (long a = first, to; a < end; a = to) {
		const int m = axis_of(x, w, a);

		for (to = a + 1; to < end && to - a < SLICE_RAYS && axis_of(x, w, to) == m; to++)
			;

		if (!forward && c->now != m) {
			turn(c->box[m], c->box[1 - m], b->size[m], b->size[1 - m]);
			c->now = m;
		}

		follow(p, b, &bounds, view, m, a, to, c->box[m], forward);
	}
}

/* ---- calls ---- */

enum { VIEW_TILE = 8, TILES_PER_THREAD = 8 };

void single_slice_forward(void *plan, const struct xray_call *p)
{
	(void)plan;

	const struct xray *x = p->x;
	const struct xray_tile *w = p->tile;
	const long n = x->bricks[0], tiles = (w->views + VIEW_TILE - 1) / VIEW_TILE,
	           parts = (TILES_PER_THREAD * omp_get_max_threads() + tiles - 1) / tiles,
	           width = (x->g->cols + parts - 1) / parts, across = (x->g->cols + width - 1) / width,
	           last = w->first + w->views;
	float *boxes = mem_alloc(mul_checked(n, 2 * SLICE_ROOM * sizeof *boxes, "a row of bricks"));

	for (long row = w->row; row < w->row + w->rows; row++) {
#pragma omp parallel num_threads(xray_call_threads(p))
		{
#pragma omp for schedule(dynamic)
			for (long i = 0; i < n; i++) {
				struct brick b;

				brick_of_row(&b, x, i, row);

				if (!brick_hidden(x, &b))
					load_both(p, &b, boxes + i * 2 * SLICE_ROOM);
			}

#pragma omp for schedule(dynamic)
			for (long t = 0; t < tiles * across; t++) {
				const long view = w->first + t / across * VIEW_TILE,
				           end = min_long(view + VIEW_TILE, last), lo = t % across * width;

				for (long i = 0; i < n; i++) {
					float *box = boxes + i * 2 * SLICE_ROOM;
					struct copies c = {.box = {box, box + SLICE_ROOM}};
					struct brick b;

					brick_of_row(&b, x, i, row);

					for (long k = view; k < end && !brick_hidden(x, &b); k++)
						sweep(p, &b, &c, k, lo, lo + width, true);
				}
			}
		}
	}

	free(boxes);
}

void single_slice_adjoint(void *plan, const struct xray_call *p)
{
	(void)plan;

	const struct xray *x = p->x;
	const struct xray_tile *w = p->tile;
	const long n = x->bricks[0], first = w->row * n, total = w->rows * n;

#pragma omp parallel num_threads(xray_call_threads(p))
	{
		float *boxes = mem_alloc(2 * SLICE_ROOM * sizeof *boxes);

#pragma omp for schedule(dynamic)
		for (long i = first; i < first + total; i++) {
			struct copies c = {.box = {boxes, boxes + SLICE_ROOM}, .now = 1};
			struct brick b;

			brick_of_row(&b, x, i % n, i / n);

			if (brick_hidden(x, &b))
				continue;

			memset(boxes, 0, 2 * SLICE_ROOM * sizeof *boxes);
			load(p, &b, c.box[1]);

			for (long k = w->first; k < w->first + w->views; k++)
				sweep(p, &b, &c, k, 0, x->g->cols, false);

			if (c.now == 0)
				turn(c.box[1], c.box[0], b.size[1], b.size[0]);

			save(p, &b, c.box[1]);
		}

		free(boxes);
	}
}

double single_slice_memory(const struct xray_call *p, bool forward)
{
	const double copies = forward ? (double)p->x->bricks[0] : (double)omp_get_max_threads();

	return copies * 2. * SLICE_ROOM * sizeof(float);
}
