#include "volume/label.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/mem.h"
#include "volume/mask_rows.h"
#include "volume/measure.h"
#include "volume/parts_sizes.h"

/** A component's row of the table. Sums of indices are exact. */
struct entry {
	long voxels, sum[3], low[3], high[3]; // high: end excluded
	double value;
};

struct labelling {
	const struct label *l;
	struct voxels in, mean;
	struct voxels_out out;
	struct parts_volume v;
	long volume;         // number of the current one
	uint32_t *final;     // [count + 1] the label of a component, 0: background; NULL: its number
	long *voxels;        // [count + 1] its size
	struct entry *entry; // [labels + 1]
};

static uint32_t label_of(const struct labelling *p, uint32_t number)
{
	return p->final ? p->final[number] : number;
}

/* ---- sizes ---- */

struct ranked {
	long voxels;
	uint32_t number;
};

static int by_size(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->voxels != y->voxels)
		return x->voxels < y->voxels ? 1 : -1;

	return x->number < y->number ? -1 : 1;
}

/** Leaves the `largest` components their sizes and takes it from the others. */
static void keep_largest(long *voxels, long count, long largest)
{
	struct ranked *r = mem_alloc((size_t)(count + 1) * sizeof *r);

	for (long i = 0; i < count; i++)
		r[i] = (struct ranked){voxels[i + 1], (uint32_t)i + 1};

	qsort(r, (size_t)count, sizeof *r, by_size);

	for (long i = largest; i < count; i++)
		voxels[r[i].number] = 0;

	free(r);
}

/** Chooses the components that are kept. Returns how many. */
static long choose(struct labelling *p, const struct parts *parts)
{
	const long count = parts_count(parts);
	long kept = 0;

	p->final = NULL;

	if (p->l->min_size <= 1 && 0 == p->l->largest)
		return count;

	p->voxels = mem_calloc((size_t)count + 1, sizeof *p->voxels);
	p->final = mem_calloc((size_t)count + 1, sizeof *p->final);
	parts_sizes(parts, p->voxels);

	if (p->l->largest > 0)
		keep_largest(p->voxels, count, p->l->largest);

	for (long i = 1; i <= count; i++)
		if (p->voxels[i] > 0 && p->voxels[i] >= p->l->min_size)
			p->final[i] = (uint32_t)++kept;

	free(p->voxels);

	return kept;
}

/* ---- labels ---- */

/** Elements that are stored at once: most runs and gaps are shorter. What is stored too far is overwritten by
 * what follows; `out` has room for that many more. */
enum { FILL_STEP = 8 };

#define FILL(type)                                                                                           \
	do {                                                                                                 \
		type *restrict y = out;                                                                      \
		for (long r = 0; r < c->rows; r++, y += nx) {                                                \
			long x = 0;                                                                          \
			for (long i = c->start[r]; i < c->start[r + 1]; i++) {                               \
				FILL_TO(type, c->run[i].start, 0);                                           \
				FILL_TO(type, c->run[i].end, (type)label_of(p, c->number[c->local[i]]));     \
			}                                                                                    \
			FILL_TO(type, nx, 0);                                                                \
		}                                                                                            \
	} while (0)

#define FILL_TO(type, end, value)                                                                            \
	do {                                                                                                 \
		const type v = value, step[FILL_STEP] = {v, v, v, v, v, v, v, v};                            \
		const long to = end;                                                                         \
		memcpy(y + x, step, sizeof step);                                                            \
		for (x += FILL_STEP; x < to; x++)                                                            \
			y[x] = v;                                                                            \
		x = to;                                                                                      \
	} while (0)

static void write_labels(const struct labelling *p, const struct parts_chunk *c, void *out)
{
	const long nx = p->in.nx, n = c->rows * nx;

	switch (dtype_size(p->l->out->hdr.type)) {
	case 1:
		FILL(uint8_t);
		break;
	case 2:
		FILL(uint16_t);
		break;
	case 4:
		FILL(uint32_t);
		break;
	default:
		FILL(uint64_t);
	}

	voxels_put(&p->out, p->volume * p->in.each + c->first * nx, n, out);
}

/* ---- the table ---- */

static void entry_start(struct entry *e)
{
	*e = (struct entry){.low = {LONG_MAX, LONG_MAX, LONG_MAX}};
}

static void entry_run(struct entry *e, struct run r, long y, long z, const double *value)
{
	const long n = (long)(r.end - r.start), from[3] = {r.start, y, z}, to[3] = {r.end, y + 1, z + 1};
	double sum = 0.;

	e->voxels += n;
	e->sum[0] += (long)(r.start + (uint64_t)r.end - 1) * n / 2;
	e->sum[1] += y * n;
	e->sum[2] += z * n;

	for (int d = 0; d < 3; d++) {
		e->low[d] = from[d] < e->low[d] ? from[d] : e->low[d];
		e->high[d] = to[d] > e->high[d] ? to[d] : e->high[d];
	}

	for (uint32_t x = r.start; value && x < r.end; x++)
		sum += value[x];

	e->value += sum;
}

static void entry_add(struct entry *e, const struct entry *f)
{
	e->voxels += f->voxels;
	e->value += f->value;

	for (int d = 0; d < 3; d++) {
		e->sum[d] += f->sum[d];
		e->low[d] = f->low[d] < e->low[d] ? f->low[d] : e->low[d];
		e->high[d] = f->high[d] > e->high[d] ? f->high[d] : e->high[d];
	}
}

static void measure_rows(const struct labelling *p, const struct parts_chunk *c, struct entry *e)
{
	const long nx = p->in.nx, n = c->rows * nx;
	double *buffer = p->l->mean ? mem_alloc((size_t)n * 24) : NULL;
	const double *value =
	        buffer ? voxels_get_as(&p->mean, DT_FLOAT64, c->first * nx, n, buffer, buffer + n) : NULL;

	for (long r = 0; r < c->rows; r++)
		for (long i = c->start[r]; i < c->start[r + 1]; i++)
			entry_run(&e[c->local[i]], c->run[i], parts_y(&p->v, c->first + r),
			        parts_z(&p->v, c->first + r), value ? value + r * nx : NULL);

	free(buffer);
}

static double spacing_of(const struct hdr *h, int d)
{
	return fabs(h->spacing[d]);
}

/** The centre [mm], along the axes of section "# Direction" if there is one. */
static void print_centre(FILE *f, const struct hdr *h, const struct entry *e)
{
	double c[3][3], origin[3], at[3];
	const bool turned = hdr_turned(h, c, origin);

	for (int d = 0; d < 3; d++)
		at[d] = h->spacing[d] * ((double)e->sum[d] / (double)e->voxels);

	for (int i = 0; i < 3; i++)
		fprintf(f, ",%.9g",
		        turned ? origin[i] + c[0][i] * at[0] + c[1][i] * at[1] + c[2][i] * at[2]
		               : hdr_origin(h, i) + at[i]);
}

static void print_entry(FILE *f, const struct labelling *p, long label, const struct entry *e)
{
	const struct hdr *h = &p->l->in->hdr;
	const unsigned axes = voxels_axes(h);
	double size = (double)e->voxels;

	for (int d = 0; d < 3; d++)
		size *= (axes & 1u << d) ? spacing_of(h, d) : 1.;

	fprintf(f, "%ld,%ld,%.9g,%.9g", label, e->voxels, size, measure_diameter(h, e->voxels));

	print_centre(f, h, e);

	for (int d = 0; d < 3; d++)
		fprintf(f, ",%ld,%ld", e->low[d], e->high[d]);

	if (p->l->mean)
		fprintf(f, ",%.9g", e->value / (double)e->voxels);

	fprintf(f, "\n");
}

static void print_table(const struct labelling *p, long labels)
{
	FILE *f = p->l->table;

	fprintf(f, "label,voxels,size,diameter,x,y,z,x0,x1,y0,y1,z0,z1%s\n", p->l->mean ? ",mean" : "");

	for (long k = 1; k <= labels; k++)
		print_entry(f, p, k, &p->entry[k]);
}

/* ---- the pass that writes and measures ---- */

struct label_block {
	struct entry *entry; // [locals]
};

static void *label_begin(void *ctx, long locals, const uint32_t *number)
{
	const struct labelling *p = ctx;
	struct label_block *b = NEW(struct label_block);

	(void)number;

	if (p->l->table) {
		b->entry = mem_alloc((size_t)(locals + 1) * sizeof *b->entry);

		for (long k = 0; k < locals; k++)
			entry_start(&b->entry[k]);
	}

	return b;
}

static void label_chunk(void *ctx, void *shared, const struct parts_chunk *c)
{
	const struct labelling *p = ctx;
	const struct label_block *b = shared;

	if (b->entry)
		measure_rows(p, c, b->entry);

	if (p->l->out) {
		void *out =
		        mem_alloc((size_t)(c->rows * p->in.nx + FILL_STEP) * dtype_size(p->l->out->hdr.type));

		write_labels(p, c, out);
		free(out);
	}
}

static void label_end(void *ctx, void *shared, long locals, const uint32_t *number)
{
	const struct labelling *p = ctx;
	struct label_block *b = shared;

	for (long k = 0; b->entry && k < locals; k++)
		if (label_of(p, number[k]) > 0)
			entry_add(&p->entry[label_of(p, number[k])], &b->entry[k]);

	free(b->entry);
	free(b);
}

/** Labels that a type of integers holds. */
static long largest_label(enum dtype t)
{
	const int bits = 8 * (int)dtype_size(t);
	const bool is_signed = DT_INT8 == t || DT_INT16 == t || DT_INT32 == t || DT_INT64 == t;

	return bits >= 64 ? LONG_MAX : (1L << (bits - is_signed)) - 1;
}

static void check_labels(const struct label *l, long labels)
{
	if (l->out && labels > largest_label(l->out->hdr.type))
		error("%s: %ld components do not fit into %s (use --type %s)", l->in->name, labels,
		        dtype_name(l->out->hdr.type), labels > INT32_MAX ? "int64" : "int32");
}

static long label_volume(struct labelling *p, long *found)
{
	const struct label *l = p->l;
	struct mask_rows object = {.in = &p->in};

	p->v = (struct parts_volume){.nx = p->in.nx,
	        .ny = p->in.ny,
	        .nz = p->in.nz,
	        .neighbours = l->neighbours,
	        .rows = mask_rows,
	        .ctx = &object,
	        .what = "finding components"};

	struct parts *parts = parts_find(&p->v);
	const long labels = choose(p, parts);

	*found += parts_count(parts);
	check_labels(l, labels);

	if (l->table) {
		p->entry = mem_alloc((size_t)(labels + 1) * sizeof *p->entry);

		for (long k = 0; k <= labels; k++)
			entry_start(&p->entry[k]);
	}

	parts_pass(parts, &(struct parts_pass){.begin = label_begin,
	                          .chunk = label_chunk,
	                          .end = label_end,
	                          .ctx = p,
	                          .what = "labelling"});

	if (l->table)
		print_table(p, labels);

	free(p->entry);
	p->entry = NULL;
	free(p->final);
	parts_free(parts);

	return labels;
}

long label_run(const struct label *l, long *found)
{
	struct labelling p = {.l = l};
	long labels = 0;

	voxels_open(&p.in, l->in);

	if (l->mean)
		voxels_open(&p.mean, l->mean);

	if (l->out)
		voxels_create(&p.out, l->out);

	*found = 0;

	for (p.volume = 0; p.volume < p.in.volumes; p.volume++) {
		voxels_select(&p.in, p.volume);
		labels += label_volume(&p, found);
	}

	return labels;
}
