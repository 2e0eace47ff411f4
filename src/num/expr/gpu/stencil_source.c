/* Sources of kernels for passes with neighbourhoods. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/expr_source.h"
#include "num/expr/gpu/stencil_slides.h"
#include "num/expr/gpu/stencil_source.h"
#include "num/expr/windows/box.h"
#include "num/expr/windows/window.h"

/** Words of arguments that a kernel has at most. */
enum { WORDS_MOST = 480 };

/** Shared memory of a block for stages, and how often a stage may be computed for each result. */
enum { SHARED_BYTES = 32 << 10, REPEATS_MOST = 8 };

/** Places among the arguments. */
enum {
	W_N = EXPR_WORDS, // extents along dims 0 to 2
	W_FROM = W_N + 3, // slices
	W_TO,
	W_NUMBER,                   // of the first element of these further dims' positions
	W_REST,                     // positions along dims 3 and later
	W_GRID = W_REST + DIMS - 3, // origin and spacing of dims 0 to 2
	W_INPUTS = W_GRID + 6,
	W_OPERAND = 4 // address, steps along dims 0 to 2
};

struct writer {
	struct str s;
	struct stencil_source *source;
	const struct stencil *st;
	const struct stencil_work *work;
	const struct graph *g;
	bool aligned;
	bool *shared; // per stage: in shared memory
};

static const char *type_of(const struct writer *w, int node)
{
	return expr_work_type(w->g->nodes[node].type);
}

static bool is_open(const struct writer *w, const struct stencil_stage *a)
{
	return a->is_virtual || EXPR_EDGE_WRAP == w->st->plan->edge;
}

/* ---- words ---- */

static int out_word(const struct stencil_source *x, int output)
{
	return W_INPUTS + W_OPERAND * (x->s->plan->nin + output);
}

static int kept_word(const struct stencil_source *x, int stage)
{
	return out_word(x, x->s->plan->nout) + stage;
}

static void need_scalar(struct stencil_source *x, int node)
{
	if (0 <= x->scalar[node])
		return;

	x->scalar[node] = (int)x->words;
	x->words += 2;
}

static void need_scalars(struct stencil_source *x, const struct stencil_program *p)
{
	for (int i = 0; i < p->n; i++)
		for (int k = 0; k < p->steps[i].args; k++)
			if (p->steps[i].arg[k] < 0)
				need_scalar(x, -1 - p->steps[i].arg[k]);
}

static void number_words(struct stencil_source *x)
{
	const struct stencil *s = x->s;

	x->scalar = mem_alloc(((size_t)s->plan->g.n + 1) * sizeof *x->scalar);
	x->words = kept_word(x, s->n);

	for (int i = 0; i < s->plan->g.n; i++)
		x->scalar[i] = -1;

	for (int k = 0; k < s->n; k++)
		need_scalars(x, &s->stages[k].program);

	need_scalars(x, &s->last);

	for (int i = 0; i < s->pass->n; i++)
		for (int k = 0; STEP_REDUCE == s->pass->steps[i].kind && k < s->pass->steps[i].args; k++)
			if (s->pass->steps[i].arg[k] < 0)
				need_scalar(x, -1 - s->pass->steps[i].arg[k]);
}

void stencil_source_arguments(const struct stencil_source *x, const struct stencil_work *w,
        const struct stencil_places *p, const unsigned char (*scalars)[16], int64_t *words)
{
	const struct stencil *s = x->s;
	long number = 0;

	for (int d = DIMS - 1; d >= 3; d--) {
		number = number * s->dims[d] + p->rest[d];
		words[W_REST + d - 3] = p->rest[d];
	}

	words[W_NUMBER] = number * s->dims[0] * s->dims[1] * s->dims[2];
	words[W_FROM] = p->from;
	words[W_TO] = p->to;

	for (int d = 0; d < 3; d++) {
		words[W_N + d] = s->dims[d];
		memcpy(&words[W_GRID + 2 * d], &s->plan->origin[d], sizeof(double));
		memcpy(&words[W_GRID + 2 * d + 1], &s->plan->spacing[d], sizeof(double));
	}

	for (int k = 0; k < s->plan->nin + s->plan->nout; k++) {
		const bool in = k < s->plan->nin;
		const int id = in ? k : k - s->plan->nin;

		words[W_INPUTS + W_OPERAND * k] = (int64_t)(size_t)(in ? p->in[id] : p->out[id]);

		for (int d = 0; d < 3; d++)
			words[W_INPUTS + W_OPERAND * k + 1 + d] = in ? w->in[id].strs[d] : w->out[id].strs[d];
	}

	for (int k = 0; k < s->n; k++)
		words[kept_word(x, k)] = (int64_t)(size_t)p->kept[k];

	for (int i = 0; i < s->plan->g.n; i++)
		if (0 <= x->scalar[i])
			memcpy(&words[x->scalar[i]], scalars[i], 16);
}

/* ---- tiles ---- */

/** Elements of a stage for `size` results along each dim. */
static long region(const struct stencil_stage *a, const long size[3])
{
	long n = 1;

	for (int d = 0; d < 3; d++)
		n *= size[d] + 2 * a->halo[d];

	return n;
}

static void choose_tile(struct writer *w)
{
	const long *n = w->st->dims;
	int *t = w->source->tile;

	t[1] = (1 < n[1]) ? 8 : 1;
	t[0] = (1 < n[1]) ? 32 : EXPR_THREADS;
	t[2] = (1 < n[2]) ? 8 : 1;
}

/** Whether the stages of a tile fit: all sources that are read more than once, or none. */
static bool try_shared(struct writer *w, bool sources)
{
	const int *t = w->source->tile;
	const long size[3] = {t[0], t[1], t[2]}, count = size[0] * size[1] * size[2];
	long bytes = 0, work = 0;

	for (int k = 0; k < w->st->n; k++) {
		const struct stencil_stage *a = &w->st->stages[k];
		const long all = region(a, size);

		w->shared[k] = !a->is_source || (sources && all > count);
		bytes += w->shared[k] ? (all * (long)dtype_size(a->type) + 15) / 16 * 16 : 0;
		work += a->is_source ? 0 : all;
	}

	return bytes <= SHARED_BYTES && work <= (long)REPEATS_MOST * count * max_long(1, w->st->n);
}

/** Where stages are: in shared memory with the largest tile that lets them, else each in an array. */
static void place_stages(struct writer *w)
{
	const int deepest = w->source->tile[2];

	for (int sources = 1; sources >= 0; sources--)
		for (w->source->tile[2] = deepest; 0 < w->source->tile[2]; w->source->tile[2] /= 2)
			if (try_shared(w, sources))
				return;

	w->source->tile[2] = deepest;

	for (int k = 0; k < w->st->n; k++) {
		w->shared[k] = false;
		w->source->kept[k] = !w->st->stages[k].is_source;
	}
}

long stencil_source_kept(const struct stencil_source *x, int stage, long slices)
{
	const long size[3] = {x->s->dims[0], x->s->dims[1], slices};

	return region(&x->s->stages[stage], size);
}

long stencil_source_blocks(const struct stencil_source *x, int kernel, long slices)
{
	const long size[3] = {x->s->dims[0], x->s->dims[1], slices};
	long blocks = 1;

	if (0 <= x->kernel[kernel].stage)
		return (stencil_source_kept(x, x->kernel[kernel].stage, slices) + EXPR_THREADS - 1) /
		       EXPR_THREADS;

	for (int d = 0; d < 3; d++)
		blocks *= (size[d] + x->tile[d] - 1) / x->tile[d];

	return blocks;
}

/* ---- text ---- */

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&w->s, fmt, ap);
	va_end(ap);
}

static void put_edge(struct writer *w)
{
	put(w,
	        "DEVICE_ONLY i64 edge(i64 i, i64 n)\n{\n\tif (1 == n || (0 <= i && i < n))\n"
	        "\t\treturn (1 == n) ? 0 : i;\n\t%s\n}\n\n",
	        stencil_edge_text(w->st->plan->edge));
	put(w,
	        "DEVICE_ONLY bool edges(const arguments &args, i64 &x, i64 &y, i64 &z)\n{\n"
	        "\tx = edge(x, args.w[%d]);\n\ty = edge(y, args.w[%d]);\n\tz = edge(z, args.w[%d]);\n"
	        "\treturn 0 <= (x | y | z);\n}\n\n",
	        W_N, W_N + 1, W_N + 2);
}

static void put_position(struct writer *w, int dim)
{
	if (dim < 3)
		put(w, "%c", "xyz"[dim]);
	else
		put(w, "args.w[%d]", W_REST + dim - 3);
}

/** source_K(): an input, index variable or coordinate anywhere. */
static void put_source(struct writer *w, int k)
{
	const struct node *n = &w->g->nodes[w->st->stages[k].node];
	const char *t = expr_work_type(n->type);

	put(w,
	        "DEVICE_ONLY %s source_%d(const arguments &args, i64 x, i64 y, i64 z)\n{\n"
	        "\tif (!edges(args, x, y, z))\n\t\treturn %s();\n\treturn ",
	        t, k, t);

	if (NODE_INPUT == n->kind) {
		const struct stencil_input *in = &w->work->in[n->id];
		const int at = W_INPUTS + W_OPERAND * n->id;

		put(w,
		        "to_%s(%s%s<%s>(address_of(args.w[%d]) + x * args.w[%d] + y * args.w[%d] + z * "
		        "args.w[%d])%s)",
		        t, in->swapped ? "turned(" : "", w->aligned ? "element_at" : "bytes_at",
		        expr_memory_type(in->type), at, at + 1, at + 2, at + 3, in->swapped ? ")" : "");
	} else if (NODE_INDEX == n->kind) {
		put(w, "(%s)", t);
		put_position(w, n->id);
	} else {
		put(w, "(%s)(value_at<f64>(args.w + %d) + value_at<f64>(args.w + %d) * (f64)", t,
		        W_GRID + 2 * n->id, W_GRID + 2 * n->id + 1);
		put_position(w, n->id);
		put(w, ")");
	}

	put(w, ";\n}\n\n");
}

/** The address of a stage's element at a position of the tile or, of arrays, of all. */
static void put_place(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	const long *h = a->halo;

	if (w->shared[k])
		put(w,
		        "t.s%d[((int)(z - t.z + %ld) * %ld + (int)(y - t.y + %ld)) * %ld + (int)(x - t.x + "
		        "%ld)]",
		        k, h[2], w->source->tile[1] + 2 * h[1], h[1], w->source->tile[0] + 2 * h[0], h[0]);
	else
		put(w,
		        "((%s *)address_of(args.w[%d]))[((z - args.w[%d] + %ld) * (args.w[%d] + %ld) + y + "
		        "%ld) * (args.w[%d] + %ld) + x + %ld]",
		        expr_work_type(a->type), kept_word(w->source, k), W_FROM, h[2], W_N + 1, 2 * h[1],
		        h[1], W_N, 2 * h[0], h[0]);
}

/** at_K(): the value of a stage where some program reads it. */
static void put_reader(struct writer *w, int k)
{
	put(w,
	        "DEVICE_ONLY %s at_%d(const arguments &args, const tile &t, i64 x, i64 y, i64 "
	        "z)\n{\n\treturn ",
	        type_of(w, w->st->stages[k].node), k);

	if (w->shared[k] || w->source->kept[k])
		put_place(w, k);
	else
		put(w, "source_%d(args, x, y, z)", k);

	put(w, ";\n}\n\n");
}

/* ---- programs ---- */

static void put_scalar(struct writer *w, int node, enum dtype type)
{
	const int word = w->source->scalar[node];

	if (DT_BOOL == type)
		put(w, "to_bool(value_at<flag>(args.w + %d))", word);
	else
		put(w, "value_at<%s>(args.w + %d)", expr_work_type(type), word);
}

/** What stands between the parentheses of a step's function. */
static void put_operands(struct writer *w, const struct stencil_step *t, long slide, const char *cast)
{
	for (int k = 0; k < t->args; k++) {
		put(w, "%s%s", k ? ", " : "", cast);

		if (t->arg[k] < 0)
			put_scalar(w, -1 - t->arg[k], w->g->nodes[-1 - t->arg[k]].type);
		else
			stencil_put_name(&w->s, t->arg[k], slide + t->slide[k]);
	}
}

/** Counts what an operator or conversion loses, of the tile's own elements. */
static void put_check(struct writer *w, const struct stencil_step *t, long slide)
{
	const struct node *n = &w->g->nodes[t->node];
	const bool integer = dtype_is_integer(n->work), converted = NODE_CONVERT == n->kind;
	const int check = w->st->plan->check_of[t->node];

	if (check < 0 || 0 != slide)
		return;

	put(w, "\tif (own)\n\t\tstate.counter%d += %s_%s(", w->st->plan->nout + check,
	        converted ? "over_to"
	        : integer ? "over"
	                  : "outside",
	        converted ? expr_work_type(n->type) : op_name((enum op)n->id));
	put_operands(w, t, slide, integer ? "" : "(f64)");
	put(w, ");\n");
}

static void put_operator(struct writer *w, const struct stencil_step *t, long slide)
{
	const struct node *n = &w->g->nodes[t->node];
	const bool wraps = NARROW_WRAP == w->st->plan->rules.narrow && 0 <= w->st->plan->check_of[t->node] &&
	                   dtype_is_integer(n->type);

	if (NODE_CONVERT == n->kind)
		put(w, wraps ? "(%s)(" : "to_%s(", expr_work_type(n->type));
	else if (n->fused)
		put(w, "el_%s(el_%s(", op_name((enum op)n->id), op_name(n->inner));
	else
		put(w, wraps ? "wrap_%s(" : "el_%s(", op_name((enum op)n->id));

	put_operands(w, t, slide, "");
	put(w, n->fused ? "))" : ")");
}

static void put_step(struct writer *w, const struct stencil_program *p, int i, long slide)
{
	const struct stencil_step *t = &p->steps[i];

	if (t->leaf < 0)
		put_check(w, t, slide);

	put(w, "\tconst %s ", type_of(w, t->node));
	stencil_put_name(&w->s, i, slide);
	put(w, " = ");

	if (0 <= t->leaf) {
		const struct stencil_leaf *l = &p->leaf[t->leaf];

		put(w, "at_%d(args, t, x + %ld, y + %d, z + %d)", l->stage, slide, l->shift[1], l->shift[2]);
	} else {
		put_operator(w, t, slide);
	}

	put(w, ";\n");
}

/** All values of a program; false: too many. */
static bool put_program(struct writer *w, const struct stencil_program *p)
{
	struct slides *s = stencil_slides_create(w->st, p);

	for (int i = 0; NULL != s && i < p->n; i++)
		for (int j = 0; j < s[i].n; j++)
			put_step(w, p, i, s[i].at[j]);

	stencil_slides_free(s, p->n);

	return NULL != s;
}

/* ---- windows ---- */

static bool put_box(struct writer *w, const struct stencil_stage *a)
{
	static const char *const joins[] = {[BOX_MEAN] = "add", [BOX_MIN] = "min", [BOX_MAX] = "max"};
	const struct box *b = a->box;
	const char *t = expr_work_type(a->type);
	const int leaf = a->program.leaf[0].stage;
	long length[3];

	for (int d = 0; d < 3; d++)
		length[d] = 2 * b->r[d] + 1;

	const long count = length[0] * length[1] * length[2];

	put(w,
	        "\tconst auto join = [&](%s p, %s q) { return el_%s(p, q); };\n"
	        "\tconst %s all = join_blocks<%s>(z - %ld, %ld, join, [&](i64 c) {\n"
	        "\t\treturn join_halves<%s>(x - %ld, %ld, join, [&](i64 a) {\n"
	        "\t\t\treturn join_blocks<%s>(y - %ld, %ld, join, [&](i64 b) {\n"
	        "\t\t\t\treturn at_%d(args, t, a, b, c);\n\t\t\t});\n\t\t});\n\t});\n",
	        t, t, joins[b->function], t, t, b->r[2], length[2], t, b->r[0], length[0], t, b->r[1],
	        length[1], leaf);

	if (BOX_MEAN == b->function)
		put(w, "\treturn el_div(all, to_%s((f64)%ld));\n", t, count);
	else
		put(w, "\treturn all;\n");

	return count <= STENCIL_WINDOW_MOST;
}

static bool put_median(struct writer *w, const struct stencil_stage *a)
{
	const struct node *n = &w->g->nodes[a->node];
	struct window v = {.ball = n->id};
	const char *t = expr_work_type(a->type);
	long count = 0;

	for (int d = 0; d < 3; d++)
		v.r[d] = v.ball ? n->shift[d] : stencil_reach_of(w->g, n, d);

	put(w, "\tconst auto each = [&](auto take) {\n");

	for (long c = -v.r[2]; c <= v.r[2]; c++)
		for (long b = -v.r[1]; b <= v.r[1]; b++) {
			const long reach = window_reach(&v, b, c);

			if (reach < 0)
				continue;

			put(w,
			        "\t\tfor (i64 a = x - %ld; a <= x + %ld; a++)\n"
			        "\t\t\ttake(at_%d(args, t, a, y + %ld, z + %ld));\n",
			        reach, reach, a->program.leaf[0].stage, b, c);
			count += 2 * reach + 1;
		}

	put(w, "\t};\n\treturn median_of<%s>(%d, %ld, each);\n", t,
	        (DT_BOOL == a->type)      ? 1
	        : (DT_FLOAT32 == a->type) ? 32
	                                  : 64,
	        count);

	return count <= STENCIL_WINDOW_MOST;
}

/** stage_K(): what the elements of a stage are computed by. */
static bool put_stage(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	bool fits;

	put(w,
	        "DEVICE_ONLY %s stage_%d(const arguments &args, const tile &t, i64 x, i64 y, i64 z, bool "
	        "own, "
	        "thread_state &state)\n{\n",
	        expr_work_type(a->type), k);

	if (NULL != a->box) {
		fits = put_box(w, a);
	} else if (NULL != a->median) {
		fits = put_median(w, a);
	} else {
		fits = put_program(w, &a->program);
		put(w, "\treturn ");
		stencil_put_name(&w->s, a->program.root[0].step, a->program.root[0].slide);
		put(w, ";\n");
	}

	put(w, "}\n\n");

	return fits;
}

/** element_K(): that of a stage at a position of the tile or around it; beyond the borders by their rule. */
static void put_element(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	const char *type = expr_work_type(a->type);

	put(w,
	        "DEVICE_ONLY %s element_%d(const arguments &args, const tile &t, i64 x, i64 y, i64 z, "
	        "thread_state &state)\n{\n",
	        type, k);

	if (a->is_source) {
		put(w, "\treturn source_%d(args, x, y, z);\n}\n\n", k);
		return;
	}

	put(w, "\tconst bool own = t.x <= x && x < t.ex && t.y <= y && y < t.ey && t.z <= z && z < t.ez;\n");

	if (!is_open(w, a))
		put(w, "\tif (!edges(args, x, y, z))\n\t\treturn %s();\n", type);

	put(w, "\treturn stage_%d(args, t, x, y, z, own, state);\n}\n\n", k);
}

/* ---- results ---- */

static void put_root(struct writer *w, int node)
{
	const struct stencil_root *r = stencil_root_of(&w->st->last, node);

	stencil_put_name(&w->s, r->step, r->slide);
}

static bool may_lose(const struct writer *w, const struct step *s)
{
	const enum dtype t = w->work->out[s->id].type;

	return t != s->work && DT_FLOAT64 != t && DT_COMPLEX128 != t;
}

static void put_store(struct writer *w, const struct step *s)
{
	const struct stencil_output *o = &w->work->out[s->id];
	const char *type = expr_memory_type(o->type);
	const int at = out_word(w->source, s->id);

	put(w,
	        "\t%s<%s>(address_of(args.w[%d]) + x * args.w[%d] + y * args.w[%d] + z * args.w[%d], "
	        "%sput<%s>(",
	        w->aligned ? "set_element" : "set_bytes", type, at, at + 1, at + 2, at + 3,
	        o->swapped ? "turned(" : "", type);
	put_root(w, s->node);
	put(w, ", %d, ", NARROW_WRAP == w->st->plan->rules.narrow);
	put(w, may_lose(w, s) ? "state.counter%d" : "none", s->id);
	put(w, ")%s);\n", o->swapped ? ")" : "");
}

static void put_reduction(struct writer *w, const struct step *s)
{
	const struct node *n = &w->g->nodes[s->node];

	put(w, "\tred_%s(state.sum%d, ", reduction_name(s->reduction), s->id);

	if (s->fused)
		put(w, "el_%s(", op_name(s->inner));

	for (int k = 0; k < n->args; k++) {
		put(w, "%s", k ? ", " : "");

		if (s->arg[k] < 0)
			put_scalar(w, n->arg[k], s->work);
		else
			put_root(w, n->arg[k]);
	}

	put(w, "%s, args.w[%d] + (z * args.w[%d] + y) * args.w[%d] + x);\n", s->fused ? ")" : "", W_NUMBER,
	        W_N + 1, W_N);
}

/** finish(): a result. */
static bool put_finish(struct writer *w)
{
	const struct expr_pass *q = w->st->pass;

	put(w, "DEVICE_ONLY void finish(const arguments &args, const tile &t, i64 x, i64 y, i64 z, "
	       "thread_state "
	       "&state)\n{\n\tconst bool own = true;\n\tu64 none = 0;\n\t(void)none;\n\t(void)own;\n");

	const bool fits = put_program(w, &w->st->last);

	for (int i = 0; i < q->n; i++) {
		if (STEP_STORE == q->steps[i].kind)
			put_store(w, &q->steps[i]);
		else if (STEP_REDUCE == q->steps[i].kind)
			put_reduction(w, &q->steps[i]);
	}

	put(w, "}\n\n");

	return fits;
}

/* ---- kernels ---- */

static void put_types(struct writer *w)
{
	const struct stencil_source *x = w->source;

	put(w, "struct arguments {\n\ti64 w[%ld];\n};\n\nstruct thread_state {\n\tint none;\n", x->words);

	for (int k = 0; k < x->reductions; k++)
		put(w, "\taccumulator sum%d;\n", k);

	for (int k = 0; k < x->counters; k++)
		put(w, "\tu64 counter%d;\n", k);

	// the results from (x, y, z) to (ex, ey, ez), and the stages
	put(w, "};\n\nstruct tile {\n\ti64 x, y, z, ex, ey, ez;\n");

	for (int k = 0; k < w->st->n; k++)
		if (w->shared[k])
			put(w, "\t%s *s%d;\n", expr_work_type(w->st->stages[k].type), k);

	put(w, "};\n\n");
}

static void put_state(struct writer *w)
{
	const struct stencil_source *x = w->source;

	put(w, "\t\tthread_state state;\n");

	for (int k = 0; k < x->reductions; k++)
		put(w, "\t\tstate.sum%d = nothing_yet(%d);\n", k, x->how[k]);

	for (int k = 0; k < x->counters; k++)
		put(w, "\t\tstate.counter%d = 0;\n", k);
}

static void put_counters(struct writer *w)
{
	for (int k = 0; k < w->source->counters; k++)
		put(w,
		        "\t\tif (0 != state.counter%d)\n\t\t\tcount_up((u64 *)address_of(args.w[%d]) + %d, "
		        "state.counter%d);\n",
		        k, EXPR_COUNTERS, k, k);
}

static void put_functions(struct writer *w)
{
	put_types(w);
	put_edge(w);

	for (int k = 0; k < w->st->n; k++) {
		if (w->st->stages[k].is_source)
			put_source(w, k);

		put_reader(w, k);
	}
}

/** The kernel of a stage that is kept: a thread for each element of it. */
static bool put_kept(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	const long *h = a->halo;

	put_functions(w);

	const bool fits = put_stage(w, k);

	put_element(w, k);
	put(w,
	        "EXPR_ENTRY(arguments)\n{\n\tEACH_THREAD(thread)\n\t{\n"
	        "\t\tconst i64 nx = args.w[%d] + %ld, ny = args.w[%d] + %ld, nz = args.w[%d] - args.w[%d] + "
	        "%ld;\n"
	        "\t\ti64 i = (i64)EXPR_BLOCK_ID * EXPR_THREADS + thread;\n"
	        "\t\tconst bool some = i < nx * ny * nz;\n"
	        "\t\tconst i64 x = i %% nx - %ld, y = i / nx %% ny - %ld, z = i / (nx * ny) - %ld + "
	        "args.w[%d];\n"
	        "\t\ttile t;\n\t\tt.x = t.y = 0;\n\t\tt.z = args.w[%d];\n\t\tt.ex = args.w[%d];\n"
	        "\t\tt.ey = args.w[%d];\n\t\tt.ez = args.w[%d];\n",
	        W_N, 2 * h[0], W_N + 1, 2 * h[1], W_TO, W_FROM, 2 * h[2], h[0], h[1], h[2], W_FROM, W_FROM,
	        W_N, W_N + 1, W_TO);
	put_state(w);
	put(w, "\t\tif (some)\n\t\t\t");
	put_place(w, k);
	put(w, " = element_%d(args, t, x, y, z, state);\n", k);
	put_counters(w);
	put(w, "\t}\n}\n");

	return fits;
}

/** A phase: a stage of the tile and of what is around it. */
static void put_phase(struct writer *w, int k)
{
	const long *h = w->st->stages[k].halo;
	const int *t = w->source->tile;
	const long nx = t[0] + 2 * h[0], ny = t[1] + 2 * h[1], nz = t[2] + 2 * h[2];

	put(w, "\t{\n\tEACH_THREAD(thread)\n\t{\n");
	put_state(w);
	put(w,
	        "\t\tfor (int i = (int)thread; i < %ld; i += EXPR_THREADS)\n"
	        "\t\t\tt.s%d[i] = element_%d(args, t, t.x + i %% %ld - %ld, t.y + i / %ld %% %ld - %ld, t.z "
	        "+ i "
	        "/ %ld - %ld, state);\n",
	        nx * ny * nz, k, k, nx, h[0], nx, ny, h[1], nx * ny, h[2]);
	put_counters(w);
	put(w, "\t}\n\t}\n\tEXPR_BARRIER;\n");
}

static void put_begin(struct writer *w)
{
	const int *t = w->source->tile;
	const long size[3] = {t[0], t[1], t[2]};

	put(w,
	        "EXPR_ENTRY(arguments)\n{\n"
	        "\tconst i64 bx = (args.w[%d] + %d) / %d, by = (args.w[%d] + %d) / %d, block = "
	        "EXPR_BLOCK_ID;\n"
	        "\ttile t;\n\tt.x = block %% bx * %d;\n\tt.y = block / bx %% by * %d;\n"
	        "\tt.z = args.w[%d] + block / (bx * by) * %d;\n",
	        W_N, t[0] - 1, t[0], W_N + 1, t[1] - 1, t[1], t[0], t[1], W_FROM, t[2]);

	for (int d = 0; d < 3; d++)
		put(w, "\tt.e%c = t.%c + %d < args.w[%d] ? t.%c + %d : args.w[%d];\n", "xyz"[d], "xyz"[d],
		        t[d], (2 == d) ? W_TO : W_N + d, "xyz"[d], t[d], (2 == d) ? W_TO : W_N + d);

	for (int k = 0; k < w->st->n; k++)
		if (w->shared[k])
			put(w, "\tEXPR_SHARED u64 room%d[%ld];\n\tt.s%d = (%s *)room%d;\n", k,
			        (region(&w->st->stages[k], size) * (long)dtype_size(w->st->stages[k].type) +
			                7) /
			                8,
			        k, expr_work_type(w->st->stages[k].type), k);

	for (int k = 0; k < w->source->reductions; k++)
		put(w, "\tEXPR_KEEP(accumulator, kept%d);\n", k);
}

/** The last phase: results, and what is left of the threads' sums. */
static void put_results(struct writer *w)
{
	const struct stencil_source *x = w->source;
	const int *t = x->tile;

	put(w, "\t{\n\tEACH_THREAD(thread)\n\t{\n");
	put_state(w);
	put(w,
	        "\t\tfor (int i = (int)thread; i < %d; i += EXPR_THREADS) {\n"
	        "\t\t\tconst i64 x = t.x + i %% %d, y = t.y + i / %d %% %d, z = t.z + i / %d;\n"
	        "\t\t\tif (x < t.ex && y < t.ey && z < t.ez)\n\t\t\t\tfinish(args, t, x, y, z, "
	        "state);\n\t\t}\n",
	        t[0] * t[1] * t[2], t[0], t[0], t[1], t[0] * t[1]);

	for (int k = 0; k < x->reductions; k++)
		put(w, "\t\tEXPR_KEPT(kept%d, thread) = state.sum%d;\n", k, k);

	put_counters(w);
	put(w, "\t}\n\t}\n");

	if (0 < x->reductions)
		put(w,
		        "\tEXPR_SHARED accumulator shared[EXPR_THREADS];\n"
		        "\taccumulator *const out = (accumulator *)address_of(args.w[%d]) + block * %d;\n",
		        EXPR_ACCUMULATORS, x->reductions);

	for (int k = 0; k < x->reductions; k++)
		put(w,
		        "\tEXPR_FOLD(shared, kept%d, %d)\n\t{\n\tEACH_THREAD(thread)\n\t{\n\t\tif (0 == "
		        "thread)\n"
		        "\t\t\tout[%d] = shared[0];\n\t}\n\t}\n\tEXPR_BARRIER;\n",
		        k, x->how[k], k);

	put(w, "}\n");
}

static bool put_last(struct writer *w)
{
	bool fits = true;

	put_functions(w);

	for (int k = 0; k < w->st->n; k++)
		if (w->shared[k]) {
			fits = (w->st->stages[k].is_source || put_stage(w, k)) && fits;
			put_element(w, k);
		}

	fits = put_finish(w) && fits;
	put_begin(w);

	for (int k = 0; k < w->st->n; k++)
		if (w->shared[k])
			put_phase(w, k);

	put_results(w);

	return fits;
}

static bool put_kernels(struct writer *w)
{
	struct stencil_source *x = w->source;
	bool fits = true;

	x->kernel = mem_calloc((size_t)w->st->n + 1, sizeof *x->kernel);

	for (int k = 0; k < w->st->n && fits; k++) {
		if (!x->kept[k])
			continue;

		w->s = (struct str){0};
		fits = put_kept(w, k);
		x->kernel[x->kernels++] = (struct stencil_kernel){k, w->s.data};
	}

	w->s = (struct str){0};
	fits = fits && put_last(w);
	x->kernel[x->kernels++] = (struct stencil_kernel){-1, w->s.data};

	return fits;
}

/** Values between elements have no kernels. */
static bool has_samples(const struct expr_pass *q)
{
	for (int i = 0; i < q->n; i++)
		if (STEP_SAMPLE == q->steps[i].kind)
			return true;

	return false;
}

struct stencil_source *stencil_source_create(
        const struct stencil *s, const struct stencil_work *work, bool aligned)
{
	struct stencil_source *x = NEW(struct stencil_source);
	const struct expr_pass *q = s->pass;
	struct writer w = {.source = x, .st = s, .work = work, .g = &s->plan->g, .aligned = aligned};

	x->s = s;
	x->reductions = q->reductions;
	x->counters = s->plan->nout + s->plan->checks;
	x->how = mem_calloc((size_t)q->reductions + 1, sizeof *x->how);
	x->kept = mem_calloc((size_t)s->n + 1, sizeof *x->kept);
	w.shared = mem_calloc((size_t)s->n + 1, sizeof *w.shared);

	for (int i = 0; i < q->n; i++)
		if (STEP_REDUCE == q->steps[i].kind)
			x->how[q->steps[i].id] = expr_fold_of(q->steps[i].reduction, q->steps[i].work);

	number_words(x);
	choose_tile(&w);
	place_stages(&w);

	const bool fits = !has_samples(q) && x->words <= WORDS_MOST && put_kernels(&w);

	free(w.shared);

	if (fits)
		return x;

	stencil_source_free(x);

	return NULL;
}

void stencil_source_free(struct stencil_source *x)
{
	if (NULL == x)
		return;

	for (int k = 0; k < x->kernels; k++)
		free(x->kernel[k].text);

	free(x->kernel);
	free(x->scalar);
	free(x->how);
	free(x->kept);
	free(x);
}
