#include "volume/resample/volumes.h"

#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "num/kern/convert.h"
#include "volume/voxels.h"

/** Bytes of a piece without filtering: few pieces, which overlap. */
enum { PIECE = 1 << 26 };

/** Whether elements are copied as they are. */
static bool copies(const struct resample *r, enum dtype in, enum dtype out)
{
	return RESAMPLE_NEAREST == r->kernel && in == out;
}

/** The nearest of elements that are converted are to keep all their bits. */
static enum dtype work_type(const struct resample *r, enum dtype in)
{
	return (RESAMPLE_NEAREST == r->kernel) ? DT_FLOAT64 : dtype_real(dtype_compute(in));
}

long volumes_memory(
        const struct cfl *in, const struct resample *r, resample_positions_fn *positions, void *ctx)
{
	struct resample_plan *p = resample_plan_create(r, work_type(r, in->hdr.type), positions, ctx);
	const bool filtered =
	        RESAMPLE_CUBIC == r->kernel || r->coarser[0] > 1. || r->coarser[1] > 1. || r->coarser[2] > 1.;
	const long most = max_long(1L << 20, tool_memory() / 2);
	const long bytes = min_long(resample_memory(p), filtered ? most : min_long(most, PIECE));

	resample_plan_free(p);

	return bytes;
}

/** A part of the volume from element `first` on. */
static struct resample_array part(const void *data, enum dtype t, long first, int imaginary)
{
	const long size = (long)dtype_size(t), half = (long)dtype_size(dtype_real(t));

	return (struct resample_array){
	        .data = (char *)data + first * size + imaginary * half, .type = dtype_real(t), .step = size};
}

/** An output that is written in blocks, and the first element of the current volume. */
struct volumes_out {
	struct voxels_out to;
	long first;
};

static void put(void *ctx, long first, long n, const void *data)
{
	const struct volumes_out *o = ctx;

	voxels_put(&o->to, o->first + first, n, data);
}

/** One volume, or of complex ones the real or the imaginary part, which is 0 outside. */
static struct resample_report resample_part(const struct resample *r, enum dtype work,
        resample_positions_fn *positions, void *ctx, struct resample_array out, struct resample_array in,
        bool imaginary, void *room, long bytes)
{
	struct resample settings = *r;

	settings.fill = imaginary ? 0. : r->fill;

	struct resample_plan *p = resample_plan_create(&settings, work, positions, ctx);
	const struct resample_report report = resample_forward(p, out, in, room, bytes);

	resample_plan_free(p);

	return report;
}

static struct resample_report resample_all(struct cfl *out, struct cfl *in, const struct resample *settings,
        resample_positions_fn *positions, void *ctx, long bytes)
{
	const enum dtype from = in->hdr.type, to = out->hdr.type;
	const long n = settings->in[0] * settings->in[1] * settings->in[2],
	           m = settings->out[0] * settings->out[1] * settings->out[2];
	const int parts = dtype_is_complex(from) ? 2 : 1;
	void *room = mem_alloc((size_t)bytes);
	const char *x = cfl_map(in);
	const bool halves = dtype_is_complex(to); // each is written alone
	char *y = halves ? cfl_map_out(out) : NULL;
	struct volumes_out o;
	struct resample_report all = {0};

	if (!halves)
		voxels_create(&o.to, out);

	for (long v = 0; v < in->count / n; v++)
		for (int c = 0; c < parts; c++) {
			const struct resample_array blocks = {
			        .type = to, .step = (long)dtype_size(to), .put = put, .ctx = &o};

			o.first = v * m;

			const struct resample_report r = resample_part(settings, work_type(settings, from),
			        positions, ctx, halves ? part(y, to, v * m, c) : blocks,
			        part(x, from, v * n, c), 1 == c, room, bytes);

			all.bad = all.bad || r.bad;
			all.lost += r.lost;
		}

	free(room);

	return all;
}

static void copy_all(struct cfl *out, struct cfl *in, const struct resample *r,
        resample_positions_fn *positions, void *ctx)
{
	const long n = r->in[0] * r->in[1] * r->in[2], m = r->out[0] * r->out[1] * r->out[2];
	const long size = (long)dtype_size(out->hdr.type);
	const char *x = cfl_map(in);
	char fill[16];
	struct volumes_out o;

	voxels_create(&o.to, out);
	convert(out->hdr.type, fill, DT_FLOAT64, &r->fill, 1, NARROW_SATURATE);

	for (long v = 0; v < in->count / n; v++) {
		o.first = v * m;
		resample_nearest(r, positions, ctx,
		        (struct resample_array){.type = out->hdr.type, .step = size, .put = put, .ctx = &o},
		        x + v * n * size, fill);
	}
}

void volumes_resample(struct cfl *out, struct cfl *in, const struct resample *r,
        resample_positions_fn *positions, void *ctx, long bytes)
{
	if (dtype_is_complex(in->hdr.type) && !dtype_is_complex(out->hdr.type))
		error("%s is complex: --type %s would drop the imaginary part", in->name,
		        dtype_name(out->hdr.type));

	progress_start("resampling", out->count * (dtype_is_complex(in->hdr.type) ? 2 : 1));

	struct resample_report report = {0};

	if (copies(r, in->hdr.type, out->hdr.type))
		copy_all(out, in, r, positions, ctx);
	else
		report = resample_all(out, in, r, positions, ctx, bytes);

	progress_end();

	if (report.bad)
		warn("%s contains NaN or infinite values: voxels interpolated from these values are NaN",
		        in->name);

	if (0 < report.lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", report.lost, out->count,
		        dtype_name(out->hdr.type), out->name);
}
