/* Fourier transforms on the GPU, by cuFFT; without it, and in the emulator, by the CPU's on copies. Leading
 * dims are one transform of rank up to 3; a dim in the middle is one transform per element outside it if
 * these are few, else its lines are first gathered. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/cuda/selftest.h"
#include "num/device/device.h"
#include "num/fft/cuda/fft_exec.h"
#include "num/fft/fft_backend.h"
#include "num/md/flpmath.h"

enum { FEW = 16 }; // transforms that are asked for one by one

/** Dims without those of length 1; flags follow. */
static int squeeze(int D, long n[], const long dims[], unsigned long *flags)
{
	unsigned long kept = 0;
	int m = 0;

	for (int d = 0; d < D; d++) {
		if (1 == dims[d])
			continue;

		kept |= (*flags >> d & 1ul) << m;
		n[m++] = dims[d];
	}

	*flags = kept;

	return m;
}

/** Lines along dim d, in place: gathered as the first dim and back. */
static bool exchanged(struct fft_plan *p, int D, const long dims[], int d, size_t size, void *data)
{
	long turned[DIMS];
	void *buf = md_alloc_sameplace(D, dims, size, data);

	md_transpose_dims(D, 0, d, turned, dims);
	md_transpose(D, 0, d, turned, buf, dims, data, size);
	p->rank = 1;
	p->n[0] = dims[d];
	p->stride = 1;
	p->dist = p->in_dist = dims[d];
	p->batch = md_calc_size(D, dims) / dims[d];

	const bool done = gpu_fft_exec(p, buf, buf);

	if (done)
		md_transpose(D, 0, d, dims, data, turned, buf, size);

	md_free(buf);

	return done;
}

/** All dims in flags, in place; dims are over 1. */
static bool transform(
        enum fft_kind kind, int D, const long dims[], unsigned long flags, enum dtype type, void *data)
{
	const size_t size = dtype_size(type);
	const long all = md_calc_size(D, dims);
	int d = 0;

	for (long before = 1; d < D;) {
		struct fft_plan p = {
		        .kind = kind, .wide = DT_COMPLEX128 == type, .rank = 0, .stride = before};
		long n = 1;

		while (d + p.rank < D && 3 > p.rank && (flags >> (d + p.rank) & 1ul)) {
			p.n[p.rank] = dims[d + p.rank];
			n *= dims[d + p.rank++];
		}

		if (0 == p.rank) {
			before *= dims[d++];
			continue;
		}

		const long after = all / (before * n);

		p.dist = p.in_dist = (1 == before) ? n : 1;
		p.batch = (1 == before) ? after : before;

		if (1 == before || FEW >= after) {
			const long pieces = (1 == before) ? 1 : after;

			for (long i = 0; i < pieces; i++) {
				char *at = (char *)data + i * before * n * (long)size;

				if (!gpu_fft_exec(&p, at, at))
					return false;
			}
		} else {
			const int rank = p.rank;

			for (int i = 0; i < rank; i++)
				if (!exchanged(&p, D, dims, d + i, size, data))
					return false;

			p.rank = rank;
		}

		before *= n;
		d += p.rank;
	}

	return true;
}

/** By the CPU. */
static void on_host(int D, const long dims[], unsigned long flags, unsigned mode, enum dtype type, void *out,
        const void *in)
{
	const size_t bytes = (size_t)md_calc_size(D, dims) * dtype_size(type);
	void *host = mem_alloc(bytes);

	device_copy(host, in, bytes);
	fft_backend_cpu.fft(D, dims, flags, mode, type, host, host);
	device_copy(out, host, bytes);
	free(host);
}

/** Moves index n/2 to 0, or back. */
static void move_centre(
        int D, const long n[], unsigned long flags, bool back, void *out, const void *in, size_t size)
{
	long shift[DIMS] = {0};

	for (int d = 0; d < D; d++)
		if (flags >> d & 1ul)
			shift[d] = back ? n[d] / 2 : n[d] - n[d] / 2;

	md_circ_shift(D, n, shift, out, in, size);
}

static void gpu_fft(int D, const long dims[], unsigned long flags, unsigned mode, enum dtype type, void *out,
        const void *in)
{
	const size_t size = dtype_size(type);
	const bool centred = mode & FFT_CENTRED;
	long n[DIMS], along[DIMS];
	unsigned long f = flags;

	if (!device_holds(out) || !device_holds(in))
		error("the arrays of a Fourier transform are in different places, expected both on the GPU");

	gpu_selftest(&gpu_selftest_fft);

	const int m = squeeze(D, n, dims, &f);
	const long all = md_calc_size(m, n);

	if (0 == all || 0 == f) {
		md_copy(D, dims, out, in, size);
		return;
	}

	void *data = centred ? md_alloc_sameplace(m, n, size, out) : out;

	if (centred)
		move_centre(m, n, f, false, data, in, size);
	else if (out != in)
		md_copy(m, n, out, in, size);

	if (!transform((mode & FFT_INVERSE) ? FFT_C2C_INVERSE : FFT_C2C_FORWARD, m, n, f, type, data)) {
		on_host(m, n, f, mode & ~(unsigned)FFT_CENTRED, type, data, data);
	} else if (mode & FFT_UNITARY) {
		md_select_dims(m, f, along, n);
		vec_scale(type, all, data, 1. / sqrt((double)md_calc_size(m, along)));
	}

	if (centred) {
		move_centre(m, n, f, true, out, data, size);
		md_free(data);
	}
}

/** Real transforms: n real elements and n / 2 + 1 complex ones a line. */
static void real(bool inverse, long n, long batch, enum dtype type, void *out, void *in)
{
	const long half = n / 2 + 1;
	struct fft_plan p = {.kind = inverse ? FFT_C2R : FFT_R2C,
	        .wide = DT_FLOAT64 == type,
	        .rank = 1,
	        .n = {n},
	        .stride = 1,
	        .in_dist = inverse ? half : n,
	        .dist = inverse ? n : half,
	        .batch = batch};

	gpu_selftest(&gpu_selftest_fft);

	if (0 == batch || gpu_fft_exec(&p, out, in))
		return;

	const size_t size = dtype_size(type), real_bytes = (size_t)(n * batch) * size;
	const size_t complex_bytes = (size_t)(half * batch) * 2 * size;
	void *from = mem_alloc(inverse ? complex_bytes : real_bytes);
	void *to = mem_alloc(inverse ? real_bytes : complex_bytes);

	device_copy(from, in, inverse ? complex_bytes : real_bytes);

	if (inverse)
		fft_backend_cpu.c2r(n, batch, type, to, from);
	else
		fft_backend_cpu.r2c(n, batch, type, to, from);

	device_copy(out, to, inverse ? real_bytes : complex_bytes);
	free(from);
	free(to);
}

static void gpu_r2c(long n, long batch, enum dtype type, void *out, const void *in)
{
	real(false, n, batch, type, out, (void *)in);
}

static void gpu_c2r(long n, long batch, enum dtype type, void *out, void *in)
{
	real(true, n, batch, type, out, in);
}

const struct fft_backend fft_backend_gpu = {gpu_fft, gpu_r2c, gpu_c2r, gpu_fft_there};
