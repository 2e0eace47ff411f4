/** Medians and non-local means on the GPU; see iter/denoise/denoise_passes.h. Medians have the CPU's bytes: a
 * small window is read into registers; a large one is read repeatedly while the range of its values is
 * halved. */

#include "iter/cuda/selftest_denoise.h"
#include "num/device/cuda/gpu.h"
#include "num/md/cuda/divide.h"

#include <math.h>

extern "C" {
#include "iter/denoise/denoise_passes.h"
}

enum { THREADS = 256, MEDIAN_THREADS = 128 };

/* ---- medians ---- */

/** A window, and what divides numbers below 2^31 by its steps and extents. */
struct window {
	struct median_window m;
	struct loop_div step[MEDIAN_AXES], dim[MEDIAN_AXES];
	bool small;
};

static struct window window_of(const struct median_window *m)
{
	struct window w = {};

	w.m = *m;
	w.small = m->n < 1L << 31;

	for (int k = 0; w.small && k < m->axes; k++) {
		w.step[k] = loop_div_by(m->steps[k]);
		w.dim[k] = loop_div_by(m->dims[k]);
	}

	return w;
}

/** Place of element i along axis k. */
__device__ static long place(const struct window &w, int k, long i)
{
	if (!w.small)
		return i / w.m.steps[k] % w.m.dims[k];

	const unsigned q = loop_quotient(w.step[k], (unsigned)i);

	return (long)(q - loop_quotient(w.dim[k], q) * w.dim[k].divisor);
}

/** How far the element `by` places from place p lies, or the last one before the end. */
__device__ static long step_by(const struct window &w, int k, long p, long by)
{
	const long to = p + by, last = w.m.dims[k] - 1;

	return ((to < 0 ? 0 : to > last ? last : to) - p) * w.m.steps[k];
}

__device__ static void order(float &a, float &b)
{
	const float lo = fminf(a, b), hi = fmaxf(a, b); // an instruction each

	a = lo;
	b = hi;
}

__device__ static void order(double &a, double &b)
{
	const double lo = (b < a) ? b : a, hi = (b < a) ? a : b;

	a = lo;
	b = hi;
}

/** The least of the first SIZE values first, the largest last. */
template <int SIZE, typename T> __device__ static void extremes(T *v)
{
#pragma unroll
	for (int i = 0; i < SIZE / 2; i++)
		order(v[i], v[SIZE - 1 - i]);

#pragma unroll
	for (int i = 1; i < (SIZE + 1) / 2; i++)
		order(v[0], v[i]);

#pragma unroll
	for (int i = SIZE / 2; i < SIZE - 1; i++)
		order(v[i], v[SIZE - 1]);
}

/** The extremes of more than half of the values are not the median: the largest goes, the least makes room
 * for the next. */
template <int SIZE, typename T> struct forget {
	__device__ static void values(T *v, const T *next)
	{
		extremes<SIZE>(v);
		v[0] = *next;
		forget<SIZE - 1, T>::values(v, next + 1);
	}
};

template <typename T> struct forget<3, T> {
	__device__ static void values(T *v, const T *next)
	{
		(void)next;
		extremes<3>(v);
	}
};

template <int W, typename T> __device__ static T middle(T (&all)[W])
{
	enum { FIRST = W / 2 + 2 };
	T v[FIRST];

#pragma unroll
	for (int i = 0; i < FIRST; i++)
		v[i] = all[i];

	forget<FIRST, T>::values(v, all + FIRST);

	return v[1];
}

/** The middle one of W = 2 h + 1 whole numbers: the range that it lies in is halved until one is left there.
 */
template <int W> __device__ static unsigned middle_key(const unsigned (&v)[W])
{
	unsigned lo = v[0], hi = v[0];
	int below = 0, within = W; // how many are below lo, and up to hi

#pragma unroll
	for (int i = 1; i < W; i++) {
		lo = (v[i] < lo) ? v[i] : lo;
		hi = (v[i] > hi) ? v[i] : hi;
	}

	while (lo < hi && 1 < within - below) {
		const unsigned mid = lo + (hi - lo) / 2;
		int n = 0;

#pragma unroll
		for (int i = 0; i < W; i++)
			n += v[i] <= mid;

		if (n > W / 2) {
			hi = mid;
			within = n;
		} else {
			lo = mid + 1;
			below = n;
		}
	}

	unsigned most = lo;

#pragma unroll
	for (int i = 0; i < W; i++)
		most = (v[i] <= hi && v[i] > most) ? v[i] : most;

	return most;
}

/** Whole numbers in the order of the values; -0 does not occur. */
__device__ static unsigned key_of(float x)
{
	const unsigned u = __float_as_uint(x);

	return (u >> 31) ? ~u : u | 0x80000000u;
}

__device__ static unsigned long long key_of(double x)
{
	const unsigned long long u = (unsigned long long)__double_as_longlong(x);

	return (u >> 63) ? ~u : u | 1ull << 63;
}

__device__ static float value_of(unsigned k)
{
	return __uint_as_float((k >> 31) ? k & 0x7fffffffu : ~k);
}

__device__ static double value_of(unsigned long long k)
{
	return __longlong_as_double((long long)((k >> 63) ? k & ~(1ull << 63) : ~k));
}

template <int W> __device__ static float median_of(float (&v)[W])
{
	if constexpr (W <= 27) {
		return middle<W>(v);
	} else {
		unsigned k[W];

#pragma unroll
		for (int i = 0; i < W; i++)
			k[i] = key_of(v[i]);

		return value_of(middle_key<W>(k));
	}
}

template <int W> __device__ static double median_of(double (&v)[W])
{
	return middle<W>(v);
}

/** AXES axes and a radius that are known: the window lies in registers. */
template <typename T, int AXES, int RADIUS>
__global__ static void __launch_bounds__(MEDIAN_THREADS)
        median_small(const __grid_constant__ struct window w, T *dst, const T *src)
{
	enum { WIDE = 2 * RADIUS + 1, W = WIDE * (1 < AXES ? WIDE : 1) * (2 < AXES ? WIDE : 1) };
	const long i = (long)blockIdx.x * MEDIAN_THREADS + (long)threadIdx.x;
	long off[AXES][WIDE];
	T v[W];
	bool nan = false;

	if (i >= w.m.n)
		return;

#pragma unroll
	for (int k = 0; k < AXES; k++) {
		const long p = place(w, k, i);

#pragma unroll
		for (int j = 0; j < WIDE; j++)
			off[k][j] = step_by(w, k, p, j - RADIUS);
	}

#pragma unroll
	for (int j = 0; j < W; j++) {
		const long plane = i + ((2 < AXES) ? off[AXES - 1][j / (WIDE * WIDE) % WIDE] : 0);
		const long row = plane + ((1 < AXES) ? off[1 < AXES ? 1 : 0][j / WIDE % WIDE] : 0);

		v[j] = src[row + off[0][j % WIDE]] + (T)0; // of the two zeros one, as on the CPU
		nan |= v[j] != v[j];
	}

	const T m = median_of<W>(v);

	dst[i] = nan ? (T)NAN : m;
}

/** Calls each(value) for the elements of the window around element i. */
template <typename T, typename F>
__device__ static void for_window(
        const struct window &w, long i, const long (&p)[MEDIAN_AXES], const T *src, F each)
{
	const long wide = 2 * w.m.radius + 1, rows = w.m.count / wide;

	for (long row = 0; row < rows; row++) {
		long at = i, left = row;

		for (int k = 1; k < w.m.axes; k++) {
			at += step_by(w, k, p[k], left % wide - w.m.radius);
			left /= wide;
		}

		for (long j = 0; j < wide; j++)
			each(key_of(src[at + step_by(w, 0, p[0], j - w.m.radius)] + (T)0));
	}
}

/** Any window: repeated reads, from the first-level cache. */
template <typename T, typename KEY>
__global__ static void __launch_bounds__(MEDIAN_THREADS)
        median_large(const __grid_constant__ struct window w, T *dst, const T *src)
{
	const long i = (long)blockIdx.x * MEDIAN_THREADS + (long)threadIdx.x;
	const KEY least_nan = key_of((T)INFINITY) + 1, most_nan = key_of(-(T)INFINITY) - 1;
	long p[MEDIAN_AXES];
	KEY lo = ~(KEY)0, hi = 0;
	int below = 0, within = (int)w.m.count;

	if (i >= w.m.n)
		return;

	for (int k = 0; k < w.m.axes; k++)
		p[k] = place(w, k, i);

	for_window(w, i, p, src, [&](KEY k) {
		lo = (k < lo) ? k : lo;
		hi = (k > hi) ? k : hi;
	});

	if (hi >= least_nan || lo <= most_nan) {
		dst[i] = (T)NAN;
		return;
	}

	while (lo < hi && 1 < within - below) {
		const KEY mid = lo + (hi - lo) / 2;
		int n = 0;

		for_window(w, i, p, src, [&](KEY k) { n += k <= mid; });

		if (n > (int)(w.m.count / 2)) {
			hi = mid;
			within = n;
		} else {
			lo = mid + 1;
			below = n;
		}
	}

	KEY most = lo;

	for_window(w, i, p, src, [&](KEY k) { most = (k <= hi && k > most) ? k : most; });
	dst[i] = value_of(most);
}

/** Axes and radius of the windows that have kernels of their own. */
static int form_of(const struct median_window *m)
{
	return (3 >= m->axes && 3 >= m->radius) ? 10 * m->axes + (int)m->radius : 0;
}

template <typename K, typename T>
static void median_run(K kernel, const struct median_window *m, T *dst, const T *src)
{
	GPU_LAUNCH(kernel, gpu_divide_up(m->n, MEDIAN_THREADS), MEDIAN_THREADS, 0, gpu_stream(), window_of(m),
	        dst, src);
}

static void median_float(const struct median_window *m, float *dst, const float *src)
{
	switch (form_of(m)) {
	case 11:
		return median_run(median_small<float, 1, 1>, m, dst, src);
	case 21:
		return median_run(median_small<float, 2, 1>, m, dst, src);
	case 31:
		return median_run(median_small<float, 3, 1>, m, dst, src);
	case 12:
		return median_run(median_small<float, 1, 2>, m, dst, src);
	case 22:
		return median_run(median_small<float, 2, 2>, m, dst, src);
	case 32:
		return median_run(median_small<float, 3, 2>, m, dst, src);
	case 13:
		return median_run(median_small<float, 1, 3>, m, dst, src);
	case 23:
		return median_run(median_small<float, 2, 3>, m, dst, src);
	default:
		return median_run(median_large<float, unsigned>, m, dst, src);
	}
}

static void median_double(const struct median_window *m, double *dst, const double *src)
{
	switch (form_of(m)) {
	case 21:
		return median_run(median_small<double, 2, 1>, m, dst, src);
	case 31:
		return median_run(median_small<double, 3, 1>, m, dst, src);
	case 22:
		return median_run(median_small<double, 2, 2>, m, dst, src);
	default:
		return median_run(median_large<double, unsigned long long>, m, dst, src);
	}
}

static void median(const struct median_window *m, enum dtype type, void *dst, const void *src)
{
	gpu_selftest(&gpu_selftest_denoisers);

	if (DT_FLOAT32 == type)
		median_float(m, (float *)dst, (const float *)src);
	else
		median_double(m, (double *)dst, (const double *)src);
}

/* ---- non-local means ---- */

/** A block owns COLS x ROWS x PLANES elements along the axes, each thread EACH of them. Squared differences
 * from the array moved by an offset are found PATCH elements beyond on every side, and added up along one
 * axis after the other. */
enum { COLS = 32, LINES = 8, EACH = 4 };

template <int PATCH, bool VOLUME> struct piece {
	enum {
		ROWS = VOLUME ? LINES : LINES * EACH,
		PLANES = VOLUME ? EACH : 1,
		WIDE = COLS + 2 * PATCH,
		HIGH = ROWS + 2 * PATCH,
		DEEP = PLANES + (VOLUME ? 2 * PATCH : 0),
		DIFFERENCES = WIDE * HIGH * DEEP,
		SUMS = COLS * HIGH * DEEP
	};
};

struct search {
	long n[NLM_AXES], step[NLM_AXES];
	int reach[NLM_AXES];
	int others;
	long odims[DIMS], osteps[DIMS];
	long tiles[NLM_AXES]; // pieces along the axes
	float noise2, h2;     // twice the variance of the noise, and 1 / h^2
};

/** The elements that a piece looks at, in shared memory where there is room. Places are counted from the
 * piece's first element. */
struct field {
	const float *held, *whole;
	long first[NLM_AXES];               // place of the first of the piece in the array
	int begin[NLM_AXES], end[NLM_AXES]; // of the array, if near
	int wide, high;                     // of what is held
	int margin[NLM_AXES];               // of that around the piece
};

__device__ static long nearest(long i, long n)
{
	return (i < 0) ? 0 : (i >= n) ? n - 1 : i;
}

/** The element there, or the nearest one of the array. */
template <bool HELD>
__device__ static float look(const struct search &s, const struct field &f, int x, int y, int z)
{
	if (HELD)
		return f.held[((z + f.margin[2]) * f.high + y + f.margin[1]) * f.wide + x + f.margin[0]];

	return f.whole[nearest(f.first[0] + x, s.n[0]) * s.step[0] +
	               nearest(f.first[1] + y, s.n[1]) * s.step[1] +
	               nearest(f.first[2] + z, s.n[2]) * s.step[2]];
}

__device__ static bool is_inside(const struct field &f, int x, int y, int z)
{
	return x >= f.begin[0] && x < f.end[0] && y >= f.begin[1] && y < f.end[1] && z >= f.begin[2] &&
	       z < f.end[2];
}

/** How many elements of a patch around place p along axis k lie inside. */
__device__ static float inside(const struct field &f, int k, int p, int patch)
{
	const int lo = (p - patch < f.begin[k]) ? f.begin[k] : p - patch,
	          hi = (p + patch < f.end[k]) ? p + patch : f.end[k] - 1;

	return (float)(hi - lo + 1);
}

/** A number of 32 bits that is i where that is near 0. */
__device__ static int near(long i)
{
	const long far = 1 << 24;

	return (int)((i < -far) ? -far : (i > far) ? far : i);
}

/** The piece of this block. */
template <int PATCH, bool VOLUME>
__device__ static struct field field_of(const struct search &s, const float *src, float *held, long *at)
{
	typedef piece<PATCH, VOLUME> P;
	const int owned[NLM_AXES] = {COLS, P::ROWS, P::PLANES};
	struct field f;
	long tile = (long)blockIdx.x;

	for (int k = 0; k < NLM_AXES; k++) {
		const long next = tile / s.tiles[k];

		f.first[k] = (tile - next * s.tiles[k]) * owned[k];
		f.begin[k] = near(-f.first[k]);
		f.end[k] = near(s.n[k] - f.first[k]);
		f.margin[k] = s.reach[k] + ((2 > k || VOLUME) ? PATCH : 0);
		tile = next;
	}

	*at = 0;

	for (int k = 0; k < s.others; k++) {
		const long next = tile / s.odims[k];

		*at += (tile - next * s.odims[k]) * s.osteps[k];
		tile = next;
	}

	f.held = held;
	f.whole = src + *at;
	f.wide = COLS + 2 * f.margin[0];
	f.high = P::ROWS + 2 * f.margin[1];

	return f;
}

/** Sums of e, which has those along rows, over the patches of a thread's elements. */
template <int PATCH, bool VOLUME>
__device__ static void patches(const float *e, int tx, int ty, float v[EACH])
{
	typedef piece<PATCH, VOLUME> P;
	enum { DEPTH = VOLUME ? PATCH : 0, COLUMNS = VOLUME ? (int)P::DEEP : (int)EACH };
	float column[COLUMNS];

#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		const float *from = e + (VOLUME ? c * P::HIGH + ty : ty + LINES * c) * COLS + tx;

		column[c] = 0.f;

#pragma unroll
		for (int b = 0; b <= 2 * PATCH; b++)
			column[c] += from[b * COLS];
	}

#pragma unroll
	for (int r = 0; r < EACH; r++) {
		v[r] = 0.f;

#pragma unroll
		for (int c = 0; c <= 2 * DEPTH; c++)
			v[r] += column[r + c];
	}
}

template <int PATCH, bool VOLUME, bool HELD>
__global__ static void __launch_bounds__(THREADS)
        nlm_kernel(const __grid_constant__ struct search s, float *dst, const float *src)
{
	typedef piece<PATCH, VOLUME> P;
	enum { DEPTH = VOLUME ? PATCH : 0 };
	GPU_SHARED(float, shared);
	float *const d = shared, *const e = shared + P::DIFFERENCES, *const held = e + P::SUMS;
	const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, me = ty * COLS + tx;
	float total[EACH], sum[EACH], largest[EACH], own[EACH], share[EACH];
	long at;
	const struct field f = field_of<PATCH, VOLUME>(s, src, held, &at);

	if (HELD) {
		const int deep = P::PLANES + 2 * f.margin[2];

		for (int line = ty; line < f.high * deep; line += LINES) {
			const int z = line / f.high, y = line - z * f.high;

			for (int x = tx; x < f.wide; x += COLS)
				held[line * f.wide + x] =
				        look<false>(s, f, x - f.margin[0], y - f.margin[1], z - f.margin[2]);
		}

		__syncthreads();
	}

#pragma unroll
	for (int r = 0; r < EACH; r++) {
		const int y = VOLUME ? ty : ty + LINES * r, z = VOLUME ? r : 0;

		total[r] = sum[r] = largest[r] = 0.f;
		own[r] = look<HELD>(s, f, tx, y, z);
		share[r] = inside(f, 0, tx, PATCH) * inside(f, 1, y, PATCH) * inside(f, 2, z, DEPTH);
	}

	const int w = 2 * s.reach[0] + 1, h = 2 * s.reach[1] + 1, all = w * h * (2 * s.reach[2] + 1);

	for (int k = 0; k < all; k++) {
		const int sx = k % w - s.reach[0], sy = k / w % h - s.reach[1], sz = k / (w * h) - s.reach[2];
		float v[EACH];

		if (0 == sx && 0 == sy && 0 == sz)
			continue;

		for (int i = me; i < P::DIFFERENCES; i += THREADS) {
			const int x = i % P::WIDE - PATCH, y = i / P::WIDE % P::HIGH - PATCH,
			          z = i / (P::WIDE * P::HIGH) - DEPTH;
			const float by =
			        is_inside(f, x, y, z)
			                ? look<HELD>(s, f, x, y, z) - look<HELD>(s, f, x + sx, y + sy, z + sz)
			                : 0.f;

			d[i] = by * by;
		}

		__syncthreads();

		for (int i = me; i < P::SUMS; i += THREADS) {
			const float *from = d + i / COLS * P::WIDE + i % COLS;
			float along = 0.f;

#pragma unroll
			for (int j = 0; j <= 2 * PATCH; j++)
				along += from[j];

			e[i] = along;
		}

		__syncthreads();
		patches<PATCH, VOLUME>(e, tx, ty, v);

#pragma unroll
		for (int r = 0; r < EACH; r++) {
			const int x = tx + sx, y = (VOLUME ? ty : ty + LINES * r) + sy,
			          z = (VOLUME ? r : 0) + sz;

			if (!is_inside(f, x, y, z))
				continue;

			const float weight = expf(-fmaxf(v[r] / share[r] - s.noise2, 0.f) * s.h2);

			total[r] += weight;
			sum[r] += weight * look<HELD>(s, f, x, y, z);
			largest[r] = fmaxf(largest[r], weight);
		}

		// no barrier: e changes again after the next one, and d has been read before the last
	}

#pragma unroll
	for (int r = 0; r < EACH; r++) {
		const int y = VOLUME ? ty : ty + LINES * r, z = VOLUME ? r : 0;
		const float self = (largest[r] > 0.f) ? largest[r] : 1.f;

		if (is_inside(f, tx, y, z))
			dst[at + (f.first[0] + tx) * s.step[0] + (f.first[1] + y) * s.step[1] +
			        (f.first[2] + z) * s.step[2]] = (sum[r] + self * own[r]) / (total[r] + self);
	}
}

/** Elements along a piece and around it. */
static size_t bytes_around(const struct search *s, int patch, int rows, int planes, bool volume)
{
	const long wide = COLS + 2 * (s->reach[0] + patch), high = rows + 2 * (s->reach[1] + patch),
	           deep = planes + 2 * (s->reach[2] + (volume ? patch : 0));

	return (size_t)(wide * high * deep) * sizeof(float);
}

template <int PATCH, bool VOLUME> static void nlm_pieces(struct search *s, float *dst, const float *src)
{
	typedef piece<PATCH, VOLUME> P;
	const size_t least = (size_t)(P::DIFFERENCES + P::SUMS) * sizeof(float),
	             most = least + bytes_around(s, PATCH, P::ROWS, P::PLANES, VOLUME);
	long blocks = 1;

	s->tiles[0] = gpu_divide_up(s->n[0], COLS);
	s->tiles[1] = gpu_divide_up(s->n[1], P::ROWS);
	s->tiles[2] = gpu_divide_up(s->n[2], P::PLANES);

	for (int k = 0; k < NLM_AXES; k++)
		blocks *= s->tiles[k];

	for (int k = 0; k < s->others; k++)
		blocks *= s->odims[k];

	if (most <= gpu_properties()->sharedMemPerBlockOptin)
		GPU_LAUNCH((nlm_kernel<PATCH, VOLUME, true>), blocks, dim3(COLS, LINES), most, gpu_stream(),
		        *s, dst, src);
	else
		GPU_LAUNCH((nlm_kernel<PATCH, VOLUME, false>), blocks, dim3(COLS, LINES), least, gpu_stream(),
		        *s, dst, src);
}

template <int PATCH> static void nlm_of(struct search *s, bool volume, float *dst, const float *src)
{
	if (volume)
		nlm_pieces<PATCH, true>(s, dst, src);
	else
		nlm_pieces<PATCH, false>(s, dst, src);
}

static void nlm(const struct nlm_window *m, float *dst, const float *src)
{
	struct search s = {};

	gpu_selftest(&gpu_selftest_denoisers);

	for (int k = 0; k < NLM_AXES; k++) {
		s.n[k] = (k < m->axes) ? m->dims[k] : 1;
		s.step[k] = (k < m->axes) ? m->steps[k] : 0;
		s.reach[k] = (int)(m->search < s.n[k] - 1 ? m->search : s.n[k] - 1); // farther is outside
	}

	s.others = m->others;

	for (int k = 0; k < m->others; k++) {
		s.odims[k] = m->odims[k];
		s.osteps[k] = m->osteps[k];
	}

	s.noise2 = (float)(2. * m->noise2);
	s.h2 = (float)(1. / m->h2);

	switch (m->patch) {
	case 0:
		return nlm_of<0>(&s, 3 == m->axes, dst, src);
	case 1:
		return nlm_of<1>(&s, 3 == m->axes, dst, src);
	case 2:
		return nlm_of<2>(&s, 3 == m->axes, dst, src);
	default:
		return nlm_of<3>(&s, 3 == m->axes, dst, src);
	}
}

extern "C" {
extern const struct denoise_passes denoise_passes_gpu;
const struct denoise_passes denoise_passes_gpu = {median, nlm};
}
