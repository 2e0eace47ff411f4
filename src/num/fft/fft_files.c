/* Fourier transforms of files: on the GPU in blocks of whole transforms, in memory on the CPU. */

#include <math.h>

#include "misc/error.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/device/device_load.h"
#include "num/fft/fft.h"
#include "num/fft/fft_files.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

/** out = in, as complex numbers. */
static void promote(enum dtype to, char *out, enum dtype from, const char *in, long n)
{
	enum { BLOCK = 1 << 16 };

#pragma omp parallel for schedule(static) num_threads(threads_for((double)n))
	for (long i = 0; i < n; i += BLOCK)
		convert(to, out + i * (long)dtype_size(to), from, in + i * (long)dtype_size(from),
		        (n - i < BLOCK) ? n - i : BLOCK, NARROW_SATURATE);
}

/** What is streamed through the GPU: blocks of all dims up to the last that is transformed, some at a time.
 */
struct blocks {
	struct cfl *y, *x;
	enum dtype type;
	unsigned long dims;
	unsigned mode;
	double scale;
	int last;              // dim
	long block[DIMS];      // dims of a block
	long size, count, per; // elements of one; of them, and at a time
	const char *in_there;  // all of it, if it is on the device
	char *out_there;       // likewise
};

static long blocks_at(const struct blocks *p, long k)
{
	return (p->count - k * p->per < p->per) ? p->count - k * p->per : p->per;
}

static void describe(void *ctx, long k, struct device_slab *s)
{
	const struct blocks *p = ctx;
	const long first = k * p->per * p->size, n = blocks_at(p, k) * p->size;

	*s = (struct device_slab){.inputs = 1, .outputs = 1};

	if (NULL == p->in_there)
		s->in[0] = device_part_in(p->x, first, n);

	if (NULL == p->out_there)
		s->out[0] = device_part_out(p->y, first, n);
}

static void compute(void *ctx, long k, void *const in[], void *const out[])
{
	const struct blocks *p = ctx;
	const enum dtype from = p->x->hdr.type;
	const long first = k * p->per * p->size, blocks = blocks_at(p, k), n = blocks * p->size;
	const void *x = p->in_there ? p->in_there + first * (long)dtype_size(from) : in[0];
	void *y = p->out_there ? p->out_there + first * (long)dtype_size(p->type) : out[0];
	long dims[DIMS];

	md_copy_dims(DIMS, dims, p->block);

	if (p->last + 1 < DIMS)
		dims[p->last + 1] = blocks;

	device_convert(p->type, y, from, x, n, false);
	fft(DIMS, dims, p->dims & ((2ul << p->last) - 1), p->mode, p->type, y, y);

	if (1. != p->scale)
		vec_scale(p->type, n, y, p->scale);
}

/** Blocks at a time, of which so many are on the device at once; 0: not even one fits. */
static long choose_blocks(const struct blocks *p, int buffers)
{
	const double own = (p->mode & FFT_CENTRED) ? 3.2 : 2.2; // cuFFT's memory, what is turned
	const double in = p->in_there ? 0. : (double)dtype_size(p->x->hdr.type),
	             out = (double)dtype_size(p->type),
	             each = (double)p->size * (buffers * (in + (p->out_there ? 0. : out)) + own * out);
	const long fit = (long)((double)device_left() / each),
	           good = (64L << 20) / (p->size * (long)dtype_size(p->type)) + 1,
	           most = (fit < good) ? fit : good;

	return (most < p->count) ? most : p->count;
}

/** The transform on the GPU that was asked for; false: it does not fit there, or none was. */
static bool on_device(struct cfl *y, struct cfl *x, unsigned long dims, unsigned mode, double scale)
{
	const struct hdr *h = &y->hdr;
	struct blocks p = {
	        .y = y, .x = x, .type = h->type, .dims = dims, .mode = mode, .scale = scale, .size = 1};
	const double bytes = 2. * (double)x->count * (double)dtype_size(h->type);
	int buffers = 3;

	if (!device_worth(bytes, 5. * (double)x->count * log2((double)x->count)))
		return false;

	for (int d = 0; d < DIMS; d++)
		if ((dims & 1ul << d) && 1 < h->dims[d])
			p.last = d;

	for (int d = 0; d < DIMS; d++) {
		p.block[d] = (d <= p.last) ? h->dims[d] : 1;
		p.size *= p.block[d];
	}

	p.count = x->count / p.size;
	p.in_there = place_on_device(x, false);
	p.out_there = place_on_device(y, true);

	while (0 == (p.per = choose_blocks(&p, buffers)) && 1 < buffers)
		buffers--;

	if (0 == p.per) {
		warn("running on the CPU: the array does not fit into GPU memory");
		return false;
	}

	device_run_pipeline(&(const struct device_pipeline){.slabs = (p.count + p.per - 1) / p.per,
	        .buffers = buffers,
	        .describe = describe,
	        .compute = compute,
	        .ctx = &p});

	return true;
}

void fft_files(struct cfl *y, struct cfl *x, unsigned long dims, unsigned mode, double scale)
{
	const struct hdr *h = &y->hdr;

	if (on_device(y, x, dims, mode, scale))
		return;

	void *data = cfl_map_out(y);

	promote(h->type, data, x->hdr.type, cfl_map(x), x->count);
	fft(DIMS, h->dims, dims, mode, h->type, data, data);

	if (1. != scale)
		vec_scale(h->type, y->count, data, scale);
}
