#include "volume/render/render_device.h"

#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "volume/render/extent.h"

enum { STAGED = 64 << 20 }; // bytes that are converted at a time

struct render_device {
	long halo;
	long slices; // of the buffers
	bool whole;  // they hold all slices
	bool filled;
	char *volume[RENDER_VOLUMES], *labels;
	float *state;                               // of the picture
	struct render_entry *table[RENDER_VOLUMES]; // also of the picture
	struct render_blocks blocks;
};

/* ---- volumes ---- */

static long element(enum dtype t)
{
	return render_is_converted(t) ? 4 : (long)dtype_size(t);
}

static double slice_bytes(const struct render *r)
{
	double bytes = r->labels.data ? (double)dtype_size(r->labels.type) : 0.;

	for (int i = 0; i < r->volumes; i++)
		bytes += (double)element(r->volume[i].type);

	return bytes * (double)r->n[0] * (double)r->n[1];
}

/* Pixels, extremes of blocks, and the largest tables. */
static double other_bytes(const struct render *r)
{
	double bytes = 16. * (double)r->camera.width * (double)r->camera.height, blocks = 10.;

	for (int d = 0; d < 3; d++)
		blocks *= (double)((r->n[d] - 1) / RENDER_BLOCK + 1);

	if (RENDER_VOLUME == r->mode)
		bytes += (double)r->volumes * TRANSFER_PAIRS * TRANSFER_GRADIENTS *
		         sizeof(struct render_entry);

	return bytes + blocks;
}

long render_device_fits(const struct render *r)
{
	const double slices = (.95 * (double)device_left() - other_bytes(r)) / slice_bytes(r);

	return slices < 0. ? 0 : slices < (double)r->n[2] ? (long)slices : r->n[2];
}

struct render_device *render_device_create(const struct render *r, long halo, bool by_slabs)
{
	const long slices = render_device_fits(r);
	const size_t plane = (size_t)(r->n[0] * r->n[1]);

	for (int i = 0; i < r->volumes; i++)
		if (RENDER_VOLUME == r->mode && r->volume[i].transfer->program) {
			warn("running on the CPU: transfer functions of the position have no GPU kernel");
			return NULL;
		}

	if (slices < 2 * halo + 1 && slices < r->n[2]) {
		warn("running on the CPU: slabs of %s do not fit into GPU memory", r->volume[0].name);
		return NULL;
	}

	struct render_device *g = NEW(struct render_device);

	g->halo = halo;
	g->whole = !by_slabs && slices == r->n[2];
	g->slices = slices;

	for (int i = 0; i < r->volumes; i++)
		g->volume[i] = device_alloc(plane * (size_t)(g->slices * element(r->volume[i].type)));

	if (r->labels.data)
		g->labels = device_alloc(plane * (size_t)g->slices * dtype_size(r->labels.type));

	return g;
}

static void picture_free(struct render_device *g)
{
	for (int i = 0; i < RENDER_VOLUMES; i++) {
		device_free(g->table[i]);
		g->table[i] = NULL;
	}

	device_free(g->state);
	g->state = NULL;
}

static void blocks_free(struct render_blocks *b)
{
	device_free((void *)b->lo);
	device_free((void *)b->hi);
	device_free((void *)b->wide_lo);
	device_free((void *)b->wide_hi);
	device_free((void *)b->far);
	*b = (struct render_blocks){0};
}

void render_device_free(struct render_device *g)
{
	if (!g)
		return;

	picture_free(g);
	blocks_free(&g->blocks);

	for (int i = 0; i < RENDER_VOLUMES; i++)
		device_free(g->volume[i]);

	device_free(g->labels);
	free(g);
}

long render_device_slices(const struct render_device *g)
{
	return g->whole ? g->slices : g->slices - 2 * g->halo;
}

/* Elements of slices first .. last - 1, converted if the kernels do not read their type. */
static void upload(char *to, const struct render_volume *v, long plane, long first, long last)
{
	const long size = (long)dtype_size(v->type), each = element(v->type);

	if (!render_is_converted(v->type)) {
		device_copy(to, (const char *)v->data + first * plane * size,
		        (size_t)((last - first) * plane * each));
		return;
	}

	const long fit = STAGED / (plane * each), step = fit < 1              ? 1
	                                                 : fit < last - first ? fit
	                                                                      : last - first;
	float *staged = mem_alloc((size_t)(step * plane * each));

	for (long z = first; z < last; z += step) {
		const long n = last - z < step ? last - z : step;

		render_convert(staged, v, plane, z, n);
		device_copy(to + (z - first) * plane * each, staged, (size_t)(n * plane * each));
	}

	free(staged);
}

void render_device_select(
        struct render_device *g, struct render_pass *p, const struct render *r, long first, long last)
{
	const long plane = r->n[0] * r->n[1], from = g->whole ? 0 : first, to = g->whole ? r->n[2] : last;
	const struct render_volume labels = {.type = r->labels.type, .data = r->labels.data};
	const bool fill = !g->whole || !g->filled;

	g->filled = true;

	for (int i = 0; i < r->volumes; i++) {
		if (fill)
			upload(g->volume[i], &r->volume[i], plane, from, to);

		p->field[i].base = g->volume[i] + (first - from) * plane * element(r->volume[i].type);
	}

	if (!g->labels)
		return;

	const long size = (long)dtype_size(labels.type);

	if (fill)
		device_copy(g->labels, (const char *)labels.data + from * plane * size,
		        (size_t)((to - from) * plane * size));

	p->labels = g->labels + (first - from) * plane * size;
}

/* ---- pictures ---- */

static void *copied(const void *from, size_t bytes)
{
	void *to = device_alloc(bytes);

	device_copy(to, from, bytes);
	return to;
}

static size_t state_bytes(const struct render_pass *p)
{
	return (size_t)(p->view.width * p->view.height) * 4 * sizeof *p->state;
}

void render_device_start(struct render_device *g, const struct render_pass *p)
{
	picture_free(g);
	g->state = copied(p->state, state_bytes(p));

	for (int i = 0; i < p->fields; i++) {
		const struct render_field *f = &p->field[i];

		if (f->table)
			g->table[i] =
			        copied(f->table, (size_t)f->entries * (size_t)f->levels * sizeof *f->table);
	}
}

static long product(const long n[3])
{
	return n[0] * n[1] * n[2];
}

void render_device_see(struct render_device *g, const struct render_pass *p)
{
	const struct render_blocks *b = &p->blocks;
	const size_t count = (size_t)product(b->n), wide = (size_t)product(b->wide);

	blocks_free(&g->blocks);

	if (RENDER_VOLUME == p->mode || RENDER_ISO == p->mode)
		g->blocks.far = copied(b->far, count);

	if (RENDER_MIP != p->mode && RENDER_MINIP != p->mode)
		return;

	g->blocks.lo = copied(b->lo, count * sizeof *b->lo);
	g->blocks.hi = copied(b->hi, count * sizeof *b->hi);
	g->blocks.wide_lo = copied(b->wide_lo, wide * sizeof *b->wide_lo);
	g->blocks.wide_hi = copied(b->wide_hi, wide * sizeof *b->wide_hi);
}

void render_device_cast(struct render_device *g, const struct render_pass *p, long top, long rows)
{
	struct render_pass there = *p;

	there.state = g->state;
	there.blocks = g->blocks;

	for (int d = 0; d < 3; d++) {
		there.blocks.n[d] = p->blocks.n[d];
		there.blocks.wide[d] = p->blocks.wide[d];
	}

	for (int i = 0; i < p->fields; i++)
		there.field[i].table = g->table[i];

	if (rows > 0)
		render_kernels_gpu.cast(&there, top, rows);
}

void render_device_end(struct render_device *g, const struct render_pass *p)
{
	device_copy(p->state, g->state, state_bytes(p));
	picture_free(g);
	blocks_free(&g->blocks);
}
