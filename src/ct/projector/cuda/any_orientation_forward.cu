/* Any flat detector: Joseph's forward projection.
 *
 * Ray-stationary, as in cone_forward.cu, but every ray has its own slopes. A block owns ANY_ORIENTATION_ITEMS
 * columns of one or more views and 32 G rows and processes the planes of the dominant axis in order. The
 * window of a plane that these rays may touch is loaded into the ring, with zeros outside the volume. A warp
 * owns ANY_ORIENTATION_PER_WARP columns of a view; lanes run along the rows. Positions are computed in
 * float64 every SPAN planes, and relative to a nearby voxel in between. One thread sums each ray in the order
 * of planes. */

#include "ct/projector/cuda/ring.h"
#include "ct/projector/cuda/any_orientation_internal.h"

enum { M = ANY_ORIENTATION_PER_WARP, BOX = 8 /* lines of one copy */, SPAN = 32, CORNERS = 4 };

/** Line and slice that a ray at a corner of the tile meets in plane 0, and per plane. */
struct reach {
	float y0, dy, z0, dz;
};

struct any_orientation_forward_args {
	const struct gpu_ray_tile *tiles;
	struct any_orientation_shape shape;
	int tma;
};

/** A ray in one plane of the grid: line, slice, and per plane. */
struct ray {
	double y, z;
	float dy, dz;
};

/** 1 / x to 1e-13, without the care for zeros and infinities of a division. */
static __device__ __forceinline__ double inverse(double x)
{
	const double r = (double)__fdividef(1.f, (float)x);

	return fma(r, fma(-x, r, 1.), r);
}

static __device__ __forceinline__ struct ray ray_at(const struct any_orientation_batch &b,
        const struct any_orientation_view *w, int axis, int u, int v, int i)
{
	gpu_anew(w); // it is not to take registers between rays
	const double x = (double)u - b.scan.middle[0], r = (double)(v + w->first) - b.scan.middle[1];
	const int a = axis, c = 1 - axis;
	const bool parallel = b.scan.parallel;
	const double fx = parallel ? 0. : x, fr = parallel ? 0. : r, px = x - fx, pr = r - fr;
	const double ea = fma(fr, w->v[a], fma(fx, w->u[a], w->d[a])),
	             ec = fma(fr, w->v[c], fma(fx, w->u[c], w->d[c])),
	             ez = fma(fr, w->v[2], fma(fx, w->u[2], w->d[2])), inv = inverse(ea);
	const double dy = ec * inv, dz = ez * inv,
	             t = (double)i - fma(pr, w->v[a], fma(px, w->u[a], w->s[a]));

	return {fma(t, dy, fma(pr, w->v[c], fma(px, w->u[c], w->s[c]))),
	        fma(t, dz, fma(pr, w->v[2], fma(px, w->u[2], w->s[2]))), (float)dy, (float)dz};
}

/** z and lines of the window of a plane: {z, first line << 8 | lines}; no lines: nothing to do. */
static __device__ int2 window_at(
        const struct reach *reach, int n, int i, int lines, int nz, int most, int width)
{
	const float slack = 0.05f;
	float ya = 1e30f, yb = -1e30f, za = 1e30f, zb = -1e30f;

	for (int k = 0; k < n; k++) {
		const float y = fmaf((float)i, reach[k].dy, reach[k].y0),
		            z = fmaf((float)i, reach[k].dz, reach[k].z0);

		if (reach[k].y0 > 1e8f)
			continue;

		ya = fminf(ya, y);
		yb = fmaxf(yb, y);
		za = fminf(za, z);
		zb = fmaxf(zb, z);
	}

	if (!(yb > -1.f - slack && ya < (float)lines + slack && zb > -1.f - slack && za < (float)nz + slack))
		return make_int2(0, 0);

	const int row = (int)floorf(ya - slack), end = (int)floorf(yb + slack) + 2;
	const int z = (int)floorf(za - slack) & ~3, far = (int)floorf(zb + slack) + 2;

	if (end - row > most || far - z > width)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(z, row * 256 | (end - row));
}

template <int G, int PITCH>
static __global__ void __launch_bounds__(RING_THREADS, 1) any_orientation_rays(
        const __grid_constant__ CUtensorMap along_y, const __grid_constant__ CUtensorMap along_x,
        struct any_orientation_batch b, struct any_orientation_forward_args f)
{
	GPU_SHARED(unsigned char, shared);
	const int lines_most = f.shape.ring.lines, stages = f.shape.ring.stages, across = f.shape.across;
	const int stage = lines_most * PITCH * 4, tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
	const struct gpu_ray_tile t = f.tiles[blockIdx.x];
	const int planes = any_orientation_extent(b, t.axis), lines = any_orientation_extent(b, 1 - t.axis),
	          first_plane = any_orientation_origin(b, t.axis),
	          first_line = any_orientation_origin(b, 1 - t.axis), v0 = blockIdx.y * 32 * G;
	unsigned char *p = shared + stages * stage;
	struct ring r = ring_start(p, stages, f.tma);
	p += RING_BARRIERS;
	struct reach *reach = (struct reach *)p;
	p += CORNERS * (ANY_ORIENTATION_ITEMS / M) * sizeof *reach;
	int *range = (int *)p; // first plane that has anything to do, and the last
	p += 16;
	int2 *win = (int2 *)p;

	if (tid < CORNERS * t.views) {
		const struct any_orientation_view *w = b.view + t.view + tid / CORNERS;
		const int lo = max(t.u, t.axis ? w->lo[1] : w->lo[0]),
		          hi = min(t.u + across, t.axis ? w->hi[1] : w->hi[0]);
		struct reach e = {1e9f, 0.f, 0.f, 0.f};

		const double x[2] = {lo - b.scan.middle[0], hi - 1 - b.scan.middle[0]},
		             rows[2] = {v0 + w->first - b.scan.middle[1],
		                     min(v0 + 32 * G, b.rows) - 1 + w->first - b.scan.middle[1]};

		if (lo < hi && any_orientation_touches(&b.scan, w, t.axis, x, rows)) {
			const struct ray c = ray_at(b, w, t.axis, tid & 1 ? hi - 1 : lo,
			        tid & 2 ? min(v0 + 32 * G, b.rows) - 1 : v0, first_plane + planes / 2);

			e = {(float)(c.y - first_line - (double)c.dy * (planes / 2)), c.dy,
			        (float)(c.z - b.origin[2] - (double)c.dz * (planes / 2)), c.dz};
		}

		reach[tid] = e;
	}

	ring_windows(win, range, planes, lines_most, [&](int i) {
		return window_at(reach, CORNERS * t.views, i, lines, b.n[2], lines_most, PITCH);
	});

	const int first = range[0], steps = range[1] + 1 - first;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed_planes<BOX>(r, &along_y, &along_x, b, t.axis, lines, shared, stage, PITCH, first,
		        steps, [&](int i) { return win[i]; });
		return;
	}

	gpu_registers_more<112>();

	const int which = warp * M / across, column = t.u + warp * M % across;
	const struct any_orientation_view *w = b.view + t.view + (which < t.views ? which : 0);
	const int lo = max(t.u, t.axis ? w->lo[1] : w->lo[0]),
	          hi = min(t.u + across, t.axis ? w->hi[1] : w->hi[0]);
	const bool active =
	        which < t.views && column < hi && column + M > lo && reach[CORNERS * which].y0 < 1e8f;
	float acc[M][G], y0[M][G], z0[M][G], dy[M][G], dz[M][G];

#pragma unroll
	for (int m = 0; m < M; m++)
#pragma unroll
		for (int h = 0; h < G; h++)
			acc[m][h] = 0.f;

	int row0 = 0, slice0[G] = {};

	// positions first, then the planes that share them: a loop of its own keeps all sums in registers
	for (int k = 0, st = 0, phase = 0; k < steps;) {
		const int middle = (first + k) / SPAN * SPAN + SPAN / 2,
		          end = min(steps, middle + SPAN / 2 - first);

		if (active) {
			// positions count from voxels near the ray in the middle of 32 rows
#pragma unroll
			for (int h = 0; h < G; h++) {
				const struct ray e =
				        ray_at(b, w, t.axis, min(max(column + M / 2, lo), hi - 1),
				                min(v0 + 16 + 32 * h, b.rows - 1), first_plane + middle);

				row0 = (int)floor(e.y) - first_line;
				slice0[h] = (int)floor(e.z) - b.origin[2];
			}

			// columns and rows beyond the last repeat it: the window has nothing there
#pragma unroll
			for (int m = 0; m < M; m++)
#pragma unroll
				for (int h = 0; h < G; h++) {
					const struct ray e = ray_at(b, w, t.axis,
					        min(max(column + m, lo), hi - 1),
					        min(v0 + lane + 32 * h, b.rows - 1), first_plane + middle);

					y0[m][h] = (float)(e.y - (row0 + first_line));
					z0[m][h] = (float)(e.z - (slice0[h] + b.origin[2]));
					dy[m][h] = e.dy;
					dz[m][h] = e.dz;
				}
		}

#pragma unroll 1
		for (; k < end; k++) {
			const int i = first + k;
			const int2 q = win[i];

			ring_wait(r, st, phase);

			if (active && q.y != 0) {
				const uint32_t base = (uint32_t)(st * stage) +
				                      (uint32_t)(((row0 - (q.y >> 8)) * PITCH - q.x) * 4) -
				                      (uint32_t)RING_MAGICBITS * (PITCH * 4 + 4);
				const float e = (float)(i - middle);

#pragma unroll
				for (int m = 0; m < M; m++)
#pragma unroll
					for (int h = 0; h < G; h++) {
						const float y = fmaf(e, dy[m][h], y0[m][h]),
						            z = fmaf(e, dz[m][h], z0[m][h]);
						const float my = __fadd_rd(y, RING_MAGIC),
						            mz = __fadd_rd(z, RING_MAGIC),
						            wy = y - (my - RING_MAGIC),
						            wz = z - (mz - RING_MAGIC);
						const uint32_t a =
						        base + (uint32_t)slice0[h] * 4u +
						        (uint32_t)__float_as_int(my) * (PITCH * 4) +
						        (uint32_t)__float_as_int(mz) * 4u;
						const float a0 = ring_at(shared, a),
						            a1 = ring_at(shared, a + 4),
						            b0 = ring_at(shared, a + PITCH * 4),
						            b1 = ring_at(shared, a + PITCH * 4 + 4);
						const float h0 = fmaf(wz, a1 - a0, a0),
						            h1 = fmaf(wz, b1 - b0, b0);

						acc[m][h] = fmaf(wy, h1 - h0, acc[m][h] + h0);
					}
			}

			ring_done(r, st);

			if (++st == stages) {
				st = 0;
				phase ^= 1;
			}
		}
	}

	if (!active)
		return;

#pragma unroll
	for (int m = 0; m < M; m++)
#pragma unroll
		for (int h = 0; h < G; h++) {
			const int u = column + m, v = v0 + lane + 32 * h;
			double e[3];

			if (u < lo || u >= hi || v >= b.rows)
				continue;

			any_orientation_direction(e, &b.scan, w, (double)u - b.scan.middle[0],
			        (double)(v + w->first) - b.scan.middle[1]);

			if (any_orientation_axis(&b.scan, e) == t.axis)
				b.proj[((long)(t.view + which) * b.cols + u) * b.pitch + v] = acc[m][h];
		}
}

static size_t tables(int planes)
{
	return RING_BARRIERS + CORNERS * (ANY_ORIENTATION_ITEMS / M) * sizeof(struct reach) + 16 +
	       (size_t)planes * 8;
}

/** The sizes there are kernels for: groups of 32 rows and elements of a line of the window. */
static const struct size {
	int g, width;
} sizes[] = {
        {2, 88}, {2, 104}, {2, 136}, {2, 152}, {2, 168}, {2, 208}, {2, 256}, {1, 104}, {1, 136}, {1, 256}};

bool any_orientation_forward_shape(int planes, int width, int lines, int rows, struct gpu_ring_size *r)
{
	const int most = 248; // of lines: 8 bits

	lines = max((lines + BOX - 1) / BOX, 1) * BOX;

	for (const struct size &s : sizes) {
		*r = {lines, s.width, 0};

		if (32 * s.g == rows && width <= s.width && lines <= most && ring_fits(r, tables(planes), 4))
			return true;
	}

	return false;
}

template <int G, int PITCH>
static void launch(
        const struct any_orientation_batch *b, const struct any_orientation_forward_args *f, long n)
{
	const struct gpu_ring_size *r = &f->shape.ring;
	CUtensorMap along_y = {}, along_x = {};
	const size_t shared = (size_t)r->stages * r->lines * PITCH * 4 + tables(max(b->n[0], b->n[1]));

	if (f->tma)
		ring_maps<BOX>(&along_y, &along_x, b, PITCH);

	GPU_LAUNCH((any_orientation_rays<G, PITCH>),
	        dim3((unsigned)n, (unsigned)gpu_divide_up(b->rows, 32 * G)), RING_THREADS, shared,
	        gpu_stream(), along_y, along_x, *b, *f);
}

void any_orientation_forward(const struct any_orientation_batch *b, const struct gpu_ray_tile *tiles, long n,
        const struct any_orientation_shape *s)
{
	const struct any_orientation_forward_args f = {tiles, *s, gpu_has_tma()};

	if (n == 0)
		return;

	switch (s->rows / 32 * 1000 + s->ring.width) {
	case 2088:
		launch<2, 88>(b, &f, n);
		break;
	case 2104:
		launch<2, 104>(b, &f, n);
		break;
	case 2136:
		launch<2, 136>(b, &f, n);
		break;
	case 2152:
		launch<2, 152>(b, &f, n);
		break;
	case 2168:
		launch<2, 168>(b, &f, n);
		break;
	case 2208:
		launch<2, 208>(b, &f, n);
		break;
	case 2256:
		launch<2, 256>(b, &f, n);
		break;
	case 1104:
		launch<1, 104>(b, &f, n);
		break;
	case 1136:
		launch<1, 136>(b, &f, n);
		break;
	default:
		launch<1, 256>(b, &f, n);
	}
}
