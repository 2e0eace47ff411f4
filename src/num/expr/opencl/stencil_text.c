/** The source of kernels for a pass with neighbourhoods in OpenCL C. */

#include "num/expr/opencl/stencil_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "num/expr/gpu/stencil_slides.h"
#include "num/expr/opencl/expr_text.h"
#include "num/expr/windows/box.h"
#include "num/expr/windows/sampler.h"
#include "num/expr/windows/window.h"

/** Places in `words`. */
enum {
	W_N = 0, // extents along dims 0 to 2
	W_FROM = W_N + 3,
	W_TO,
	W_ROWS, // of a part
	W_GRID, // origin and spacing of dims 0 to 2
	W_BASES = W_GRID + 6,
	W_OPERAND = 4, // per operand: base, steps along dims 0 to 2 [bytes]
	// per sampler: the same, and of dims 0 to 2: extents, padding, origins, spacings
	S_N = W_OPERAND,
	S_PAD = S_N + 3,
	S_ORIGIN = S_PAD + 3,
	S_SPACING = S_ORIGIN + 3,
	W_SAMPLER = S_SPACING + 3
};

/** Most buffers of a kernel, and about how many elements a part has. */
enum { BUFFERS_MOST = 24, PART = 2048 };

struct writer {
	struct str s;
	struct stencil_text *t;
	const struct stencil *st;
	const struct stencil_work *work;
	const struct graph *g;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&w->s, fmt, ap);
	va_end(ap);
}

/* ---- buffers ---- */

int stencil_text_output(const struct stencil *s, int k)
{
	return s->plan->nin + k;
}

int stencil_text_stage(const struct stencil *s, int k)
{
	return s->plan->nin + s->plan->nout + k;
}

long stencil_text_stored(const struct stencil_text *t, int stage, long slices)
{
	const long *h = t->s->stages[stage].halo, *n = t->s->dims;

	return (n[0] + 2 * h[0]) * (n[1] + 2 * h[1]) * (slices + 2 * h[2]);
}

long stencil_text_parts(const struct stencil_text *t)
{
	return (t->s->dims[1] + t->rows - 1) / t->rows;
}

static int find_sampler(const struct stencil_text *t, int id)
{
	int k = 0;

	while (k < t->samplers && id != t->sampler[k])
		k++;

	return k;
}

static void find_samplers(struct stencil_text *t)
{
	const struct expr_pass *q = t->s->pass;

	t->sampler = mem_calloc((size_t)q->n + 1, sizeof *t->sampler);

	for (int i = 0; i < q->n; i++)
		if (STEP_SAMPLE == q->steps[i].kind && t->samplers == find_sampler(t, q->steps[i].id))
			t->sampler[t->samplers++] = q->steps[i].id;
}

static void find_buffers(struct stencil_text *t)
{
	const struct stencil *s = t->s;

	t->all = stencil_text_stage(s, s->n) + t->samplers;
	t->used = mem_calloc((size_t)t->all + 1, sizeof *t->used);

	for (int k = 0; k < s->n; k++) {
		const struct node *n = &s->plan->g.nodes[s->stages[k].node];

		if (!s->stages[k].is_source)
			t->used[stencil_text_stage(s, k)] = true;
		else if (NODE_INPUT == n->kind)
			t->used[n->id] = true;
	}

	for (int i = 0; i < s->pass->n; i++)
		if (STEP_STORE == s->pass->steps[i].kind)
			t->used[stencil_text_output(s, s->pass->steps[i].id)] = true;

	for (int k = 0; k < t->samplers; k++)
		t->used[stencil_text_stage(s, s->n) + k] = true;

	for (int k = 0; k < t->all; k++)
		t->buffers += t->used[k];
}

/* ---- words ---- */

static long base_word(int buffer)
{
	return W_BASES + (long)W_OPERAND * buffer;
}

static long sampler_word(const struct stencil_text *t, int k)
{
	return base_word(stencil_text_stage(t->s, 0)) + (long)W_SAMPLER * k;
}

static void need_word(struct stencil_text *t, int arg)
{
	if (arg < 0 && t->word[-1 - arg] < 0)
		t->word[-1 - arg] = (int)t->words++;
}

static void number_words(struct stencil_text *t)
{
	const struct stencil *s = t->s;

	t->word = mem_alloc(((size_t)s->plan->g.n + 1) * sizeof *t->word);
	t->words = sampler_word(t, t->samplers);

	for (int i = 0; i < s->plan->g.n; i++)
		t->word[i] = -1;

	for (int k = 0; k <= s->n; k++) {
		const struct stencil_program *p = (k < s->n) ? &s->stages[k].program : &s->last;

		for (int i = 0; i < p->n; i++)
			for (int j = 0; j < p->steps[i].args; j++)
				need_word(t, p->steps[i].arg[j]);
	}

	for (int i = 0; i < s->pass->n; i++)
		for (int j = 0; STEP_REDUCE == s->pass->steps[i].kind && j < s->pass->steps[i].args; j++)
			need_word(t, s->pass->steps[i].arg[j]);
}

static void fill_sampler(const struct sampler *s, long base, int64_t *words)
{
	const struct sampler_data a = sampler_data(s);

	words[0] = base;

	for (int d = 0; d < 3; d++) {
		words[1 + d] = a.strs[d];
		words[S_N + d] = a.n[d];
		words[S_PAD + d] = a.pad[d];
		memcpy(&words[S_ORIGIN + d], &a.origin[d], sizeof(double));
		memcpy(&words[S_SPACING + d], &a.spacing[d], sizeof(double));
	}
}

void stencil_text_fill(const struct stencil_text *t, const struct stencil_work *w,
        const struct stencil_slab *slab, const unsigned char (*scalars)[16], int64_t *words)
{
	const struct stencil *s = t->s;

	words[W_FROM] = slab->from;
	words[W_TO] = slab->to;
	words[W_ROWS] = t->rows;

	for (int d = 0; d < 3; d++) {
		words[W_N + d] = s->dims[d];
		memcpy(&words[W_GRID + 2 * d], &s->plan->origin[d], sizeof(double));
		memcpy(&words[W_GRID + 2 * d + 1], &s->plan->spacing[d], sizeof(double));
	}

	for (int k = 0; k < s->plan->nin + s->plan->nout; k++) {
		const bool in = k < s->plan->nin;
		const long *strs = in ? w->in[k].strs : w->out[k - s->plan->nin].strs;

		words[base_word(k)] = slab->base[k];

		for (int d = 0; d < 3; d++)
			words[base_word(k) + 1 + d] = strs[d];
	}

	for (int k = 0; k < t->samplers; k++)
		fill_sampler(w->samplers[t->sampler[k]], slab->base[stencil_text_stage(s, s->n) + k],
		        words + sampler_word(t, k));

	for (int i = 0; i < s->plan->g.n; i++)
		if (0 <= t->word[i])
			memcpy(&words[t->word[i]], scalars[i], sizeof *words);
}

/* ---- reading stages ---- */

static const char *type_of(const struct writer *w, int node)
{
	return expr_text_work_type(w->g->nodes[node].type);
}

static void put_edge(struct writer *w)
{
	put(w,
	        "DEVICE_FN long edge(long i, long n)\n{\n\tif (1 == n || (0 <= i && i < n))\n"
	        "\t\treturn (1 == n) ? 0 : i;\n\t%s\n}\n",
	        stencil_edge_text(w->st->plan->edge));
}

/** Moves a position into the arrays; coordinates are -1 where the rule gives no element. */
static void put_edges(struct writer *w)
{
	put(w, "\tx = edge(x, words[%d]);\n\ty = edge(y, words[%d]);\n\tz = edge(z, words[%d]);\n", W_N,
	        W_N + 1, W_N + 2);
}

/** The address of an element of an operand. */
static void put_address(struct str *s, int buffer, enum dtype type)
{
	const long at = base_word(buffer);

	str_printf(s,
	        "*(__global %s *)(b%d + (words[%ld] + x * words[%ld] + y * words[%ld] + z * words[%ld]))",
	        expr_text_memory_type(type), buffer, at, at + 1, at + 2, at + 3);
}

/** inside_K(): an input, index variable or coordinate at a position that edge() gives. It has no branches:
 * compilers take long for programs of hundreds of branches. */
static void put_source(struct writer *w, int k)
{
	const struct node *n = &w->g->nodes[w->st->stages[k].node];
	const bool none = EXPR_EDGE_ZERO == w->st->plan->edge;

	put(w, "DEVICE_FN %s inside_%d(GIVEN, long x, long y, long z)\n{\n",
	        type_of(w, w->st->stages[k].node), k);

	if (none)
		put(w, "\tconst truth none = (x | y | z) < 0;\n\tx = none ? 0 : x;\n"
		       "\ty = none ? 0 : y;\n\tz = none ? 0 : z;\n");

	put(w, "\tconst %s v = ", type_of(w, w->st->stages[k].node));

	if (NODE_INPUT == n->kind) {
		const enum dtype type = w->work->in[n->id].type;

		put(w, "%s", expr_text_convert_head(n->type, type));
		put_address(&w->s, n->id, type);
		put(w, ");\n");
	} else if (NODE_INDEX == n->kind) {
		put(w, "(%s)%c;\n", expr_text_work_type(n->type), "xyz"[n->id]);
	} else {
		put(w, "(%s)(as_double(words[%d]) + as_double(words[%d]) * (f64)%c);\n",
		        expr_text_work_type(n->type), W_GRID + 2 * n->id, W_GRID + 2 * n->id + 1,
		        "xyz"[n->id]);
	}

	put(w, none ? "\treturn none ? 0 : v;\n}\n" : "\treturn v;\n}\n");
}

/** at_K(): the value of a stage where a program reads it. */
static void put_reader(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	const long *h = a->halo;

	if (a->is_source)
		put_source(w, k);

	put(w, "DEVICE_FN %s at_%d(GIVEN, long x, long y, long z)\n{\n", type_of(w, a->node), k);

	if (a->is_source) {
		put_edges(w);
		put(w, "\treturn inside_%d(PASSED, x, y, z);\n", k);
	} else {
		put(w,
		        "\treturn AT(%s, b%d, 0)[((z - words[%d] + %ld) * (words[%d] + %ld) + y + %ld) * "
		        "(words[%d] + %ld) + x + %ld];\n",
		        expr_text_work_type(a->type), stencil_text_stage(w->st, k), W_FROM, h[2], W_N + 1,
		        2 * h[1], h[1], W_N, 2 * h[0], h[0]);
	}

	put(w, "}\n");
}

/* ---- samplers ---- */

/** sample_K(): the value of sampler K at a position [mm] (library.cl, in the order of
 * num/expr/windows/sampler.c). */
static void put_sampler(struct writer *w, int k)
{
	static const char *const names[] = {
	        [SAMPLER_NEAREST] = "NEAREST", [SAMPLER_LINEAR] = "LINEAR", [SAMPLER_CUBIC] = "CUBIC"};
	const int id = w->t->sampler[k];
	const enum sampler_method m = sampler_method_of(id);
	const enum dtype in = w->work->in[id % EXPR_OPERANDS].type;

	put(w, "SAMPLE_%s(sample_%d, %s, %s, b%d, words + %ld)\n", names[m], k,
	        expr_text_work_type(sampler_type(m, in)), expr_text_memory_type(sampler_element(m, in)),
	        stencil_text_stage(w->st, w->st->n) + k, sampler_word(w->t, k));
}

/* ---- programs ---- */

/** "a, b, c", each as the widest type where `wide`. */
static void put_list(struct writer *w, const struct stencil_step *t, long slide, bool wide)
{
	for (int k = 0; k < t->args; k++) {
		put(w, "%s%s", k ? ", " : "", wide ? "(wide)" : "");

		if (t->arg[k] < 0)
			expr_text_word(&w->s, w->t->word[-1 - t->arg[k]], w->g->nodes[-1 - t->arg[k]].type);
		else
			stencil_put_name(&w->s, t->arg[k], slide + t->slide[k]);
	}
}

static void put_operands(struct writer *w, const struct stencil_step *t, long slide, bool wide)
{
	put(w, "(");
	put_list(w, t, slide, wide);
	put(w, ")");
}

static void put_operator(struct writer *w, const struct stencil_step *t, long slide)
{
	const struct node *n = &w->g->nodes[t->node];

	if (NODE_CONVERT == n->kind) {
		put(w, "%s", expr_text_convert_head(n->type, n->work));
		put_operands(w, t, slide, false);
		put(w, ")");
		return;
	}

	if (NODE_SAMPLE == n->kind) {
		put(w, "sample_%d(PASSED, ", find_sampler(w->t, n->id));
		put_list(w, t, slide, false);
		put(w, ")");
		return;
	}

	put(w, "el_%s_%s", op_name((enum op)n->id), expr_text_work_type(n->work));

	if (n->fused)
		put(w, "(el_%s_%s", op_name(n->inner), expr_text_work_type(n->work));

	put_operands(w, t, slide, false);
	put(w, n->fused ? ")" : "");
}

/** Counts a value outside a domain, of the slab's own elements. */
static void put_check(struct writer *w, const struct stencil_step *t, long slide)
{
	const int check = w->st->plan->check_of[t->node];

	if (check < 0 || 0 != slide)
		return;

	put(w, "\tif (own && outside_%s", op_name((enum op)w->g->nodes[t->node].id));
	put_operands(w, t, slide, true);
	put(w, ")\n\t\tatomic_inc(counters + %d);\n", w->st->plan->nout + check);
}

static long count_values(const struct slides *s, int n)
{
	long count = 0;

	for (int i = 0; i < n; i++)
		count += s[i].n;

	return count;
}

/** The name of the position of sources at a distance along dim d. */
static void put_position(struct writer *w, int d, long shift)
{
	put(w, "%c_%s%ld", "xyz"[d], (shift < 0) ? "m" : "", labs(shift));
}

/** Defines the positions along dim d at which a program reads sources, each once. */
static void put_positions(struct writer *w, const struct stencil_program *p, const struct slides *s, int d)
{
	long *known = mem_calloc((size_t)count_values(s, p->n) + 1, sizeof *known), n = 0;

	for (int i = 0; i < p->n; i++) {
		const struct stencil_leaf *l = (0 <= p->steps[i].leaf) ? &p->leaf[p->steps[i].leaf] : NULL;

		for (int j = 0; NULL != l && w->st->stages[l->stage].is_source && j < s[i].n; j++) {
			const long shift = (0 == d) ? s[i].at[j] : l->shift[d];
			long k = 0;

			while (k < n && shift != known[k])
				k++;

			if (k < n)
				continue;

			known[n++] = shift;
			put(w, "\tconst long ");
			put_position(w, d, shift);
			put(w, " = edge(%c + %ld, words[%d]);\n", "xyz"[d], shift, W_N + d);
		}
	}

	free(known);
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

		if (w->st->stages[l->stage].is_source) {
			put(w, "inside_%d(PASSED, ", l->stage);
			put_position(w, 0, slide);
			put(w, ", ");
			put_position(w, 1, l->shift[1]);
			put(w, ", ");
			put_position(w, 2, l->shift[2]);
			put(w, ")");
		} else {
			put(w, "at_%d(PASSED, x + %ld, y + %d, z + %d)", l->stage, slide, l->shift[1],
			        l->shift[2]);
		}
	} else {
		put_operator(w, t, slide);
	}

	put(w, ";\n");
}

/** All values of a program; false: too many. LLVM's time to find vectors in code without branches grows
 * faster than the square of its length: a median of 33 elements took 10 s. Conditions that never hold, as
 * parts have at least one row, divide long programs. `leave` is the statement that ends a program. */
static bool put_program(struct writer *w, const struct stencil_program *p, const char *leave)
{
	enum { BLOCK = 16, SHORT = 64 };
	struct slides *s = stencil_slides_create(w->st, p);

	if (NULL == s)
		return false;

	const bool divide = count_values(s, p->n) > SHORT;
	long values = 0;

	for (int d = 0; d < 3; d++)
		put_positions(w, p, s, d);

	for (int i = 0; i < p->n; i++)
		for (int j = 0; j < s[i].n; j++) {
			put_step(w, p, i, s[i].at[j]);

			if (divide && 0 == ++values % BLOCK)
				put(w, "\tif (%ld == words[%d])\n\t\t%s;\n", -values, W_ROWS, leave);
		}

	stencil_slides_free(s, p->n);
	return true;
}

/* ---- stages ---- */

/** The functions that join the elements of a box (library.cl): along y, x and z. */
static bool put_box(struct writer *w, int k)
{
	static const char *const joins[] = {[BOX_MEAN] = "add", [BOX_MIN] = "min", [BOX_MAX] = "max"};
	const struct stencil_stage *a = &w->st->stages[k];
	const struct box *b = a->box;
	const char *t = expr_text_work_type(a->type);
	long length[3];

	for (int d = 0; d < 3; d++)
		length[d] = 2 * b->r[d] + 1;

	const long count = length[0] * length[1] * length[2];

	put(w,
	        "#define AT_Y(i) at_%d(PASSED, x, i, z)\n#define AT_X(i) column_%d(PASSED, i, y - %ld, z)\n"
	        "#define AT_Z(i) slice_%d(PASSED, x - %ld, y, i)\n#define JOIN el_%s_%s\n"
	        "JOIN_BLOCKS(column_%d, %s, y, %ld, AT_Y)\nJOIN_HALVES(slice_%d, %s, x, %ld, AT_X)\n"
	        "JOIN_BLOCKS(box_%d, %s, z, %ld, AT_Z)\n#undef AT_X\n#undef AT_Y\n#undef AT_Z\n#undef JOIN\n",
	        a->program.leaf[0].stage, k, b->r[1], k, b->r[0], joins[b->function], t, k, t, length[1], k,
	        t, length[0], k, t, length[2]);
	put(w, "DEVICE_FN %s stage_%d(GIVEN, long x, long y, long z, truth own)\n{\n", t, k);
	put(w,
	        (BOX_MEAN == b->function) ? "\treturn box_%d(PASSED, x, y, z - %ld) / (%s)%ld;\n"
	                                  : "\treturn box_%d(PASSED, x, y, z - %ld);\n",
	        k, b->r[2], t, count);
	put(w, "}\n");
	return count <= STENCIL_WINDOW_MOST;
}

/** The median, bit by bit from the highest, of keys in the order of the elements. */
static bool put_median(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	const struct node *n = &w->g->nodes[a->node];
	struct window v = {.ball = n->id};
	const char *t = expr_text_work_type(a->type);
	long count = 0, lines = 0;

	for (int d = 0; d < 3; d++)
		v.r[d] = v.ball ? n->shift[d] : stencil_reach_of(w->g, n, d);

	put(w, "__constant short window_%d[][3] = {", k);

	for (long z = -v.r[2]; z <= v.r[2]; z++)
		for (long y = -v.r[1]; y <= v.r[1]; y++) {
			const long reach = window_reach(&v, y, z);

			if (reach < 0)
				continue;

			put(w, "%s{%ld, %ld, %ld}", lines++ ? ", " : "", reach, y, z);
			count += 2 * reach + 1;
		}

	put(w,
	        "};\nDEVICE_FN %s stage_%d(GIVEN, long x, long y, long z, truth own)\n{\n"
	        "\tulong median = 0;\n\ttruth bad = 0;\n"
	        "\tfor (int b = %d; b >= 0; b--) {\n\t\tconst ulong trial = median | 1ul << b;\n"
	        "\t\tlong below = 0;\n\t\tfor (int i = 0; i < %ld; i++) {\n"
	        "\t\t\tconst long reach = window_%d[i][0], c = y + window_%d[i][1], d = z + "
	        "window_%d[i][2];\n"
	        "\t\t\tfor (long a = x - reach; a <= x + reach; a++) {\n"
	        "\t\t\t\tconst %s v = at_%d(PASSED, a, c, d);\n\t\t\t\tbad |= v != v;\n"
	        "\t\t\t\tbelow += key_%s(v) < trial;\n\t\t\t}\n\t\t}\n"
	        "\t\tif (below <= %ld)\n\t\t\tmedian = trial;\n\t}\n"
	        "\treturn bad ? (%s)%s : value_%s(median);\n}\n",
	        t, k,
	        (DT_BOOL == a->type)      ? 0
	        : (DT_FLOAT32 == a->type) ? 31
	                                  : 63,
	        lines, k, k, k, t, a->program.leaf[0].stage, t, count / 2, t,
	        expr_text_is_real(a->type) ? "NAN" : "0", t);
	return count <= STENCIL_WINDOW_MOST;
}

/** stage_K(): how the elements of a stage are computed. */
static bool put_stage(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];

	if (NULL != a->box)
		return put_box(w, k);

	if (NULL != a->median)
		return put_median(w, k);

	put(w, "DEVICE_FN %s stage_%d(GIVEN, long x, long y, long z, truth own)\n{\n",
	        expr_text_work_type(a->type), k);

	const bool fits = put_program(w, &a->program, "return 0");

	put(w, "\treturn ");
	stencil_put_name(&w->s, a->program.root[0].step, a->program.root[0].slide);
	put(w, ";\n}\n");
	return fits;
}

/** element_K(): the value of a stage in its array; beyond the borders by the edge rule. */
static void put_element(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	const bool open = a->is_virtual || EXPR_EDGE_WRAP == w->st->plan->edge;

	put(w, "DEVICE_FN %s element_%d(GIVEN, long x, long y, long z)\n{\n", expr_text_work_type(a->type),
	        k);
	put(w,
	        "\tconst truth own = 0 <= x && x < words[%d] && 0 <= y && y < words[%d] && words[%d] <= z && "
	        "z < words[%d];\n",
	        W_N, W_N + 1, W_FROM, W_TO);

	if (!open) {
		put_edges(w);
		put(w, "\tif ((x | y | z) < 0)\n\t\treturn 0;\n");
	}

	put(w, "\treturn stage_%d(PASSED, x, y, z, own);\n}\n", k);
}

/* ---- kernels ---- */

/** What functions take and pass on: GIVEN and PASSED. */
static void put_parameters(struct writer *w)
{
	put(w, "#define GIVEN __global const long *words, __global uint *counters");

	for (int k = 0; k < w->t->all; k++)
		if (w->t->used[k])
			put(w, ", __global uchar *b%d", k);

	put(w, "\n#define PASSED words, counters");

	for (int k = 0; k < w->t->all; k++)
		if (w->t->used[k])
			put(w, ", b%d", k);

	put(w, "\n");
}

static void put_kernel(struct writer *w, const char *name, int number)
{
	put(w, number < 0 ? "__kernel void %s(" : "__kernel void %s%d(", name, number);
	put(w, "__global const long *words, long words_at, __global uint *counters, long counters_at,\n"
	       "\t__global total *sums, long sums_at");

	for (int k = 0; k < w->t->all; k++)
		if (w->t->used[k])
			put(w, ", __global uchar *b%d, long b%d_at", k, k);

	put(w, ")\n{\n\twords = AT(const long, words, words_at);\n"
	       "\tcounters = AT(uint, counters, counters_at);\n\tsums = AT(total, sums, sums_at);\n");

	for (int k = 0; k < w->t->all; k++)
		if (w->t->used[k])
			put(w, "\tb%d += b%d_at;\n", k, k);
}

/** gantry_stageK(): a work-item for each element of the array. */
static void put_stage_kernel(struct writer *w, int k)
{
	const struct stencil_stage *a = &w->st->stages[k];
	const long *h = a->halo;

	put_kernel(w, "gantry_stage", k);
	put(w,
	        "\tconst long nx = words[%d] + %ld, ny = words[%d] + %ld, nz = words[%d] - words[%d] + %ld, "
	        "i = get_global_id(0);\n"
	        "\tif (i < nx * ny * nz)\n\t\tAT(%s, b%d, 0)[i] = element_%d(PASSED, i %% nx - %ld, "
	        "i / nx %% ny - %ld, i / (nx * ny) - %ld + words[%d]);\n}\n",
	        W_N, 2 * h[0], W_N + 1, 2 * h[1], W_TO, W_FROM, 2 * h[2], expr_text_work_type(a->type),
	        stencil_text_stage(w->st, k), k, h[0], h[1], h[2], W_FROM);
}

static void put_root(struct str *s, const struct writer *w, int node)
{
	const struct stencil_root *r = stencil_root_of(&w->st->last, node);

	stencil_put_name(s, r->step, r->slide);
}

static void put_store(struct writer *w, const struct step *s)
{
	const enum dtype type = w->work->out[s->id].type;
	struct str place = {0}, value = {0};

	put_address(&place, stencil_text_output(w->st, s->id), type);
	put_root(&value, w, s->node);
	expr_text_store(&w->s, place.data, type, value.data, s->work, s->id);
	free(place.data);
	free(value.data);
}

static void put_reduction(struct writer *w, const struct step *s)
{
	const struct node *n = &w->g->nodes[s->node];

	put(w, "\tsum%d = red_%s(sum%d, ", s->id, reduction_name(s->reduction), s->id);

	if (s->fused)
		put(w, "(wide)el_%s_%s(", op_name(s->inner), expr_text_work_type(s->work));

	for (int k = 0; k < n->args; k++) {
		put(w, "%s%s", k ? ", " : "", s->fused ? "" : "(wide)");

		if (s->arg[k] < 0)
			expr_text_word(&w->s, w->t->word[-1 - s->arg[k]], s->work);
		else
			put_root(&w->s, w, n->arg[k]);
	}

	put(w, s->fused ? "));\n" : ");\n");
}

static bool put_results(struct writer *w)
{
	const struct expr_pass *q = w->st->pass;

	put_kernel(w, "gantry_results", -1);
	put(w,
	        "\tconst truth own = 1;\n\tconst long part = get_group_id(0), parts = (words[%d] + words[%d] "
	        "- "
	        "1) / words[%d];\n"
	        "\tconst long top = part %% parts * words[%d], z = words[%d] + part / parts;\n"
	        "\tconst long count = min(words[%d], words[%d] - top) * words[%d];\n",
	        W_N + 1, W_ROWS, W_ROWS, W_ROWS, W_FROM, W_ROWS, W_N + 1, W_N);
	expr_text_begin_counts(&w->s, w->st->plan->nout);
	expr_text_begin_folds(&w->s, q);
	put(w,
	        "\tfor (long i = t; i < count; i += THREADS) {\n"
	        "\tconst long x = i %% words[%d], y = top + i / words[%d];\n",
	        W_N, W_N);

	const bool fits = put_program(w, &w->st->last, "break");

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			put_store(w, &q->steps[i]);
		else if (STEP_REDUCE == q->steps[i].kind)
			put_reduction(w, &q->steps[i]);

	put(w, "\t}\n");
	expr_text_add_counts(&w->s, w->st->plan->nout);
	expr_text_folds(&w->s, q);
	put(w, "}\n");
	return fits;
}

static bool put_all(struct writer *w)
{
	bool fits = true;

	put_parameters(w);
	put_edge(w);

	for (int k = 0; k < w->t->samplers; k++)
		put_sampler(w, k);

	for (int k = 0; k < w->st->n; k++)
		put_reader(w, k);

	for (int k = 0; k < w->st->n && fits; k++) {
		if (w->st->stages[k].is_source)
			continue;

		fits = put_stage(w, k);
		put_element(w, k);
		put_stage_kernel(w, k);
	}

	return fits && put_results(w);
}

/* ---- which passes are supported ---- */

static bool is_value(enum dtype t)
{
	return expr_text_is_real(t) || DT_BOOL == t;
}

/** Types of stages; integers are read, joined in windows and stored. */
static bool is_number(enum dtype t)
{
	return is_value(t) || DT_INT64 == t || DT_UINT64 == t;
}

static bool can_read(const struct stencil *s, const struct stencil_work *w, const struct stencil_stage *a)
{
	const struct node *n = &s->plan->g.nodes[a->node];

	return NODE_INPUT == n->kind ? expr_text_is_stored(w->in[n->id].type)
	                             : is_value(n->type) && n->id < 3 &&
	                                       (NODE_INDEX == n->kind || expr_text_is_real(DT_FLOAT64));
}

static bool can_sample(const struct stencil_work *w, const struct node *n)
{
	const enum sampler_method m = sampler_method_of(n->id);
	const enum dtype in = w->in[n->id % EXPR_OPERANDS].type, from = sampler_element(m, in);

	return expr_text_is_real(DT_FLOAT64) && expr_text_is_real(sampler_type(m, in)) &&
	       (expr_text_is_real(from) || DT_UINT8 == from || DT_UINT16 == from || DT_INT16 == from);
}

static bool can_compute(
        const struct stencil *s, const struct stencil_work *w, const struct stencil_program *p)
{
	for (int i = 0; i < p->n; i++) {
		const struct node *n = &s->plan->g.nodes[p->steps[i].node];
		const bool converts = NODE_CONVERT == n->kind;

		if ((0 <= p->steps[i].leaf && is_number(n->type)) ||
		        (NODE_SAMPLE == n->kind && can_sample(w, n)))
			continue;

		if (converts ? !is_value(n->type) || !is_number(n->work)
		             : !is_number(n->type) || NODE_OP != n->kind)
			return false;

		if (!converts && (!expr_text_can_apply((enum op)n->id, n->work) ||
		                         (n->fused && !expr_text_can_apply(n->inner, n->work))))
			return false;
	}

	return true;
}

static bool can_express(const struct stencil *s, const struct stencil_work *w)
{
	const struct expr_pass *q = s->pass;

	for (int k = 0; k < s->n; k++) {
		const struct stencil_stage *a = &s->stages[k];

		if (!is_number(a->type) ||
		        (a->box && BOX_MEAN == a->box->function && !expr_text_is_real(a->type)) ||
		        !(a->is_source ? can_read(s, w, a) : can_compute(s, w, &a->program)))
			return false;
	}

	for (int i = 0; i < q->n; i++) {
		const struct step *t = &q->steps[i];

		if (STEP_REDUCE == t->kind && !expr_text_can_step(s->plan, t))
			return false;

		if (STEP_STORE == t->kind && !(is_number(t->work) && expr_text_is_stored(w->out[t->id].type)))
			return false;
	}

	return can_compute(s, w, &s->last);
}

struct stencil_text *stencil_text_create(const struct stencil *s, const struct stencil_work *work)
{
	struct stencil_text *t = NEW(struct stencil_text);
	struct writer w = {.t = t, .st = s, .work = work, .g = &s->plan->g};

	t->s = s;
	t->rows = max_long(1, PART / max_long(1, s->dims[0]));
	find_samplers(t);
	find_buffers(t);
	number_words(t);

	const bool fits = can_express(s, work) && t->buffers <= BUFFERS_MOST && put_all(&w);

	t->text = w.s.data;

	if (fits)
		return t;

	stencil_text_free(t);
	return NULL;
}

void stencil_text_free(struct stencil_text *t)
{
	if (NULL == t)
		return;

	free(t->text);
	free(t->word);
	free(t->sampler);
	free(t->used);
	free(t);
}
