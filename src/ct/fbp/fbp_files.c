/* Filtered back projection from file to file: views in batches, volumes in slabs. */

#include <stdlib.h>
#include <unistd.h>

#include "ct/fbp/fbp_files.h"

#include "ct/fbp/gridrec.h"
#include "ct/geometry/views.h"
#include "ct/projector/xray.h"
#include "misc/file.h"
#include "misc/file/mapping.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "num/device/device.h"
#include "num/fft/fft.h"

void fbp_views_take(struct fbp_views *o, struct cfl *x, enum dtype real, long size, long c, long k, long n,
        void *const out[2])
{
	if (!o->at) {
		views_next(x, real, size, c * o->views + k, n * size, out[0], out[1]);
		return;
	}

	for (long i = 0; i < n; i++) {
		const long place = c * o->views + o->at[k + i];
		const size_t to = (size_t)(i * size) * dtype_size(real);
		char *re = (char *)out[0] + to, *im = out[1] ? (char *)out[1] + to : NULL;

		if (!o->in_order) {
			views_at(x, real, size, place, size, re, im);
			continue;
		}

		for (; o->position < place; o->position++)
			cfl_next(x, size);

		views_next(x, real, size, place, size, re, im);
		o->position++;
	}
}

/** What a command does for every channel and time. */
struct job {
	struct fbp *f;
	const struct geom *g;
	const struct grid *grid;
	struct cfl *proj, *out;
	struct fbp_views chosen;
	enum dtype type;
	long slices; // in memory at a time; 0: all of them
	bool gridrec;
};

/** Bytes of a filtered view, one part. */
static long filtered(const struct job *j)
{
	return j->g->rows * fbp_cols(j->f) * (long)dtype_size(dtype_real(j->type));
}

/** Whether views are filtered on the GPU; without Fourier transforms there they come to it filtered. */
static bool filters_there(const struct job *j)
{
	return device_used() >= 0 && !j->gridrec && fft_on_device();
}

static void *room(bool there, size_t bytes)
{
	return there ? device_alloc(bytes) : mem_alloc(bytes);
}

static void release(bool there, void *p)
{
	if (there)
		device_free(p);
	else
		free(p);
}

/** All views of channel and time c, filtered batch by batch as they arrive: into `all`, one part after the
 * other for each batch, or, where that is NULL, straight into vol. */
static void filter_views(struct job *j, long c, char *all, char *vol)
{
	const enum dtype real = dtype_real(j->type);
	const int parts = dtype_is_complex(j->type) ? 2 : 1;
	const long size = j->g->cols * j->g->rows, per = fbp_batch(j->f, real), bytes = filtered(j);
	const bool there = filters_there(j);
	void *in[2] = {NULL, NULL}, *buffer = (all && !there) ? NULL : room(there, (size_t)(per * bytes));

	for (int p = 0; p < parts; p++)
		in[p] = room(there, (size_t)(per * size) * dtype_size(real));

	for (long k = 0, n; k < j->g->views; k += n) {
		n = (j->g->views - k < per) ? j->g->views - k : per;
		fbp_views_take(&j->chosen, j->proj, real, size, c, k, n, in);

		for (int p = 0; p < parts; p++) {
			char *to = all ? all + (k * parts + p * n) * bytes : NULL;
			void *q = buffer ? buffer : to;

			fbp_filter(j->f, real, q, in[p], k, n);

			if (to && q != to)
				device_copy(to, q, (size_t)(n * bytes));
			else if (!to)
				fbp_backproject(j->f, j->grid, real, vol + p * (long)dtype_size(real), parts,
				        q, k, n);
		}

		progress_update(c * j->g->views + k + n);
	}

	for (int p = 0; p < parts; p++)
		release(there, in[p]);

	release(there, buffer);
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

/** The batches of filtered views into one slab of the volume after the other, each of which is in memory
 * once; `first`: voxel of the file that vol begins with. */
static void slab_by_slab(const struct job *j, const char *all, char *vol, long first)
{
	const enum dtype real = dtype_real(j->type);
	const int parts = dtype_is_complex(j->type) ? 2 : 1;
	const long per = fbp_batch(j->f, real), bytes = filtered(j), nz = j->grid->size[2],
	           slice = j->grid->size[0] * j->grid->size[1];
	long last[2] = {0, 0};

	for (long z = 0; z < nz; z += j->slices) {
		const long slices[2] = {z, (nz - z < j->slices) ? nz : z + j->slices},
		           voxels = (slices[1] - z) * slice;

		const long before = z * slice * (long)dtype_size(j->type);
		const size_t room = (size_t)voxels * dtype_size(j->type);
		char *there = device_room(j, slices[1] - z), *to = there ? there - before : vol;

		for (long k = 0, n; k < j->g->views; k += n) {
			n = (j->g->views - k < per) ? j->g->views - k : per;

			for (int p = 0; p < parts; p++)
				fbp_backproject_slices(j->f, j->grid, real, to + p * (long)dtype_size(real),
				        parts, all + (k * parts + p * n) * bytes, k, n, slices);
		}

		fetch(vol + before, there, room);

		xray_expect_finite(j->type, voxels, vol + z * slice * (long)dtype_size(j->type),
		        j->proj->name, "attenuations");
		cfl_write_out(j->out, first + z * slice, voxels);
		cfl_release(j->out, first + last[0], last[1]);
		last[0] = z * slice;
		last[1] = voxels;
	}
}

/** Channel and time c into vol. */
static void reconstruct(struct job *j, long c, char *vol, long voxels)
{
	const size_t bytes = (size_t)(j->g->views * filtered(j)) * (dtype_is_complex(j->type) ? 2 : 1);

	if (j->slices == 0 && !j->gridrec) {
		const size_t room = (size_t)voxels * dtype_size(j->type);
		char *there = device_room(j, j->grid->size[2]);

		filter_views(j, c, NULL, there ? there : vol);
		fetch(vol, there, room);
		xray_expect_finite(j->type, voxels, vol, j->proj->name, "attenuations");
		return;
	}

	const int fd = file_spool((long)bytes);
	char *all = mapping_create(fd, bytes, true, "temporary file");

	close(fd);
	filter_views(j, c, all, NULL);

	if (j->gridrec) {
		gridrec(j->f, j->grid, j->type, vol, all);
		xray_expect_finite(j->type, voxels, vol, j->proj->name, "attenuations");
	} else {
		slab_by_slab(j, all, vol, c * voxels);
	}

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

void fbp_files_filtered(const struct fbp_files *s, struct fbp *f, bool gridrec)
{
	const struct grid *grid = s->grid;
	struct cfl *y = cfl_create(s->out, s->h);
	struct job job = {.f = f,
	        .g = s->g,
	        .grid = grid,
	        .proj = s->proj,
	        .out = y,
	        .chosen = s->chosen,
	        .type = s->h->type,
	        .slices = choose_slices(f, grid, s->h->type),
	        .gridrec = gridrec};
	const long voxels = grid->size[0] * grid->size[1] * grid->size[2],
	           volumes = s->proj->count / (s->g->cols * s->g->rows * s->chosen.views);
	char *vol = cfl_map_out(y);

	progress_start("fbp", volumes * s->g->views);

	for (long c = 0; c < volumes; c++)
		reconstruct(&job, c, vol + c * voxels * (long)dtype_size(job.type), voxels);

	progress_end();
	cfl_close(s->proj);
	cfl_close(y);
}
