/* Passes with neighbourhoods on the GPU, over arrays on the GPU and over files. Files are processed in slabs,
 * with the neighbouring slices that results need. */

#include <stdlib.h>
#include <string.h>

#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/expr/gpu/stencil_gpu.h"
#include "num/md/multind.h"

/** Where the first slice of a position along further dims lies. */
static void find_places(const struct stencil_work *w, const struct expr_plan *p, struct stencil_places *at)
{
	for (int k = 0; k < p->nin; k++) {
		at->in[k] = w->in[k].data;

		for (int d = 3; d < DIMS && NULL != at->in[k]; d++)
			at->in[k] += at->rest[d] * w->in[k].strs[d];
	}

	for (int k = 0; k < p->nout; k++) {
		at->out[k] = w->out[k].data;

		for (int d = 3; d < DIMS && NULL != at->out[k]; d++)
			at->out[k] += at->rest[d] * w->out[k].strs[d];
	}
}

bool stencil_gpu_takes(const struct expr_plan *p)
{
	struct stencil_work w = {.what = NULL};
	bool takes = stencil_gpu_compiles();

	for (int k = 0; k < p->nin; k++)
		w.in[k].type = p->operand[k].type;

	for (int k = 0; k < p->nout; k++)
		w.out[k].type = p->type[k];

	for (int k = 0; k < p->passes && takes; k++) {
		if (!p->pass[k].neighbours)
			continue;

		struct stencil *s = stencil_create(p, &p->pass[k]);
		struct stencil_source *x = stencil_source_create(s, &w, true);

		takes = NULL != x;
		stencil_source_free(x);
		stencil_free(s);
	}

	return takes;
}

bool stencil_gpu_arrays(struct expr_run *r, const struct expr_pass *q, const struct stencil_work *w)
{
	struct stencil_gpu *g = stencil_gpu_begin(r, q, w);
	struct stencil_places at = {.from = 0, .to = q->dims[2]};

	if (NULL == g)
		return false;

	do {
		find_places(w, r->plan, &at);
		stencil_gpu_slices(g, &at);
	} while (md_next(DIMS, q->dims, ~7ul, at.rest));

	stencil_gpu_end(g);

	return true;
}

/** One pass over files. */
struct stream {
	const struct expr_plan *plan;
	const struct expr_pass *q;
	struct stencil_gpu *g;
	struct stencil_work work; // data: where all of an operand lies on the device; NULL
	long slab, slabs;         // slices; slabs of a position along further dims
	int inputs, outputs;
	int in[EXPR_OPERANDS], out[EXPR_OPERANDS]; // those that come and go
	struct cfl *in_file[EXPR_OPERANDS], *out_file[EXPR_OPERANDS];
	void *whole[EXPR_OPERANDS];
};

/** Slab number k: its slices and position. */
static void slab_of(const struct stream *x, long k, struct stencil_places *at)
{
	*at = (struct stencil_places){.from = k % x->slabs * x->slab};
	at->to = min_long(at->from + x->slab, x->q->dims[2]);
	k /= x->slabs;

	for (int d = 3; d < DIMS; d++) {
		at->rest[d] = k % x->q->dims[d];
		k /= x->q->dims[d];
	}
}

/** The slices of an input that a slab needs. */
static void slices_of(
        const struct stream *x, int input, const struct stencil_places *at, long *from, long *to)
{
	const long halo = stencil_gpu_halo(x->g, input);

	*from = max_long(0, at->from - halo);
	*to = min_long(x->q->dims[2], at->to + halo);
}

/** Number of slice z among those of all further dims. */
static long slice_number(const struct stream *x, const struct stencil_places *at, long z)
{
	long number = 0;

	for (int d = DIMS - 1; d >= 3; d--)
		number = number * x->q->dims[d] + at->rest[d];

	return number * x->q->dims[2] + z;
}

static void describe(void *ctx, long slab, struct device_slab *d)
{
	const struct stream *x = ctx;
	const long slice = x->q->dims[0] * x->q->dims[1];
	struct stencil_places at;

	slab_of(x, slab, &at);
	*d = (struct device_slab){.inputs = x->inputs, .outputs = x->outputs};

	for (int k = 0; k < x->inputs; k++) {
		long from, to;

		slices_of(x, x->in[k], &at, &from, &to);
		d->in[k] = device_part_in(
		        x->in_file[x->in[k]], slice_number(x, &at, from) * slice, (to - from) * slice);
	}

	for (int k = 0; k < x->outputs; k++)
		d->out[k] = device_part_out(x->out_file[x->out[k]], slice_number(x, &at, at.from) * slice,
		        (at.to - at.from) * slice);
}

/** Where slice 0 would lie. */
static char *virtual_base(void *slices, long first, long step)
{
	return (char *)((size_t)slices - (size_t)(first * step));
}

static void compute(void *ctx, long slab, void *const in[], void *const out[])
{
	struct stream *x = ctx;
	struct stencil_places at;

	slab_of(x, slab, &at);
	find_places(&x->work, x->plan, &at);

	for (int k = 0; k < x->inputs; k++) {
		long from, to;

		slices_of(x, x->in[k], &at, &from, &to);
		at.in[x->in[k]] = virtual_base(in[k], from, x->work.in[x->in[k]].strs[2]);
	}

	for (int k = 0; k < x->outputs; k++)
		at.out[x->out[k]] = virtual_base(out[k], at.from, x->work.out[x->out[k]].strs[2]);

	stencil_gpu_slices(x->g, &at);
}

/** Input k: slabs of it where it has the pass's shape, else all of it. */
static void set_input(struct stream *x, struct cfl *f, int k)
{
	struct stencil_input *in = &x->work.in[k];
	const size_t bytes = (size_t)f->count * dtype_size(f->hdr.type);

	in->type = f->hdr.type;
	in->data = place_on_device(f, false);
	md_calc_strides(DIMS, in->strs, f->hdr.dims, dtype_size(in->type));
	x->in_file[k] = f;

	if (NULL != in->data)
		return;

	if (md_check_equal_dims(DIMS, x->q->dims, f->hdr.dims, ~0ul)) {
		if (!cfl_is_mapped(f))
			cfl_map(f); // spooled

		x->in[x->inputs++] = k;
	} else {
		in->data = x->whole[k] = device_alloc(bytes);
		device_copy(x->whole[k], cfl_map(f), bytes);
	}
}

static void set_output(struct stream *x, struct cfl *f, int k)
{
	struct stencil_output *o = &x->work.out[k];

	o->type = f->hdr.type;
	o->data = place_on_device(f, true);
	md_calc_strides(DIMS, o->strs, f->hdr.dims, dtype_size(o->type));
	x->out_file[k] = f;

	if (NULL == o->data)
		x->out[x->outputs++] = k;
}

/** Device memory of three slabs. [bytes] */
static double bytes_of(const struct stream *x, long slices)
{
	const double slice = (double)(x->q->dims[0] * x->q->dims[1]);
	double bytes = stencil_gpu_bytes(x->g, slices);

	for (int k = 0; k < x->inputs; k++)
		bytes += 3. * slice * (double)(slices + 2 * stencil_gpu_halo(x->g, x->in[k])) *
		         (double)dtype_size(x->work.in[x->in[k]].type);

	for (int k = 0; k < x->outputs; k++)
		bytes += 3. * slice * (double)slices * (double)dtype_size(x->work.out[x->out[k]].type);

	return bytes;
}

/** Elements of a slab, about, where there is room. */
static const long slab_count = 1L << 24;

/** Slabs are whole tiles; what wraps around needs all slices at once. */
static void choose_slab(struct stream *x)
{
	const long step = stencil_gpu_step(x->g), n = x->q->dims[2],
	           slice = max_long(1, x->q->dims[0] * x->q->dims[1]);
	bool all = false;

	for (int k = 0; k < x->inputs; k++)
		all = all || (EXPR_EDGE_WRAP == x->plan->edge && 0 < stencil_gpu_halo(x->g, x->in[k]));

	x->slab = max_long(step, slab_count / slice / step * step);

	while (x->slab > step && bytes_of(x, x->slab) > 0.8 * (double)device_left())
		x->slab = max_long(step, x->slab / 2 / step * step);

	x->slab = all ? max_long(1, n) : x->slab;
	x->slabs = (n + x->slab - 1) / x->slab;
}

bool stencil_gpu_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[])
{
	struct stream x = {.plan = r->plan, .q = q};

	for (int k = 0; k < r->plan->nin; k++)
		for (int i = 0; i < q->n; i++)
			if (step_reads(&q->steps[i], k)) {
				set_input(&x, in[k], k);
				break;
			}

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			set_output(&x, out[q->steps[i].id], q->steps[i].id);

	x.g = stencil_gpu_begin(r, q, &x.work);

	if (NULL != x.g) {
		choose_slab(&x);
		device_run_pipeline(&(const struct device_pipeline){
		        .slabs = x.slabs * md_calc_size(DIMS - 3, q->dims + 3),
		        .describe = describe,
		        .compute = compute,
		        .ctx = &x});
		stencil_gpu_end(x.g);
	}

	for (int k = 0; k < r->plan->nin; k++)
		device_free(x.whole[k]);

	return NULL != x.g;
}
