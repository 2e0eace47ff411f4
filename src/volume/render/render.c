#include "volume/render/render.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "num/device/device.h"
#include "num/kern/kern.h"
#include "volume/render/extent.h"
#include "volume/render/render_device.h"
#include "volume/render/render_kern.h"

enum {
	SQUARE = 64,           // pixels of a piece of work
	CONVERTED = 512 << 20, // bytes of converted slabs, at most
	LEAST = 16             // slices of a slab of a file, at least
};

/* ---- slabs ---- */

struct cut {
	long thick;     // slices of a slab
	long halo;      // slices needed on both sides
	long plane;     // elements of a slice
	bool converted; // some volumes are
	float *copy[RENDER_VOLUMES];
};

static double smallest(const double spacing[3])
{
	return fmin(spacing[0], fmin(spacing[1], spacing[2]));
}

static long halo_of(const struct render *r)
{
	return (long)ceil(r->step / r->spacing[2]) + 2;
}

static long limited(long thick, long most)
{
	return most < 1 ? 1 : most < thick ? most : thick;
}

/* Elements of a slab have 32-bit offsets. */
static void limit_offsets(struct cut *c)
{
	const long addressed = INT32_MAX / c->plane - 2 * c->halo;

	if (0 < addressed)
		c->thick = limited(c->thick, addressed);
}

static void plan_cut(struct cut *c, const struct render *r)
{
	long native = 0, copied = 0;

	c->plane = r->n[0] * r->n[1];
	c->halo = halo_of(r);

	for (int i = 0; i < r->volumes; i++) {
		if (render_is_converted(r->volume[i].type))
			copied += c->plane * 4;
		else
			native += c->plane * (long)dtype_size(r->volume[i].type);
	}

	c->converted = copied > 0;
	c->thick = r->n[2];

	if (native * r->n[2] > r->memory)
		c->thick = r->memory / native > LEAST ? r->memory / native : LEAST;

	if (c->converted) {
		const long bytes = r->memory / 2 < CONVERTED ? r->memory / 2 : CONVERTED;

		c->thick = limited(c->thick, bytes / copied - 2 * c->halo);
	}

	c->thick = limited(r->n[2], c->thick);
	limit_offsets(c);
}

/* Slabs of a GPU, which holds all slices, or those of a slab. */
static void plan_device_cut(struct cut *c, const struct render *r, const struct render_extent *e)
{
	plan_cut(c, r);

	if (!e->by_slabs)
		c->thick = r->n[2];

	c->converted = false;
	c->thick = limited(c->thick, render_device_slices(e->device));
	limit_offsets(c);
}

bool render_is_cut(const struct render *r)
{
	struct cut c;

	plan_cut(&c, r);
	return c.thick < r->n[2];
}

static long cut_slices(const struct cut *c, const struct render *r)
{
	const long n = c->thick + 2 * c->halo;

	return n < r->n[2] ? n : r->n[2];
}

long render_memory(const struct render *r)
{
	struct cut c;
	long bytes = 0;

	plan_cut(&c, r);

	for (int i = 0; i < r->volumes; i++)
		bytes += (render_is_converted(r->volume[i].type) ? cut_slices(&c, r) * c.plane * 4 : 0) +
		         r->n[0] * r->n[1] * r->n[2] / (RENDER_BLOCK * RENDER_BLOCK * RENDER_BLOCK) * 10;

	return bytes;
}

void render_convert(float *to, const struct render_volume *v, long plane, long first, long n)
{
	const char *from = (const char *)v->data + first * plane * (long)dtype_size(v->type);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(.5 * (double)(n * plane)))
	for (long z = 0; z < n; z++)
		convert(DT_FLOAT32, to + z * plane, v->type, from + z * plane * (long)dtype_size(v->type),
		        plane, NARROW_SATURATE);
}

/* Points the pass at slices z0 .. z1 - 1 and those around them. */
static void select_slab(struct render_pass *p, struct cut *c, const struct render *r,
        struct render_device *device, long z0, long z1)
{
	const long first = z0 > c->halo ? z0 - c->halo : 0;
	const long last = z1 + c->halo < r->n[2] ? z1 + c->halo : r->n[2];

	p->first = first;
	p->far = (last - first) * c->plane > INT32_MAX;
	p->z0 = 0 == z0 ? -1.f : (float)z0;
	p->z1 = r->n[2] == z1 ? (float)z1 + 1.f : (float)z1;

	if (device) {
		render_device_select(device, p, r, first, last);
		return;
	}

	if (r->labels.data)
		p->labels =
		        (const char *)r->labels.data + first * c->plane * (long)dtype_size(r->labels.type);

	for (int i = 0; i < r->volumes; i++) {
		const struct render_volume *v = &r->volume[i];

		if (render_is_converted(v->type)) {
			render_convert(c->copy[i], v, c->plane, first, last - first);
			p->field[i].base = (const char *)c->copy[i];
		} else
			p->field[i].base =
			        (const char *)v->data + first * c->plane * (long)dtype_size(v->type);
	}
}

/* ---- settings of the pass ---- */

static void field_create(struct render_field *f, const struct render_volume *v, const struct render *r)
{
	const struct transfer *t = v->transfer;
	const double unit = smallest(r->spacing);

	f->kind = render_kind_of(v->type);

	if (RENDER_VOLUME != r->mode)
		return;

	if (t->program) {
		f->program = t;
		f->uses_gradient = transfer_reads_gradient(t);
		f->power = (float)(r->step / unit);
		return;
	}

	const long n = (long)t->values * t->levels;
	struct render_entry *table = mem_alloc((size_t)n * sizeof *table);

	for (long i = 0; i < n; i++) {
		table[i].alpha = (float)(1. - pow(1. - (double)t->opacity[i], r->step / unit));
		table[i].rgb = t->color[i];
	}

	f->table = table;
	f->lo = (float)t->lo;
	f->scale = (float)((t->values - 1) / (t->hi - t->lo));
	f->entries = t->values;
	f->levels = t->levels;

	if (1 < t->levels)
		f->steep = (float)((t->levels - 1.) * (t->levels - 1.) / (t->steep * unit));
}

static enum render_take take_of(const struct render *r)
{
	const struct transfer *t = r->volume[0].transfer;

	switch (r->mode) {
	case RENDER_MIP:
		return RENDER_TAKE_MOST;
	case RENDER_MINIP:
		return RENDER_TAKE_LEAST;
	case RENDER_ISO:
		return RENDER_TAKE_ISO;
	case RENDER_VOLUME:
		return 1 < r->volumes || t->program || 1 < t->levels || r->labels.data ? RENDER_TAKE_ANY
		       : RENDER_FLAT == r->shade                                       ? RENDER_TAKE_FLAT
		                                                                       : RENDER_TAKE_LIT;
	default:
		return RENDER_TAKE_SUM;
	}
}

/* Towards the light: given, or from the upper left behind the eye. */
static void place_light(float light[3], const struct render *r, const struct render_view *v)
{
	double a[3], square = 0.;

	for (int i = 0; i < 3; i++)
		a[i] = -.8 * v->ahead[i] - .4 * v->right[i] / r->camera.pixel + .45 * v->up[i];

	if (r->light_given) {
		a[0] = cos(r->light[1]) * cos(r->light[0]);
		a[1] = cos(r->light[1]) * sin(r->light[0]);
		a[2] = sin(r->light[1]);
	}

	for (int i = 0; i < 3; i++)
		square += a[i] * a[i];

	for (int i = 0; i < 3; i++)
		light[i] = (float)(a[i] / sqrt(square));
}

static void pass_create(struct render_pass *p, const struct render *r, const struct render_view *v,
        const struct render_extent *e, float *picture)
{
	*p = (struct render_pass){.view = *v,
	        .mode = r->mode,
	        .shade = r->shade,
	        .stop = .99f,
	        .iso = (float)r->iso,
	        .fields = r->volumes,
	        .label_type = r->labels.type,
	        .state = picture};

	for (int i = 0; i < 3; i++) {
		p->n[i] = r->n[i];
		p->lo[i] = (float)r->clip[i][0];
		p->hi[i] = (float)r->clip[i][1];
		p->pull[i] = (float)(.5 * smallest(r->spacing) / r->spacing[i]);
		p->color[i] = (float)r->color[i];
		p->place[i][0] = (float)r->place[i][0];
		p->place[i][1] = (float)r->place[i][1];
	}

	for (int i = 0; i < r->volumes; i++)
		field_create(&p->field[i], &r->volume[i], r);

	p->take = take_of(r);
	p->per_mm = (float)(1. / smallest(r->spacing));
	place_light(p->light, r, v);

	if (!e->by_slabs)
		render_blocks_see(p, e);
}

static void pass_free(struct render_pass *p)
{
	for (int i = 0; i < p->fields; i++)
		free((void *)p->field[i].table);

	free((void *)p->blocks.far);
}

/* ---- the picture ---- */

void render_extent_to_device(struct render_extent *e, const struct render *r)
{
	if (0 <= device_used() && !e->device)
		e->device = render_device_create(r, halo_of(r), e->by_slabs);
}

static void start_picture(const struct render *r, float *picture)
{
	const float first = RENDER_MIP == r->mode ? -INFINITY : RENDER_MINIP == r->mode ? INFINITY : 0.f;

	memset(picture, 0, (size_t)(r->camera.width * r->camera.height) * 4 * sizeof *picture);

	for (long i = 0; 0.f != first && i < r->camera.width * r->camera.height; i++)
		picture[4 * i] = first;
}

/* Of projections: from sums and numbers of samples to values, and whether there were any. */
static void end_picture(const struct render *r, float *picture)
{
	if (RENDER_VOLUME == r->mode || RENDER_ISO == r->mode)
		return;

	for (long i = 0; i < r->camera.width * r->camera.height; i++) {
		float *s = picture + 4 * i;
		const float n = s[3];

		s[3] = n > 0.f ? 1.f : 0.f;

		if (!(n > 0.f))
			s[0] = 0.f;
		else if (RENDER_MEAN == r->mode)
			s[0] /= n;
		else if (RENDER_XRAY == r->mode)
			s[0] *= (float)r->step;
	}
}

/* The rows of squares of this rank. */
static void cast_slab(const struct render_pass *p, const struct render_extent *e)
{
	const long w = p->view.width, h = p->view.height, across = (w - 1) / SQUARE + 1;
	long first, end;

	ranks_part((h - 1) / SQUARE + 1, 1, &first, &end);

	if (e->device) {
		const long bottom = end * SQUARE < h ? end * SQUARE : h;

		render_device_cast(e->device, p, first * SQUARE, bottom - first * SQUARE);
		progress_add(across * (end - first));
		return;
	}

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(100. * (double)(w * h)))
	for (long i = across * first; i < across * end; i++) {
		const long x = i % across * SQUARE, y = i / across * SQUARE;

		e->kern->cast(p, x, y, w - x < SQUARE ? w - x : SQUARE, h - y < SQUARE ? h - y : SQUARE);
		progress_add(1);
	}
}

/* All slabs in the order in which rays that go up, or down, meet them. */
static void render_sweep(
        struct render_pass *p, struct cut *c, const struct render *r, struct render_extent *e, bool down)
{
	const long slabs = (r->n[2] - 1) / c->thick + 1;

	p->down = down;

	for (long s = 0; s < slabs; s++) {
		const long z0 = (down ? slabs - 1 - s : s) * c->thick;
		const long z1 = z0 + c->thick < r->n[2] ? z0 + c->thick : r->n[2];

		if (e->by_slabs) {
			render_extent_slab(e, r, z0, z1);
			free((void *)p->blocks.far);
			render_blocks_see(p, e);
		}

		if (e->device && (e->by_slabs || 0 == s))
			render_device_see(e->device, p);

		select_slab(p, c, r, e->device, z0, z1);
		cast_slab(p, e);
	}
}

void render_run(const struct render *r, struct render_extent *e, float *picture)
{
	struct render_view view;
	struct render_pass p;
	struct cut c = {0};

	assert(RENDER_VOLUME == r->mode || 1 == r->volumes);
	render_view_make(&view, &r->camera, r->n, r->spacing, r->step);
	pass_create(&p, r, &view, e, picture);
	start_picture(r, picture);

	if (e->device) {
		plan_device_cut(&c, r, e);
		render_device_start(e->device, &p);
	} else
		plan_cut(&c, r);

	for (int i = 0; i < r->volumes && c.converted; i++)
		if (render_is_converted(r->volume[i].type))
			c.copy[i] = mem_alloc((size_t)(cut_slices(&c, r) * c.plane) * sizeof(float));

	const long squares = ((view.width - 1) / SQUARE + 1) * ((view.height - 1) / SQUARE + 1);

	const long slabs = (r->n[2] - 1) / c.thick + 1;

	progress_start("drawing", squares * slabs * (view.perspective ? 2 : 1) +
	                                  (e->by_slabs ? r->volumes * (e->blocks[2] + slabs) : 0));

	if (view.perspective || view.ahead[2] >= 0.)
		render_sweep(&p, &c, r, e, false);

	if (view.perspective || view.ahead[2] < 0.)
		render_sweep(&p, &c, r, e, true);

	if (e->device)
		render_device_end(e->device, &p);

	progress_end();
	sharing_gather(
	        &(const struct sharing){(size_t)view.width * 4 * sizeof *picture, view.height, SQUARE, 1},
	        picture);
	end_picture(r, picture);
	pass_free(&p);

	for (int i = 0; i < r->volumes; i++)
		free(c.copy[i]);
}
