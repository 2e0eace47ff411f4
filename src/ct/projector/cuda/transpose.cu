/* Copies of volumes and projections in the layouts of the kernels: along z, along columns. Tiles of 32 x 32
 * go through shared memory. */

#include "ct/projector/cuda/untilted_internal.h"

extern "C" {
#include "ct/projector/model/siddon.h"
}

enum { TILE = 32, LINES = 8 };

/** Tiles of blockIdx.x: a of n / TILE along the first axis, and which plane. */
struct place {
	long a, plane;
};

static __device__ struct place place_of(long tiles)
{
	const unsigned n = (unsigned)tiles; // as blockIdx.x counts, and quicker to divide by

	return {(long)(blockIdx.x % n) * TILE, (long)(blockIdx.x / n)};
}

/** to (along, planes, n) from from (n, planes, along), first dim fastest; lines of `to` are `depth` elements
 * apart, of which `fill` are written, zeros behind what there is. */
static __global__ void transpose_slices(
        float *to, const float *from, long n, long planes, long along, long depth, long fill)
{
	__shared__ float tile[TILE][TILE + 1];
	const struct place p = place_of(gpu_divide_up(n, TILE));
	const long z0 = (long)blockIdx.y * TILE;

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long x = p.a + threadIdx.x, z = z0 + r;

		tile[r][threadIdx.x] = (x < n && z < along) ? from[(z * planes + p.plane) * n + x] : 0.f;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long x = p.a + r, z = z0 + threadIdx.x;

		if (x < n && z < fill)
			to[(x * planes + p.plane) * depth + z] = tile[threadIdx.x][r];
	}
}

static __global__ void untranspose(
        float *to, const float *from, long n, long planes, long along, long depth, bool add)
{
	__shared__ float tile[TILE][TILE + 1];
	const struct place p = place_of(gpu_divide_up(n, TILE));
	const long z0 = (long)blockIdx.y * TILE;

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long x = p.a + r, z = z0 + threadIdx.x;

		tile[r][threadIdx.x] = (x < n && z < along) ? from[(x * planes + p.plane) * depth + z] : 0.f;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long x = p.a + threadIdx.x, z = z0 + r;

		if (x < n && z < along) {
			float *o = to + (z * planes + p.plane) * n + x;

			*o = add ? *o + tile[threadIdx.x][r] : tile[threadIdx.x][r];
		}
	}
}

static dim3 tiles(long a, long planes, long b)
{
	return dim3((unsigned)(gpu_divide_up(a, TILE) * planes), (unsigned)gpu_divide_up(b, TILE));
}

void gpu_transpose_volume(float *copy, const float *vol, const int n[3], int depth, int fill)
{
	GPU_LAUNCH(transpose_slices, tiles(n[0], n[1], fill), dim3(TILE, LINES), 0, gpu_stream(), copy, vol,
	        n[0], n[1], n[2], depth, fill);
}

void gpu_untranspose_volume(float *vol, const float *copy, const int n[3], int depth, bool add)
{
	GPU_LAUNCH(untranspose, tiles(n[0], n[1], n[2]), dim3(TILE, LINES), 0, gpu_stream(), vol, copy, n[0],
	        n[1], n[2], depth, add);
}

/** Row of the file that is row r upwards. */
static __device__ long row_of(const struct gpu_batch &b, long view, long r)
{
	return b.view[view].down ? b.rows - 1 - r : r;
}

/** b.proj = lengths times proj (cols, rows, views), or proj itself. */
static __global__ void transpose_views(struct gpu_batch b, const float *proj, bool scale)
{
	__shared__ float tile[TILE][TILE + 1];
	const struct place p = place_of(gpu_divide_up(b.cols, TILE));
	const long r0 = (long)blockIdx.y * TILE;

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + threadIdx.x, v = r0 + r;
		float x = 0.f;

		if (u < b.cols && v < b.rows) {
			x = proj[(p.plane * b.rows + row_of(b, p.plane, v)) * b.cols + u];
			x *= scale ? gpu_length(b.pace + p.plane * b.cols + u,
			                     gpu_lowest(b, b.view[p.plane]) + v)
			           : 1.f;
		}

		tile[r][threadIdx.x] = x;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + r, v = r0 + threadIdx.x;

		if (u < b.cols && v < b.pitch)
			b.proj[(p.plane * b.cols + u) * b.pitch + v] = tile[threadIdx.x][r];
	}
}

static __global__ void untranspose_views(struct gpu_batch b, float *proj, bool scale, bool add)
{
	__shared__ float tile[TILE][TILE + 1];
	const struct place p = place_of(gpu_divide_up(b.cols, TILE));
	const long r0 = (long)blockIdx.y * TILE;

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + r, v = r0 + threadIdx.x;

		tile[r][threadIdx.x] =
		        (u < b.cols && v < b.rows) ? b.proj[(p.plane * b.cols + u) * b.pitch + v] : 0.f;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + threadIdx.x, v = r0 + r;

		if (u >= b.cols || v >= b.rows)
			continue;

		float *o = proj + (p.plane * b.rows + row_of(b, p.plane, v)) * b.cols + u;
		const float way = scale ? gpu_length(b.pace + p.plane * b.cols + u,
		                                  gpu_lowest(b, b.view[p.plane]) + v)
		                        : 1.f,
		            x = tile[threadIdx.x][r] * way;

		*o = add ? *o + x : x;
	}
}

/** Level views: slices of the volume from rows, each row between two slices: the transpose of what follows.
 */
static __global__ void transpose_slice_parallel(struct gpu_batch b, const float *proj)
{
	__shared__ float tile[TILE][TILE + 1];
	const struct place p = place_of(gpu_divide_up(b.cols, TILE));
	const struct gpu_column *c = b.column + p.plane * b.cols;
	const long k0 = (long)blockIdx.y * TILE, lowest = gpu_lowest(b, b.view[p.plane]);
	const double inv = 1. / c->sa;

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + threadIdx.x, k = k0 + r;
		float sum = 0.f;

		if (u < b.cols && k < b.n[2]) {
			const double z = (double)(b.slice + k), from = ceil((z - 1. - c->za) * inv) - lowest,
			             to = floor((z + 1. - c->za) * inv) - lowest;
			const long lo = (long)fmax(from, 0.), hi = (long)fmin(to, b.rows - 1.);

			for (long v = lo; v <= hi; v++) {
				const float w =
				        1.f - fabsf((float)(c->za + (double)(lowest + v) * c->sa - z));

				sum = fmaf(fmaxf(w, 0.f),
				        proj[(p.plane * b.rows + row_of(b, p.plane, v)) * b.cols + u], sum);
			}

			sum *= gpu_length(b.pace + p.plane * b.cols + u, 0);
		}

		tile[r][threadIdx.x] = sum;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + r, k = k0 + threadIdx.x;

		if (u < b.cols && k < b.pitch)
			b.proj[(p.plane * b.cols + u) * b.pitch + k] = tile[threadIdx.x][r];
	}
}

/** Level views: rows between two slices each. */
static __global__ void untranspose_slice_parallel(struct gpu_batch b, float *proj, bool add)
{
	__shared__ float tile[TILE][TILE + 1];
	const struct place p = place_of(gpu_divide_up(b.cols, TILE));
	const struct gpu_column *c = b.column + p.plane * b.cols;
	const long r0 = (long)blockIdx.y * TILE;

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + r, v = r0 + threadIdx.x;
		const double z = c->za + (double)(gpu_lowest(b, b.view[p.plane]) + v) * c->sa, fl = floor(z),
		             below = fl - b.slice;
		float x = 0.f;

		if (u < b.cols && v < b.rows && below >= -1. && below < b.n[2]) {
			const float *line = b.proj + (p.plane * b.cols + u) * b.pitch, w = (float)(z - fl);
			const long k = (long)below;

			x = (1.f - w) * (k >= 0 ? line[k] : 0.f) + w * (k + 1 < b.n[2] ? line[k + 1] : 0.f);
			x *= gpu_length(b.pace + p.plane * b.cols + u, 0);
		}

		tile[r][threadIdx.x] = x;
	}

	__syncthreads();

	for (int r = threadIdx.y; r < TILE; r += LINES) {
		const long u = p.a + threadIdx.x, v = r0 + r;

		if (u < b.cols && v < b.rows) {
			float *o = proj + (p.plane * b.rows + row_of(b, p.plane, v)) * b.cols + u;

			*o = add ? *o + tile[threadIdx.x][r] : tile[threadIdx.x][r];
		}
	}
}

void gpu_transpose_views(const struct gpu_batch *b, const float *proj, bool slice_parallel)
{
	const dim3 grid = tiles(b->cols, b->views, b->pitch), block(TILE, LINES);

	if (slice_parallel)
		GPU_LAUNCH(transpose_slice_parallel, grid, block, 0, gpu_stream(), *b, proj);
	else
		GPU_LAUNCH(transpose_views, grid, block, 0, gpu_stream(), *b, proj, true);
}

void gpu_transpose_filtered(const struct gpu_batch *b, const float *q)
{
	GPU_LAUNCH(transpose_views, tiles(b->cols, b->views, b->pitch), dim3(TILE, LINES), 0, gpu_stream(),
	        *b, q, false);
}

void gpu_untranspose_views(const struct gpu_batch *b, float *proj, bool slice_parallel, bool add)
{
	const dim3 grid = tiles(b->cols, b->views, b->rows), block(TILE, LINES);

	if (slice_parallel)
		GPU_LAUNCH(untranspose_slice_parallel, grid, block, 0, gpu_stream(), *b, proj, add);
	else
		GPU_LAUNCH(untranspose_views, grid, block, 0, gpu_stream(), *b, proj, true, add);
}

void gpu_untranspose_plain(const struct gpu_batch *b, float *proj, bool add)
{
	GPU_LAUNCH(untranspose_views, tiles(b->cols, b->views, b->rows), dim3(TILE, LINES), 0, gpu_stream(),
	        *b, proj, false, add);
}

/** The columns of a batch, as untilted_column() has them. */
static __global__ void columns(struct gpu_batch b, struct gpu_scan s)
{
	const long at = (long)blockIdx.x * blockDim.x + threadIdx.x;

	if (at >= (long)b.views * b.cols)
		return;

	const struct gpu_view *w = b.view + at / b.cols;
	const double c = (double)(at % b.cols) - (double)(s.cols - 1) / 2.,
	             bend = s.radius > 0. ? c * w->pitch / s.radius : 0.;
	const double x = s.radius > 0. ? s.radius * sin(bend) / w->pitch : c, half = sin(bend / 2.);
	const double z = s.radius > 0. ? 2. * s.radius * half * half : 0.;
	const long lowest = w->down ? s.rows - 1 : 0;
	double from[3], d[3];
	struct column k;

	for (int i = 0; i < 3; i++) {
		from[i] = s.parallel ? w->d[i] + x * w->u[i] + z * w->n[i] : w->s[i];
		d[i] = s.parallel ? w->s[i] : ((w->d[i] - w->s[i]) + x * w->u[i]) + z * w->n[i];
	}

	*(s.parallel ? &from[2] : &d[2]) +=
	        ((double)lowest - (double)(s.rows - 1) / 2.) * (w->down ? -w->up : w->up);

	// tiles are made from the host's tables: a ray halfway between the axes has the one that it has
	// there, also where roundings differ
	const int u = (int)(at % b.cols), m = (fabs(d[0]) >= fabs(d[1])) ? 0 : 1;

	if (u < w->lo[m] || u >= w->hi[m])
		d[1 - m] = copysign(fabs(d[m]) * (m ? 1. : 1. + 1e-15), d[1 - m]);

	column_aim(&k, from, d, s.parallel ? w->up : 0., s.parallel ? 0. : w->up);

	if (s.siddon)
		k.z[0] += siddon_slack(&k, 1. / (1 << 25));

	const double a = s.spacing[k.m], across = k.slope * s.spacing[k.p];
	struct gpu_column out;
	struct gpu_pace pace;

	out.y0 = k.pos;
	out.dy = k.slope;
	out.za = k.z[0] + k.away[0] * k.z[1];
	out.zb = k.away[1] * k.z[1];
	out.sa = k.step[0] + k.away[0] * k.step[1];
	out.sb = k.away[1] * k.step[1];
	pace.flat = (float)(a * a + across * across);
	pace.rise = (float)(k.rise[0] * s.spacing[2]);
	pace.more = (float)(k.rise[1] * s.spacing[2]);
	pace.axis = k.m;
	((struct gpu_column *)b.column)[at] = out;
	((struct gpu_pace *)b.pace)[at] = pace;
}

void gpu_columns(const struct gpu_batch *b, const struct gpu_scan *s)
{
	enum { THREADS = 128 };

	GPU_LAUNCH(
	        columns, gpu_divide_up((long)b->views * b->cols, THREADS), THREADS, 0, gpu_stream(), *b, *s);
}
