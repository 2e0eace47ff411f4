/* Cone beam, detector columns parallel to z: Joseph's forward projection.
 *
 * Ray stationary. A block owns ALIGNED_ITEMS columns of up to 8 views and 32 G rows and processes the planes
 * of the dominant axis in order. The window of a plane that these rays may touch is loaded into the ring,
 * with zeros outside the volume. A warp owns 8 columns; lanes run along the rows. One thread sums each ray in
 * the order of planes. */

#include "ct/projector/cuda/ring.h"

enum { ITEMS = 128, PER_WARP = ITEMS / RING_WARPS, BOX = 8 /* lines of one copy */ };

/** Lines y and heights z that an item's lowest and highest rows reach in plane 0, and per plane. */
struct reach {
	float y0, dy, low0, low, high0, high;
};

struct forward_args {
	const struct gpu_ray_tile *tiles;
	struct gpu_ring_size ring;
	int across; // columns of a tile: a power of 2
	int tma;
};

/** z and lines of the window of a plane: {z, first line << 8 | lines}. */
static __device__ int2 window_at(const struct reach *reach, int i, int lines, int nz, int width)
{
	const float slack = 0.02f;
	float ya = 1e30f, yb = -1e30f, za = 1e30f, zb = -1e30f;

	for (int k = 0; k < ITEMS; k++) {
		const float y = fmaf((float)i, reach[k].dy, reach[k].y0),
		            low = fmaf((float)i, reach[k].low, reach[k].low0),
		            high = fmaf((float)i, reach[k].high, reach[k].high0);

		if (reach[k].y0 > 1e8f)
			continue;

		ya = fminf(ya, y);
		yb = fmaxf(yb, y);
		za = fminf(za, fminf(low, high));
		zb = fmaxf(zb, fmaxf(low, high));
	}

	if (!(yb > -1.f - slack && ya < (float)lines + slack && zb > -1.f - slack && za < (float)nz + slack))
		return make_int2(0, 0);

	const int a = (int)floorf(fmaxf(ya - slack, -1.f)),
	          b = (int)floorf(fminf(yb + slack, (float)lines - 0.001f)) + 1;
	const int z = (int)floorf(fmaxf(za - slack, -4e8f)) & ~3;

	if (!(zb + slack + 2.f - (float)z < (float)width + 1.f) || b - a >= 255)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(z, a * 256 | (b - a + 1));
}

template <int G, int PITCH>
static __global__ void __launch_bounds__(RING_THREADS, 1)
        cone_forward(const __grid_constant__ CUtensorMap along_y, const __grid_constant__ CUtensorMap along_x,
                struct gpu_batch b, struct forward_args f)
{
	enum { WORDS = 2 + 2 * G }; // of a table's entry
	GPU_SHARED(unsigned char, shared);
	const int stage = f.ring.lines * PITCH * 4, tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
	const struct gpu_ray_tile t = f.tiles[blockIdx.x];
	const int planes = gpu_extent(b, t.axis), lines = gpu_extent(b, 1 - t.axis), v0 = blockIdx.y * 32 * G;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	struct gpu_column *item = (struct gpu_column *)p;
	p += ITEMS * sizeof *item;
	struct reach *reach = (struct reach *)p; // until the windows are found
	float *tab = (float *)p + warp * 32 * WORDS;
	p += RING_WARPS * 32 * WORDS * sizeof(float);
	int *range = (int *)p; // first plane that has anything to do, and the last
	p += 16;
	int2 *win = (int2 *)p;

	if (tid < ITEMS) {
		const int w = tid / f.across, u = t.u + tid % f.across;
		struct gpu_column c = {1e9, 0., 0., 0., 1., 0.};
		struct reach e = {1e9f, 0.f, 0.f, 0.f, 0.f, 0.f};

		if (w < t.views && u < b.cols) {
			const long at = (long)(t.view + w) * b.cols + u;

			if (b.pace[at].axis == t.axis) {
				const double end = min(v0 + 32 * G, b.rows) - 1;

				const double lowest = gpu_lowest(b, b.view[t.view + w]);

				c = b.column[at]; // rows and slices from those of the call on
				c.za += lowest * c.sa - b.slice;
				c.zb += lowest * c.sb;
				e = {(float)c.y0, (float)c.dy, (float)(c.za + v0 * c.sa),
				        (float)(c.zb + v0 * c.sb), (float)(c.za + end * c.sa),
				        (float)(c.zb + end * c.sb)};
			}
		}

		item[tid] = c;
		reach[tid] = e;
	}

	ring_windows(win, range, planes, f.ring.lines,
	        [&](int i) { return window_at(reach, i, lines, b.n[2], PITCH); });

	const int first = range[0], steps = range[1] + 1 - first;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed_planes<BOX>(r, &along_y, &along_x, b, t.axis, lines, shared, stage, PITCH, first,
		        steps, [&](int i) { return win[i]; });
		return;
	}

	gpu_registers_more<112>();

	float acc[PER_WARP][G];
#pragma unroll
	for (int m = 0; m < PER_WARP; m++)
#pragma unroll
		for (int h = 0; h < G; h++)
			acc[m][h] = 0.f;

	/* Past the last row the window has nothing: groups there repeat the first, lanes the last row. */
	const int rest = b.rows - 1 - v0;
	const float vl = (float)((rest < 31 ? min(lane, rest) : lane) - 16);
	int last = -1;

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		const int i = first + k;

		if (last != i >> 2) { // what 8 items need in 4 planes, one per lane
			last = i >> 2;

			const int ip = min(last * 4 + (lane >> 3), planes - 1);
			const int2 q = win[ip];
			const struct gpu_column c = item[warp * PER_WARP + (lane & 7)];
			const double y = c.y0 + ip * c.dy, s = c.sa + ip * c.sb, base = c.za + ip * c.zb,
			             f0 = floor(y);
			const int row =
			        y > -1. && y < lines && (q.y & 255) ? ((int)f0 - (q.y >> 8)) * PITCH * 4 : -1;

			__syncwarp();
			float2 *e = (float2 *)(tab + lane * WORDS);
			e[0] = make_float2((float)(y - f0), (float)s);
#pragma unroll
			for (int h = 0; h < G;
			        h++) { // the middle of 32 rows: its integer part goes into the address
				const double z = base + s * (double)(v0 + 16 + (32 * h <= rest ? 32 * h : 0)),
				             fz = floor(z);

				e[1 + h] = make_float2((float)(z - fz),
				        __int_as_float(row < 0 ? -1 : row + ((int)fz - q.x) * 4));
			}
			__syncwarp();
		}

		ring_wait(r, st, phase);

		const float2 *tb = (const float2 *)(tab + (i & 3) * 8 * WORDS);
		const uint32_t base = (uint32_t)(st * stage) - (uint32_t)RING_MAGICBITS * 4u;

#pragma unroll
		for (int m = 0; m < PER_WARP; m++) {
			const float2 q = tb[m * (1 + G)];
			float2 e = tb[m * (1 + G) + 1];

			if (__float_as_int(e.y) >= 0) {
				const float w0 = 1.f - q.x;
#pragma unroll
				for (int h = 0; h < G; h++) {
					if (h > 0)
						e = tb[m * (1 + G) + 1 + h];

					const float z = fmaf(vl, q.y, e.x), mg = __fadd_rd(z, RING_MAGIC),
					            w = z - (mg - RING_MAGIC);
					const uint32_t a = base + (uint32_t)__float_as_int(e.y) +
					                   (uint32_t)__float_as_int(mg) * 4u;
					const float a0 = ring_at(shared, a), a1 = ring_at(shared, a + 4),
					            b0 = ring_at(shared, a + PITCH * 4),
					            b1 = ring_at(shared, a + PITCH * 4 + 4);
					const float h0 = fmaf(w, a1 - a0, a0), h1 = fmaf(w, b1 - b0, b0);

					acc[m][h] = fmaf(q.x, h1, fmaf(w0, h0, acc[m][h]));
				}
			}
		}

		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

#pragma unroll
	for (int m = 0; m < PER_WARP; m++) {
		const int k = warp * PER_WARP + m;

		if (item[k].y0 > 1e8)
			continue;

		float *out = b.proj + ((long)(t.view + k / f.across) * b.cols + t.u + k % f.across) * b.pitch;
#pragma unroll
		for (int h = 0; h < G; h++)
			if (v0 + lane + 32 * h < b.rows)
				out[v0 + lane + 32 * h] = acc[m][h];
	}
}

static size_t tables(int planes, int g)
{
	static_assert(
	        ITEMS * sizeof(struct reach) <= RING_WARPS * 32 * 4 * 4, "the tables of any kernel hold it");

	return RING_BARRIERS + ITEMS * sizeof(struct gpu_column) + (size_t)RING_WARPS * 32 * (2 + 2 * g) * 4 +
	       16 + (size_t)planes * 8;
}

/** The sizes there are kernels for: groups of 32 rows, elements of a line of the window, stages that must
 * fit; the better first. */
static const struct size {
	int g, width, stages;
} sizes[] = {{4, 200, 2}, {2, 168, 3}, {3, 248, 2}, {2, 176, 2}, {2, 256, 2}, {1, 104, 2}, {1, 160, 2},
        {1, 256, 2}};

bool gpu_cone_forward_shape(
        int planes, const int depth_of_rows[4], int lines, struct gpu_ring_size *r, int *rows)
{
	const int most = 248; // of lines: 8 bits

	lines = (lines + BOX - 1) / BOX * BOX;

	for (const struct size &s : sizes) {
		*r = {lines, s.width, 0};
		*rows = 32 * s.g;

		if (lines <= most && depth_of_rows[s.g - 1] <= s.width &&
		        ring_fits(r, tables(planes, s.g), 4) && r->stages >= s.stages)
			return true;
	}

	return false;
}

template <int G, int PITCH>
static void launch(const struct gpu_batch *b, const struct forward_args *f, long n)
{
	CUtensorMap along_y = {}, along_x = {};
	const size_t shared =
	        (size_t)f->ring.stages * f->ring.lines * PITCH * 4 + tables(max(b->n[0], b->n[1]), G);

	if (f->tma)
		ring_maps<BOX>(&along_y, &along_x, b, PITCH);

	GPU_LAUNCH((cone_forward<G, PITCH>), dim3((unsigned)n, (unsigned)gpu_divide_up(b->rows, 32 * G)),
	        RING_THREADS, shared, gpu_stream(), along_y, along_x, *b, *f);
}

void gpu_cone_forward(const struct gpu_batch *b, const struct gpu_ray_tile *tiles, long n, int across,
        const struct gpu_ring_size *r, int rows)
{
	const struct forward_args f = {tiles, *r, across, gpu_has_tma()};
	const int which = rows / 32 * 1000 + r->width;

	if (which == 4200)
		launch<4, 200>(b, &f, n);
	else if (which == 3248)
		launch<3, 248>(b, &f, n);
	else if (which == 2168)
		launch<2, 168>(b, &f, n);
	else if (which == 2176)
		launch<2, 176>(b, &f, n);
	else if (which == 2256)
		launch<2, 256>(b, &f, n);
	else if (which == 1104)
		launch<1, 104>(b, &f, n);
	else if (which == 1160)
		launch<1, 160>(b, &f, n);
	else
		launch<1, 256>(b, &f, n);
}
