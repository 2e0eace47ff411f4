/* A pass over files on the GPU: slabs of files in the order of the pass are uploaded, computed and downloaded
 * at the same time; repeated inputs are uploaded as a whole. Arrays in memory are used in place on the GPU.
 */

#include <stdlib.h>

#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_files.h"
#include "num/expr/expr_gpu.h"

/** Elements of a slab, about, where there is room for three. */
static const long slab_count = 1L << 22;

struct stream {
	const struct loop *l;
	struct expr_gpu *g;
	long slab;   // elements
	char **base; // per lane: of whole inputs that are on the device
	int inputs, outputs;
	struct {
		struct cfl *file;
		size_t size;
	} in[EXPR_OPERANDS], out[EXPR_OPERANDS];
	int part[EXPR_OPERANDS]; // per input: which of in[], -1 = whole or not read
	void *whole[EXPR_OPERANDS];
	bool stays[EXPR_OPERANDS]; // per output: all of it is on the device
};

static void describe(void *ctx, long slab, struct device_slab *d)
{
	struct stream *x = ctx;
	const long first = slab * x->slab, left = x->l->count - first, n = (left < x->slab) ? left : x->slab;

	*d = (struct device_slab){.inputs = x->inputs, .outputs = x->outputs};

	for (int k = 0; k < x->inputs; k++)
		d->in[k] = device_part_in(x->in[k].file, first, n);

	for (int k = 0; k < x->outputs; k++)
		d->out[k] = device_part_out(x->out[k].file, first, n);
}

/** Where element 0 of a slab's array would lie. */
static char *virtual_base(void *block, long first, size_t size)
{
	return (char *)((size_t)block - (size_t)first * size);
}

static void compute(void *ctx, long slab, void *const in[], void *const out[])
{
	struct stream *x = ctx;
	const struct expr_pass *q = x->l->pass;
	const long first = slab * x->slab, end = first + x->slab;
	char **base = mem_calloc((size_t)q->lanes + 1, sizeof *base);
	int stores = 0;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD == s->kind) {
			const int k = x->part[s->id];

			base[s->lane] =
			        (k < 0) ? x->base[s->lane] : virtual_base(in[k], first, x->in[k].size);
		} else if (STEP_STORE == s->kind && x->stays[s->id]) {
			base[s->lane] = x->base[s->lane];
		} else if (STEP_STORE == s->kind) {
			base[s->lane] = virtual_base(out[stores], first, x->out[stores].size);
			stores++;
		}
	}

	expr_gpu_range(x->g, base, first, (end < x->l->count) ? end : x->l->count);
	free(base);
}

/** Input k, if the pass reads it: its lanes, and where the host has it. */
static void set_input(struct stream *x, struct loop *l, struct cfl *f, int k)
{
	const struct expr_pass *q = l->pass;
	const size_t size = dtype_size(f->hdr.type);
	bool read = false;

	x->part[k] = -1;

	for (int i = 0; i < q->n; i++)
		read = read || (STEP_LOAD == q->steps[i].kind && k == q->steps[i].id);

	if (!read)
		return;

	const bool in_step = md_check_equal_dims(DIMS, q->dims, f->hdr.dims, ~0ul);
	char *base = place_on_device(f, false);
	long strs[DIMS];

	if (NULL == base && in_step) {
		if (!cfl_is_mapped(f))
			cfl_map(f); // spooled, for other passes may read it too

		x->in[x->inputs].file = f;
		x->in[x->inputs].size = size;
		x->part[k] = x->inputs++;
		// an address that no other has, for what lies in buffers that come and go
		base = (char *)((size_t)4096 * (size_t)(1 + k));
	} else if (NULL == base) {
		base = x->whole[k] = device_alloc((size_t)f->count * size);
		device_copy(base, cfl_map(f), (size_t)f->count * size);
	}

	md_calc_strides(DIMS, strs, f->hdr.dims, size);

	for (int i = 0; i < q->n; i++)
		if (STEP_LOAD == q->steps[i].kind && k == q->steps[i].id) {
			expr_loop_set(l, q->steps[i].lane, f->hdr.type, false, true, strs);
			x->base[q->steps[i].lane] = base;
		}
}

static void set_output(struct stream *x, struct loop *l, struct cfl *f, const struct step *s)
{
	const size_t size = dtype_size(f->hdr.type);
	long strs[DIMS];

	md_calc_strides(DIMS, strs, f->hdr.dims, size);
	expr_loop_set(l, s->lane, f->hdr.type, false, true, strs);
	x->base[s->lane] = place_on_device(f, true);
	x->stays[s->id] = NULL != x->base[s->lane];

	if (x->stays[s->id])
		return;

	x->base[s->lane] = (char *)((size_t)4096 * (size_t)(1 + EXPR_OPERANDS + s->id));
	x->out[x->outputs].file = f;
	x->out[x->outputs++].size = size;
}

/** Slabs end where a block of the kernel does; a quarter of the memory for each of three. */
static long choose_slab(const struct stream *x)
{
	const long part = expr_gpu_part(x->g);
	size_t each = 1;

	for (int k = 0; k < x->inputs; k++)
		each += x->in[k].size;

	for (int k = 0; k < x->outputs; k++)
		each += x->out[k].size;

	const long room = (long)(device_left() / 4 / each);
	const long n = (room < slab_count) ? room : slab_count;

	return (n < part) ? part : n / part * part;
}

void expr_gpu_pass_files(
        struct expr_run *r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[])
{
	struct stream x = {.inputs = 0};
	struct loop *l = expr_loop_create(r->plan, q, (const unsigned char(*)[16])r->scalars);

	x.l = l;
	x.base = mem_calloc((size_t)q->lanes + 1, sizeof *x.base);

	for (int k = 0; k < r->plan->nin; k++)
		set_input(&x, l, in[k], k);

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			set_output(&x, l, out[q->steps[i].id], &q->steps[i]);

	expr_loop_simplify(l, true);
	x.g = expr_gpu_begin(r, l, x.base);

	x.slab = choose_slab(&x);
	device_run_pipeline(&(const struct device_pipeline){.slabs = (l->count + x.slab - 1) / x.slab,
	        .describe = describe,
	        .compute = compute,
	        .ctx = &x});
	expr_gpu_end(x.g);

	for (int k = 0; k < r->plan->nin; k++)
		device_free(x.whole[k]);

	free(x.base);
	expr_loop_free(l);
}
