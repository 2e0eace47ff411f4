/** Lifting steps on the GPU. A block loads a piece of some lines into shared memory, as float64 and with as
 * many elements on either side as the steps reach, and computes these too. Periodic lines continue beyond
 * their ends with copies of their elements; others are mirrored in each step as on the CPU, with the same
 * sums.
 */

#include "linops/cuda/selftest_linops.h"
#include "num/device/cuda/gpu.h"

extern "C" {
#include "linops/wavelet/wavelet_lines.h"
}

/** SIDE: what the steps reach together, even; PIECE: elements of a line that a block writes. Lines whose
 * elements are neighbours lie along the warps, of others neighbouring lines do. */
enum { THREADS = 256, SIDE = 10, WARP = 32, WARPS = THREADS / WARP };

template <bool ALONG> struct tile {
	enum {
		LINES = ALONG ? WARPS : WARP,
		PIECE = ALONG ? 256 : 64,
		ROOM = PIECE + 2 * SIDE,
		HALF = ROOM / 2
	};
};

/** Where element q of line k lies in shared memory: even elements, then odd ones. */
template <bool ALONG> __device__ static int slot(int q, int k)
{
	typedef tile<ALONG> S;
	const int at = (q & 1) * S::HALF + (q >> 1);

	return ALONG ? k * S::ROOM + at : at * S::LINES + k;
}

/** Element u of a tile in the order in which elements, or coefficients, lie in memory. */
template <bool ALONG> __device__ static int element(int u, bool coefficients)
{
	typedef tile<ALONG> S;

	return !coefficients ? u : (u < S::HALF) ? 2 * u : 2 * (u - S::HALF) + 1;
}

/** What a step adds to the element in place q of line k, number i of it. */
template <bool ALONG>
__device__ static double lifted(
        const struct wavelet_task &t, const struct wavelet_lift *s, long i, int q, int k, const double *b)
{
	typedef tile<ALONG> S;
	double v = b[slot<ALONG>(q, k)];
	const double sign = wavelet_inverse(&t) ? -1. : 1.;

	if (!t.transpose || t.periodic) {
		for (int j = 0; j < s->taps; j++) {
			const int by = t.transpose ? -s->tap[j].offset : s->tap[j].offset;
			const long to = t.periodic ? i + by : wavelet_beyond(false, i + by, t.lifted);
			const long at = q + (to - i);

			if (at >= 0 && at < S::ROOM)
				v += sign * s->tap[j].c * b[slot<ALONG>((int)at, k)];
		}

		return v;
	}

	// all that reads it, over the ends too, in the order of the CPU
	for (int by = -WAVELET_FAR; by <= WAVELET_FAR; by += 2) {
		const long from = i + by;
		const int at = q + by;

		if (from < 0 || from >= t.lifted || at < 0 || at >= S::ROOM)
			continue;

		for (int j = 0; j < s->taps; j++)
			if (i == wavelet_beyond(false, from + s->tap[j].offset, t.lifted))
				v += sign * s->tap[j].c * b[slot<ALONG>(at, k)];
	}

	return v;
}

template <typename T, bool ALONG>
__global__ static void __launch_bounds__(THREADS)
        lines_kernel(const __grid_constant__ struct wavelet_task t, T *dst, const T *src)
{
	typedef tile<ALONG> S;
	__shared__ double b[S::LINES * S::ROOM];
	__shared__ long where[S::LINES];
	const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	const long first = (long)blockIdx.x * S::LINES, base = (long)blockIdx.y * S::PIECE - SIDE;
	const int k = ALONG ? ty : tx, begin = ALONG ? tx : ty, step = ALONG ? WARP : WARPS;
	const bool inverse = wavelet_inverse(&t), there = first + k < t.lines;
	const double low = inverse ? 1. / t.f.low : t.f.low, high = inverse ? 1. / t.f.high : t.f.high;

	if (0 == (ALONG ? tx : ty))
		where[k] = wavelet_line_at(&t, there ? first + k : 0);

	__syncthreads();

	const long at = where[k];

	for (int u = begin; u < S::ROOM; u += step) {
		const int q = element<ALONG>(u, !t.analysis);
		const long i = base + q;
		const bool inside = 0 <= i && i < t.lifted;
		const long j = (inside || !t.periodic) ? i : wavelet_beyond(true, i, t.lifted);
		double v = (inside || t.periodic)
		                   ? (double)src[at + t.step * (t.analysis ? j : wavelet_place(j, t.n))]
		                   : 0.;

		b[slot<ALONG>(q, k)] = t.analysis ? v : v * ((q & 1) ? high : low);
	}

	for (int m = 0; m < t.f.steps; m++) {
		const struct wavelet_lift *s = wavelet_step(&t, m);
		const int parity = t.transpose ? 1 - s->parity : s->parity;

		__syncthreads();

		for (int h = begin; h < S::HALF; h += step) {
			const int q = 2 * h + parity;
			const long i = base + q;

			if (t.periodic || (0 <= i && i < t.lifted))
				b[slot<ALONG>(q, k)] = lifted<ALONG>(t, s, i, q, k, b);
		}
	}

	__syncthreads();

	for (int u = begin; u < S::ROOM && there; u += step) {
		const int q = element<ALONG>(u, t.analysis);
		const long i = base + q;

		if (q < SIDE || q >= SIDE + S::PIECE || i >= t.n)
			continue;

		const long to = at + t.step * (t.analysis ? wavelet_place(i, t.n) : i);

		if (i >= t.lifted) // left over
			dst[to] = src[at + t.step * (t.analysis ? i : wavelet_place(i, t.n))];
		else if (t.analysis)
			dst[to] = (T)(b[slot<ALONG>(q, k)] * ((q & 1) ? high : low));
		else
			dst[to] = (T)b[slot<ALONG>(q, k)];
	}
}

enum { MOST = 65535 }; // blocks along y

template <typename T, bool ALONG> static void run(const struct wavelet_task *t, T *dst, const T *src)
{
	typedef tile<ALONG> S;
	const long pieces = gpu_divide_up(t->n, S::PIECE), groups = gpu_divide_up(t->lines, S::LINES);

	if (pieces > MOST)
		error("GPU: a wavelet transform along %ld elements, expected at most %ld", t->n,
		        (long)MOST * S::PIECE);

	GPU_LAUNCH((lines_kernel<T, ALONG>), dim3((unsigned)groups, (unsigned)pieces), dim3(WARP, WARPS), 0,
	        gpu_stream(), *t, dst, src);
}

/** The parts of a complex element lie side by side: two lines along the warps are read from the same sectors.
 */
template <typename T> static void lines_of(const struct wavelet_task *t, void *dst, const void *src)
{
	if (2 >= t->step)
		run<T, true>(t, (T *)dst, (const T *)src);
	else
		run<T, false>(t, (T *)dst, (const T *)src);
}

static void lines(const struct wavelet_task *t, enum dtype real, void *dst, const void *src)
{
	gpu_selftest(&gpu_selftest_wavelets);

	if (DT_FLOAT32 == real)
		lines_of<float>(t, dst, src);
	else
		lines_of<double>(t, dst, src);
}

extern "C" {
extern const struct wavelet_kernels wavelet_kernels_gpu;
const struct wavelet_kernels wavelet_kernels_gpu = {lines};
}
