#include "num/shaping_device.h"

#include "misc/error.h"
#include "misc/progress.h"
#include "num/device.h"
#include "num/multind.h"
#include "num/periodic.h"
#include "num/place.h"

static const long slab_bytes = 64L << 20; // of an output, where there is room

struct run {
	const struct shaping *s;
	struct cfl *out, *in;
	long size;                   // of an element [bytes]
	const char *in_there;        // all of the input on the device; NULL: it is brought
	char *out_there;             // likewise
	int last;                    // dim of the output that slabs are cut along
	long istr[DIMS], ostr[DIMS]; // of whole arrays [bytes]
};

/** Steps [k, k + m) of the output's last dim: which of them are copied, and what of the input they need. */
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

/** Steps of a slab; 0: not even one fits. */
static long choose_slab(const struct run *r)
{
	const long all = r->s->dim[r->last].size;
	const double room = .9 * (double)device_left();
	long m = all;

	if (NULL == r->out_there)
		m = slab_bytes / r->ostr[r->last];

	m = (m < 1) ? 1 : (m > all) ? all : m;

	while (0 < m && slab_memory(r, m) > room)
		m /= 2;

	return m;
}

/** A box of a mapped file to where it lies without gaps on the device, in rows. */
static void bring_box(const struct run *r, const long box[DIMS], char *to, const char *from)
{
	const long size = r->size;
	long dims[DIMS], strs[2][DIMS], pos[DIMS] = {0};

	md_copy_dims(DIMS, dims, box);
	md_calc_strides(DIMS, strs[0], box, (size_t)size);
	md_copy_strides(DIMS, strs[1], r->istr);

	const int D = md_simplify(2, DIMS, dims, strs);
	const int row = (0 < D && size == strs[0][0] && size == strs[1][0]) ? 1 : 0;
	const long width = (1 == row) ? dims[0] * size : size;

	if (row >= D) {
		device_copy(to, from, (size_t)width);
		return;
	}

	do
		device_copy2((size_t)width, dims[row],
		        to + md_calc_offset(D - row - 1, strs[0] + row + 1, pos), strs[0][row],
		        from + md_calc_offset(D - row - 1, strs[1] + row + 1, pos), strs[1][row]);
	while (md_next(D - row - 1, dims + row + 1, ~0ul, pos));
}

/** What the slab needs of the input, on the device; strs: its steps there. */
static char *bring(const struct run *r, const struct slab *b, long strs[DIMS])
{
	const long offset = md_calc_offset(DIMS, r->istr, b->lo);

	if (NULL != r->in_there) {
		md_copy_strides(DIMS, strs, r->istr);
		return (char *)r->in_there + offset;
	}

	char *here = device_alloc((size_t)(md_calc_size(DIMS, b->dims) * r->size));

	md_calc_strides(DIMS, strs, b->dims, (size_t)r->size);
	bring_box(r, b->dims, here, (const char *)cfl_map(r->in) + offset);

	return here;
}

/** Computes the slab at `to`. */
static void compute(const struct run *r, const struct slab *b, char *to)
{
	struct periodic_dim from[DIMS];
	long strs[DIMS], n[DIMS];
	const long bytes = b->m * r->ostr[r->last];

	if (b->empty) {
		device_fill(to, 0, (size_t)bytes);
		return;
	}

	char *at = bring(r, b, strs);
	const char *src = at;
	long copied = r->size;

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

	if (NULL == r->in_there)
		device_free(at);
}

static void run(const struct run *r, long per)
{
	const long all = r->s->dim[r->last].size, step = r->ostr[r->last];

	for (long k = 0; k < all; k += per) {
		const long m = (all - k < per) ? all - k : per;
		const struct slab b = slab_of(r, k, m);

		if (NULL != r->out_there) {
			compute(r, &b, r->out_there + k * step);
		} else {
			char *to = device_alloc((size_t)(m * step));

			compute(r, &b, to);
			device_copy(cfl_slab(r->out, m * step / r->size), to, (size_t)(m * step));
			device_free(to);
		}

		progress_add(m * step / r->size);
	}
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

	const long per = choose_slab(&r);

	if (0 == per) {
		warn("not on the GPU: %s does not fit into its memory", in->name);
		return false;
	}

	progress_start(what, out->count);
	run(&r, per);
	progress_end();

	return true;
}
