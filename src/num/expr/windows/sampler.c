/* Values between elements. Positions are processed in blocks: cells and fractions of all, then one after the
 * other the elements around each. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/expr/windows/sampler.h"
#include "num/kern/interpolation.h"
#include "num/kern/kern.h"
#include "num/md/multind.h"
#include "num/shape/spill.h"

/** Places at a time, lines that are filtered together, and places further out than that count as there. */
enum { BLOCK = 256, LINES = 16, TAPS = 4 };
static const double far = 1e12;

struct sampler {
	enum sampler_method method;
	enum expr_edge edge;
	enum dtype type;  // of the elements at data
	enum dtype value; // work type of the results
	bool swapped;
	const char *data;
	size_t bytes; // of all elements, if contiguous
	long strs[DIMS];
	long n[3], pad[3]; // elements, those before the first of the array
	double origin[3], spacing[3];
	void *copy;
};

enum dtype sampler_type(enum sampler_method m, enum dtype t)
{
	if (SAMPLER_NEAREST == m || !dtype_is_integer(t))
		return t;

	return (dtype_size(t) <= 2) ? DT_FLOAT32 : DT_FLOAT64;
}

enum dtype sampler_element(enum sampler_method m, enum dtype t)
{
	const bool known = DT_FLOAT32 == t || DT_FLOAT64 == t || DT_UINT8 == t || DT_UINT16 == t ||
	                   DT_INT16 == t || DT_COMPLEX64 == t || DT_COMPLEX128 == t;

	if (SAMPLER_CUBIC == m)
		return dtype_work(sampler_type(m, t));

	if (SAMPLER_NEAREST == m || known)
		return t;

	return dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
}

/* ---- copies ---- */

/** Whether linear interpolation reads elements as they are. */
static bool is_direct(const struct stencil_input *in)
{
	const bool known = in->type == sampler_element(SAMPLER_LINEAR, in->type);
	size_t odd = (size_t)in->data;

	for (int d = 0; d < DIMS; d++)
		odd |= (size_t)in->strs[d];

	return known && !in->swapped && 0 == odd % dtype_unit(in->type);
}

/** Extents of a copy: of an array of these dims, padded along the first three. */
static void copy_dims(const struct sampler *s, const long dims[DIMS], long to[DIMS])
{
	for (int d = 0; d < DIMS; d++)
		to[d] = dims[d] + ((d < 3) ? 2 * s->pad[d] : 0);
}

/** All elements as `type` in an array of their own, with s->pad elements around by the rule of the edges. */
static void *copy_elements(
        const struct sampler *s, const struct stencil_input *in, const long dims[DIMS], enum dtype type)
{
	const size_t size = dtype_size(type);
	long to[DIMS];

	copy_dims(s, dims, to);

	const long lines = md_calc_size(DIMS - 1, to + 1);
	char *copy = spill_alloc((size_t)(lines * to[0]) * size);

#pragma omp parallel for num_threads(threads_for(2. * (double)(lines * to[0])))
	for (long l = 0; l < lines; l++) {
		long pos[DIMS] = {0};
		char *line = copy + (size_t)(l * to[0]) * size, *own = line + (size_t)s->pad[0] * size;
		const char *from = in->data;
		bool outside = false;

		md_unravel_index(DIMS, pos, ~1ul, to, l);

		for (int d = 1; d < DIMS; d++) {
			const long i = (d < 3) ? stencil_edge(s->edge, pos[d] - s->pad[d], dims[d]) : pos[d];

			outside = outside || i < 0;
			from += i * in->strs[d];
		}

		if (outside) {
			memset(line, 0, (size_t)to[0] * size);
			continue;
		}

		const void *v = kern_load(type, own, in->type, in->swapped, from, in->strs[0], dims[0]);

		if (v != own)
			memcpy(own, v, (size_t)dims[0] * size);

		for (long x = -s->pad[0]; x < dims[0] + s->pad[0]; x++) {
			const long i = stencil_edge(s->edge, x, dims[0]);

			if (x < 0 || dims[0] <= x)
				memset(own + x * (long)size, 0, size);

			if (0 <= i && i != x)
				memcpy(own + x * (long)size, own + i * (long)size, size);
		}
	}

	return copy;
}

/** Filters `m` <= LINES lines of n real elements by h; their elements are `step` numbers apart, the lines
 * `apart`. Around them lies what the rule of the edges says. */
static void filter_lines(enum expr_edge edge, enum dtype type, void *data, long n, long step, long m,
        long apart, long radius, const double *h)
{
	float *f = data;
	double *g = data, *in = mem_alloc((size_t)((n + 2 * radius) * LINES) * sizeof *in);

	memset(in, 0, (size_t)((n + 2 * radius) * LINES) * sizeof *in);

	for (long i = -radius; i < n + radius; i++) {
		const long k = stencil_edge(edge, i, n);

		for (long l = 0; 0 <= k && l < m; l++)
			in[(i + radius) * LINES + l] = (DT_FLOAT32 == type) ? (double)f[k * step + l * apart]
			                                                    : g[k * step + l * apart];
	}

	for (long i = 0; i < n; i++) {
		const double *at = in + (i + radius) * LINES;
		double sum[LINES];

		for (int l = 0; l < LINES; l++)
			sum[l] = h[0] * at[l];

		for (long k = 1; k <= radius; k++)
			for (int l = 0; l < LINES; l++)
				sum[l] += h[k] * (at[l - k * LINES] + at[l + k * LINES]);

		for (long l = 0; l < m; l++) {
			if (DT_FLOAT32 == type)
				f[i * step + l * apart] = (float)sum[l];
			else
				g[i * step + l * apart] = sum[l];
		}
	}

	free(in);
}

/** From elements to coefficients of the spline, along dim d; `parts` numbers an element. */
static void filter_dim(const struct sampler *s, enum dtype real, char *data, const long dims[DIMS], int d,
        long parts, long radius, const double *h)
{
	long before = parts, after = 1;

	for (int k = 0; k < DIMS; k++) {
		before *= (k < d) ? dims[k] : 1;
		after *= (k > d) ? dims[k] : 1;
	}

	// lines that lie side by side, or those of the next rows
	const bool rows = 1 == before;
	const long all = rows ? after : before, outer = rows ? 1 : after, groups = (all + LINES - 1) / LINES;

#pragma omp parallel for num_threads(threads_for(40. * (double)(before * after * dims[d])))
	for (long k = 0; k < groups * outer; k++) {
		const long first = k % groups * LINES, m = min_long(LINES, all - first),
		           at = k / groups * before * dims[d] + first * (rows ? dims[d] : 1);

		filter_lines(s->edge, real, data + at * (long)dtype_size(real), dims[d], before, m,
		        rows ? dims[d] : 1, radius, h);
	}
}

/** The coefficients; if the edge rule gives other values than the array's they are needed beyond it. */
static void make_spline(struct sampler *s, const struct stencil_input *in, const long dims[DIMS])
{
	const enum dtype type = sampler_element(SAMPLER_CUBIC, in->type), real = dtype_real(type);
	const long radius =
	        (DT_FLOAT32 == real) ? INTERPOLATION_SPLINE_RADIUS : INTERPOLATION_SPLINE_RADIUS_WIDE;
	double h[INTERPOLATION_SPLINE_RADIUS_WIDE + 1];
	long to[DIMS];

	for (long k = 0; k <= radius; k++)
		h[k] = interpolation_spline_tap(k);

	for (int d = 0; d < 3; d++)
		if (1 < dims[d] && (EXPR_EDGE_CLAMP == s->edge || EXPR_EDGE_ZERO == s->edge))
			s->pad[d] = radius;

	copy_dims(s, dims, to);
	s->copy = copy_elements(s, in, dims, type);

	for (int d = 0; d < 3; d++)
		if (1 < dims[d])
			filter_dim(s, real, s->copy, to, d, dtype_is_complex(type) ? 2 : 1, radius, h);

	s->type = type;
}

static void take_copy(struct sampler *s, const long dims[DIMS])
{
	long to[DIMS];

	copy_dims(s, dims, to);
	md_calc_strides(DIMS, s->strs, to, dtype_size(s->type));
	s->data = s->copy;
	s->bytes = (size_t)md_calc_size(DIMS, to) * dtype_size(s->type);
	s->swapped = false;

	for (int d = 0; d < 3; d++)
		s->n[d] = to[d];
}

struct sampler *sampler_create(enum sampler_method m, enum expr_edge edge, const struct expr_operand *o,
        const struct stencil_input *in)
{
	struct sampler *s = NEW(struct sampler);

	*s = (struct sampler){.method = m,
	        .edge = edge,
	        .type = in->type,
	        .value = dtype_work(sampler_type(m, in->type)),
	        .swapped = in->swapped,
	        .data = in->data,
	        .bytes = (size_t)md_calc_size(DIMS, o->dims) * dtype_size(in->type)};
	md_copy_dims(DIMS, s->strs, in->strs);

	for (int d = 0; d < 3; d++) {
		s->n[d] = o->dims[d];
		s->spacing[d] = o->spacing[d];
		s->origin[d] =
		        isnan(o->origin[d]) ? -(double)(o->dims[d] - 1) / 2. * o->spacing[d] : o->origin[d];
	}

	if (SAMPLER_CUBIC == m) {
		make_spline(s, in, o->dims);
		take_copy(s, o->dims);
	} else if (SAMPLER_LINEAR == m && !is_direct(in)) {
		s->type = dtype_is_complex(in->type) ? DT_COMPLEX128 : DT_FLOAT64;
		s->copy = copy_elements(s, in, o->dims, s->type);
		take_copy(s, o->dims);
	}

	for (int d = 0; d < DIMS; d++)
		if (1 == o->dims[d])
			s->strs[d] = 0;

	return s;
}

void sampler_free(struct sampler *s)
{
	if (NULL == s)
		return;

	if (NULL != s->copy)
		spill_free(s->copy);

	free(s);
}

struct sampler_data sampler_data(const struct sampler *s)
{
	struct sampler_data d = {.data = s->data, .bytes = s->bytes, .type = s->type};

	md_copy_dims(DIMS, d.strs, s->strs);
	memcpy(d.n, s->n, sizeof d.n);
	memcpy(d.pad, s->pad, sizeof d.pad);
	memcpy(d.origin, s->origin, sizeof d.origin);
	memcpy(d.spacing, s->spacing, sizeof d.spacing);
	return d;
}

/* ---- places ---- */

/** Of a block: cells along each dim, and where in them. */
struct block {
	long n;
	bool bad[BLOCK]; // a place that is NaN
	double cell[3][BLOCK], f[3][BLOCK];
};

/** The whole number below; |u| <= far. */
static inline double whole_below(double u)
{
	const double k = (double)(long)u;

	return (k > u) ? k - 1. : k;
}

/** The places from number `first` on, in elements. */
static void find_cells(
        const struct sampler *s, struct block *b, const void *const place[3], long first, unsigned flat)
{
	memset(b->bad, 0, sizeof b->bad);

	for (int d = 0; d < 3; d++) {
		const double *x = (const double *)place[d] + ((flat & 1u << d) ? 0 : first);
		const long step = (flat & 1u << d) ? 0 : 1;
		const double o = s->origin[d], h = s->spacing[d], pad = (double)s->pad[d];

		for (long i = 0; i < b->n; i++) {
			double u = (x[i * step] - o) / h + pad;

			b->bad[i] |= isnan(u);
			u = (u > -far) ? u : -far;
			u = (u < far) ? u : far;
			b->cell[d][i] = u;
		}

		for (long i = 0; i < b->n; i++) {
			const double u = b->cell[d][i], k = (SAMPLER_NEAREST == s->method)
			                                            ? interpolation_nearest(u)
			                                            : whole_below(u);

			b->cell[d][i] = k;
			b->f[d][i] = u - k;
		}
	}
}

/** Offsets of `taps` elements along dim d from element `first` on [bytes]; -1: there all is 0. Whether all
 * lie within the array. */
static bool find_taps(const struct sampler *s, int d, long first, int taps, long at[])
{
	const bool inside = 0 <= first && first + taps <= s->n[d];

	for (int t = 0; t < taps; t++) {
		const long k = inside ? first + t : stencil_edge(s->edge, first + t, s->n[d]);

		at[t] = (k < 0) ? -1 : k * s->strs[d];
	}

	return inside || EXPR_EDGE_ZERO != s->edge;
}

#define WEIGH(name, type)                                                                                    \
	/** The sum of an element's neighbours: in this order, whatever lies beyond the borders. */          \
	static double weigh_##name(                                                                          \
	        const char *base, int taps, bool inside, const long at[3][TAPS], const double w[3][TAPS])    \
	{                                                                                                    \
		double sum = 0;                                                                              \
                                                                                                             \
		for (int z = 0; z < taps; z++) {                                                             \
			double plane = 0;                                                                    \
                                                                                                             \
			for (int y = 0; y < taps; y++) {                                                     \
				double line = 0;                                                             \
                                                                                                             \
				for (int x = 0; x < taps; x++)                                               \
					if (inside || (0 <= at[0][x] && 0 <= at[1][y] && 0 <= at[2][z]))     \
						line += w[0][x] *                                            \
						        (double)*(const type *)(const void *)(base +         \
						                                              at[0][x] +     \
						                                              at[1][y] +     \
						                                              at[2][z]);     \
                                                                                                             \
				plane += w[1][y] * line;                                                     \
			}                                                                                    \
                                                                                                             \
			sum += w[2][z] * plane;                                                              \
		}                                                                                            \
                                                                                                             \
		return sum;                                                                                  \
	}                                                                                                    \
                                                                                                             \
	static double linear_##name(                                                                         \
	        const char *base, bool inside, const long at[3][TAPS], const double w[3][TAPS])              \
	{                                                                                                    \
		return weigh_##name(base, 2, inside, at, w);                                                 \
	}                                                                                                    \
                                                                                                             \
	/** The same of a cell within the array: p its first element, d the steps [bytes]. */                \
	static inline double cell_##name(const char *p, const long d[3], double fx, double fy, double fz)    \
	{                                                                                                    \
		const double gx = 1. - fx, gy = 1. - fy;                                                     \
		double plane[2];                                                                             \
                                                                                                             \
		for (int z = 0; z < 2; z++, p += d[2]) {                                                     \
			const double v0 = (double)*(const type *)(const void *)p,                            \
			             v1 = (double)*(const type *)(const void *)(p + d[0]),                   \
			             v2 = (double)*(const type *)(const void *)(p + d[1]),                   \
			             v3 = (double)*(const type *)(const void *)(p + d[1] + d[0]);            \
                                                                                                             \
			plane[z] = gy * (gx * v0 + fx * v1) + fy * (gx * v2 + fx * v3);                      \
		}                                                                                            \
                                                                                                             \
		return (1. - fz) * plane[0] + fz * plane[1];                                                 \
	}

/** Cubic, the same: p the first of the 64 elements. */
#define CUBE(name, type)                                                                                     \
	static double cube_##name(const char *p, const long d[3], const double w[3][TAPS])                   \
	{                                                                                                    \
		double sum = 0;                                                                              \
                                                                                                             \
		for (int z = 0; z < TAPS; z++) {                                                             \
			double plane = 0;                                                                    \
                                                                                                             \
			for (int y = 0; y < TAPS; y++) {                                                     \
				const char *q = p + z * d[2] + y * d[1];                                     \
				double line = 0;                                                             \
                                                                                                             \
				for (int x = 0; x < TAPS; x++)                                               \
					line += w[0][x] *                                                    \
					        (double)*(const type *)(const void *)(q + x * d[0]);         \
                                                                                                             \
				plane += w[1][y] * line;                                                     \
			}                                                                                    \
                                                                                                             \
			sum += w[2][z] * plane;                                                              \
		}                                                                                            \
                                                                                                             \
		return sum;                                                                                  \
	}

CUBE(float, float)
CUBE(double, double)
WEIGH(float, float)
WEIGH(double, double)
WEIGH(uint8, uint8_t)
WEIGH(uint16, uint16_t)
WEIGH(int16, int16_t)

static double weigh(enum dtype t, const char *base, bool cubic, bool inside, const long at[3][TAPS],
        const double w[3][TAPS])
{
	switch (t) {
	case DT_FLOAT32:
		return cubic ? weigh_float(base, TAPS, inside, at, w) : linear_float(base, inside, at, w);
	case DT_FLOAT64:
		return cubic ? weigh_double(base, TAPS, inside, at, w) : linear_double(base, inside, at, w);
	case DT_UINT8:
		return linear_uint8(base, inside, at, w);
	case DT_UINT16:
		return linear_uint16(base, inside, at, w);
	default:
		return linear_int16(base, inside, at, w);
	}
}

/** Linear, in cells within the array. */
static double weigh_cell(enum dtype t, const char *p, const long d[3], double fx, double fy, double fz)
{
	switch (t) {
	case DT_FLOAT32:
		return cell_float(p, d, fx, fy, fz);
	case DT_FLOAT64:
		return cell_double(p, d, fx, fy, fz);
	case DT_UINT8:
		return cell_uint8(p, d, fx, fy, fz);
	case DT_UINT16:
		return cell_uint16(p, d, fx, fy, fz);
	default:
		return cell_int16(p, d, fx, fy, fz);
	}
}

/** Whether all that is read around place i lies within the array. */
static bool is_within(const struct sampler *s, const struct block *b, long i, double before, double after)
{
	bool within = !b->bad[i];

	for (int d = 0; d < 3; d++)
		within &= before <= b->cell[d][i] && b->cell[d][i] < (double)s->n[d] - after;

	return within;
}

static void find_weights(bool cubic, double f, double w[TAPS])
{
	if (cubic) {
		INTERPOLATION_CUBIC(double, w[0], w[1], w[2], w[3], f);
	} else {
		w[0] = 1. - f;
		w[1] = f;
	}
}

/** Place i, around which all lies within the array. */
static double weigh_within(const struct sampler *s, const struct block *b, long i, const char *base)
{
	const bool cubic = SAMPLER_CUBIC == s->method;
	double w[3][TAPS];

	for (int d = 0; d < 3; d++)
		base += ((long)b->cell[d][i] - cubic) * s->strs[d];

	if (!cubic)
		return weigh_cell(s->type, base, s->strs, b->f[0][i], b->f[1][i], b->f[2][i]);

	for (int d = 0; d < 3; d++)
		find_weights(true, b->f[d][i], w[d]);

	return (DT_FLOAT32 == s->type) ? cube_float(base, s->strs, w) : cube_double(base, s->strs, w);
}

static void put(void *out, enum dtype real, long i, double v)
{
	if (DT_FLOAT32 == real)
		((float *)out)[i] = (float)v;
	else
		((double *)out)[i] = v;
}

static void interpolate(const struct sampler *s, const struct block *b, const char *base, void *out)
{
	const bool cubic = SAMPLER_CUBIC == s->method;
	const enum dtype element = dtype_real(s->type), real = dtype_real(s->value);
	const int taps = cubic ? 4 : 2, parts = dtype_is_complex(s->value) ? 2 : 1;

	for (long i = 0; i < b->n; i++) {
		long at[3][TAPS];
		double w[3][TAPS];
		bool inside = true;

		if (1 == parts && is_within(s, b, i, cubic ? 1. : 0., cubic ? 2. : 1.)) {
			put(out, real, i, weigh_within(s, b, i, base));
			continue;
		}

		for (int d = 0; d < 3; d++) {
			inside &= find_taps(s, d, (long)b->cell[d][i] - cubic, taps, at[d]);
			find_weights(cubic, b->f[d][i], w[d]);
		}

		for (int k = 0; k < parts; k++)
			put(out, real, i * parts + k,
			        b->bad[i] ? (double)NAN
			                  : weigh(element, base + k * (long)dtype_size(element), cubic,
			                            inside, at, w));
	}
}

static void take_nearest(const struct sampler *s, const struct block *b, const char *base, void *out)
{
	const size_t size = dtype_size(s->type);
	const bool real = DT_FLOAT32 == dtype_real(s->value) || DT_FLOAT64 == dtype_real(s->value);
	const int parts = dtype_is_complex(s->value) ? 2 : 1;
	_Alignas(64) char raw[BLOCK * 16];

	for (long i = 0; i < b->n; i++) {
		const char *from = base;
		bool outside = b->bad[i];

		for (int d = 0; d < 3 && !outside; d++) {
			const long k = stencil_edge(s->edge, (long)b->cell[d][i], s->n[d]);

			outside = k < 0;
			from += outside ? 0 : k * s->strs[d];
		}

		if (outside)
			memset(raw + (size_t)i * size, 0, size);
		else
			memcpy(raw + (size_t)i * size, from, size);
	}

	const void *v = kern_load(s->value, out, s->type, s->swapped, raw, (long)size, b->n);

	if (v != out)
		memcpy(out, v, (size_t)b->n * dtype_size(s->value));

	for (long i = 0; i < b->n * parts; i++)
		if (real && b->bad[i / parts])
			put(out, dtype_real(s->value), i, (double)NAN);
}

void sampler_run(const struct sampler *s, const long rest[DIMS], long n, void *out,
        const void *const place[3], unsigned flat)
{
	const char *base = s->data;

	for (int d = 3; d < DIMS; d++)
		base += rest[d] * s->strs[d];

	for (long first = 0; first < n; first += BLOCK) {
		struct block b = {.n = min_long(BLOCK, n - first)};
		char *to = (char *)out + first * (long)dtype_size(s->value);

		find_cells(s, &b, place, first, flat);

		if (SAMPLER_NEAREST == s->method)
			take_nearest(s, &b, base, to);
		else
			interpolate(s, &b, base, to);
	}
}
