/* Extremes of blocks of a volume, and which of them are visible [2]. */

#include "volume/render/extent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "num/kern/kern.h"
#include "volume/render/render_device.h"

enum { B = RENDER_BLOCK, FARTHEST = 16 };

enum render_kind render_kind_of(enum dtype t)
{
	return DT_UINT8 == t    ? RENDER_U8
	       : DT_UINT16 == t ? RENDER_U16
	       : DT_INT16 == t  ? RENDER_I16
	                        : RENDER_F32;
}

bool render_is_converted(enum dtype t)
{
	return DT_FLOAT32 != t && RENDER_F32 == render_kind_of(t);
}

/* Extremes of a line of elements, in the type of the kernels. */
struct lines {
	enum render_kind kind;
	enum dtype type;
	void *lo, *hi, *converted;
};

static size_t kind_size(enum render_kind k)
{
	return RENDER_U8 == k ? 1 : RENDER_F32 == k ? 4 : 2;
}

static void lines_create(struct lines *s, enum dtype type, long n)
{
	s->type = type;
	s->kind = render_kind_of(type);
	s->lo = mem_alloc((size_t)n * 4);
	s->hi = mem_alloc((size_t)n * 4);
	s->converted = render_is_converted(type) ? mem_alloc((size_t)n * 4) : NULL;
}

static void lines_free(struct lines *s)
{
	free(s->lo);
	free(s->hi);
	free(s->converted);
}

#define DEFINE_BLOCK(T)                                                                                      \
	static void block_##T(const T *lo, const T *hi, long from, long to, float *least, float *most)       \
	{                                                                                                    \
		T l = lo[from], h = hi[from];                                                                \
		for (long i = from + 1; i <= to; i++) {                                                      \
			l = lo[i] < l ? lo[i] : l;                                                           \
			h = hi[i] > h ? hi[i] : h;                                                           \
		}                                                                                            \
		*least = (float)l;                                                                           \
		*most = (float)h;                                                                            \
	}
DEFINE_BLOCK(uint8_t)
DEFINE_BLOCK(uint16_t)
DEFINE_BLOCK(int16_t)
DEFINE_BLOCK(float)

/* Extremes of elements from .. to of the line. */
static void block_of_line(const struct lines *s, long from, long to, float *least, float *most)
{
	switch (s->kind) {
	case RENDER_U8:
		block_uint8_t(s->lo, s->hi, from, to, least, most);
		break;
	case RENDER_U16:
		block_uint16_t(s->lo, s->hi, from, to, least, most);
		break;
	case RENDER_I16:
		block_int16_t(s->lo, s->hi, from, to, least, most);
		break;
	default:
		block_float(s->lo, s->hi, from, to, least, most);
	}
}

/* Includes line `row` of n elements; how many are not finite. `first`: it is the first one. */
static long lines_add(struct lines *s, const struct render_kern *kern, long n, const void *row, bool first)
{
	if (s->converted) {
		convert(DT_FLOAT32, s->converted, s->type, row, n, NARROW_SATURATE);
		row = s->converted;
	}

	if (first) {
		memcpy(s->lo, row, (size_t)n * kind_size(s->kind));
		memcpy(s->hi, row, (size_t)n * kind_size(s->kind));
	} else
		kern->extremes(s->kind, n, row, s->lo, s->hi);

	return RENDER_F32 == s->kind ? kern->infinite(n, row) : 0;
}

static long least(long a, long b)
{
	return a < b ? a : b;
}

/* Blocks (., y, z) of volume v. Elements at their upper faces belong to them: samples before it see those. */
static long block_line(
        struct render_extent *e, const struct render_volume *v, int k, struct lines *s, long y, long z)
{
	const long *n = e->n, size = (long)dtype_size(v->type);
	const long y1 = least(y * B + B, n[1] - 1), z1 = least(z * B + B, n[2] - 1);
	long bad = 0;

	for (long c = z * B; c <= z1; c++)
		for (long b = y * B; b <= y1; b++)
			bad += lines_add(s, e->kern, n[0],
			        (const char *)v->data + (c * n[1] + b) * n[0] * size,
			        z * B == c && y * B == b);

	for (long x = 0; x < e->blocks[0]; x++) {
		const long x1 = least(x * B + B, n[0] - 1), at = x + e->blocks[0] * (y + e->blocks[1] * z);
		block_of_line(s, x * B, x1, &e->lo[k][at], &e->hi[k][at]);
	}

	return bad;
}

/* Layers first .. end - 1 of blocks of volume k, which are then known on all ranks. */
static void survey(struct render_extent *e, const struct render_volume *v, int k,
        const struct sharing *layers, long first, long end)
{
	long bad = 0;

#pragma omp parallel reduction(+ : bad)                                                                        \
        num_threads(threads_for(.2 * (double)(e->n[0] * e->n[1] * B * (end - first))))
	{
		struct lines s;

		lines_create(&s, v->type, e->n[0]);

#pragma omp for schedule(dynamic)
		for (long z = first; z < end; z++) {
			for (long y = 0; y < e->blocks[1]; y++)
				bad += block_line(e, v, k, &s, y, z);

			progress_add(1);
		}

		lines_free(&s);
	}

	if (layers) {
		sharing_gather(layers, e->lo[k]);
		sharing_gather(layers, e->hi[k]);
		ranks_sum(&bad, 1);
	}

	if (bad)
		error("%s contains NaN or infinite values: replace them first (gantry expr)", v->name);
}

static void survey_all(struct render_extent *e, const struct render_volume *v, int k)
{
	const long count = e->blocks[0] * e->blocks[1] * e->blocks[2];
	const struct sharing layers = {
	        (size_t)(e->blocks[0] * e->blocks[1]) * sizeof(float), e->blocks[2], 1, 1};
	long first, end;

	ranks_part(layers.n, 1, &first, &end);
	survey(e, v, k, &layers, first, end);
	e->least[k] = INFINITY;
	e->most[k] = -INFINITY;

	for (long i = 0; i < count; i++) {
		e->least[k] = fmin(e->least[k], (double)e->lo[k][i]);
		e->most[k] = fmax(e->most[k], (double)e->hi[k][i]);
	}
}

/* Extremes of RENDER_WIDE^3 blocks. */
static void survey_wide(struct render_extent *e)
{
	const long count = e->wide[0] * e->wide[1] * e->wide[2];

	for (long i = 0; i < count; i++) {
		e->wide_lo[i] = INFINITY;
		e->wide_hi[i] = -INFINITY;
	}

	for (long z = 0, i = 0; z < e->blocks[2]; z++)
		for (long y = 0; y < e->blocks[1]; y++)
			for (long x = 0; x < e->blocks[0]; x++, i++) {
				const long w =
				        x / RENDER_WIDE +
				        e->wide[0] * (y / RENDER_WIDE + e->wide[1] * (z / RENDER_WIDE));

				e->wide_lo[w] = fminf(e->wide_lo[w], e->lo[0][i]);
				e->wide_hi[w] = fmaxf(e->wide_hi[w], e->hi[0][i]);
			}
}

struct render_extent *render_extent_create(const struct render *r)
{
	struct render_extent *e = NEW(struct render_extent);

	e->kern = KERN_CHOOSE(render_kern);

	for (int i = 0; i < 3; i++) {
		e->n[i] = r->n[i];
		e->blocks[i] = (r->n[i] - 1) / B + 1;
	}

	if (e->blocks[0] * e->blocks[1] > INT32_MAX / e->blocks[2])
		error("%s has %ld x %ld x %ld elements, expected at most 1e12", r->volume[0].name, r->n[0],
		        r->n[1], r->n[2]);

	const long count = e->blocks[0] * e->blocks[1] * e->blocks[2];

	for (int k = 0; k < r->volumes; k++) {
		e->lo[k] = mem_alloc((size_t)count * sizeof(float));
		e->hi[k] = mem_alloc((size_t)count * sizeof(float));
	}

	if (RENDER_MIP == r->mode || RENDER_MINIP == r->mode) {
		long wide = 1;

		for (int i = 0; i < 3; i++)
			wide *= e->wide[i] = (e->blocks[i] - 1) / RENDER_WIDE + 1;

		e->wide_lo = mem_alloc((size_t)wide * sizeof(float));
		e->wide_hi = mem_alloc((size_t)wide * sizeof(float));
	}

	e->by_slabs =
	        r->range_known && !(r->camera.perspective > 0.) && 1 == ranks_count() && render_is_cut(r);

	if (e->by_slabs)
		return e;

	progress_start("reading", r->volumes * e->blocks[2]);

	for (int k = 0; k < r->volumes; k++)
		survey_all(e, &r->volume[k], k);

	if (e->wide_lo)
		survey_wide(e);

	progress_end();
	return e;
}

void render_extent_slab(struct render_extent *e, const struct render *r, long z0, long z1)
{
	const long count = e->blocks[0] * e->blocks[1] * e->blocks[2];

	for (int k = 0; k < r->volumes; k++) {
		for (long i = 0; i < count; i++) { // nothing is in other slabs
			e->lo[k][i] = INFINITY;
			e->hi[k][i] = -INFINITY;
		}

		survey(e, &r->volume[k], k, NULL, z0 / B, (z1 - 1) / B + 1);
	}

	if (e->wide_lo)
		survey_wide(e);
}

void render_extent_free(struct render_extent *e)
{
	for (int k = 0; e && k < RENDER_VOLUMES; k++) {
		free(e->lo[k]);
		free(e->hi[k]);
	}

	if (e) {
		render_device_free(e->device);
		free(e->wide_lo);
		free(e->wide_hi);
	}

	free(e);
}

void render_extent_of(const struct render_extent *e, int i, double *lo, double *hi)
{
	*lo = e->least[i];
	*hi = e->most[i];
}

/* ---- what is visible ---- */

/* Marks the blocks in which the table of a field has an opacity: 0; leaves the others. */
static void mark_visible(uint8_t *far, const struct render_extent *e, int k, const struct render_field *f)
{
	const long count = e->blocks[0] * e->blocks[1] * e->blocks[2];
	long *sum = mem_calloc((size_t)f->entries + 1, sizeof *sum);

	for (int i = 0; i < f->entries; i++) {
		bool some = false;

		for (int l = 0; l < f->levels; l++)
			some |= f->table[(long)l * f->entries + i].alpha > 0.f;

		sum[i + 1] = sum[i] + some;
	}

#pragma omp parallel for num_threads(threads_for(2. * (double)count))
	for (long i = 0; i < count; i++) {
		const double top = f->entries - 1;
		// one entry wider on both sides: entries of samples are rounded
		const double a = ((double)e->lo[k][i] - f->lo) * f->scale - 1.;
		const double b = ((double)e->hi[k][i] - f->lo) * f->scale + 2.;
		const long from = (long)fmin(fmax(a, 0.), top), to = (long)fmin(fmax(b, 0.), top);

		if (sum[to + 1] > sum[from])
			far[i] = 0;
	}

	free(sum);
}

/* The same by bounds of a program. */
static void mark_possible(uint8_t *far, const struct render_extent *e, int k, const struct render_pass *p,
        const struct transfer *t)
{
	const long count = e->blocks[0] * e->blocks[1] * e->blocks[2];
	const double steep = 2. * (e->most[k] - e->least[k]) * (double)p->per_mm;

#pragma omp parallel for num_threads(threads_for(200. * (double)count))
	for (long i = 0; i < count; i++) {
		const long at[3] = {
		        i % e->blocks[0], i / e->blocks[0] % e->blocks[1], i / e->blocks[0] / e->blocks[1]};
		double lo[TRANSFER_GIVEN] = {(double)e->lo[k][i], 0.};
		double hi[TRANSFER_GIVEN] = {(double)e->hi[k][i], steep};

		for (int d = 0; d < 3; d++) { // half a voxel wider on both sides
			const double a = (double)p->place[d][0], s = (double)p->place[d][1];
			const double u = a + s * ((double)(at[d] * B) - .75),
			             v = a + s * ((double)(at[d] * B + B) + .75);

			lo[TRANSFER_X + d] = fmin(u, v);
			hi[TRANSFER_X + d] = fmax(u, v);
		}

		if (transfer_may_see(t, lo, hi))
			far[i] = 0;
	}
}

static void mark_reached(uint8_t *far, const struct render_extent *e, float level)
{
	const long count = e->blocks[0] * e->blocks[1] * e->blocks[2];

	for (long i = 0; i < count; i++)
		if (e->hi[0][i] >= level)
			far[i] = 0;
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* o = the least of three lines of n bytes; those outside are the middle one. */
static void least_of_lines(long n, uint8_t *restrict o, const uint8_t *restrict a, const uint8_t *restrict b,
        const uint8_t *restrict c)
{
	for (long i = 0; i < n; i++)
		o[i] = smaller(a[i], smaller(b[i], c[i]));
}

/* o = p, or one more than the least of three neighbours of u where that is less. */
static void widen_line(long n, uint8_t *restrict o, const uint8_t *restrict p, const uint8_t *restrict u)
{
	for (long i = 1; i < n - 1; i++)
		o[i] = smaller(p[i], (uint8_t)(smaller(u[i], smaller(u[i - 1], u[i + 1])) + 1));

	o[0] = smaller(p[0], (uint8_t)(smaller(u[0], u[n > 1]) + 1));
	o[n - 1] = smaller(p[n - 1], (uint8_t)(smaller(u[n - 1], u[n > 1 ? n - 2 : 0]) + 1));
}

/* Plane z of o: one more than the least of the 27 around each block of p, where that is less. tmp: two
 * planes. */
static void widen_plane(const long n[3], uint8_t *o, const uint8_t *p, long z, uint8_t *tmp)
{
	const long plane = n[0] * n[1];
	const uint8_t *mid = p + z * plane;
	uint8_t *t = tmp, *u = tmp + plane, *to = o + z * plane;

	least_of_lines(plane, t, z > 0 ? mid - plane : mid, mid, z < n[2] - 1 ? mid + plane : mid);

	for (long y = 0; y < n[1]; y++) {
		const uint8_t *row = t + y * n[0];

		least_of_lines(
		        n[0], u + y * n[0], y > 0 ? row - n[0] : row, row, y < n[1] - 1 ? row + n[0] : row);
	}

	for (long y = 0; y < n[1]; y++)
		widen_line(n[0], to + y * n[0], mid + y * n[0], u + y * n[0]);
}

/* From 0 at visible blocks and FARTHEST elsewhere to the Chebyshev distance. */
static uint8_t *measure(const long n[3], uint8_t *far)
{
	uint8_t *other = mem_calloc((size_t)(n[0] * n[1] * n[2]) + 3, 1);

	for (int step = 1; step < FARTHEST; step++) {
#pragma omp parallel num_threads(threads_for((double)(n[0] * n[1] * n[2])))
		{
			uint8_t *tmp = mem_alloc((size_t)(2 * n[0] * n[1]));

#pragma omp for
			for (long z = 0; z < n[2]; z++)
				widen_plane(n, other, far, z, tmp);

			free(tmp);
		}

		uint8_t *swap = far;

		far = other;
		other = swap;
	}

	free(other);
	return far;
}

void render_blocks_see(struct render_pass *p, const struct render_extent *e)
{
	const long count = e->blocks[0] * e->blocks[1] * e->blocks[2];
	uint8_t *far = mem_calloc((size_t)count + 3, 1); // read four bytes at a time

	memset(far, FARTHEST, (size_t)count);

	if (RENDER_VOLUME == p->mode)
		for (int k = 0; k < p->fields; k++) {
			if (p->field[k].program)
				mark_possible(far, e, k, p, p->field[k].program);
			else
				mark_visible(far, e, k, &p->field[k]);
		}
	else if (RENDER_ISO == p->mode)
		mark_reached(far, e, p->iso);

	memcpy(p->blocks.n, e->blocks, sizeof e->blocks);
	p->blocks.lo = e->lo[0];
	p->blocks.hi = e->hi[0];
	memcpy(p->blocks.wide, e->wide, sizeof e->wide);
	p->blocks.wide_lo = e->wide_lo;
	p->blocks.wide_hi = e->wide_hi;
	p->blocks.far = RENDER_VOLUME == p->mode || RENDER_ISO == p->mode ? measure(e->blocks, far) : far;
}
