#include "ct/stream/view_stream.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ct/projector/bricks.h"
#include "ct/projector/xray_backend.h"
#include "ct/stream/slab.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/profile.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

/** The entries of --profile for files: bytes that the loops process. */
static struct profile_entry entry_vol = {.module = "xray", .name = "volume"},
                            entry_proj = {.module = "xray", .name = "projections"};

/** Rows of views [first, first + views) that see a slab; all rows for a slab without any. */
struct tile {
	struct slab slab;
	long first, views;
};

/** One channel and time on its way. */
struct run {
	const struct view_stream *t;
	size_t size;              // of an element of the computation
	long view;                // pixels
	long voxels, first_voxel; // and where they begin in the file
	long first_view;          // likewise [views]
	char *vol, *proj;         // at the first voxel and view; proj NULL: comes in batches
	char *buffer;             // converted views
	char *converted;          // converted voxels at their places in a volume that is not there as a whole
	long *lo, *hi;            // detector rows [views of the geometry] that see the slab at work
	long *seen_lo, *seen_hi;  // adjoint: those found to be finite so far
	struct slab slab, next;   // at work and after it (rows = 0: none)
	struct slab last;         // written to the disk meanwhile (rows = 0: none)
	struct tile last_views;   // likewise
	long position;            // of a stream [views]
	bool first_time, last_time; // that its voxels are visited
};

/* Volume: runs of voxels of a slab. */

static void need_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;

	cfl_will_need(r->t->vol, r->first_voxel + first, n);
}

static void change_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;

	cfl_will_write(r->t->vol, r->first_voxel + first, n);
}

static void write_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;

	cfl_write_out(r->t->vol, r->first_voxel + first, n);
}

static void release_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;

	cfl_release(r->t->vol, r->first_voxel + first, n);
}

static void count_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;

	(void)first;
	if (profile_on())
		profile_add(&entry_vol, 0, n * (long)r->size, 0.);
}

static void convert_run(void *ctx, long first, long n)
{
	enum { BLOCK = 1 << 14 };
	const struct run *r = ctx;
	const enum dtype from = r->t->vol->hdr.type;

#pragma omp parallel for schedule(static) num_threads(threads_for((double)n))
	for (long i = 0; i < n; i += BLOCK)
		convert(r->t->type, r->converted + (size_t)(first + i) * r->size, from,
		        r->vol + (size_t)(first + i) * dtype_size(from), min_long(n - i, BLOCK),
		        NARROW_SATURATE);
}

static void check_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;
	const char *v = r->converted ? r->converted : r->vol;
	const long bad = vec_count_nonfinite(r->t->type, n, v + (size_t)first * r->size);

	if (bad > 0)
		error("%s: %ld of the values in slices %ld to %ld are NaN or infinite, expected finite "
		      "numbers",
		        r->t->vol->name, bad, r->slab.z[0], r->slab.z[1] - 1);
}

static void expect_finite_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;

	xray_expect_finite(
	        r->t->type, n, r->vol + (size_t)first * r->size, r->t->proj->name, "sums over the views");
}

static void runs(struct run *r, const struct slab *s, void (*fn)(void *ctx, long first, long n))
{
	if (s->rows > 0)
		slab_runs(r->t->x, s, 0., 1., fn, r);
}

/** Voxels converted to the type of the computation live in private memory; as large as the volume in
 * addresses only. */
static char *converted_create(const struct run *r)
{
	void *p = mmap(NULL, (size_t)r->voxels * r->size, PROT_READ | PROT_WRITE,
	        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		error("%s: cannot reserve memory to convert the volume: %s", r->t->vol->name,
		        strerror(errno));

	return p;
}

/* What comes before the run in its first page is done with too, or not yet converted; else these pages would
 * stay, one for every run. */
static void forget_run(void *ctx, long first, long n)
{
	enum { PAGE = 4096 };
	const struct run *r = ctx;
	const size_t from = (size_t)first * r->size, to = from + (size_t)n * r->size;
	const size_t lo = from / PAGE * PAGE, hi = to / PAGE * PAGE;

	if (lo < hi)
		madvise(r->converted + lo, hi - lo, MADV_DONTNEED);
}

/* Projections: rows of detector pixels of a batch of views. */

/** Place of view k of the geometry in the file [views]. */
static long place(const struct run *r, long k)
{
	return r->first_view + (r->t->at ? r->t->at[k] : k);
}

/** Calls fn for the pixels of rows [lo, hi) of views [k, k + n), views of neighbouring places in one call
 * where they are whole. */
static void pixels(const struct run *r, long k, long n, void (*fn)(struct cfl *f, long first, long n))
{
	const long cols = r->t->x->g->cols, rows = r->t->x->g->rows;

	for (long i = k, m; i < k + n; i += m) {
		const bool whole = (r->lo[i] == 0 && r->hi[i] == rows);

		for (m = 1; whole && i + m < k + n && r->lo[i + m] == 0 && r->hi[i + m] == rows &&
		            place(r, i + m) == place(r, i) + m;)
			m++;

		if (r->lo[i] < r->hi[i])
			fn(r->t->proj, place(r, i) * r->view + r->lo[i] * cols,
			        (m - 1) * r->view + (r->hi[i] - r->lo[i]) * cols);
	}
}

static void bounds(struct run *r, const struct slab *s)
{
	const long views = r->t->x->g->views;

	if (s->rows < xray_rows(r->t->x)) {
		slab_footprint(r->t->x, s, 0, views, r->lo, r->hi);
		return;
	}

	for (long k = 0; k < views; k++) { // the whole volume: all that is asked for
		r->lo[k] = 0;
		r->hi[k] = r->t->x->g->rows;
	}
}

/** Reads ahead the part of the next slab's views that this one's do not cover. */
static void need_views(struct run *r, const struct slab *s, long k, long n)
{
	if (s->rows == 0 || !r->proj)
		return;

	bounds(r, s);
	pixels(r, k, n, cfl_will_need);
}

static void count_views(const struct run *r, long k, long n)
{
	long sum = 0;

	for (long i = k; i < k + n; i++)
		sum += (r->hi[i] - r->lo[i]) * r->t->x->g->cols;

	if (profile_on())
		profile_add(&entry_proj, 0, sum * (long)r->size, 0.);
}

/** Rows [lo, hi) of a view of finite numbers? */
static void check_rows(const struct run *r, const char *view, long k, long lo, long hi)
{
	const long cols = r->t->x->g->cols;
	long bad = 0;

	if (lo < hi)
		bad = vec_count_nonfinite(r->t->type, (hi - lo) * cols, view + (size_t)(lo * cols) * r->size);

	if (bad > 0)
		error("%s: %ld of the values in view %ld are NaN or infinite, expected finite numbers",
		        r->t->proj->name, bad, r->t->at ? r->t->at[k] : k);
}

/** The same for those rows of view k that were not looked at before; what has been stays one interval. */
static void check_new(struct run *r, const char *view, long k, long lo, long hi)
{
	long *a = r->seen_lo + k, *b = r->seen_hi + k;

	if (lo >= hi)
		return;

	if (*a >= *b) {
		check_rows(r, view, k, lo, hi);
		*a = lo;
		*b = hi;
		return;
	}

	check_rows(r, view, k, lo, *a);
	check_rows(r, view, k, *b, hi);
	*a = min_long(*a, lo);
	*b = max_long(*b, hi);
}

/** Rows [lo, hi) of a view of the file, converted to their places in a view in the buffer. */
static char *convert_rows(const struct run *r, long slot, const char *view, long lo, long hi)
{
	enum { BLOCK = 1 << 14 };
	const enum dtype from = r->t->proj->hdr.type;
	const long cols = r->t->x->g->cols, end = hi * cols;
	char *out = r->buffer + (size_t)(slot * r->view) * r->size;

#pragma omp parallel for schedule(static) num_threads(threads_for((double)(end - lo * cols)))
	for (long i = lo * cols; i < end; i += BLOCK)
		convert(r->t->type, out + (size_t)i * r->size, from, view + (size_t)i * dtype_size(from),
		        min_long(end - i, BLOCK), NARROW_SATURATE);

	return out;
}

/** The next view of a stream that is wanted, others skipped. */
static const char *next_view(struct run *r, long k)
{
	for (; r->position < place(r, k); r->position++)
		cfl_next(r->t->proj, r->view);

	r->position++;
	return cfl_next(r->t->proj, r->view);
}

static const char *file_view(const struct run *r, long k)
{
	return r->proj + (size_t)((r->t->at ? r->t->at[k] : k) * r->view) * dtype_size(r->t->proj->hdr.type);
}

/** Rows lo .. hi of views [k, k + n) in the type of the computation; sets tile->at where they are not one
 * after the other. */
static const char *input_views(struct run *r, long k, long n, struct xray_tile *tile)
{
	const struct view_stream *t = r->t;
	const bool same = (t->proj->hdr.type == t->type);
	const char *in = r->buffer;

	if (r->proj && same)
		in = r->proj;
	else if (!r->proj && same && !t->at)
		in = cfl_next(t->proj, n * r->view);

	for (long i = 0; i < n; i++) {
		const long lo = r->lo[k + i], hi = r->hi[k + i];
		const char *v = in + (size_t)(i * r->view) * r->size;

		if (in == r->buffer)
			v = convert_rows(r, i, r->proj ? file_view(r, k + i) : next_view(r, k + i), lo, hi);
		else if (r->proj)
			v = file_view(r, k + i);

		check_new(r, v, k + i, lo, hi);
	}

	if (!r->proj || !same)
		return in;

	tile->at = t->at ? t->at + k : NULL;
	return t->at ? r->proj : file_view(r, k);
}

/** What no slab has seen is looked at as well: whether there is an error does not depend on the order. */
static void check_rest(struct run *r)
{
	const struct view_stream *t = r->t;
	const long rows = t->x->g->rows;
	long first, end;

	ranks_part(t->x->g->views, 1, &first, &end);

	for (long k = first; r->proj && k < end; k++) {
		if (r->seen_lo[k] == 0 && r->seen_hi[k] == rows)
			continue;

		const char *v = file_view(r, k);

		if (t->proj->hdr.type != t->type)
			v = convert_rows(r, 0, v, 0, rows);

		check_new(r, v, k, 0, rows);
	}
}

/* The loops. */

/** Rows of bricks of one call: a few tens of MiB, so that reading ahead and progress keep up, and enough for
 * every thread. */
static long call_rows(const struct run *r)
{
	const struct xray *x = r->t->x;
	const long bytes = 32L << 20, *n = x->grid.size;
	const long row = n[0] * min_long(x->edge[1], n[1]) * min_long(x->edge[2], n[2]) * (long)r->size;
	const long busy = (8 * omp_get_max_threads() + x->bricks[0] - 1) / x->bricks[0];

	return max_long(busy, bytes / row);
}

/** Some voxels of the slab at work, made ready when a batch comes to them. */
static void open_voxels(struct run *r, const struct slab *s)
{
	const struct view_stream *t = r->t;

	runs(r, s, count_run);

	if (!t->forward && !t->keep_vol)
		runs(r, s, change_run);

	if (!t->forward)
		return;

	if (r->converted && (r->first_time || !t->keep_vol))
		runs(r, s, convert_run);

	if (r->first_time)
		runs(r, s, check_run);
}

/** They are done with, until a later batch. */
static void close_voxels(struct run *r, const struct slab *s)
{
	const struct view_stream *t = r->t;

	if (!t->forward && r->last_time)
		runs(r, s, expect_finite_run);

	if (t->keep_vol)
		return;

	if (r->converted)
		runs(r, s, forget_run);

	if (t->forward) {
		runs(r, s, release_run);
		return;
	}

	runs(r, s, write_run);
	runs(r, &r->last, release_run);
	r->last = *s;
}

/** Reads ahead while `now` of the slab at work is worked on: what comes next of it, or the same part of the
 * next slab. */
static void read_ahead(struct run *r, const struct slab *now, long most)
{
	const struct view_stream *t = r->t;
	const long end = r->slab.row + r->slab.rows, row = now->row + now->rows;
	struct slab s = r->next;

	if (!t->forward && r->first_time)
		return; // nothing is there yet

	if (t->rows_at_once == 0 && s.rows > 0) {
		slab_runs(t->x, &s, (double)(now->row - r->slab.row) / r->slab.rows,
		        (double)(row - r->slab.row) / r->slab.rows, need_run, r);
		return;
	}

	if (t->rows_at_once > 0 && row < end)
		s = slab_at(t->x, row, min_long(most, end - row));
	else if (t->rows_at_once > 0 && s.rows > 0)
		s = slab_at(t->x, s.row, min_long(most, s.rows));

	runs(r, &s, need_run);
}

/** A batch of views through the slab at work. */
static void view_stream_compute(struct run *r, char *proj, struct xray_tile tile)
{
	const struct view_stream *t = r->t;
	const bool large = xray_backend_of(r->vol, proj)->large_tiles;
	const long most = t->rows_at_once > 0 ? t->rows_at_once
	                  : large             ? r->slab.rows
	                                      : call_rows(r),
	           end = r->slab.row + r->slab.rows;

	for (long row = r->slab.row; row < end; row += tile.rows) {
		const struct slab now = slab_at(t->x, row, min_long(most, end - row));

		tile.row = row;
		tile.rows = now.rows;
		tile.blank = (t->forward && row == 0);
		read_ahead(r, &now, most);

		if (t->rows_at_once > 0)
			open_voxels(r, &now);

		if (t->forward)
			xray_forward_tile(t->x, t->type, proj, r->converted ? r->converted : r->vol, &tile);
		else
			xray_adjoint_tile(t->x, t->type, r->vol, proj, &tile);

		if (t->rows_at_once > 0)
			close_voxels(r, &now);

		progress_add(tile.rows * tile.views);
	}
}

/** Views [k, k + n) that are computed must be finite. */
static void check_output(const struct run *r, const char *proj, long k, long n)
{
	const long cols = r->t->x->g->cols;

	for (long i = 0; i < n; i++)
		if (r->lo[k + i] < r->hi[k + i])
			xray_expect_finite(r->t->type, (r->hi[k + i] - r->lo[k + i]) * cols,
			        proj + (size_t)(i * r->view + r->lo[k + i] * cols) * r->size, r->t->vol->name,
			        "projections");
}

/** Full rows of all views. */
static void all_rows(struct run *r)
{
	for (long k = 0; k < r->t->x->g->views; k++) {
		r->lo[k] = 0;
		r->hi[k] = r->t->x->g->rows;
	}
}

/** Those of the projections that are written to the disk meanwhile. */
static void release_last(struct run *r)
{
	const struct tile *p = &r->last_views;

	if (p->views == 0)
		return;

	if (p->slab.rows > 0)
		bounds(r, &p->slab);
	else
		all_rows(r);

	pixels(r, p->first, p->views, cfl_release);
}

/** A tile of the projections (slab.rows = 0: full views) that is done with, until a later slab. */
static void close_views(struct run *r, struct tile p)
{
	if (r->t->keep_proj || !r->proj)
		return;

	if (r->t->forward) {
		pixels(r, p.first, p.views, cfl_write_out);
		release_last(r);
		r->last_views = p;
	} else {
		pixels(r, p.first, p.views, cfl_release);
	}
}

/** The views at work through the slab at work. */
static void slab_and_views(struct run *r, long k, long n)
{
	struct xray_tile tile = {.first = k, .views = n};
	const struct view_stream *t = r->t;

	bounds(r, &r->slab);
	count_views(r, k, n);

	if (t->forward) {
		char *proj = r->proj + (size_t)(k * r->view) * r->size;

		view_stream_compute(r, proj, tile);
		check_output(r, proj, k, n);
	} else {
		const char *proj = input_views(r, k, n, &tile);

		view_stream_compute(r, (char *)proj, tile);
	}

	close_views(r, (struct tile){r->slab, k, n});
}

/** The slab of the part at that row of bricks; rows = 0: none is left. */
static struct slab slab_from(const struct view_stream *t, long row)
{
	return slab_of(t->x, row, t->row[1], t->rows);
}

/** Every slab, for each every batch of views. */
static void by_slabs(struct run *r)
{
	const struct view_stream *t = r->t;
	const long end = t->view[1];

	r->slab = slab_from(t, t->row[0]);
	r->first_time = r->last_time = true;

	if (t->forward && t->rows_at_once == 0 && !t->keep_vol)
		runs(r, &r->slab, need_run);
	else if (!t->forward)
		need_views(r, &r->slab, t->view[0], min_long(t->batch, end - t->view[0]));

	for (; r->slab.rows > 0; r->slab = r->next) {
		r->next = slab_from(t, r->slab.row + r->slab.rows);
		if (t->rows_at_once == 0)
			open_voxels(r, &r->slab);

		for (long k = t->view[0]; k < end; k += t->batch) {
			const long next = k + t->batch;

			r->first_time = (k == t->view[0]);
			r->last_time = (next >= end);

			if (next < end)
				need_views(r, &r->slab, next, min_long(t->batch, end - next));
			else if (!t->forward || !t->keep_proj)
				need_views(r, &r->next, t->view[0], min_long(t->batch, end - t->view[0]));

			slab_and_views(r, k, min_long(t->batch, end - k));
		}

		if (t->rows_at_once == 0)
			close_voxels(r, &r->slab);
	}
}

/** The batch at work through every slab of the volume. */
static void batch_through_slabs(struct run *r, char *proj, struct xray_tile tile)
{
	const struct view_stream *t = r->t;

	r->first_time = (tile.first == t->view[0]);
	r->last_time = (tile.first + tile.views == t->view[1]);

	for (r->slab = slab_from(t, t->row[0]); r->slab.rows > 0;
	        r->slab = slab_from(t, r->slab.row + r->slab.rows)) {
		r->next = slab_from(t, r->slab.row + r->slab.rows);

		if (r->next.rows == 0 && !r->last_time && !t->keep_vol)
			r->next = slab_from(t, t->row[0]);

		if (t->rows_at_once == 0)
			open_voxels(r, &r->slab);

		view_stream_compute(r, proj, tile);

		if (t->rows_at_once == 0)
			close_voxels(r, &r->slab);
	}
}

/** Every batch of views, for each every slab. */
static void by_batches(struct run *r)
{
	const struct view_stream *t = r->t;
	const long end = t->view[1];

	all_rows(r);

	for (long k = t->view[0]; k < end; k += t->batch) {
		const long n = min_long(t->batch, end - k), next = k + n;
		struct xray_tile tile = {.first = k, .views = n};
		char *proj;

		count_views(r, k, n);

		if (!t->forward && r->proj && next < end)
			pixels(r, next, min_long(t->batch, end - next), cfl_will_need);

		if (!t->forward) {
			proj = (char *)input_views(r, k, n, &tile);
		} else if (r->proj) {
			proj = r->proj + (size_t)(k * r->view) * r->size;
		} else {
			proj = cfl_slab(t->proj, n * r->view);
			memset(proj, 0, (size_t)(n * r->view) * r->size);
		}

		batch_through_slabs(r, proj, tile);

		if (t->forward)
			check_output(r, proj, k, n);

		close_views(r, (struct tile){{0}, k, n});
	}
}

static void own_run(void *ctx, long first, long n)
{
	const struct run *r = ctx;

	cfl_write_own(r->t->vol, r->first_voxel + first, n);
}

/** Where this rank computes neighbouring elements, they are those of the file. */
static void begin_part(struct run *r)
{
	const struct view_stream *t = r->t;
	const long per = t->x->bricks[1], *n = t->x->grid.size, layer = n[0] * n[1] * t->x->edge[2];

	if (t->forward && t->keep_proj && r->proj)
		cfl_write_through(
		        t->proj, (r->first_view + t->view[0]) * r->view, (t->view[1] - t->view[0]) * r->view);

	if (!t->forward && t->keep_vol && t->row[0] < t->row[1] && 0 == t->row[0] % per &&
	        0 == t->row[1] % per) {
		const long first = t->row[0] / per * layer,
		           end = min_long(t->row[1] / per * layer, r->voxels);

		cfl_write_through(t->vol, r->first_voxel + first, end - first);
	}
}

/** What this rank has computed and kept goes into the file. */
static void write_part(struct run *r)
{
	const struct view_stream *t = r->t;

	if (t->forward && t->keep_proj && r->proj)
		cfl_write_own(
		        t->proj, (r->first_view + t->view[0]) * r->view, (t->view[1] - t->view[0]) * r->view);

	for (long row = t->row[0]; !t->forward && t->keep_vol && row < t->row[1];) {
		const struct slab s = slab_from(t, row);

		runs(r, &s, own_run);
		row += s.rows;
	}
}

/** Channel and time number i. */
static void run_volume(struct run *r, long i)
{
	const struct view_stream *t = r->t;
	const enum dtype vol_type = t->vol->hdr.type, proj_type = t->proj->hdr.type;
	const long views = t->x->g->views;

	r->first_voxel = i * r->voxels;
	r->first_view = i * t->proj->hdr.dims[2];
	r->vol = (char *)(t->forward ? cfl_map(t->vol) : cfl_map_out(t->vol)) +
	         (size_t)r->first_voxel * dtype_size(vol_type);
	r->last = (struct slab){0};
	r->last_views = (struct tile){{0}, 0, 0};
	memset(r->seen_lo, 0, 2 * (size_t)views * sizeof(long));

	if (!t->pipe)
		r->proj = (char *)(t->forward ? cfl_map_out(t->proj) : cfl_map(t->proj)) +
		          (size_t)(r->first_view * r->view) * dtype_size(proj_type);

	begin_part(r);

	if (t->by_views)
		by_batches(r);
	else
		by_slabs(r);

	if (!t->forward)
		check_rest(r);

	write_part(r);
}

/** Both arrays where the GPU is, and they stay there; false: they cannot be, or a number is not finite, which
 * the ordinary way finds again and names. */
static bool run_on_device(const struct view_stream *t)
{
	struct cfl *input = t->forward ? t->vol : t->proj, *output = t->forward ? t->proj : t->vol;
	const size_t size = dtype_size(t->type);
	const long voxels = t->x->grid.size[0] * t->x->grid.size[1] * t->x->grid.size[2], all = t->vol->count;
	const long pixels = t->x->g->cols * t->x->g->rows * t->x->g->views;
	const double needs =
	        2. * (double)size * (double)(t->vol->count + t->proj->count); // with transposed copies

	if (device_used() < 0 || ranks_shared() || t->pipe || t->at || t->type != t->vol->hdr.type ||
	        t->type != t->proj->hdr.type || needs > (double)device_left())
		return false;

	char *in = place_on_device(input, false), *out = (NULL == in) ? NULL : place_on_device(output, true);

	if (NULL == out)
		return false;

	if (!t->forward)
		device_fill(out, 0, (size_t)output->count * size);

	for (long i = 0; i < all / voxels; i++) {
		char *vol = (t->forward ? in : out) + (size_t)(i * voxels) * size,
		     *proj = (t->forward ? out : in) + (size_t)(i * pixels) * size;

		if (t->forward)
			xray_forward(t->x, t->type, proj, vol, 0, t->x->g->views);
		else
			xray_adjoint(t->x, t->type, vol, proj, 0, t->x->g->views);
	}

	return 0 ==
	       vec_count_nonfinite(t->type, t->forward ? output->count : input->count, t->forward ? out : in);
}

void view_stream_run(const struct view_stream *t)
{
	if (run_on_device(t))
		return;

	const struct geom *g = t->x->g;
	const long *n = t->x->grid.size;
	struct run r = {.t = t, .size = dtype_size(t->type), .view = g->cols * g->rows};

	cfl_in_parts(t->forward ? t->proj : t->vol);
	r.voxels = n[0] * n[1] * n[2];
	r.lo = mem_alloc(mul_checked(4 * sizeof(long), g->views, "the geometry"));
	r.hi = r.lo + g->views;
	r.seen_lo = r.hi + g->views;
	r.seen_hi = r.seen_lo + g->views;

	if (t->forward && t->type != t->vol->hdr.type)
		r.converted = converted_create(&r);

	if (!t->forward && (t->type != t->proj->hdr.type || (t->pipe && t->at)))
		r.buffer = mem_alloc((size_t)(t->batch * r.view) * r.size);

	const long volumes = t->vol->count / r.voxels;

	progress_start(t->forward ? "project" : "backproject",
	        volumes * (t->view[1] - t->view[0]) * (t->row[1] - t->row[0]));

	for (long i = 0; i < volumes; i++)
		run_volume(&r, i);

	progress_end();

	if (r.converted)
		munmap(r.converted, (size_t)r.voxels * r.size);

	free(r.buffer);
	free(r.lo);
}
