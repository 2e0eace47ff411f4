/* Convolution by Fourier transforms, in blocks that overlap by the length of the kernel ("overlap and save"):
 * all but the first k - 1 points of a circular convolution of L points with a kernel of k points equal those
 * of a linear convolution. Real data use real transforms along the first dim. The dims along which the kernel
 * has length 1 are a batch; the one with the smallest steps is transformed together. */

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "num/fft/convolve.h"
#include "num/fft/fft.h"
#include "num/md/flpmath.h"
#include "num/shape/periodic.h"

static const long block_limit = 64l << 20; // bytes of a block's spectrum

/** The dims of the kernel come first, in order; then the one that is batched; then the others. */
struct blocks {
	enum dtype t, c; // of the elements, of spectra
	unsigned mode;
	int K, D;
	long n[DIMS + 1];      // outputs
	long ni[DIMS + 1];     // inputs, 1 where it repeats
	long taps[DIMS + 1];   // of the kernel
	long centre[DIMS + 1]; // of the convolution (not correlation)
	long ostrs[DIMS + 1], istrs[DIMS + 1], kstrs[DIMS + 1];
	long length[DIMS + 1]; // of the transforms; the size of the batch
	long dims[DIMS + 1];   // of a spectrum
	void *kernel;          // its spectrum over the number of points
	char *data, *spectrum;
};

static bool is_real(const struct blocks *b)
{
	return !dtype_is_complex(b->t);
}

static long points(const struct blocks *b)
{
	return md_calc_size(b->K, b->length);
}

/** Between a block in `data` and its spectrum. */
static void transform(const struct blocks *b, bool inverse, long batch, void *data, void *spectrum)
{
	const unsigned long all = (1ul << b->K) - 1;
	const unsigned mode = inverse ? FFT_INVERSE : 0;
	long dims[DIMS + 1];

	md_copy_dims(b->K, dims, b->dims);
	dims[b->K] = batch;

	if (!is_real(b)) {
		fft(b->K + 1, dims, all, mode, b->c, spectrum, spectrum);
		return;
	}

	long lines = points(b) / b->length[0] * batch;

	if (!inverse)
		fft_r2c(b->length[0], lines, b->t, spectrum, data);

	fft(b->K + 1, dims, all & ~1ul, mode, b->c, spectrum, spectrum);

	if (inverse)
		fft_c2r(b->length[0], lines, b->t, data, spectrum);
}

/** Where the elements of a block lie before the transform and after its inverse. */
static char *samples(const struct blocks *b)
{
	return is_real(b) ? b->data : b->spectrum;
}

/** n elements where p lies. */
static void *room(long n, enum dtype t, const void *p)
{
	return md_alloc_sameplace(1, &n, dtype_size(t), p);
}

static void set_kernel(struct blocks *b, const char *k)
{
	const size_t size = dtype_size(b->t);
	long strs[DIMS];

	b->kernel = room(md_calc_size(b->K, b->dims), b->c, k);
	md_calc_strides(b->K, strs, b->length, size);

	char *data = b->data, *spectrum = b->spectrum;

	b->spectrum = b->kernel;
	md_clear(b->K, b->length, samples(b), size);
	md_copy2(b->K, b->taps, strs, samples(b), b->kstrs, k, size);

	if (b->mode & CONV_CONJ)
		md_apply1(OP_CONJ, b->t, b->K, b->length, strs, samples(b), strs, samples(b));

	transform(b, false, 1, b->data, b->spectrum);
	vec_scale(b->c, md_calc_size(b->K, b->dims), b->kernel, 1. / (double)points(b));
	b->data = data;
	b->spectrum = spectrum;
}

/** The inputs of the block whose first output is pos[], `batch` at a time; zero, or periodic, outside. */
static void gather(const struct blocks *b, const long pos[], long batch, const char *in)
{
	const size_t size = dtype_size(b->t);
	struct periodic_dim from[DIMS + 1];
	long dims[DIMS + 1], strs[DIMS + 1], n[DIMS + 1], at = 0;

	md_copy_dims(b->K, dims, b->length);
	dims[b->K] = batch;
	md_calc_strides(b->K + 1, strs, dims, size);

	for (int d = 0; d < b->K; d++) {
		long first = pos[d] + b->centre[d] - b->taps[d] + 1, period = b->ni[d];

		if (b->mode & CONV_PERIODIC) {
			n[d] = dims[d];
			from[d] = (struct periodic_dim){
			        b->istrs[d], (first % period + period) % period, period};
			continue;
		}

		long skip = (first < 0) ? -first : 0, end = period - first;

		end = (end < dims[d]) ? end : dims[d];
		n[d] = (end > skip) ? end - skip : 0;
		at += skip * strs[d];
		from[d] = (struct periodic_dim){b->istrs[d], first + skip, 0};
	}

	n[b->K] = batch;
	from[b->K] = (struct periodic_dim){b->istrs[b->K], 0, 0};

	if (!(b->mode & CONV_PERIODIC))
		md_clear(b->K + 1, dims, samples(b), size);

	periodic_copy(b->K + 1, n, strs, samples(b) + at, from, in, size);
}

static void scatter(const struct blocks *b, const long pos[], long batch, char *out)
{
	const size_t size = dtype_size(b->t);
	long dims[DIMS + 1], strs[DIMS + 1], n[DIMS + 1], at = 0;

	md_copy_dims(b->K, dims, b->length);
	dims[b->K] = batch;
	md_calc_strides(b->K + 1, strs, dims, size);

	for (int d = 0; d < b->K; d++) {
		long most = b->length[d] - b->taps[d] + 1;

		n[d] = (b->n[d] - pos[d] < most) ? b->n[d] - pos[d] : most;
		at += (b->taps[d] - 1) * strs[d];
		out += pos[d] * b->ostrs[d];
	}

	n[b->K] = batch;
	md_copy2(b->K + 1, n, b->ostrs, out, strs, samples(b) + at, size);
}

static void block(const struct blocks *b, const long pos[], long batch, char *out, const char *in)
{
	long dims[DIMS + 1], sstrs[DIMS + 1], kstrs[DIMS + 1], csize = (long)dtype_size(b->c);

	gather(b, pos, batch, in);
	transform(b, false, batch, b->data, b->spectrum);

	md_copy_dims(b->K, dims, b->dims);
	dims[b->K] = batch;
	md_calc_strides(b->K + 1, sstrs, dims, (size_t)csize);
	md_calc_strides(b->K, kstrs, b->dims, (size_t)csize);
	kstrs[b->K] = 0;
	md_apply2(OP_MUL, b->c, b->K + 1, dims, sstrs, b->spectrum, sstrs, b->spectrum, kstrs, b->kernel);

	transform(b, true, batch, b->data, b->spectrum);
	scatter(b, pos, batch, out);
}

/** All blocks of one position of the outer dims. */
static void all_blocks(const struct blocks *b, char *out, const char *in)
{
	for (long k = 0; k < b->n[b->K]; k += b->length[b->K]) {
		long batch = (b->n[b->K] - k < b->length[b->K]) ? b->n[b->K] - k : b->length[b->K];
		long count[DIMS], index[DIMS] = {0};

		for (int d = 0; d < b->K; d++) {
			long step = b->length[d] - b->taps[d] + 1;

			count[d] = (b->n[d] + step - 1) / step;
		}

		do {
			long pos[DIMS];

			for (int d = 0; d < b->K; d++)
				pos[d] = index[d] * (b->length[d] - b->taps[d] + 1);

			block(b, pos, batch, out + k * b->ostrs[b->K], in + k * b->istrs[b->K]);
		} while (md_next(b->K, count, ~0ul, index));
	}
}

static long spectrum_bytes(const struct blocks *b)
{
	return points(b) * (long)dtype_size(b->c);
}

/** Transforms of odd lengths are slow beyond proportion. */
static long good_length(long n)
{
	return (n <= 16) ? fft_good_size(n) : 4 * fft_good_size((n + 3) / 4);
}

/** The whole, or blocks of at least twice the kernel where that takes too much memory. */
static void choose_lengths(struct blocks *b)
{
	for (int d = 0; d < b->K; d++)
		b->length[d] = good_length(b->n[d] + b->taps[d] - 1);

	while (spectrum_bytes(b) > block_limit) {
		int longest = -1;

		for (int d = 0; d < b->K; d++)
			if (b->length[d] > 4 * b->taps[d] && b->length[d] > 32 &&
			        (longest < 0 || b->length[d] > b->length[longest]))
				longest = d;

		if (longest < 0)
			break;

		b->length[longest] = good_length(b->length[longest] / 2);
	}

	long batch = block_limit / 4 / spectrum_bytes(b);

	batch = (batch < 1) ? 1 : batch;
	b->length[b->K] = (batch < b->n[b->K]) ? batch : b->n[b->K];
	md_copy_dims(b->K, b->dims, b->length);

	if (is_real(b))
		b->dims[0] = b->length[0] / 2 + 1;
}

/** Whether the kernel reaches along dim d; else it belongs to the batch. */
static bool reaches(int d, unsigned long flags, const long centre[], const long odims[], const long kdims[],
        const long idims[])
{
	return (flags & 1ul << d) && (1 < kdims[d] || 0 != centre[d] || idims[d] != odims[d]);
}

/** The dims of the kernel first, then the others by the input's steps. */
static int sort_dims(int D, int order[], unsigned long flags, const long centre[], const long odims[],
        const long kdims[], const long idims[], const long istrs[])
{
	int n = 0, K;

	for (int d = 0; d < D; d++)
		if (reaches(d, flags, centre, odims, kdims, idims))
			order[n++] = d;

	K = n;

	for (int d = 0; d < D; d++) {
		if (reaches(d, flags, centre, odims, kdims, idims) || 1 == odims[d])
			continue;

		if (1 != kdims[d] || (idims[d] != odims[d] && 1 != idims[d]))
			error("FFT convolution: %ld taps, %ld inputs and %ld outputs along batch dimension "
			      "%d, expected 1 tap, and 1 input or one input per output",
			        kdims[d], idims[d], odims[d], d);

		int i = n++;

		for (; i > K && labs(istrs[order[i - 1]]) > labs(istrs[d]); i--)
			order[i] = order[i - 1];

		order[i] = d;
	}

	return n;
}

static int count_reached(int D, unsigned long flags, const long centre[], const long odims[],
        const long kdims[], const long idims[])
{
	int K = 0;

	for (int d = 0; d < D; d++)
		K += reaches(d, flags, centre, odims, kdims, idims);

	return K;
}

/** The dims in their order; a correlation becomes a convolution with the kernel from its end. Returns the
 * offset of the kernel's first tap. */
static long set_dims(struct blocks *b, int n, const int order[], const long odims[], const long ostrs[],
        const long kdims[], const long kstrs[], const long idims[], const long istrs[], const long centre[])
{
	long first = 0;

	for (int i = 0; i < n; i++) {
		int d = order[i];
		bool back = i < b->K && (b->mode & CONV_CORRELATE);

		b->n[i] = odims[d];
		b->ni[i] = idims[d];
		b->taps[i] = kdims[d];
		b->ostrs[i] = ostrs[d];
		b->istrs[i] = (1 == idims[d] && i >= b->K) ? 0 : istrs[d];
		b->kstrs[i] = back ? -kstrs[d] : kstrs[d];
		b->centre[i] = back ? kdims[d] - 1 - centre[d] : centre[d];
		first += back ? (kdims[d] - 1) * kstrs[d] : 0;
	}

	b->D = n;

	if (n == b->K) { // a batch of one
		b->n[n] = b->ni[n] = 1;
		b->ostrs[n] = b->istrs[n] = 0;
		b->D++;
	}

	return first;
}

void md_convolve_fft_t(enum dtype t, unsigned mode, int D, unsigned long flags, const long centre[],
        const long odims[], const long ostrs[], void *out, const long kdims[], const long kstrs[],
        const void *k, const long idims[], const long istrs[], const void *in)
{
	struct blocks b = {.t = t,
	        .c = (DT_FLOAT64 == dtype_real(t)) ? DT_COMPLEX128 : DT_COMPLEX64,
	        .mode = mode,
	        .K = count_reached(D, flags, centre, odims, kdims, idims)};
	int order[DIMS];

	if (0 == b.K || 0 == md_calc_size(D, odims) || 0 == md_calc_size(D, idims)) {
		md_convolve_t(
		        t, mode, D, flags, centre, odims, ostrs, out, kdims, kstrs, k, idims, istrs, in);
		return;
	}

	int n = sort_dims(D, order, flags, centre, odims, kdims, idims, istrs);
	const char *taps =
	        (const char *)k + set_dims(&b, n, order, odims, ostrs, kdims, kstrs, idims, istrs, centre);

	choose_lengths(&b);

	long batch = b.length[b.K];

	b.data = is_real(&b) ? room(points(&b) * batch, t, out) : NULL;
	b.spectrum = room(md_calc_size(b.K, b.dims) * batch, b.c, out);
	set_kernel(&b, taps);

	long pos[DIMS] = {0};
	const int outer = b.K + 1;

	do
		all_blocks(&b, (char *)out + md_calc_offset(b.D - outer, b.ostrs + outer, pos),
		        (const char *)in + md_calc_offset(b.D - outer, b.istrs + outer, pos));
	while (md_next(b.D - outer, b.n + outer, ~0ul, pos));

	md_free(b.data);
	md_free(b.spectrum);
	md_free(b.kernel);
}

/** Sizes and blocks alone, without steps. False where there is nothing to transform. */
static bool plan_blocks(struct blocks *b, enum dtype t, int D, unsigned long flags, const long odims[],
        const long kdims[], const long idims[])
{
	const long zeros[DIMS] = {0};
	int order[DIMS];

	*b = (struct blocks){.t = t,
	        .c = (DT_FLOAT64 == dtype_real(t)) ? DT_COMPLEX128 : DT_COMPLEX64,
	        .K = count_reached(D, flags, zeros, odims, kdims, idims)};

	for (int d = 0; d < D; d++)
		if (!reaches(d, flags, zeros, odims, kdims, idims) && 1 != kdims[d])
			return false;

	if (0 == b->K || 0 == md_calc_size(D, odims))
		return false;

	int n = sort_dims(D, order, flags, zeros, odims, kdims, idims, zeros);

	set_dims(b, n, order, odims, zeros, kdims, zeros, idims, zeros, zeros);
	choose_lengths(b);

	return true;
}

long md_convolve_fft_memory(
        enum dtype t, int D, unsigned long flags, const long odims[], const long kdims[], const long idims[])
{
	struct blocks b;

	if (!plan_blocks(&b, t, D, flags, odims, kdims, idims))
		return 0;

	const long batch = b.length[b.K], spectrum = md_calc_size(b.K, b.dims) * (long)dtype_size(b.c);

	return (batch + 1) * spectrum + (is_real(&b) ? batch * points(&b) * (long)dtype_size(t) : 0);
}

bool md_convolve_prefers_fft(
        enum dtype t, int D, unsigned long flags, const long odims[], const long kdims[], const long idims[])
{
	const double direct_rate = 9e9, fft_rate = 2e9; // products, points times log2(points), per second
	struct blocks b;

	if (!plan_blocks(&b, t, D, flags, odims, kdims, idims))
		return false;

	double parts = dtype_is_complex(t) ? 2 : 1;
	double products = (double)md_calc_size(D, odims), transformed = 1;

	for (int i = 0; i < b.K; i++) {
		products *= (double)b.taps[i];
		transformed *=
		        ceil((double)b.n[i] / (double)(b.length[i] - b.taps[i] + 1)) * (double)b.length[i];
	}

	for (int i = b.K; i < b.D; i++)
		transformed *= (double)b.n[i];

	return parts * transformed * log2((double)points(&b) + 1) / fft_rate <
	       parts * parts * products / direct_rate;
}
