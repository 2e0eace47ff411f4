#include <stdlib.h>

#include "misc/mem.h"
#include "volume/mask_rows.h"
#include "volume/measure.h"
#include "volume/parts_mask.h"

struct counting {
	struct porosity *s;
	const bool *open; // [number]
	bool *met;        // [number]: in the region
	struct voxels *region;
	bool has_region;
	long nx;
};

struct counted {
	long open, closed;
	bool met[]; // [local]
};

static void *count_begin(void *ctx, long locals, const uint32_t *number)
{
	(void)ctx;
	(void)number;

	return mem_calloc(sizeof(struct counted) + (size_t)locals, 1);
}

static long count_run(struct run r, const unsigned char *region)
{
	long n = 0;

	if (!region)
		return (long)(r.end - r.start);

	for (uint32_t x = r.start; x < r.end; x++)
		n += region[x];

	return n;
}

static void count_chunk(void *ctx, void *shared, const struct parts_chunk *c)
{
	const struct counting *p = ctx;
	struct counted *s = shared;
	const long n = c->rows * p->nx;
	unsigned char *buffer = p->has_region ? mem_alloc((size_t)n * 17) : NULL;
	const unsigned char *region =
	        buffer ? voxels_get_as(p->region, DT_BOOL, c->first * p->nx, n, buffer, buffer + n) : NULL;

	for (long r = 0; r < c->rows; r++)
		for (long i = c->start[r]; i < c->start[r + 1]; i++) {
			const long k = count_run(c->run[i], region ? region + r * p->nx : NULL);

			*(p->open[c->number[c->local[i]]] ? &s->open : &s->closed) += k;
			s->met[c->local[i]] |= 0 < k;
		}

	free(buffer);
}

static void count_end(void *ctx, void *shared, long locals, const uint32_t *number)
{
	const struct counting *p = ctx;
	struct counted *s = shared;

	for (long k = 0; k < locals; k++)
		if (s->met[k])
			p->met[number[k]] = true;

	p->s->open += s->open;
	p->s->closed += s->closed;
	free(s);
}

/** Voxels of the region. */
static long region_voxels(const struct voxels *v)
{
	const long words = bits_words(v->nx);
	uint64_t *bits = mem_alloc((size_t)words * sizeof *bits);
	struct mask_rows rows = {.in = v};
	long n = 0;

	for (long r = 0; r < v->ny * v->nz; r++) {
		mask_rows(&rows, r, 1, bits);

		for (long k = 0; k < words; k++)
			n += __builtin_popcountl(bits[k]);
	}

	free(bits);

	return n;
}

void measure_porosity(struct porosity *s, struct cfl *solid, struct cfl *region, int neighbours)
{
	struct voxels in, where;
	struct mask_rows pores = {.in = &in, .invert = true};

	voxels_open(&in, solid);

	if (region)
		voxels_open(&where, region);

	const struct parts_volume v = {.nx = in.nx,
	        .ny = in.ny,
	        .nz = in.nz,
	        .neighbours = neighbours,
	        .rows = mask_rows,
	        .ctx = &pores,
	        .what = "finding pores"};

	*s = (struct porosity){.voxels = region ? region_voxels(&where) : in.each};

	struct parts *p = parts_find(&v);
	const long count = parts_count(p);
	bool *open = mem_calloc((size_t)count + 1, sizeof *open);
	bool *met = mem_calloc((size_t)count + 1, sizeof *met);
	struct counting c = {s, open, met, &where, region != NULL, in.nx};

	parts_on_border(p, &v, open, voxels_axes(&solid->hdr));
	parts_pass(p, &(struct parts_pass){.begin = count_begin,
	                      .chunk = count_chunk,
	                      .end = count_end,
	                      .ctx = &c,
	                      .what = "counting pores"});

	for (long k = 1; k <= count; k++)
		s->closed_pores += met[k] && !open[k];

	s->pores = s->open + s->closed;
	free(open);
	free(met);
	parts_free(p);
}
