/** Filtered views into a volume on the GPU, for arrays on the host or the device. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/cuda/spread.h"
#include "ct/fbp/cuda/weigh.h"
#include "ct/fbp/fbp_internal.h"
#include "misc/mem.h"
#include "num/device/device.h"

struct fbp_gpu {
	struct grid grid; // that it is made for
	struct spread *any;
	struct gpu_fdk *untilted;
	bool *fits; // the untilted kernels take this view [views]
};

void fbp_gpu_free(struct fbp_gpu *p)
{
	if (!p)
		return;

	spread_free(p->any);
	gpu_fdk_free(p->untilted);
	free(p->fits);
	free(p);
}

static struct fbp_gpu *plan_of(const struct fbp *f, const struct grid *grid)
{
	if (f->gpu && 0 == memcmp(&f->gpu->grid, grid, sizeof *grid))
		return f->gpu;

	struct fbp_gpu *p = NEW(struct fbp_gpu);
	struct spread_setup s = {.view = f->view, .views = f->g->views, .cols = f->cols, .rows = f->g->rows};

	for (int i = 0; i < 3; i++) {
		s.size[i] = grid->size[i];
		s.spacing[i] = grid->spacing[i];
		s.origin[i] = grid->origin[i];
	}

	p->grid = *grid;
	p->any = spread_create(&s);
	p->untilted = gpu_fdk_create(f, grid);
	p->fits = mem_calloc(f->g->views, sizeof *p->fits);

	for (long k = 0; k < f->g->views; k++)
		p->fits[k] = gpu_fdk_fits(p->untilted, k);

	fbp_gpu_free(f->gpu);
	((struct fbp *)f)->gpu = p; // kept with what it is made from
	return p;
}

/** A copy on the device of what lies on the host; what lies there itself. */
static void *bring(const void *p, size_t bytes)
{
	if (device_holds(p))
		return (void *)p;

	void *there = device_alloc(bytes);

	device_copy(there, p, bytes);
	return there;
}

void fbp_gpu_weigh(const struct fbp *f, enum dtype type, void *q, const void *p, long first, long n)
{
	const long cols = f->cols;
	const size_t columns = (size_t)(cols * n) * sizeof(struct fbp_column),
	             views = (size_t)n * sizeof(struct fbp_rays);
	struct fbp_column *column = mem_alloc(columns);
	struct fbp_rays *rays = mem_alloc(views);

#pragma omp parallel for schedule(static)
	for (long k = 0; k < n; k++)
		fbp_weights(f, first + k, column + k * cols, rays + k);

	struct weigh w = {.column = bring(column, columns),
	        .rays = bring(rays, views),
	        .cols = f->g->cols,
	        .rows = f->g->rows,
	        .views = n,
	        .wide = cols,
	        .left = f->left,
	        .parallel = f->g->parallel};

	weigh_views(&w, DT_FLOAT64 == type, q, p);
	device_free((void *)w.column);
	device_free((void *)w.rays);
	free(column);
	free(rays);
}

/** Both on the device. */
static void backproject(const struct fbp *f, const struct fbp_gpu *p, enum dtype type, void *vol, long step,
        const char *q, struct gpu_tile tile)
{
	const bool wide = (DT_FLOAT64 == type);
	const size_t view = (size_t)(f->cols * f->g->rows) * dtype_size(type);
	const long first = tile.view, end = tile.view + tile.views;

	for (long k = first, to; k < end; k = to) {
		for (to = k + 1; to < end && p->fits[to] == p->fits[k];)
			to++;

		const char *from = q + (size_t)(k - first) * view;

		tile.view = k;
		tile.views = to - k;

		if (p->fits[k] && !wide && 1 == step)
			gpu_fdk_backproject(p->untilted, vol, (const float *)from, &tile);
		else
			spread_add(p->any, wide, step, vol, from, &tile);
	}
}

void fbp_gpu_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, long step,
        const void *q, long first, long n, const long slices[2])
{
	const struct gpu_tile tile = {.view = first,
	        .views = n,
	        .rows = f->g->rows,
	        .slice = slices[0],
	        .slices = slices[1] - slices[0],
	        .add = true};
	const size_t views = (size_t)(f->cols * f->g->rows * n) * dtype_size(type),
	             voxels = (size_t)(grid->size[0] * grid->size[1] * tile.slices * step - (step - 1)) *
	                      dtype_size(type);

#pragma omp critical(fbp_gpu) // threads that try one axis of rotation each take turns
	{
		void *dq = bring(q, views), *dvol = bring(vol, voxels);

		backproject(f, plan_of(f, grid), type, dvol, step, dq, tile);

		if (dvol != vol) {
			device_copy(vol, dvol, voxels);
			device_free(dvol);
		}

		if (dq != q)
			device_free(dq);
	}
}

double fbp_device_memory(const struct fbp *f, const struct grid *grid, enum dtype type, long slices)
{
	const long n = fbp_batch(f, dtype_real(type)), rows = f->g->rows;
	const struct gpu_tile tile = {.views = n, .rows = rows, .slices = slices};
	const double size = (double)dtype_size(type), pixels = (double)f->cols * rows * n;

	// views as they come and filtered, and what filters them: at most four padded copies of some lines
	return size * grid->size[0] * grid->size[1] * slices + 3. * size * pixels +
	       4. * fmin(2.5 * size * pixels, RAMP_BLOCK) + gpu_fdk_memory(plan_of(f, grid)->untilted, &tile);
}
