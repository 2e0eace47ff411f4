/* Copies, fills and transposes on the GPU, in words of 1 to 16 bytes. */

#include <string.h>

#include "num/device/cuda/gpu.h"
#include "num/expr/cuda/loop_fn.h"

enum { THREADS = 256, LONG_GRID = 1 << 16, TILE = 32, ROWS = 8, MOST = 64 };

static int blocks_for(long blocks)
{
	return (int)((blocks < LONG_GRID) ? blocks : (long)LONG_GRID);
}

/* ---- copies ---- */

template <class W>
__global__ void __launch_bounds__(THREADS)
        kern_copy(const __grid_constant__ struct loop l, char *out, const char *in)
{
	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < l.count; i += (long)gridDim.x * THREADS) {
		long at[LOOP_OPERANDS];

		loop_place(l, i, 0, at);
		*(W *)(out + at[0]) = *(const W *)(in + at[1]);
	}
}

template <class W> static void copy(const struct loop *l, void *out, const void *in)
{
	GPU_LAUNCH((kern_copy<W>), blocks_for((l->count + THREADS - 1) / THREADS), THREADS, 0, gpu_stream(),
	        *l, (char *)out, (const char *)in);
}

extern "C" void gpu_md_copy(int word, const struct loop *l, void *out, const void *in)
{
	const bool even = 0 == l->D || (1 == l->D && word == l->strs[0][0] && word == l->strs[1][0]);

	if (even) {
		if (out != in)
			GPU_CHECK(cudaMemcpyAsync(out, in, (size_t)l->count * (size_t)word,
			        cudaMemcpyDeviceToDevice, gpu_stream()));

		return;
	}

	switch (word) {
	case 1:
		copy<unsigned char>(l, out, in);
		break;
	case 2:
		copy<unsigned short>(l, out, in);
		break;
	case 4:
		copy<unsigned>(l, out, in);
		break;
	case 8:
		copy<uint2>(l, out, in);
		break;
	default:
		copy<uint4>(l, out, in);
	}
}

/* ---- transpositions ---- */

/** Tiles of dims 0 and 1 through shared memory, whose rows are one word longer so that columns do not fall
 * into one bank: the input is read along dim 1, the output written along dim 0. The other dims are a loop. */
template <class W>
__global__ void __launch_bounds__(TILE *ROWS)
        kern_transpose(const __grid_constant__ struct loop l, long others, char *out, const char *in)
{
	__shared__ W tile[TILE][TILE + 1];
	const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
	const long n0 = l.dims[0], n1 = l.dims[1], t0 = (n0 + TILE - 1) / TILE, t1 = (n1 + TILE - 1) / TILE;

	for (long b = blockIdx.x; b < t0 * t1 * others; b += gridDim.x) {
		const long i0 = b % t0 * TILE, i1 = b / t0 % t1 * TILE;
		long rest = b / (t0 * t1), from = 0, to = 0;

		for (int d = 2; d < l.D; d++) {
			const long q = rest / l.dims[d], at = rest - q * l.dims[d];

			to += at * l.strs[0][d];
			from += at * l.strs[1][d];
			rest = q;
		}

		for (int r = y; r < TILE; r += ROWS)
			if (i0 + r < n0 && i1 + x < n1)
				tile[r][x] = *(const W *)(in + from + (i0 + r) * l.strs[1][0] +
				                          (i1 + x) * l.strs[1][1]);

		__syncthreads();

		for (int r = y; r < TILE; r += ROWS)
			if (i0 + x < n0 && i1 + r < n1)
				*(W *)(out + to + (i0 + x) * l.strs[0][0] + (i1 + r) * l.strs[0][1]) =
				        tile[x][r];

		__syncthreads();
	}
}

template <class W> static void transpose(const struct loop *l, void *out, const void *in)
{
	const long tiles = ((l->dims[0] + TILE - 1) / TILE) * ((l->dims[1] + TILE - 1) / TILE);
	const long others = l->count / (l->dims[0] * l->dims[1]);

	GPU_LAUNCH((kern_transpose<W>), blocks_for(tiles * others), TILE * ROWS, 0, gpu_stream(), *l, others,
	        (char *)out, (const char *)in);
}

extern "C" void gpu_md_transpose(int word, const struct loop *l, void *out, const void *in)
{
	switch (word) {
	case 1:
		transpose<unsigned char>(l, out, in);
		break;
	case 2:
		transpose<unsigned short>(l, out, in);
		break;
	case 4:
		transpose<unsigned>(l, out, in);
		break;
	case 8:
		transpose<uint2>(l, out, in);
		break;
	default:
		transpose<uint4>(l, out, in);
	}
}

/* ---- fills ---- */

struct fill_value {
	alignas(16) char bytes[MOST];
};

template <class W>
__global__ void __launch_bounds__(THREADS) kern_fill(const __grid_constant__ struct loop l, int period,
        char *out, const __grid_constant__ struct fill_value v)
{
	const long n0 = (0 < l.D) ? l.dims[0] : 1;

	for (long i = (long)blockIdx.x * THREADS + threadIdx.x; i < l.count; i += (long)gridDim.x * THREADS) {
		const long k = (1 == period) ? 0 : i % n0 % period;
		long at[LOOP_OPERANDS];

		loop_place(l, i, 0, at);
		*(W *)(out + at[0]) = ((const W *)v.bytes)[k];
	}
}

template <class W> static void fill(const struct loop *l, int period, void *out, const struct fill_value *v)
{
	GPU_LAUNCH((kern_fill<W>), blocks_for((l->count + THREADS - 1) / THREADS), THREADS, 0, gpu_stream(),
	        *l, period, (char *)out, *v);
}

extern "C" void gpu_md_fill(int word, int period, const struct loop *l, void *out, const void *value)
{
	struct fill_value v;

	memset(&v, 0, sizeof v);
	memcpy(v.bytes, value, (size_t)(word * period));

	switch (word) {
	case 1:
		fill<unsigned char>(l, period, out, &v);
		break;
	case 2:
		fill<unsigned short>(l, period, out, &v);
		break;
	case 4:
		fill<unsigned>(l, period, out, &v);
		break;
	case 8:
		fill<uint2>(l, period, out, &v);
		break;
	default:
		fill<uint4>(l, period, out, &v);
	}
}
