/** Rays through a single slice, for each instruction set. */

#include "ct/projector/slice/single_slice.h"

#include <math.h>
#include <string.h>

#include "misc/minmax.h"
#include "num/kern/kern.h"

#define INLINE static inline __attribute__((always_inline, unused))
#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 4")

enum { LANES = 16 };

/** A voxel, and what rounding may change in positions [voxels]. */
static const int slice_unit = 1 << SLICE_FINE;
static const double slice_slack = 1e-5;

/** Positions and lengths. */
INLINE void find_positions(struct slice_rays *r, int end, bool parallel)
{
	const double half = r->siddon ? 0.5 : 0., slope = r->d[1] / r->d[0],
	             across2 = r->spacing[1] * r->spacing[1], along2 = r->spacing[0] * r->spacing[0];
	const float length = (float)sqrt(along2 + slope * slope * across2);

	SIMD for (int l = 0; l < end; l++)
	{
		const double x = r->x + (double)min_long(l, r->n - 1) * r->sign,
		             rise = parallel ? slope : (r->d[1] + x * r->u[1]) / (r->d[0] + x * r->u[0]),
		             s0 = r->s[0] + (parallel ? x * r->u[0] : 0.),
		             s1 = r->s[1] + (parallel ? x * r->u[1] : 0.);

		r->rise[l] = rise;
		r->low[l] = s1 - s0 * rise + half - half * fabs(rise);
		r->length[l] = parallel ? length : sqrtf((float)(along2 + rise * rise * across2));
	}
}

/** Rounds from the middle plane, so that rounded steps add up over half the brick only. */
INLINE void aim_rays(struct slice_rays *r)
{
	const double unit = slice_unit;
	const int middle = r->planes / 2,
	          end = (r->n + 2 * LANES - 1) & -LANES; // to whole registers, by the last ray
	unsigned *at = r->at + SLICE_PAD;
	int *step = r->step + SLICE_PAD, *wide = r->wide + SLICE_PAD;
	float *inv = r->inv + SLICE_PAD;
	double widest = 0.;

	if (r->parallel)
		find_positions(r, end, true);
	else
		find_positions(r, end, false);

	SIMD for (int l = 0; l < end; l++)
	{
		const double low = r->low[l] + middle * r->rise[l], cell = floor(low);
		const int s = (int)rint(r->rise[l] * unit), size = (s < 0) ? -s : s,
		          w = r->siddon ? (size > 0) ? size : 1 : slice_unit;

		at[l] = ((unsigned)(int)cell << SLICE_FINE) + (unsigned)(int)((low - cell) * unit) -
		        (unsigned)middle * (unsigned)s;
		step[l] = s;
		wide[l] = w;
		inv[l] = 1.f / (float)w;
	}

	for (int l = 0; l < SLICE_PAD; l++) { // rays that nothing comes from
		r->at[l] = at[end + l] = 0;
		r->step[l] = step[end + l] = 0;
		r->wide[l] = wide[end + l] = 0;
		r->inv[l] = inv[end + l] = 0.f;
	}

	for (int l = 0; l < r->n && r->siddon; l++)
		widest = (fabs(r->rise[l]) > widest) ? fabs(r->rise[l]) : widest;

	r->reach = r->siddon ? 0.5 + 0.5 * widest : 1.;
}

/** The rounded position of ray l in plane n. */
INLINE long slice_position(const struct slice_rays *r, int l, int n)
{
	const unsigned at = r->at[SLICE_PAD + l] + (unsigned)n * (unsigned)r->step[SLICE_PAD + l];
	const long near = (long)floor((r->low[l] + n * r->rise[l]) * slice_unit);

	return near + (int)(at - (unsigned)near);
}

/** Narrows planes [*from, *to) to those with x + n rise >= 0. */
INLINE void narrow_planes(int *from, int *to, double x, double rise)
{
	const double at = -x / rise;

	if (rise == 0. && x < 0.)
		*to = *from;
	else if (rise > 0. && at > *from)
		*from = (at < *to) ? (int)ceil(at) : *to;
	else if (rise < 0. && at < *to - 1)
		*to = (at >= *from) ? (int)at + 1 : *from;
}

/** Planes in which one of rays a to b is near the voxels. */
INLINE void find_planes(const struct slice_rays *r, int a, int b, int *from, int *to)
{
	*from = 0;
	*to = r->planes;
	narrow_planes(from, to, r->low[b] + 2., r->rise[b]);
	narrow_planes(from, to, r->voxels + 1. - r->low[a], -r->rise[a]);
}

/** The weight of the voxel after the cell. */
INLINE float weight_after(const struct slice_rays *r, int l, long position)
{
	const int part = (int)(position & (slice_unit - 1)) + (r->wide[SLICE_PAD + l] - slice_unit);

	return (float)(part > 0 ? part : 0) * r->inv[SLICE_PAD + l];
}

/** Rays [l, end) through planes [from, to), one by one; fused: with the roundings of the kernels in
 * registers.
 */
INLINE void collect_rays(struct slice_rays *r, int l, int end, int from, int to, const float *box, bool fused)
{
	for (; l < end; l++) {
		const float *line = box + (long)from * SLICE_PITCH + SLICE_GUARD;
		long position = slice_position(r, l, from);
		float sum = 0.f;

		for (int n = from; n < to; n++, line += SLICE_PITCH, position += r->step[SLICE_PAD + l]) {
			const int cell = (int)(position >> SLICE_FINE);
			const float w = weight_after(r, l, position);

			if (cell >= -1 && cell < r->voxels)
				sum += fused ? __builtin_fmaf(w, line[cell + 1] - line[cell], line[cell])
				             : line[cell] + w * (line[cell + 1] - line[cell]);
		}

		r->y[SLICE_PAD + l] = sum;
	}
}

INLINE void spread_rays(const struct slice_rays *r, float *box)
{
	for (int l = 0; l < r->n; l++) {
		const float y = r->y[SLICE_PAD + l];
		float *line = box + SLICE_GUARD;
		long position = slice_position(r, l, 0);

		for (int n = 0; n < r->planes; n++, line += SLICE_PITCH, position += r->step[SLICE_PAD + l]) {
			const int cell = (int)(position >> SLICE_FINE);
			const float after = weight_after(r, l, position) * y;

			if (cell >= -1 && cell < r->voxels) {
				line[cell] += y - after;
				line[cell + 1] += after;
			}
		}
	}
}

/** How far rays are from equal steps in a group of `width` voxels; the least and the most rays from voxel to
 * voxel. */
INLINE double rays_bend(const struct slice_rays *r, int width, double *least, double *most)
{
	const double half = 0.5 * (width - 1);
	double bend = 0.;

	*least = INFINITY;
	*most = 0.;

	for (int corner = 0; corner < 4; corner++) {
		const double x = (corner & 1) ? (r->voxels - 1) / width * width + half : half,
		             n = (corner & 2) ? r->planes - 1 : 0;
		const double num = r->num[0] + x * r->num[1] + n * r->num[2],
		             den = r->den[0] + x * r->den[1] + n * r->den[2], i = num / den,
		             per = (r->num[1] - i * r->den[1]) / den;

		for (int e = -1; e <= 1; e += 2) {
			const double to = e * (half + r->reach),
			             off = (num + to * r->num[1]) / (den + to * r->den[1]) - (i + to * per);

			bend = (fabs(off) > bend) ? fabs(off) : bend;
		}

		*least = (per < *least) ? per : *least;
		*most = (per > *most) ? per : *most;
	}

	return 1.5 * bend;
}

static void aim_plain(struct slice_rays *r)
{
	aim_rays(r);
}

static void forward_plain(struct slice_rays *r, const float *box)
{
	collect_rays(r, 0, r->n, 0, r->planes, box, false);
}

static void adjoint_plain(const struct slice_rays *r, float *box)
{
	spread_rays(r, box);
}

static const struct slice_kernels kernels_plain = {aim_plain, forward_plain, adjoint_plain};

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(f)        f##_avx2
#define ATTRIBUTES     __attribute__((target("avx2,fma")))
#define WIDTH          8
#define VEC            __m256
#define INTS           __m256i
#define MM(f)          _mm256_##f
#define NUMBERS        _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7)
#define COUNTS         _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define PERMUTE        _mm256_permutevar8x32_ps
#define UPPER(a, b)    _mm256_blend_ps(a, b, 0xf0)
#define FROM_1_4(a, b) _mm256_blend_ps(a, b, 0xfc)
#define FROM_3_4(a, b) _mm256_blend_ps(a, b, 0xc0)
#define LOAD_INTS(p)   _mm256_loadu_si256((const void *)(p))
#define AND            _mm256_and_si256
#define AS_INTS        _mm256_castps_si256
#define CEIL           _mm256_ceil_ps
#include "ct/projector/slice/single_slice_impl.inc"

#define NAME(f)        f##_avx512
#define ATTRIBUTES     __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define WIDTH          16
#define VEC            __m512
#define INTS           __m512i
#define MM(f)          _mm512_##f
#define NUMBERS        _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define COUNTS         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define PERMUTE(x, k)  _mm512_permutexvar_ps(k, x)
#define UPPER(a, b)    _mm512_mask_blend_ps(0xff00, a, b)
#define FROM_1_4(a, b) _mm512_mask_blend_ps(0xfff0, a, b)
#define FROM_3_4(a, b) _mm512_mask_blend_ps(0xf000, a, b)
#define LOAD_INTS      _mm512_loadu_si512
#define AND            _mm512_and_si512
#define AS_INTS        _mm512_castps_si512
#define CEIL(x)        _mm512_roundscale_ps(x, 10)
#include "ct/projector/slice/single_slice_impl.inc"
#endif

const struct slice_kernels *slice_kernels(void)
{
	return KERN_CHOOSE(kernels);
}
