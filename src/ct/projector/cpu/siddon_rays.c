#include "ct/projector/cpu/siddon_rays.h"

#include <math.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/cpu/columns.h"
#include "ct/projector/model/siddon.h"
#include "num/kern/compress.h"
#include "num/kern/kern.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE static inline __attribute__((always_inline, unused))
#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 8")

enum { SLABS = 16, EDGE = COLUMN_EDGE, SUMS = 8, MOST = 3 * (EDGE + SLABS) };

/** The voxels of a ray, and the ray's lengths in these voxels along the dominant axis. */
struct list {
	_Alignas(64) float w[MOST];
	_Alignas(64) int at[MOST];
	int count;
};

/** Sixteen slabs of every ray: positions across, in units of 2^-SIDDON_BITS voxels from the face below a
 * voxel nearby, where a ray enters the first slab, and per slab. */
struct slabs {
	_Alignas(64) unsigned first[2][RAYS], step[2][RAYS];
	_Alignas(64) int base[2][RAYS];       // that voxel
	_Alignas(64) float inv_step[2][RAYS]; // slabs per unit
};

/** Along axis i of slabs [from, from + 16) of every ray. */
INLINE void find_slabs(struct slabs *t, const struct rays *r, int i, int from)
{
	const double unit = 1 << SIDDON_BITS;

	SIMD for (int l = 0; l < RAYS; l++)
	{
		const double slope = r->slope[i][l],
		             x0 = r->pos[i][l] + slope * (r->first[l] + from - 0.5) + 0.5,
		             x1 = x0 + slope * SLABS, low = floor((x0 < x1) ? x0 : x1) - 1.;

		// rays that do not reach these slabs may be anywhere
		const double base = siddon_limit(low, -EDGE, 2. * EDGE),
		             first = siddon_limit(x0 - base, 0., 31.);

		t->base[i][l] = (int)base;
		t->first[i][l] = (unsigned)(first * unit); // a ray in a face stays in it
		t->step[i][l] = (unsigned)(int)rint(slope * unit);
		t->inv_step[i][l] = (float)(1. / (fabs(slope) * unit));
	}
}

/** A ray in sixteen slabs: how it continues across from the lowest cell, and which cells are voxels. */
struct path {
	unsigned first[2], step[2], flip[2]; // of siddon_begin()
	float inv_step[2];
	int low[2], size[2]; // cells before the first voxel, voxels
	int next[2];         // elements from a voxel to that after the crossing
	int stride[3];       // along m, and across
	int offset, count;   // element of the lowest cell in the first slab; slabs
};

INLINE void find_path(struct path *p, const struct rays *r, const struct slabs *t, int l, int from,
        const int n[3], const int stride[3])
{
	const int across[2] = {r->p, r->q}, left = r->count[l] - from;

	p->stride[0] = stride[r->m];
	p->offset = (r->first[l] + from) * stride[r->m];
	p->count = (left < SLABS) ? left : SLABS;

	for (int i = 0; i < 2; i++) {
		const int step = stride[across[i]];

		p->first[i] = t->first[i][l];
		p->step[i] = t->step[i][l];
		p->flip[i] = ((int)p->step[i] > 0) ? ~0u : 0u;
		p->inv_step[i] = t->inv_step[i][l];
		p->low[i] = 1 - t->base[i][l];
		p->size[i] = n[across[i]];
		p->next[i] = ((int)p->step[i] > 0) ? step : -step;
		p->stride[1 + i] = step;
		p->offset += t->base[i][l] * step;
	}
}

/** Along one axis: cells in which a slab is entered and left, and the part of the slab before the crossing.
 */
struct cells {
	_Alignas(64) unsigned from[SLABS], to[SLABS];
	_Alignas(64) float before[SLABS];
};

INLINE void find_cells(struct cells *c, const struct path *p, int i)
{
	const unsigned first = p->first[i], step = p->step[i], flip = p->flip[i];
	const float inv = p->inv_step[i];

	SIMD for (int n = 0; n < SLABS; n++)
	{
		const unsigned a = first + (unsigned)n * step, k0 = a >> SIDDON_BITS,
		               k1 = (a + step) >> SIDDON_BITS;
		const float t = siddon_begin(a, flip, inv, 1.f);

		c->from[n] = k0;
		c->to[n] = k1;
		c->before[n] = (k0 == k1) ? 1.f : t;
	}
}

INLINE bool is_voxel(const struct path *p, unsigned k0, unsigned k1)
{
	return k0 - (unsigned)p->low[0] < (unsigned)p->size[0] &&
	       k1 - (unsigned)p->low[1] < (unsigned)p->size[1];
}

INLINE void append(struct list *o, bool voxel, float w, int at)
{
	o->w[o->count] = w;
	o->at[o->count] = at;
	o->count += voxel && w > 0.f;
}

/** First the voxels of all slabs before the crossings, then those between, then those after them. */
INLINE void append_slabs(struct list *o, const struct path *p)
{
	struct cells c[2];

	find_cells(&c[0], p, 0);
	find_cells(&c[1], p, 1);

	for (int k = 0; k < 3; k++)
		for (int n = 0; n < p->count; n++) {
			const float tp = c[0].before[n], tq = c[1].before[n], less = (tp < tq) ? tp : tq,
			            more = (tp < tq) ? tq : tp;
			const bool p_after = (k == 2 || (k == 1 && tp < tq)),
			           q_after = (k == 2 || (k == 1 && !(tp < tq)));
			const unsigned k0 = p_after ? c[0].to[n] : c[0].from[n],
			               k1 = q_after ? c[1].to[n] : c[1].from[n];

			append(o, is_voxel(p, k0, k1),
			        (k == 0)   ? less
			        : (k == 1) ? more - less
			                   : 1.f - more,
			        p->offset + n * p->stride[0] + (int)k0 * p->stride[1] +
			                (int)k1 * p->stride[2]);
		}
}

typedef float sums __attribute__((vector_size(SUMS * sizeof(float))));

/** Eight sums, so that one addition need not wait for the other; a vector, for of an array compilers take
 * many elements of one sum together, and add these one by one. */
INLINE float collect(struct list *t, const float *box)
{
	sums sum = {0};

	for (int i = 0; i < SUMS; i++) { // nothing from an element that is there
		t->w[t->count + i] = 0.f;
		t->at[t->count + i] = 0;
	}

	for (int n = 0; n < t->count; n += SUMS) {
		const int *at = t->at + n;
		const sums voxel = {box[at[0]], box[at[1]], box[at[2]], box[at[3]], box[at[4]], box[at[5]],
		        box[at[6]], box[at[7]]};

		sum += *(const sums *)(t->w + n) * voxel;
	}

	return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

INLINE void spread(const struct list *t, float y, float *box)
{
	for (int n = 0; n < t->count; n++)
		box[t->at[n]] += t->w[n] * y;
}

#define RAYS_BY(isa, attributes, append_all)                                                                 \
	attributes static void follow_##isa(const struct rays *r, unsigned mask, const int n[3],             \
	        const int stride[3], float *box, float *pixel, long next, bool adjoint)                      \
	{                                                                                                    \
		struct slabs t[EDGE / SLABS];                                                                \
		int most = 0;                                                                                \
                                                                                                             \
		for (int l = 0; l < RAYS; l++)                                                               \
			most = (mask >> l & 1 && r->count[l] > most) ? r->count[l] : most;                   \
                                                                                                             \
		for (int from = 0; from < most; from += SLABS)                                               \
			for (int i = 0; i < 2; i++)                                                          \
				find_slabs(&t[from / SLABS], r, i, from);                                    \
                                                                                                             \
		for (int l = 0; l < RAYS; l++) {                                                             \
			struct list o;                                                                       \
			struct path p;                                                                       \
                                                                                                             \
			o.count = 0;                                                                         \
                                                                                                             \
			for (int from = 0; mask >> l & 1 && from < r->count[l]; from += SLABS) {             \
				find_path(&p, r, &t[from / SLABS], l, from, n, stride);                      \
				append_all(&o, &p);                                                          \
			}                                                                                    \
                                                                                                             \
			if (o.count > 0 && adjoint)                                                          \
				spread(&o, pixel[l * next] * (float)r->length[l], box);                      \
			else if (o.count > 0)                                                                \
				pixel[l * next] += collect(&o, box) * (float)r->length[l];                   \
		}                                                                                            \
	}

RAYS_BY(plain, , append_slabs)

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))

enum { HALF = SLABS / 2 };

/** find_cells() of eight slabs in registers. */
struct cells256 {
	__m256i from, cross, in, in_after; // does the ray cross; are the cells before and after voxels
	__m256 before;
};

AVX2 INLINE __m256i is_below256(__m256i k, __m256i size)
{
	return _mm256_cmpgt_epi32(size, _mm256_min_epu32(k, size));
}

AVX2 INLINE void find_cells256(struct cells256 *c, const struct path *p, int i, __m256i slab)
{
	const __m256i step = _mm256_set1_epi32((int)p->step[i]), low = _mm256_set1_epi32(p->low[i]),
	              size = _mm256_set1_epi32(p->size[i]), part = _mm256_set1_epi32((1 << SIDDON_BITS) - 1);
	const __m256i a = _mm256_add_epi32(
	                      _mm256_set1_epi32((int)p->first[i]), _mm256_mullo_epi32(slab, step)),
	              to = _mm256_srli_epi32(_mm256_add_epi32(a, step), SIDDON_BITS),
	              left = _mm256_and_si256(_mm256_xor_si256(a, _mm256_set1_epi32((int)p->flip[i])), part);
	const __m256 one = _mm256_set1_ps(1.f),
	             t = _mm256_min_ps(
	                     _mm256_mul_ps(_mm256_cvtepi32_ps(left), _mm256_set1_ps(p->inv_step[i])), one);

	c->from = _mm256_srli_epi32(a, SIDDON_BITS);

	const __m256i same = _mm256_cmpeq_epi32(c->from, to);

	c->cross = _mm256_xor_si256(same, _mm256_set1_epi32(-1));
	c->before = _mm256_blendv_ps(t, one, _mm256_castsi256_ps(same));
	c->in = is_below256(_mm256_sub_epi32(c->from, low), size);
	c->in_after = is_below256(_mm256_sub_epi32(to, low), size);
}

/** The voxels of eight slabs before the crossings, between and after them. */
struct voxels256 {
	__m256i in[3], at[3];
	__m256 w[3];
};

AVX2 INLINE void find_voxels256(struct voxels256 *o, const struct path *p, __m256i slab)
{
	const __m256i here = _mm256_cmpgt_epi32(_mm256_set1_epi32(p->count), slab);
	const __m256 one = _mm256_set1_ps(1.f);
	struct cells256 a, b;

	find_cells256(&a, p, 0, slab);
	find_cells256(&b, p, 1, slab);

	const __m256 sooner = _mm256_cmp_ps(a.before, b.before, _CMP_LT_OQ),
	             less = _mm256_min_ps(a.before, b.before), more = _mm256_max_ps(a.before, b.before);
	const __m256i at =
	        _mm256_add_epi32(_mm256_add_epi32(_mm256_set1_epi32(p->offset),
	                                 _mm256_mullo_epi32(slab, _mm256_set1_epi32(p->stride[0]))),
	                _mm256_add_epi32(_mm256_mullo_epi32(a.from, _mm256_set1_epi32(p->stride[1])),
	                        _mm256_mullo_epi32(b.from, _mm256_set1_epi32(p->stride[2]))));
	const __m256i step_p = _mm256_and_si256(a.cross, _mm256_set1_epi32(p->next[0])),
	              step_q = _mm256_and_si256(b.cross, _mm256_set1_epi32(p->next[1])),
	              p_first = _mm256_castps_si256(sooner);
	const __m256i between = _mm256_and_si256(
	        _mm256_blendv_epi8(a.in, a.in_after, p_first), _mm256_blendv_epi8(b.in_after, b.in, p_first));

	o->w[0] = less;
	o->w[1] = _mm256_sub_ps(more, less);
	o->w[2] = _mm256_sub_ps(one, more);
	o->in[0] = _mm256_and_si256(here, _mm256_and_si256(a.in, b.in));
	o->in[1] = _mm256_and_si256(here, between);
	o->in[2] = _mm256_and_si256(here, _mm256_and_si256(a.in_after, b.in_after));
	o->at[0] = at;
	o->at[1] = _mm256_add_epi32(at, _mm256_blendv_epi8(step_q, step_p, p_first));
	o->at[2] = _mm256_add_epi32(at, _mm256_add_epi32(step_p, step_q));
}

/** Returns the number of voxels in the list then, of which there were n. */
AVX2 INLINE int append256(struct list *o, int n, __m256i in, __m256 w, __m256i at)
{
	const __m256 some =
	        _mm256_and_ps(_mm256_castsi256_ps(in), _mm256_cmp_ps(w, _mm256_setzero_ps(), _CMP_GT_OQ));
	const unsigned mask = (unsigned)_mm256_movemask_ps(some);
	const __m256i lane = compress256(mask);

	_mm256_storeu_ps(o->w + n, _mm256_permutevar8x32_ps(w, lane));
	_mm256_storeu_si256((__m256i *)(o->at + n), _mm256_permutevar8x32_epi32(at, lane));
	return n + __builtin_popcount(mask);
}

AVX2 INLINE void append_slabs256(struct list *o, const struct path *p)
{
	const __m256i slab = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	struct voxels256 low, high;
	int n = o->count;

	find_voxels256(&low, p, slab);
	find_voxels256(&high, p, _mm256_add_epi32(slab, _mm256_set1_epi32(HALF)));

	UNROLL for (int k = 0; k < 3; k++)
	{
		n = append256(o, n, low.in[k], low.w[k], low.at[k]);
		n = append256(o, n, high.in[k], high.w[k], high.at[k]);
	}

	o->count = n;
}

RAYS_BY(avx2, AVX2, append_slabs256)

#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,popcnt")))

/** find_cells() in registers. */
struct cells512 {
	__m512i from;
	__m512 before;
	__mmask16 cross, in, in_after; // it does; the cells before and after are voxels
};

AVX512 INLINE void find_cells512(struct cells512 *c, const struct path *p, int i, __m512i slab)
{
	const __m512i step = _mm512_set1_epi32((int)p->step[i]), low = _mm512_set1_epi32(p->low[i]),
	              size = _mm512_set1_epi32(p->size[i]), part = _mm512_set1_epi32((1 << SIDDON_BITS) - 1);
	const __m512i a = _mm512_add_epi32(
	                      _mm512_set1_epi32((int)p->first[i]), _mm512_mullo_epi32(slab, step)),
	              to = _mm512_srli_epi32(_mm512_add_epi32(a, step), SIDDON_BITS),
	              left = _mm512_and_epi32(_mm512_xor_epi32(a, _mm512_set1_epi32((int)p->flip[i])), part);
	const __m512 one = _mm512_set1_ps(1.f),
	             t = _mm512_min_ps(
	                     _mm512_mul_ps(_mm512_cvtepi32_ps(left), _mm512_set1_ps(p->inv_step[i])), one);

	c->from = _mm512_srli_epi32(a, SIDDON_BITS);
	c->cross = _mm512_cmpneq_epi32_mask(c->from, to);
	c->before = _mm512_mask_blend_ps(c->cross, one, t);
	c->in = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(c->from, low), size);
	c->in_after = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(to, low), size);
}

AVX512 INLINE void append512(struct list *o, __mmask16 in, __m512 w, __m512i at)
{
	const __mmask16 some = _mm512_mask_cmp_ps_mask(in, w, _mm512_setzero_ps(), _CMP_GT_OQ);

	_mm512_storeu_ps(o->w + o->count, _mm512_maskz_compress_ps(some, w));
	_mm512_storeu_si512(o->at + o->count, _mm512_maskz_compress_epi32(some, at));
	o->count += _mm_popcnt_u32(some);
}

AVX512 INLINE void append_slabs512(struct list *o, const struct path *p)
{
	const __m512i slab = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __mmask16 here = (1u << p->count) - 1;
	const __m512 one = _mm512_set1_ps(1.f);
	struct cells512 a, b;

	find_cells512(&a, p, 0, slab);
	find_cells512(&b, p, 1, slab);

	const __mmask16 sooner = _mm512_cmp_ps_mask(a.before, b.before, _CMP_LT_OQ);
	const __m512 less = _mm512_min_ps(a.before, b.before), more = _mm512_max_ps(a.before, b.before);
	const __m512i at =
	        _mm512_add_epi32(_mm512_add_epi32(_mm512_set1_epi32(p->offset),
	                                 _mm512_mullo_epi32(slab, _mm512_set1_epi32(p->stride[0]))),
	                _mm512_add_epi32(_mm512_mullo_epi32(a.from, _mm512_set1_epi32(p->stride[1])),
	                        _mm512_mullo_epi32(b.from, _mm512_set1_epi32(p->stride[2]))));
	const __m512i after_p = _mm512_mask_add_epi32(at, a.cross, at, _mm512_set1_epi32(p->next[0])),
	              after_q = _mm512_mask_add_epi32(at, b.cross, at, _mm512_set1_epi32(p->next[1])),
	              after = _mm512_mask_add_epi32(after_p, b.cross, after_p, _mm512_set1_epi32(p->next[1]));
	const __mmask16 between = (sooner & a.in_after & b.in) | (~sooner & a.in & b.in_after);

	append512(o, here & a.in & b.in, less, at);
	append512(o, here & between, _mm512_sub_ps(more, less),
	        _mm512_mask_blend_epi32(sooner, after_q, after_p));
	append512(o, here & a.in_after & b.in_after, _mm512_sub_ps(one, more), after);
}

RAYS_BY(avx512, AVX512, append_slabs512)
#endif

siddon_rays_fn *siddon_rays(void)
{
	return KERN_CHOOSE(follow);
}
