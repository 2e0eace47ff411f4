#include "ct/projector/xray.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "ct/projector/bricks.h"
#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/footprints.h"
#include "ct/projector/cpu/slice_parallel.h"
#include "ct/projector/mask.h"
#include "ct/projector/xray_backend.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/md/flpmath.h"

enum { VIEW_TILE = 8, TILES_PER_THREAD = 8 };

/** Rows that give the coordinates along u, v, n of a vector: the inverse of the matrix with these columns. */
static void dual_basis(double dual[3][3], const double u[3], const double v[3], const double n[3])
{
	cross3(dual[0], v, n);
	cross3(dual[1], n, u);
	cross3(dual[2], u, v);

	double det = dot3(u, dual[0]);

	for (int i = 0; i < 9; i++)
		dual[i / 3][i % 3] /= det;
}

/** Column positions along u [columns] and along the normal [mm]; tables are shared by views of the same
 * pitch. */
static void column_table(struct xray *x, long view, double *last_pitch)
{
	const struct geom *g = x->g;
	const double *u = g->view[view].u;
	double pitch = norm3(u);

	if (view == 0 || (g->radius > 0. && fabs(pitch - *last_pitch) > 1e-13 * pitch)) {
		double *t = mem_alloc(mul_checked(2 * sizeof(double), g->cols, "the detector's columns"));

		for (long a = 0; a < g->cols; a++) {
			double c = a - (g->cols - 1) / 2.,
			       turn = (g->radius > 0.) ? c * pitch / g->radius : 0., half = sin(turn / 2.);

			t[a] = (g->radius > 0.) ? g->radius * sin(turn) / pitch : c;
			t[g->cols + a] = (g->radius > 0.) ? 2. * g->radius * half * half : 0.;
		}

		x->tables = mem_realloc(x->tables, (x->ntables + 1) * sizeof(double *));
		x->tables[x->ntables++] = t;
		*last_pitch = pitch;
	}

	x->view[view].x = x->tables[x->ntables - 1];
	x->view[view].z = x->tables[x->ntables - 1] + g->cols;
}

/** What products of rotations leave of a component that is 0 counts as 0, so that detectors parallel to z but
 * for rounding are so: it moves no ray by as much as 1e-9 voxels. */
static void drop_rounding(double d[3])
{
	const double rounding = 1e-14 * norm3(d);

	for (int i = 0; i < 3; i++)
		d[i] = (fabs(d[i]) < rounding) ? 0. : d[i];
}

static void index_view(struct xray *x, long view)
{
	struct geom_view *g = x->g->view + view;
	struct xray_view *w = x->view + view;
	double n[3];

	drop_rounding(g->u);
	drop_rounding(g->v);

	if (x->g->parallel)
		drop_rounding(g->s);

	geom_normal(x->g, view, n);

	for (int i = 0; i < 3; i++) {
		double inv = 1. / x->grid.spacing[i];

		w->s[i] = (g->s[i] - (x->g->parallel ? 0. : x->grid.origin[i])) * inv;
		w->d[i] = (g->d[i] - x->grid.origin[i]) * inv;
		w->u[i] = g->u[i] * inv;
		w->v[i] = g->v[i] * inv;
		w->n[i] = n[i] * inv;
	}

	dual_basis(w->dual, w->u, w->v, w->n);
	w->untilted = (g->v[0] == 0. && g->v[1] == 0.);
}

struct xray *xray_create(const struct geom *g, const struct grid *grid, enum xray_model model)
{
	struct xray *x = NEW(struct xray);
	double pitch = 0.;

	x->model = model;
	x->g = geom_create(g->views, g->cols, g->rows, g->parallel);
	x->g->radius = g->radius;
	memcpy(x->g->view, g->view, g->views * sizeof *g->view);
	x->grid = *grid;
	x->view = mem_calloc(g->views, sizeof *x->view);

	for (long k = 0; k < g->views; k++) {
		index_view(x, k);
		column_table(x, k, &pitch);
	}

	bricks_cut(x);
	x->slice_parallel = slice_parallel_create(x);
	return x;
}

void xray_free(struct xray *x)
{
	if (!x)
		return;

	for (long i = 0; i < x->ntables; i++)
		free(x->tables[i]);

	xray_gpu_free(x->gpu);
	slice_parallel_free(x->slice_parallel);
	free(x->tables);
	free(x->view);
	geom_free(x->g);
	free(x);
}

char *xray_part_view(const struct xray_part *p, long view)
{
	const long i = view - p->piece->first, at = p->piece->at ? p->piece->at[i] : i;

	return p->proj + (size_t)at * p->x->g->cols * p->x->g->rows * p->apart * p->size;
}

/* Rows of bricks are numbered along y, then z. */
void brick_of_row(struct brick *b, const struct xray *x, long i, long row)
{
	brick_at(b, x, i, row % x->bricks[1], row / x->bricks[1]);
}

bool brick_hidden(const struct xray *x, const struct brick *b)
{
	return x->mask && mask_hides(x->mask, b);
}

void brick_load(const struct xray_part *p, const struct brick *b, char *buffer)
{
	p->k->load(p->x, b, buffer, p->vol, p->step);

	if (p->x->mask)
		mask_brick(p->x->mask, p->x, b, p->size, buffer);
}

/** A tile of views and columns through a row of bricks, in their order. */
static void forward_tile(const struct xray_part *p, const char *bricks, long row, long view, long views,
        long column, long columns)
{
	const struct xray *x = p->x;
	long view_end = min_long(view + views, p->piece->first + p->piece->views),
	     column_end = min_long(column + columns, x->g->cols);

	for (long i = 0; i < x->bricks[0]; i++) {
		struct brick b;

		brick_of_row(&b, x, i, row);

		if (brick_hidden(x, &b))
			continue;

		for (long k = view; k < view_end; k++)
			p->k->forward(x, &b, xray_part_view(p, k), bricks + i * x->room * p->size, k, column,
			        column_end, p->step);
	}
}

int xray_part_threads(const struct xray_part *p)
{
	const long *n = p->x->grid.size;

	return threads_for((double)n[0] * n[1] * n[2] * p->piece->views / 16.);
}

/** Views of a tile: as many as one visit of a brick serves. Footprints before arbitrarily oriented detectors
 * do so much with a voxel that a visit counts for little, while lines of voxels before two tiles of columns
 * are looked at twice: rather tiles of few views. */
static long tile_views(const struct xray_part *p)
{
	const struct xray_piece *w = p->piece;
	const long most = w->views / (TILES_PER_THREAD * omp_get_max_threads());

	if (p->x->model != XRAY_SF || p->x->view[w->first].untilted || most >= VIEW_TILE)
		return VIEW_TILE;

	return (most > 1) ? most : 1;
}

/** Columns of a tile: few tiles of views are cut into several of columns, so that every thread has work.
 * Whole groups of columns: those of a curved detector share a range of rows, on which the last bit may
 * depend. */
static long tile_columns(const struct xray *x, long rows)
{
	const long across = (TILES_PER_THREAD * omp_get_max_threads() + rows - 1) / rows;
	const long columns = (x->g->cols + across - 1) / across;

	return (columns + COLUMNS - 1) / COLUMNS * COLUMNS;
}

static void forward_part(const struct xray_part *p)
{
	const struct xray *x = p->x;
	const struct xray_piece *w = p->piece;
	const long views = tile_views(p), tiles = (w->views + views - 1) / views,
	           width = tile_columns(x, tiles);
	const long across = (x->g->cols + width - 1) / width;
	char *bricks = mem_alloc(mul_checked(x->bricks[0], x->room * p->size, "a row of bricks"));

	for (long row = w->row; row < w->row + w->rows; row++) {
#pragma omp parallel num_threads(xray_part_threads(p))
		{
#pragma omp for schedule(dynamic)
			for (long i = 0; i < x->bricks[0]; i++) {
				struct brick b;

				brick_of_row(&b, x, i, row);

				if (!brick_hidden(x, &b))
					brick_load(p, &b, bricks + i * x->room * p->size);
			}

#pragma omp for schedule(dynamic)
			for (long i = 0; i < tiles * across; i++)
				forward_tile(p, bricks, row, w->first + i / across * views, views,
				        i % across * width, width);
		}
	}

	free(bricks);
}

static void adjoint_brick(const struct xray_part *p, const struct brick *b, char *buffer)
{
	const struct xray *x = p->x;
	const struct xray_piece *w = p->piece;

	p->k->load(x, b, buffer, p->vol, p->step);

	for (long k = w->first; k < w->first + w->views; k++)
		p->k->adjoint(x, b, buffer, xray_part_view(p, k), k, 0, x->g->cols, p->step);

	if (x->mask)
		mask_brick(x->mask, x, b, p->size, buffer);

	p->k->save(x, b, p->vol, buffer, p->step);
}

static void adjoint_part(const struct xray_part *p)
{
	const struct xray *x = p->x;
	const long n = x->bricks[0], first = p->piece->row * n, total = p->piece->rows * n;

#pragma omp parallel num_threads(xray_part_threads(p))
	{
		char *buffer = mem_alloc(x->room * p->size);

#pragma omp for schedule(dynamic)
		for (long i = first; i < first + total; i++) {
			struct brick b;

			brick_of_row(&b, x, i % n, i / n);

			if (!brick_hidden(x, &b))
				adjoint_brick(p, &b, buffer);
		}

		free(buffer);
	}
}

static const struct xray_kernels *kernels(const struct xray *x, enum dtype real)
{
	if (x->model == XRAY_SF)
		return (real == DT_FLOAT64) ? footprint_kernels_double() : footprint_kernels_float();

	return (real == DT_FLOAT64) ? xray_kernels_double() : xray_kernels_float();
}

/** The transform in one direction: of views that are all level, and of any. */
struct way {
	void (*slice_parallel)(const struct slice_parallel *l, const struct xray_part *p);
	void (*any)(const struct xray_part *p);
};

static void run(const struct xray *x, enum dtype type, void *vol, void *proj, const struct xray_piece *piece,
        const struct way *way)
{
	const enum dtype real = dtype_real(type);
	const int step = dtype_is_complex(type) ? 2 : 1;

	for (int i = 0; i < step; i++) {
		const size_t size = dtype_size(real);
		const struct xray_part part = {.x = x,
		        .k = kernels(x, real),
		        .size = size,
		        .step = step,
		        .apart = step,
		        .vol = (char *)vol + i * size,
		        .proj = (char *)proj + i * size,
		        .piece = piece};

		if (x->slice_parallel && real == DT_FLOAT32)
			way->slice_parallel(x->slice_parallel, &part);
		else
			way->any(&part);
	}
}

static void cpu_forward(const struct xray *x, enum dtype type, void *proj, const void *vol,
        const struct xray_piece *piece, bool add)
{
	static const struct way forward = {slice_parallel_forward, forward_part};
	struct xray_piece part = *piece;

	if (!add)
		memset(proj, 0, (size_t)piece->views * x->g->cols * x->g->rows * dtype_size(type));

	part.blank = piece->blank || !add;
	run(x, type, (void *)vol, proj, &part, &forward);
}

static void cpu_adjoint(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_piece *piece)
{
	static const struct way adjoint = {slice_parallel_adjoint, adjoint_part};

	run(x, type, vol, (void *)proj, piece, &adjoint);
}

const struct xray_backend xray_backend_cpu = {.name = "cpu", .forward = cpu_forward, .adjoint = cpu_adjoint};

static const struct xray_backend *backend(enum dtype type, const void *vol, const void *proj)
{
	if (dtype_real(type) != DT_FLOAT32 && dtype_real(type) != DT_FLOAT64)
		error("projector data of type %s, expected float32, float64, complex64 or complex128",
		        dtype_name(type));

	return xray_backend_of(vol, proj);
}

void xray_forward_piece(
        const struct xray *x, enum dtype type, void *proj, const void *vol, const struct xray_piece *piece)
{
	backend(type, vol, proj)->forward(x, type, proj, vol, piece, true);
}

void xray_adjoint_piece(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_piece *piece)
{
	backend(type, vol, proj)->adjoint(x, type, vol, proj, piece);
}

long xray_rows(const struct xray *x)
{
	return x->bricks[1] * x->bricks[2];
}

static struct xray_piece all_rows(const struct xray *x, long first, long n)
{
	return (struct xray_piece){.first = first, .views = n, .row = 0, .rows = xray_rows(x)};
}

void xray_forward(const struct xray *x, enum dtype type, void *proj, const void *vol, long first, long n)
{
	const struct xray_piece piece = all_rows(x, first, n);

	backend(type, vol, proj)->forward(x, type, proj, vol, &piece, false);
}

void xray_adjoint(const struct xray *x, enum dtype type, void *vol, const void *proj, long first, long n)
{
	const struct xray_piece piece = all_rows(x, first, n);

	backend(type, vol, proj)->adjoint(x, type, vol, proj, &piece);
}

void xray_set_mask(struct xray *x, const struct mask *mask)
{
	x->mask = mask;
	xray_gpu_free(x->gpu); // with the mask before
	x->gpu = NULL;
}

long xray_batch(const struct xray *x, enum dtype type)
{
	enum { LEAST = 16, MOST = 64 };
	const double view = (double)x->g->cols * x->g->rows * dtype_size(type), room = 256. * 1024. * 1024.;
	long n = (room / view < LEAST) ? LEAST : (room / view > MOST) ? MOST : (long)(room / view);

	return min_long(n, x->g->views);
}

long xray_memory(const struct xray *x, enum dtype type)
{
	const long row = x->bricks[0], threads = omp_get_max_threads();
	const long lines = (x->slice_parallel && dtype_real(type) == DT_FLOAT32)
	                           ? slice_parallel_memory(x->slice_parallel)
	                           : 0;

	return lines + mul_checked(row > threads ? row : threads, x->room * dtype_size(dtype_real(type)),
	                       "a row of bricks");
}

enum dtype xray_choose_type(int asked, const struct cfl *data)
{
	const enum dtype own = dtype_compute(data->hdr.type);

	if (asked < 0)
		return own;

	if (dtype_compute((enum dtype)asked) != (enum dtype)asked)
		usage_error("--type %s, expected float32, float64, complex64 or complex128, in which "
		            "projections are computed",
		        dtype_name((enum dtype)asked));

	if (dtype_is_complex(own) && !dtype_is_complex((enum dtype)asked))
		usage_error("--type %s: %s is %s, expected complex64 or complex128",
		        dtype_name((enum dtype)asked), data->name, dtype_name(data->hdr.type));

	return (enum dtype)asked;
}

void xray_expect_finite(enum dtype type, long n, const void *result, const char *name, const char *what)
{
	const long bad = vec_count_nonfinite(type, n, result);
	const enum dtype wide = dtype_is_complex(type) ? DT_COMPLEX128 : DT_FLOAT64;

	if (bad > 0)
		error("%s: %ld of the %s are too large for %s, expected smaller numbers%s%s", name, bad, what,
		        dtype_name(type), (type != wide) ? " or --type " : "",
		        (type != wide) ? dtype_name(wide) : "");
}
