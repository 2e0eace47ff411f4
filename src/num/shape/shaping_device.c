#include "num/shape/shaping_device.h"

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/md/multind.h"
#include "num/shape/periodic.h"

static const long slab_bytes = 64L << 20; // of an output, where there is room

struct run {
	const struct shaping *s;
	struct cfl *out, *in;
	long size;                   // of an element [bytes]
	const char *in_there;        // all of the input on the device; NULL: it is uploaded
	char *out_there;             // likewise
	int last;                    // dim of the output that slabs are cut along
	long istr[DIMS], ostr[DIMS]; // of whole arrays [bytes]
	struct box *box;             // [slabs]
};

/** Steps [k, k + m) of the output's last dim: which of them are copied, and which part of the input they
 * need. */
struct slab {
	long k, m;
	long from, n;              // copied: from step `from` on
	long lo[DIMS], dims[DIMS]; // of the input
	bool empty;                // all zero
};

static struct slab slab_of(const struct run *r, long k, long m)
{
	struct slab b = {.k = k, .m = m};

	for (int d = 0; d < DIMS; d++) {
		const struct shaping_dim *e = &r->s->dim[d];
		const long size = r->in->hdr.dims[e->src];
		long first = 0, n = e->n;

		if (d == r->last) {
			const long end = (k + m < e->at + e->n) ? k + m : e->at + e->n;

			b.from = (k > e->at) ? k : e->at;
			b.n = n = (end > b.from) ? end - b.from : 0;
			first = b.from - e->at;
		}

		b.empty = b.empty || 0 == n;
		b.lo[e->src] = 0;
		b.dims[e->src] = size;

		if (e->wrap || 0 == n)
			continue;

		const long one = e->start + e->step * first, other = one + e->step * (n - 1);

		b.lo[e->src] = (one < other) ? one : other;
		b.dims[e->src] = ((one < other) ? other - one : one - other) + 1;
	}

	return b;
}

/** Bytes of a slab on the device. */
static double slab_memory(const struct run *r, long m)
{
	const struct slab b = slab_of(r, r->s->dim[r->last].at, m);
	double bytes = 0;

	if (NULL == r->in_there)
		bytes += (double)md_calc_size(DIMS, b.dims) * (double)r->size;

	if (NULL == r->out_there)
		bytes += (double)m * (double)r->ostr[r->last];

	return bytes;
}

/** Steps of a slab, as many of which are on the device at a time; 0: not even one fits. */
static long choose_slab(const struct run *r, int buffers)
{
	const long all = r->s->dim[r->last].size;
	const double room = .9 * (double)device_left() / buffers;
	long m = all;

	if (NULL == r->out_there)
		m = slab_bytes / r->ostr[r->last];

	m = (m < 1) ? 1 : (m > all) ? all : m;

	while (0 < m && slab_memory(r, m) > room)
		m /= 2;

	return m;
}

/** What a slab needs of the mapped input: rows of bytes, and where they are. */
struct box {
	struct slab slab;
	const char *data;
	long row;
	int D;
	long dims[DIMS], strs[DIMS]; // of rows
};

static struct box box_of(const struct run *r, long k, long m)
{
	struct box b = {.slab = slab_of(r, k, m)};
	long strs[2][DIMS];

	if (b.slab.empty || NULL != r->in_there)
		return b;

	md_copy_dims(DIMS, b.dims, b.slab.dims);
	md_calc_strides(DIMS, strs[0], b.dims, (size_t)r->size);
	md_copy_strides(DIMS, strs[1], r->istr);
	b.data = (const char *)cfl_map(r->in) + md_calc_offset(DIMS, r->istr, b.slab.lo);
	b.row = r->size;
	b.D = md_simplify(2, DIMS, b.dims, strs);
	md_copy_strides(b.D, b.strs, strs[1]);

	if (0 < b.D && r->size == b.strs[0]) {
		b.row *= b.dims[0];
		b.D--;
		memmove(b.dims, b.dims + 1, (size_t)b.D * sizeof *b.dims);
		memmove(b.strs, b.strs + 1, (size_t)b.D * sizeof *b.strs);
	}

	return b;
}

/** Bytes [at, at + n) of a box without its gaps. */
static void read_box(void *file, long at, long n, void *buffer)
{
	const struct box *b = file;
	long pos[DIMS], skip = at % b->row;
	char *to = buffer;

	md_unravel_index(b->D, pos, ~0ul, b->dims, at / b->row);

	while (0 < n) {
		const long part = (b->row - skip < n) ? b->row - skip : n;

		memcpy(to, b->data + md_calc_offset(b->D, b->strs, pos) + skip, (size_t)part);
		to += part;
		n -= part;
		skip = 0;
		md_next(b->D, b->dims, ~0ul, pos);
	}
}

static void describe(void *ctx, long i, struct device_slab *d)
{
	const struct run *r = ctx;
	struct box *b = &r->box[i];

	*d = (struct device_slab){.inputs = 1, .outputs = 1};

	if (NULL != b->data)
		d->in[0] = (struct device_part){.width = (size_t)(md_calc_size(DIMS, b->slab.dims) * r->size),
		        .rows = 1,
		        .move = read_box,
		        .file = b};

	if (NULL == r->out_there) {
		const long step = r->ostr[r->last] / r->size;

		d->out[0] = device_part_out(r->out, b->slab.k * step, b->slab.m * step);
	}
}

/** Computes a slab at `to` from what it needs of the input. */
static void compute_slab(const struct run *r, const struct slab *b, char *to, const char *in)
{
	struct periodic_dim from[DIMS];
	long strs[DIMS], n[DIMS];
	const long bytes = b->m * r->ostr[r->last];

	if (b->empty) {
		device_fill(to, 0, (size_t)bytes);
		return;
	}

	const char *src = (NULL == r->in_there) ? in : r->in_there + md_calc_offset(DIMS, r->istr, b->lo);
	long copied = r->size;

	if (NULL == r->in_there)
		md_calc_strides(DIMS, strs, b->dims, (size_t)r->size);
	else
		md_copy_strides(DIMS, strs, r->istr);

	for (int d = 0; d < DIMS; d++) {
		const struct shaping_dim *e = &r->s->dim[d];
		const long before = (d == r->last) ? b->from - e->at : 0; // elements of other slabs

		n[d] = (d == r->last) ? b->n : e->n;
		copied *= n[d];

		if (e->wrap) {
			const long period = r->in->hdr.dims[e->src];

			from[d] = (struct periodic_dim){strs[e->src], (e->start + before) % period, period};
		} else {
			from[d] = (struct periodic_dim){.str = e->step * strs[e->src]};
			src += (e->start + e->step * before - b->lo[e->src]) * strs[e->src];
		}
	}

	if (copied < bytes)
		device_fill(to, 0, (size_t)bytes);

	for (int d = 0; d < DIMS; d++)
		to += ((d == r->last) ? b->from - b->k : r->s->dim[d].at) * r->ostr[d];

	periodic_copy(DIMS, n, r->ostr, to, from, src, (size_t)r->size);
}

static void compute(void *ctx, long i, void *const in[], void *const out[])
{
	const struct run *r = ctx;
	const struct slab *b = &r->box[i].slab;
	const long step = r->ostr[r->last];

	compute_slab(r, b, (NULL != r->out_there) ? r->out_there + b->k * step : out[0], in[0]);
	progress_add(b->m * step / r->size);
}

/** Slabs of `per` steps, so many of which are on the device at a time. */
static void shaping_device_run(struct run *r, long per, int buffers)
{
	const long all = r->s->dim[r->last].size, slabs = (all + per - 1) / per;

	r->box = mem_alloc(mul_checked(slabs, sizeof *r->box, "slabs"));

	for (long i = 0; i < slabs; i++)
		r->box[i] = box_of(r, i * per, (all - i * per < per) ? all - i * per : per);

	device_run_pipeline(&(const struct device_pipeline){
	        .slabs = slabs, .buffers = buffers, .describe = describe, .compute = compute, .ctx = r});
	free(r->box);
}

bool shaping_on_device(const struct shaping *s, struct cfl *out, struct cfl *in, const char *what)
{
	struct run r = {.s = s, .out = out, .in = in, .size = (long)dtype_size(in->hdr.type)};

	if (!device_worth((double)(in->count + out->count) * (double)r.size, 0.))
		return false;

	for (long d = 0, i = r.size, o = r.size; d < DIMS; d++) {
		r.istr[d] = i; // of dims of length 1 too
		r.ostr[d] = o;
		i *= in->hdr.dims[d];
		o *= out->hdr.dims[d];
		r.last = (1 < out->hdr.dims[d]) ? (int)d : r.last;
	}

	r.in_there = place_on_device(in, false);
	r.out_there = place_on_device(out, true);

	int buffers = 3;
	long per;

	while (0 == (per = choose_slab(&r, buffers)) && 1 < buffers)
		buffers--;

	if (0 == per) {
		warn("running on the CPU: %s does not fit into GPU memory", in->name);
		return false;
	}

	progress_start(what, out->count);
	shaping_device_run(&r, per, buffers);
	progress_end();

	return true;
}
