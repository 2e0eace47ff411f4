/* The exact transpose of any_orientation_forward.cu.
 *
 * Voxel stationary. A block owns 16 planes of the dominant axis x LINES lines x 32 slices; a warp owns a
 * plane, its lanes run along the slices, and its LINES sums per lane stay in registers for all views. The
 * patch of the projections that the block can see is loaded into the ring, a view per stage (path lengths are
 * already included, rays of another axis are 0). For each column, a lane interpolates along the column and
 * then adds to the neighbouring lines. The loop over columns is unrolled by the first line that a column
 * touches, so that the sums of lines are registers known at compile time. A tilted column is between
 * different lines in different slices; it touches up to R lines in 32 slices, and each of these lines gets
 * its contribution. Computations in float64 are done for many views at once, one per lane
 * (any_orientation_anchor()). There is one launch per dominant axis; sums are in the order of views. */

#include "ct/projector/cuda/ring.h"
#include "ct/projector/cuda/any_orientation_internal.h"

enum {
	LINES = ANY_ORIENTATION_LINES,
	SLICES = 32,
	WORDS = 3 /* of an entry, float4 */,
	ENTRIES = 33 * WORDS,
	END = 99 /* the line of an entry behind the last */,
	NOTHING = -(1 << 30)
};

/** The middle of a warp's lines and slices, from the first; those of the halves of its slices, from there. */
#define MIDDLE 15.5f
#define HALF   8.f

struct any_orientation_adjoint_args {
	struct gpu_ring_size ring;
	int axis, add, close, tma;
	int together; // views whose float64 numbers are found at once
};

/** First column and row of the patch of a view, or NOTHING. */
static __device__ int2 patch_of(const struct any_orientation_batch &b, const struct any_orientation_view *w,
        const struct any_orientation_adjoint_args &f, int i0, int j0, int k0)
{
	const double slack = 0.02;
	const int first = f.axis ? w->lo[1] : w->lo[0], end = f.axis ? w->hi[1] : w->hi[0];
	double ua = 1e30, ub = -1e30, va = 1e30, vb = -1e30;

	if (first >= end)
		return make_int2(NOTHING, 0);

	for (int c = 0; c < 8; c++) {
		const double i = any_orientation_origin(b, f.axis) +
		                 min(i0 + (c & 1) * (RING_WARPS - 1), any_orientation_extent(b, f.axis) - 1),
		             j = any_orientation_origin(b, 1 - f.axis) + j0 - 1 + (c >> 1 & 1) * (LINES + 1),
		             k = b.origin[2] + k0 - 1 + (c >> 2) * (SLICES + 1);
		double x, r;

		any_orientation_pixel(&b.scan, w, (f.axis ? j : i) - w->s[0], (f.axis ? i : j) - w->s[1],
		        k - w->s[2], &x, &r);
		ua = fmin(ua, x);
		ub = fmax(ub, x);
		va = fmin(va, r);
		vb = fmax(vb, r);
	}

	ua += b.scan.middle[0] - slack;
	ub += b.scan.middle[0] + slack;
	va += b.scan.middle[1] - w->first - slack;
	vb += b.scan.middle[1] - w->first + slack;

	const int u = max((int)floor(ua), first), u1 = min((int)ceil(ub), end - 1), v = (int)floor(va) - 1;
	const int v0 = v & ~3, v1 = (int)ceil(vb) + (f.close ? 7 : 2); // T rows are read where fewer matter

	if (u > u1 || v0 >= b.rows || v1 < 0)
		return make_int2(NOTHING, 0);

	if (u1 - u + 1 > f.ring.lines || v1 - v0 + 1 > f.ring.width)
		__trap(); // the plan was wrong: better no numbers than these

	return make_int2(u, v0);
}

/** What a lane knows of its slice in a view. Rows count from the middle of its half of the slices. */
struct any_orientation_slice {
	float k;     // from the middle
	float from;  // from that of the half; T > 2: of the slice below
	float more;  // what a column goes further than from / rise rows, in units of that for one slice
	float rise;  // slices per row, in units of those in the middle
	float bend;  // loss of slices per row, per slice
	float ahead; // from the slice below, in the same units
};

/** A column goes k slices in (k + further) / rise rows. */
static __device__ __forceinline__ float further(float near, float k)
{
	return near * k * k / fmaf(-near, k, 1.f);
}

/** Columns of the table, in the order of lines: T rows of each are looked at, R lines touched at most. An
 * entry: line, address, row and rows per slice for either half of the slices; line at the middle, lean,
 * slices per row. */
template <int T, int R>
static __device__ __forceinline__ void any_orientation_sweep(const unsigned char *shared, float *acc,
        const float4 *tp, int half, const struct any_orientation_slice &o)
{
	const float4 *ta = tp + half;
	float4 a = ta[0];

#pragma unroll
	for (int j = 1 - R; j < LINES; j++)
		while (__float_as_int(a.x) == j) {
			const float4 c = tp[2];
			const float q = fmaf(o.from, a.w, fmaf(o.more, a.w, a.z)),
			            m = __fadd_rd(q, RING_MAGIC), off = (m - RING_MAGIC) - q,
			            step = c.z * o.rise; // off in (-1, 0]
			const uint32_t at = (uint32_t)__float_as_int(a.y) + (uint32_t)__float_as_int(m) * 4u;
			const float y = fmaf(o.k, c.y, c.x);
			float d = (T == 2) ? step * off : fmaf(step, off, step - o.ahead);
			float sum = 0.f, first = 0.f, last = 0.f;

			tp += WORDS;
			ta += WORDS;
			a = ta[0];
#pragma unroll
			for (int e = 0; e < T; e++, d += step) {
				const float less = o.bend * d; // d / (1 - less), from the slice to the row
				const float h = fmaf(T < 4 ? less : fmaf(less, less, less), d, d);
				const float x = __saturatef(1.f - fabsf(h)) * ring_at(shared, at + 4 * e),
				            l = fmaf(h, c.y, y);

				if (R == 2) {
					first = e ? fmaf(1.f - l, x, first) : (1.f - l) * x;
					last = e ? fmaf(l, x, last) : l * x;
				} else if (R == 3) {
					const float w0 = __saturatef(1.f - l), w2 = __saturatef(l - 1.f);

					sum = e ? sum + x : x;
					first = e ? fmaf(w0, x, first) : w0 * x;
					last = e ? fmaf(w2, x, last) : w2 * x;
				} else {
#pragma unroll
					for (int i = 0; i < R; i++)
						if (j + i >= 0 && j + i < LINES)
							acc[j + i < 0 || j + i >= LINES ? 0 : j + i] = fmaf(
							        __saturatef(1.f - fabsf(l - (float)i)), x,
							        acc[j + i < 0 || j + i >= LINES ? 0 : j + i]);
				}
			}

			if (R <= 3 && j >= 0)
				acc[j < 0 ? 0 : j] += first;

			if (R == 2 && j + 1 < LINES)
				acc[j + 1 < LINES ? j + 1 : 0] += last;

			if (R == 3 && j + 1 >= 0 && j + 1 < LINES)
				acc[j + 1 < 0 || j + 1 >= LINES ? 0 : j + 1] += (sum - first) - last;

			if (R == 3 && j + 2 < LINES)
				acc[j + 2 < LINES ? j + 2 : 0] += last;
		}
}

/** Calls fn(sum, its voxel) for the thread's sums inside the volume; those outside become 0. Addresses are
 * found anew each time: they are not to take registers in between. */
template <class Fn>
static __device__ __forceinline__ void voxels(
        float *acc, const struct any_orientation_batch &b, int axis, Fn fn)
{
	int id = threadIdx.x, block = blockIdx.x;

	gpu_anew(id);
	gpu_anew(block);

	const int ip = blockIdx.z * RING_WARPS + (id >> 5), j0 = blockIdx.y * LINES,
	          k = block * SLICES + (id & 31);
	const long step = (long)b.depth * (axis ? b.n[1] : 1);
	float *at = b.vol + (long)b.depth * ((long)ip * (axis ? 1 : b.n[1])) + j0 * step + k;
	const int lines = (ip < any_orientation_extent(b, axis) && k < b.n[2])
	                          ? any_orientation_extent(b, 1 - axis) - j0
	                          : 0;

#pragma unroll
	for (int j = 0; j < LINES; j++)
		if (j < lines)
			fn(acc[j], at + j * step);
		else
			acc[j] = 0.f;
}

static __global__ void __launch_bounds__(RING_THREADS, 1)
        any_orientation_voxels(const __grid_constant__ CUtensorMap patches, struct any_orientation_batch b,
                struct any_orientation_adjoint_args f)
{
	GPU_SHARED(unsigned char, shared);
	const int width = f.ring.width, stage = ring_stage(f.ring);
	const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31, axis = f.axis;
	const int k0 = blockIdx.x * SLICES, j0 = blockIdx.y * LINES, i0 = blockIdx.z * RING_WARPS;
	unsigned char *p = shared + f.ring.stages * stage;
	struct ring r = ring_start(p, f.ring.stages, f.tma);
	p += RING_BARRIERS;
	float4 *tab = (float4 *)p + warp * ENTRIES;
	p += RING_WARPS * ENTRIES * sizeof(float4);
	struct any_orientation_anchor *anchor = (struct any_orientation_anchor *)p + warp * f.together;
	p += RING_WARPS * f.together * sizeof *anchor;
	int2 *win = (int2 *)p;
	p += b.views * sizeof(int2);
	int *count = (int *)p, *list = count + 4; // views that have anything to do

	for (int w = tid; w < b.views; w += RING_THREADS)
		win[w] = patch_of(b, b.view + w, f, i0, j0, k0);

	__syncthreads();

	if (warp == 0)
		*count = ring_list(list, b.views, [&](int i) { return win[i].x != NOTHING; });

	__syncthreads();

	const int steps = *count;

	if (warp >= RING_WARPS) {
		gpu_registers_less<32>();
		ring_feed_views(r, &patches, b, shared, stage, f.ring.lines, width, steps, [&](int k) {
			const int w = list[k];

			return make_int3(win[w].x, win[w].y, w);
		});
		return;
	}

	gpu_registers_more<112>();

	const int ip = i0 + warp;
	const bool inside = ip < any_orientation_extent(b, axis);
	float acc[LINES];

	voxels(acc, b, axis, [&](float &sum, const float *at) { sum = f.add ? *at : 0.f; });

	if (lane == 0)
		tab[32 * WORDS] = tab[32 * WORDS + 1] = make_float4(__int_as_float(END), 0.f, 0.f, 0.f);

	for (int k = 0, st = 0, phase = 0; k < steps; k++) {
		if (k % f.together == 0) { // the next views, one per lane
			const struct any_orientation_view *next = b.view + list[min(k + lane, steps - 1)];
			struct any_orientation_anchor e = {};

			if (!any_orientation_anchor(&e, &b.scan, next, axis,
			            any_orientation_origin(b, axis) + ip,
			            any_orientation_origin(b, 1 - axis) + j0 + 15.5, b.origin[2] + k0 + 15.5))
				e.rise = 0.f;

			e.row -= next->first;
			__syncwarp();

			if (lane < f.together)
				anchor[lane] = e;

			__syncwarp();
		}

		const int w = list[k];
		const int2 q = win[w];
		const struct any_orientation_anchor o = anchor[k % f.together];
		const int u_end = min(axis ? b.view[w].hi[1] : b.view[w].hi[0], q.x + f.ring.lines);

		/* from the middle to the first and the last line touched: y = across xi / (1 + bend xi) */
		const float far = 17.f + 17.f * (fabsf(o.lean) + fabsf(o.near) * 20.f),
		            up = __fdividef(far, o.across - o.bend * far),
		            down = __fdividef(-far, o.across + o.bend * far);
		const int way = o.across > 0.f ? 1 : -1,
		          from = o.column + (int)floorf(o.x + down) + (way > 0 ? 0 : 1);
		const int columns = inside && o.rise > 0.f ? (int)fabsf(up - down) + 3 : 0;
		bool waited = false;

		/* one column per lane, in the order of lines */
		for (int c0 = 0; c0 < columns; c0 += 32) {
			const int u = from + way * (c0 + lane), n = u - o.column;
			const float xi = (float)n - o.x, den = fmaf(o.bend, xi, 1.f), inv = 1.f / den;
			/* the line, y below 32, to more places than one float32 has */
			const float y = o.across * (float)n,
			            rest = fmaf(o.across, (float)n, -y) +
			                   fmaf(o.across_low, (float)n, -o.across * o.x),
			            low = rest - (y + rest) * (o.bend * xi * inv),
			            lean = fmaf(-o.near, y + low, o.lean);
			const float reach = 16.51f * fabsf(lean), line = floorf(y + low + (MIDDLE - reach)),
			            top = floorf(y + low + (MIDDLE + reach));
			const float s = o.rise * inv;
			const bool ok = c0 + lane < columns && u >= q.x && u < u_end && top >= -1.f &&
			                line < (float)min(LINES, any_orientation_extent(b, 1 - axis) - j0);
			const int touched = (int)(top - line) + 2;
			const float least =
			        s * fmaf(-40.f, fabsf(o.near), 1.f); // slices per row, anywhere near
			const unsigned act = __ballot_sync(~0u, ok);
			const int r3 = __any_sync(~0u, ok && touched > 2),
			          r4 = __any_sync(~0u, ok && touched > 3),
			          r6 = __any_sync(~0u, ok && touched > 4),
			          t3 = __any_sync(~0u, ok && least < 1.f),
			          t4 = __any_sync(~0u, ok && least < 2.f / 3.f),
			          t8 = __any_sync(~0u, ok && least < 0.5f);
			const bool bent = fabsf(o.near) > 1e-3f,
			           below = t3 || r6 || bent; // T > 2: rows count from the slice below
			/* rows at the middles of the halves, HALF slices away: whole and rest apart */
			const float row = fmaf(o.climb, (float)n, fmaf(-o.climb, o.x, o.r)),
			            whole = floorf(row);
			const float each = fmaf(o.inv_rise, o.bend * xi, o.inv_rise), // rows per slice
			        each_low = fmaf(o.inv_rise, o.bend * xi, o.inv_rise - each) +
			                   o.inv_rise_low * den;

			if (__any_sync(~0u, ok && (touched > 6 || least < 0.25f)))
				__trap(); // the plan was wrong: better no numbers than these

			__syncwarp();
#pragma unroll
			for (int e = 0; e < 2; e++) {
				const float h = e ? HALF : -HALF, way_there = each * h,
				            steps_there = floorf(way_there);
				const int at = ((u - q.x) * width + o.row + (int)whole + (int)steps_there -
				                       q.y + below) *
				               4;

				tab[WORDS * lane + e] = make_float4(__int_as_float(ok ? (int)line : END),
				        __int_as_float((int)((uint32_t)(at + st * stage) -
				                             (uint32_t)RING_MAGICBITS * 4u)),
				        (row - whole) + (way_there - steps_there) +
				                fmaf(each_low, h, each * further(o.near, h)),
				        each);
			}

			tab[WORDS * lane + 2] = make_float4((y - (line - MIDDLE)) + low, lean, s, 0.f);
			__syncwarp();

			if (!waited)
				ring_wait(r, st, phase);

			waited = true;

			if (act) {
				const float4 *tp = tab + WORDS * (__ffs(act) - 1);
				const int half = lane / 16;
				const float here = (float)lane - MIDDLE, h = half ? HALF : -HALF,
				            from = below ? here - 1.f : here, w1 = fmaf(-o.near, here, 1.f);
				const struct any_orientation_slice at = {here, from - h,
				        further(o.near, from) - further(o.near, h), w1 * w1, -o.near / w1,
				        w1 / fmaf(-o.near, from, 1.f)};

				if (t8 || r6)
					any_orientation_sweep<8, 6>(shared, acc, tp, half, at);
				else if (t4 || (t3 && r4) || bent)
					any_orientation_sweep<4, 4>(shared, acc, tp, half, at);
				else if (t3)
					any_orientation_sweep<3, 3>(shared, acc, tp, half, at);
				else if (r4)
					any_orientation_sweep<2, 4>(shared, acc, tp, half, at);
				else if (r3)
					any_orientation_sweep<2, 3>(shared, acc, tp, half, at);
				else
					any_orientation_sweep<2, 2>(shared, acc, tp, half, at);
			}
		}

		if (!waited)
			ring_wait(r, st, phase);

		ring_done(r, st);

		if (++st == f.ring.stages) {
			st = 0;
			phase ^= 1;
		}
	}

	voxels(acc, b, axis, [&](float &sum, float *at) { *at = sum; });
}

/** Views whose float64 numbers are found at once: a warp's lanes, where memory allows. */
static int together(void)
{
	return gpu_block_room() < 128 * 1024 ? 4 : 32;
}

static size_t tables(int views)
{
	return RING_BARRIERS +
	       (size_t)RING_WARPS *
	               (ENTRIES * sizeof(float4) + together() * sizeof(struct any_orientation_anchor)) +
	       (size_t)views * 12 + 16;
}

bool any_orientation_adjoint_shape(int columns, int rows, struct gpu_ring_size *r)
{
	const int width = (rows + 3) / 4 * 4;

	*r = {columns, width, 0};

	return columns <= 256 && width <= 256 && ring_fits(r, tables(GPU_BATCH_VIEWS), 8);
}

void any_orientation_adjoint(
        const struct any_orientation_batch *b, const struct gpu_ring_size *r, bool close, int axis, bool add)
{
	const struct any_orientation_adjoint_args f = {*r, axis, add, close, gpu_has_tma(), together()};
	const size_t shared = (size_t)r->stages * ring_stage(*r) + tables(b->views);
	const dim3 grid((unsigned)gpu_divide_up(b->n[2], SLICES),
	        (unsigned)gpu_divide_up(b->n[1 - axis], LINES),
	        (unsigned)gpu_divide_up(b->n[axis], RING_WARPS));
	CUtensorMap patches = {};

	if (f.tma)
		ring_view_map(&patches, b, r->lines, r->width);

	GPU_LAUNCH(any_orientation_voxels, grid, RING_THREADS, shared, gpu_stream(), patches, *b, f);
}
