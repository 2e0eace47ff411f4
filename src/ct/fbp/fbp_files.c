/* Filtered back projection from file to file: views in batches, volumes in slabs. */

#include <stdlib.h>
#include <unistd.h>

#include "ct/fbp/fbp_files.h"

#include "ct/projector/xray.h"
#include "ct/stream/view_batches.h"
#include "misc/file.h"
#include "misc/file/mapping.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/options/plan_ranks.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "num/device/device.h"
#include "num/fft/fft.h"

/** What a command does for every channel and time. */
struct job {
	struct fbp *f;
	const struct geom *g;
	const struct grid *grid;
	struct cfl *proj, *out;
	struct view_choice *chosen;
	enum dtype type;
	long slices;  // in memory at a time; 0: all of them
	long unit[2]; // the part of this rank: boxes of FBP_SLICES x FBP_LINES, along y first
	long rows[2]; // of filtered views that it takes from
};

/** Boxes of a layer of FBP_SLICES. */
static long units_of_layer(const struct grid *grid)
{
	return (grid->size[1] + FBP_LINES - 1) / FBP_LINES;
}

/** From the first unit on: so many whole layers at most, or a part of one; empty behind the last unit. */
static struct fbp_box box_from(const struct job *j, long unit, long layers)
{
	const long *size = j->grid->size, per = units_of_layer(j->grid), at = unit % per,
	           left = j->unit[1] - unit, layer = unit / per;

	if (at > 0 || left < per) // of one layer
		return (struct fbp_box){{layer * FBP_SLICES, min_long((layer + 1) * FBP_SLICES, size[2])},
		        {at * FBP_LINES, min_long(min_long(at + left, per) * FBP_LINES, size[1])}};

	layers = min_long(layers, left / per);
	return (struct fbp_box){
	        {layer * FBP_SLICES, min_long((layer + layers) * FBP_SLICES, size[2])}, {0, size[1]}};
}

/** Units of a box. */
static long units_of(const struct fbp_box *b)
{
	return (b->z[1] - b->z[0] + FBP_SLICES - 1) / FBP_SLICES *
	       ((b->y[1] - b->y[0] + FBP_LINES - 1) / FBP_LINES);
}

/** Calls fn for the runs of voxels of a box. */
static void box_runs(const struct job *j, const struct fbp_box *b,
        void (*fn)(struct cfl *f, long first, long n), long first)
{
	const long nx = j->grid->size[0], ny = j->grid->size[1];

	if (b->y[1] - b->y[0] == ny) {
		fn(j->out, first + b->z[0] * ny * nx, (b->z[1] - b->z[0]) * ny * nx);
		return;
	}

	for (long z = b->z[0]; z < b->z[1]; z++)
		fn(j->out, first + (z * ny + b->y[0]) * nx, (b->y[1] - b->y[0]) * nx);
}

/** The part of this rank, and the rows that it needs. */
static void take_part(struct job *j)
{
	const long *size = j->grid->size, layers = (size[2] + FBP_SLICES - 1) / FBP_SLICES;

	ranks_part(layers * units_of_layer(j->grid), 1, &j->unit[0], &j->unit[1]);
	j->rows[0] = 0;
	j->rows[1] = j->g->rows;

	if (!ranks_shared())
		return;

	long lo = j->g->rows, hi = 0;

	for (long u = j->unit[0]; u < j->unit[1];) {
		const struct fbp_box box = box_from(j, u, layers);
		long rows[2];

		fbp_rows(j->f, j->grid, &box, 0, j->g->views, rows);
		lo = min_long(lo, rows[0]);
		hi = max_long(hi, rows[1]);
		u += units_of(&box);
	}

	j->rows[0] = min_long(lo, hi);
	j->rows[1] = hi;
}

/** Bytes of a filtered view, one part. */
static long filtered(const struct job *j)
{
	return j->g->rows * fbp_cols(j->f) * (long)dtype_size(dtype_real(j->type));
}

/** Whether views are filtered on the GPU; without Fourier transforms there they come to it filtered. */
static bool filters_there(void)
{
	return device_used() >= 0 && fft_on_device();
}

static void *room(bool there, size_t bytes)
{
	return there ? device_alloc(bytes) : mem_calloc(bytes, 1); // rows of other ranks are not filtered
}

/** A batch of filtered views into this rank's part of vol. */
static void backproject_part(const struct job *j, char *vol, long step, const void *q, long first, long n)
{
	const enum dtype real = dtype_real(j->type);

	if (!ranks_shared()) {
		fbp_backproject(j->f, j->grid, real, vol, step, q, first, n);
		return;
	}

	for (long u = j->unit[0]; u < j->unit[1];) {
		const struct fbp_box box = box_from(j, u, j->grid->size[2]);

		fbp_backproject_box(j->f, j->grid, real, vol, step, q, first, n, &box);
		u += units_of(&box);
	}
}

/** Where filtered views go to. */
struct filtering {
	struct job *j;
	void *buffer; // for a batch, one part; NULL: straight into `all`
	char *all; // of a channel and time, one part after the other for each batch; NULL: straight into vol
	char *vol;
};

static void filter_batch(void *ctx, const struct view_batch *b)
{
	const struct filtering *w = ctx;
	const struct job *j = w->j;
	const enum dtype real = dtype_real(j->type);
	const long parts = dtype_is_complex(j->type) ? 2 : 1, bytes = filtered(j), k = b->first % j->g->views;

	for (long p = 0; p < parts; p++) {
		char *to = w->all ? w->all + (k * parts + p * b->n) * bytes : NULL;
		void *q = w->buffer ? w->buffer : to;

		fbp_filter_rows(j->f, real, q, b->in[p], k, b->n, j->rows);

		if (to && q != to)
			device_copy(to, q, (size_t)(b->n * bytes));
		else if (!to)
			backproject_part(j, w->vol + p * (long)dtype_size(real), parts, q, k, b->n);
	}
}

/** All views of channel and time c, filtered batch by batch as they arrive: into `all` or vol. */
static void filter_views(struct job *j, long c, char *all, char *vol)
{
	const enum dtype real = dtype_real(j->type);
	const long per = fbp_batch(j->f, real);
	const bool there = filters_there();
	void *buffer = (all && !there) ? NULL : room(there, (size_t)(per * filtered(j)));

	view_batches_run(&(const struct view_batches){.in = j->proj,
	        .choice = j->chosen,
	        .first = c * j->g->views,
	        .count = j->g->views,
	        .per = per,
	        .type = real,
	        .fn = filter_batch,
	        .load = there,
	        .ctx = &(struct filtering){j, buffer, all, vol}});
	there ? device_free(buffer) : free(buffer);
}

/** Room for so many slices that are computed on the GPU, 0; NULL where they are not. */
static char *device_room(const struct job *j, long slices)
{
	const size_t bytes = (size_t)(j->grid->size[0] * j->grid->size[1] * slices) * dtype_size(j->type);

	if (device_used() < 0)
		return NULL;

	char *p = device_alloc(bytes);

	device_fill(p, 0, bytes);
	return p;
}

/** Those voxels to where they belong. */
static void fetch(char *vol, char *there, size_t bytes)
{
	if (!there)
		return;

	device_copy(vol, there, bytes);
	device_free(there);
}

/** The batches of filtered views into a box of the volume. */
static void batches_into(const struct job *j, const char *all, char *vol, const struct fbp_box *box)
{
	const enum dtype real = dtype_real(j->type);
	const int parts = dtype_is_complex(j->type) ? 2 : 1;
	const long per = fbp_batch(j->f, real), bytes = filtered(j);

	for (long k = 0, n; k < j->g->views; k += n) {
		n = (j->g->views - k < per) ? j->g->views - k : per;

		for (int p = 0; p < parts; p++) {
			char *to = vol + p * (long)dtype_size(real);
			const char *q = all + (k * parts + p * n) * bytes;

			if (ranks_shared())
				fbp_backproject_box(j->f, j->grid, real, to, parts, q, k, n, box);
			else
				fbp_backproject_slices(j->f, j->grid, real, to, parts, q, k, n, box->z);
		}
	}
}

static void expect_finite(const struct job *j, const char *vol, const struct fbp_box *b)
{
	const long nx = j->grid->size[0], ny = j->grid->size[1], lines = b->y[1] - b->y[0],
	           slices = (lines == ny) ? b->z[1] - b->z[0] : 1; // in one piece

	for (long z = b->z[0]; z < b->z[1]; z += slices)
		xray_expect_finite(j->type, slices * lines * nx,
		        vol + (size_t)((z * ny + b->y[0]) * nx) * dtype_size(j->type), j->proj->name,
		        "attenuations");
}

/** The batches of filtered views into one slab of the volume after the other, each of which is in memory
 * once; `first`: voxel of the file that vol begins with. */
static void slab_by_slab(const struct job *j, const char *all, char *vol, long first)
{
	const long slice = j->grid->size[0] * j->grid->size[1];
	struct fbp_box last = {{0, 0}, {0, j->grid->size[1]}};

	for (long u = j->unit[0]; u < j->unit[1];) {
		const struct fbp_box box = box_from(j, u, j->slices / FBP_SLICES);
		const long slices = box.z[1] - box.z[0],
		           before = box.z[0] * slice * (long)dtype_size(j->type);
		char *there = device_room(j, slices), *to = there ? there - before : vol;

		batches_into(j, all, to, &box);
		fetch(vol + before, there, (size_t)(slices * slice) * dtype_size(j->type));
		expect_finite(j, vol, &box);
		box_runs(j, &box, cfl_write_out, first);
		box_runs(j, &last, cfl_release, first);
		last = box;
		u += units_of(&box);
	}
}

/** Where this rank computes neighbouring slices, they are those of the file. */
static void begin_part(const struct job *j, long first)
{
	const long per = units_of_layer(j->grid), *size = j->grid->size, slice = size[0] * size[1],
	           z[2] = {j->unit[0] / per * FBP_SLICES, min_long(j->unit[1] / per * FBP_SLICES, size[2])};

	if (0 == j->unit[0] % per && 0 == j->unit[1] % per && z[0] < z[1])
		cfl_write_through(j->out, first + z[0] * slice, (z[1] - z[0]) * slice);
}

/** What this rank has computed of vol, which begins with voxel `first` of the file. */
static void finish_part(const struct job *j, const char *vol, long first)
{
	for (long u = j->unit[0]; u < j->unit[1];) {
		const struct fbp_box box = box_from(j, u, j->grid->size[2]);

		expect_finite(j, vol, &box);
		box_runs(j, &box, cfl_write_own, first);
		u += units_of(&box);
	}
}

/** Channel and time c into vol. */
static void reconstruct(struct job *j, long c, char *vol, long voxels)
{
	const size_t bytes = (size_t)(j->g->views * filtered(j)) * (dtype_is_complex(j->type) ? 2 : 1);

	if (j->slices == 0) {
		const size_t room = (size_t)voxels * dtype_size(j->type);
		char *there = device_room(j, j->grid->size[2]);

		begin_part(j, c * voxels);
		filter_views(j, c, NULL, there ? there : vol);
		fetch(vol, there, room);
		finish_part(j, vol, c * voxels);
		return;
	}

	const int fd = file_spool((long)bytes);
	char *all = mapping_create(fd, bytes, true, "temporary file");

	close(fd);
	filter_views(j, c, all, NULL);
	slab_by_slab(j, all, vol, c * voxels);
	mapping_free(all);
}

/** Slices in memory at a time: a third of what a run may use, in whole blocks, and what the GPU holds; 0
 * where the volume fits. */
static long choose_slices(const struct fbp *f, const struct grid *grid, enum dtype type)
{
	const double slice = (double)grid->size[0] * grid->size[1] * dtype_size(type),
	             room = (double)tool_memory();
	long n = (slice * grid->size[2] <= room) ? grid->size[2] : (long)(room / 3. / slice);

	while (device_used() >= 0 && n > FBP_SLICES &&
	        fbp_device_memory(f, grid, type, n) > 0.9 * (double)device_left())
		n = n / 2;

	if (n == grid->size[2])
		return 0;

	return (n > FBP_SLICES) ? n / FBP_SLICES * FBP_SLICES : FBP_SLICES;
}

void fbp_files_filtered(const struct fbp_files *s, struct fbp *f)
{
	const struct grid *grid = s->grid;

	plan_ranks_parts((grid->size[2] + FBP_SLICES - 1) / FBP_SLICES * units_of_layer(grid));

	struct cfl *y = cfl_create(s->out, s->h);
	struct job job = {.f = f,
	        .g = s->g,
	        .grid = grid,
	        .proj = s->proj,
	        .out = y,
	        .chosen = s->chosen,
	        .type = s->h->type,
	        .slices = choose_slices(f, grid, s->h->type)};

	take_part(&job);
	cfl_in_parts(y);

	const long voxels = grid->size[0] * grid->size[1] * grid->size[2],
	           volumes = s->proj->count / (s->g->cols * s->g->rows * s->chosen->views);
	char *vol = cfl_map_out(y);

	progress_start("fbp", volumes * s->g->views);

	for (long c = 0; c < volumes; c++)
		reconstruct(&job, c, vol + c * voxels * (long)dtype_size(job.type), voxels);

	progress_end();
	cfl_close(s->proj);
	cfl_close(y);
}
