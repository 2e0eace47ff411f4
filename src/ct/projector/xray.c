#include "ct/projector/xray.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "ct/projector/bricks.h"
#include "ct/projector/projector.h"
#include "ct/projector/stack/stack.h"
#include "ct/projector/xray_backend.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/md/flpmath.h"

#define NAME(name, NAME) #name,
const char *const xray_model_name[XRAY_MODELS] = {XRAY_MODEL_LIST(NAME, )};

bool xray_model_averages(enum xray_model model)
{
	switch (model) {
	case XRAY_JOSEPH:
	case XRAY_SIDDON:
		return false;
	case XRAY_SF:
		return true;
	}

	return false;
}

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
	x->g->stack = g->stack;
	memcpy(x->g->view, g->view, g->views * sizeof *g->view);
	x->grid = *grid;
	x->view = mem_calloc(g->views, sizeof *x->view);

	for (long k = 0; k < g->views; k++) {
		index_view(x, k);
		column_table(x, k, &pitch);
	}

	bricks_cut(x);
	x->plane = g->stack ? stack_plane(x) : NULL;
	x->cpu = projectors_create(&projectors_cpu, x);
	return x;
}

void xray_free(struct xray *x)
{
	if (!x)
		return;

	for (long i = 0; i < x->ntables; i++)
		free(x->tables[i]);

	xray_gpu_free(x->gpu);
	xray_opencl_free(x->opencl);
	projectors_free(x->cpu);
	mem_work_free();
	xray_free(x->plane);
	free(x->tables);
	free(x->view);
	geom_free(x->g);
	free(x);
}

static const struct xray_backend *backend(
        const struct xray *x, enum dtype type, const void *vol, const void *proj)
{
	if (dtype_real(type) != DT_FLOAT32 && dtype_real(type) != DT_FLOAT64)
		error("projector data have type %s, expected float32, float64, complex64 or complex128",
		        dtype_name(type));

	const struct xray_backend *b = xray_backend_of(vol, proj);

	if (x->g->stack && b == &xray_backend_gpu)
		error("stacks of fans are computed on the CPU only (remove --gpu)");

	return x->g->stack ? &xray_backend_cpu : b;
}

void xray_forward_tile(
        const struct xray *x, enum dtype type, void *proj, const void *vol, const struct xray_tile *tile)
{
	backend(x, type, vol, proj)->forward(x, type, proj, vol, tile, true);
}

void xray_adjoint_tile(
        const struct xray *x, enum dtype type, void *vol, const void *proj, const struct xray_tile *tile)
{
	backend(x, type, vol, proj)->adjoint(x, type, vol, proj, tile);
}

long xray_rows(const struct xray *x)
{
	return x->bricks[1] * x->bricks[2];
}

static struct xray_tile all_rows(const struct xray *x, long first, long n)
{
	return (struct xray_tile){.first = first, .views = n, .row = 0, .rows = xray_rows(x)};
}

void xray_forward(const struct xray *x, enum dtype type, void *proj, const void *vol, long first, long n)
{
	const struct xray_tile tile = all_rows(x, first, n);

	backend(x, type, vol, proj)->forward(x, type, proj, vol, &tile, false);
}

void xray_adjoint(const struct xray *x, enum dtype type, void *vol, const void *proj, long first, long n)
{
	const struct xray_tile tile = all_rows(x, first, n);

	backend(x, type, vol, proj)->adjoint(x, type, vol, proj, &tile);
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

/** What paths take beside bricks, at most [bytes]. */
static long paths_memory(const struct xray *x, enum dtype type)
{
	const struct xray_call part = {.x = x, .type = type, .size = dtype_size(dtype_real(type))};
	double most = 0.;

	for (int r = 0; r < projectors_cpu.rows; r++) {
		const struct projector *row = projectors_cpu.row + r;

		for (int forward = 0; forward < 2; forward++)
			if (row->memory && projectors_use(x->cpu, type, forward, row))
				most = fmax(most, row->memory(projectors_plan(x->cpu, row), &part, forward));
	}

	return (long)most;
}

long xray_memory(const struct xray *x, enum dtype type)
{
	const long row = x->bricks[0], threads = omp_get_max_threads();

	return paths_memory(x, type) + mul_checked(row > threads ? row : threads,
	                                       x->room * dtype_size(dtype_real(type)), "a row of bricks");
}

char *xray_paths(const struct xray *x, enum dtype type, bool forward)
{
	return projectors_names(x->cpu, type, forward);
}

enum dtype xray_choose_type(int asked, const struct cfl *data)
{
	const enum dtype own = dtype_compute(data->hdr.type);

	if (asked < 0)
		return own;

	if (dtype_compute((enum dtype)asked) != (enum dtype)asked)
		usage_error(
		        "--type %s: projections are computed in float32, float64, complex64 or complex128",
		        dtype_name((enum dtype)asked));

	if (dtype_is_complex(own) && !dtype_is_complex((enum dtype)asked))
		usage_error("--type %s cannot hold %s, which is %s (use complex64 or complex128)",
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
