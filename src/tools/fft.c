#include <math.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "misc/threads.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/device/device_load.h"
#include "num/fft/fft.h"
#include "num/fft/fft_shared.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

int main_fft(int argc, char *argv[]);

/** Transformed dims: positions become frequencies 1 / (n spacing) apart; the inverse restores the spacing. */
static void transform_header(struct hdr *h, unsigned long dims)
{
	h->type = (DT_FLOAT64 == h->type || DT_COMPLEX128 == h->type) ? DT_COMPLEX128 : DT_COMPLEX64;
	h->quantity = Q_UNKNOWN;

	for (int d = 0; d < DIMS; d++) {
		if (!(dims & 1ul << d) || 1 == h->dims[d])
			continue;

		if (h->has_spacing)
			h->spacing[d] = 1. / ((double)h->dims[d] * h->spacing[d]);

		h->origin[d] = NAN;
	}
}

/** out = in, as complex numbers. */
static void promote(enum dtype to, char *out, enum dtype from, const char *in, long n)
{
	enum { BLOCK = 1 << 16 };

#pragma omp parallel for schedule(static) num_threads(threads_for((double)n))
	for (long i = 0; i < n; i += BLOCK)
		convert(to, out + i * (long)dtype_size(to), from, in + i * (long)dtype_size(from),
		        (n - i < BLOCK) ? n - i : BLOCK, NARROW_SATURATE);
}

/** What passes through the GPU: blocks of all dims up to the last that is transformed, some at a time. */
struct passing {
	struct cfl *y, *x;
	enum dtype type;
	unsigned long dims;
	unsigned mode;
	double scale;
	int last;               // dim
	long block[DIMS];       // dims of a block
	long size, blocks, per; // elements of one; of them, and at a time
	const char *in_there;   // all of it, if it is on the device
	char *out_there;        // likewise
};

static long blocks_at(const struct passing *p, long k)
{
	return (p->blocks - k * p->per < p->per) ? p->blocks - k * p->per : p->per;
}

static void describe(void *ctx, long k, struct device_slab *s)
{
	const struct passing *p = ctx;
	const long first = k * p->per * p->size, n = blocks_at(p, k) * p->size;

	*s = (struct device_slab){.inputs = 1, .outputs = 1};

	if (NULL == p->in_there)
		s->in[0] = device_part_in(p->x, first, n);

	if (NULL == p->out_there)
		s->out[0] = device_part_out(p->y, first, n);
}

static void compute(void *ctx, long k, void *const in[], void *const out[])
{
	const struct passing *p = ctx;
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
static long choose_blocks(const struct passing *p, int buffers)
{
	const double own = (p->mode & FFT_CENTRED) ? 3.2 : 2.2; // cuFFT's memory, what is turned
	const double in = p->in_there ? 0. : (double)dtype_size(p->x->hdr.type),
	             out = (double)dtype_size(p->type),
	             each = (double)p->size * (buffers * (in + (p->out_there ? 0. : out)) + own * out);
	const long fit = (long)((double)device_left() / each),
	           good = (64L << 20) / (p->size * (long)dtype_size(p->type)) + 1,
	           most = (fit < good) ? fit : good;

	return (most < p->blocks) ? most : p->blocks;
}

/** The transform on the GPU that was asked for; false: it does not fit there, or none was. */
static bool on_device(
        const struct hdr *h, unsigned long dims, unsigned mode, double scale, struct cfl *y, struct cfl *x)
{
	struct passing p = {
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

	p.blocks = x->count / p.size;
	p.in_there = place_on_device(x, false);
	p.out_there = place_on_device(y, true);

	while (0 == (p.per = choose_blocks(&p, buffers)) && 1 < buffers)
		buffers--;

	if (0 == p.per) {
		warn("running on the CPU: the array does not fit into GPU memory");
		return false;
	}

	device_run_pipeline(&(const struct device_pipeline){.slabs = (p.blocks + p.per - 1) / p.per,
	        .buffers = buffers,
	        .describe = describe,
	        .compute = compute,
	        .ctx = &p});

	return true;
}

int main_fft(int argc, char *argv[])
{
	unsigned long dims = 0;
	bool inverse = false, unitary = false, centred = false;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_FLAG('i', "inverse", &inverse, "the inverse transform"),
	        OPT_FLAG('u', "unitary", &unitary, "factor 1/sqrt(N) in both directions"),
	        OPT_FLAG('c', "centred", &centred, "zero position and zero frequency at index n/2"),
	        ARG_DIMS("DIMS", &dims, "dimensions to transform: 0,1 or x,y"),
	        ARG_IN("IN", &in, "any array; real data are promoted"),
	        ARG_OUT("OUT", &out, "complex64, or complex128 of float64 data"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "fft",
	        .group = GROUP_CALCULATE,
	        .synonyms = "ifft dft fourier",
	        .about = "Discrete Fourier transform along some dimensions",
	        .details = "X[k] = sum over n of x[n] exp(-2 pi i k n / N) for each dimension in DIMS. The "
	                   "inverse has +i and the factor 1/N, so that it undoes the transform; with "
	                   "--unitary both have 1/sqrt(N). Spacing s [mm] of a transformed dimension becomes "
	                   "1/(N s) [1/mm], centred.",
	        .examples = "gantry fft x,y slice spectrum\ngantry fft --inverse 0,1 spectrum again\ngantry "
	                    "fft --centred --unitary 0 projections lines",
	        .by_parts = true,
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	struct cfl *x = cfl_open(in);
	struct hdr h;

	hdr_copy(&h, &x->hdr);
	transform_header(&h, dims);

	if (!fft_is_shared(h.dims, dims))
		ranks_alone();

	struct cfl *y = cfl_create(out, &h);
	unsigned mode =
	        (inverse ? FFT_INVERSE : 0) | (unitary ? FFT_UNITARY : 0) | (centred ? FFT_CENTRED : 0);

	long n[DIMS];

	md_select_dims(DIMS, dims, n, h.dims);

	const double scale = (inverse && !unitary) ? 1. / (double)md_calc_size(DIMS, n) : 1.;

	if (ranks_shared()) {
		fft_shared(y, x, dims, mode, scale);
	} else if (!on_device(&h, dims, mode, scale, y, x)) {
		void *data = cfl_map_out(y);

		promote(h.type, data, x->hdr.type, cfl_map(x), x->count);
		fft(DIMS, h.dims, dims, mode, h.type, data, data);

		if (1. != scale)
			vec_scale(h.type, y->count, data, scale);
	}

	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
	leave(EXIT_DONE);
}
