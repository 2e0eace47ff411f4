/* The source of a kernel for a pass: num/expr/cuda/expr_fn.h and num/expr/cuda/expr_kernel.h as text,
 * followed by the loads, operations and stores of the pass. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_source.h"

static const char library[] =
#include "expr_library.inc"
        ;

const char *expr_source_library(void)
{
	return library;
}

/** How a lane is read or written. */
enum access {
	ACCESS_VECTOR, // neighbours together
	ACCESS_ONE,    // one for all neighbours of a thread
	ACCESS_EACH,
};

/** What is being written down. */
struct writer {
	struct str s;
	struct expr_source *source;
	const struct loop *l;
	const struct expr_pass *q;
	enum access *access; // per lane
	bool *aligned;       // per lane: elements lie where their units may
	bool positions;      // some lane needs positions
};

const char *expr_memory_type(enum dtype t)
{
	static const char *const names[DT_COUNT] = {[DT_BOOL] = "flag",
	        [DT_INT8] = "int8_t",
	        [DT_INT16] = "int16_t",
	        [DT_INT32] = "int32_t",
	        [DT_INT64] = "int64_t",
	        [DT_UINT8] = "uint8_t",
	        [DT_UINT16] = "uint16_t",
	        [DT_UINT32] = "uint32_t",
	        [DT_UINT64] = "uint64_t",
	        [DT_FLOAT16] = "f16",
	        [DT_FLOAT32] = "f32",
	        [DT_FLOAT64] = "f64",
	        [DT_COMPLEX32] = "c32",
	        [DT_COMPLEX64] = "c64",
	        [DT_COMPLEX128] = "c128"};

	return names[t];
}

const char *expr_work_type(enum dtype t)
{
	switch (t) {
	case DT_BOOL:
		return "bool";
	case DT_INT64:
		return "i64";
	case DT_UINT64:
		return "u64";
	default:
		return expr_memory_type(t);
	}
}

static enum expr_fold fold_of_extreme(bool smallest, enum dtype work)
{
	int type = (DT_UINT64 == work) ? 1 : dtype_is_integer(work) ? 0 : 2;

	return (enum expr_fold)((smallest ? FOLD_MIN_I64 : FOLD_MAX_I64) + type);
}

enum expr_fold expr_fold_of(enum reduction r, enum dtype work)
{
	bool integer = dtype_is_integer(work);

	switch (r) {
	case RED_MIN:
	case RED_ARGMIN:
		return fold_of_extreme(true, work);
	case RED_MAX:
	case RED_ARGMAX:
		return fold_of_extreme(false, work);
	case RED_ANY:
		return FOLD_ANY;
	case RED_ALL:
		return FOLD_ALL;
	case RED_COUNT:
		return FOLD_COUNT;
	case RED_NORM:
	case RED_NORM1:
		return FOLD_FLOAT;
	case RED_PROD:
		return (DT_UINT64 == work)      ? FOLD_PROD_U64
		       : integer                ? FOLD_PROD_I64
		       : dtype_is_complex(work) ? FOLD_PROD_COMPLEX
		                                : FOLD_PROD;
	default:
		return integer ? FOLD_WIDE : FOLD_FLOAT;
	}
}

/* ---- the shape ---- */

static bool is_source(const struct step *s)
{
	return STEP_LOAD == s->kind || STEP_INDEX == s->kind || STEP_COORDINATE == s->kind;
}

static bool is_counted(const struct step *s)
{
	return STEP_INDEX == s->kind || STEP_COORDINATE == s->kind;
}

/** The step that a lane belongs to. */
static const struct step *step_of_lane(const struct expr_pass *q, int lane)
{
	for (int i = 0; i < q->n; i++)
		if (lane == q->steps[i].lane)
			return &q->steps[i];

	return NULL;
}

static size_t lane_size(const struct lane *a)
{
	return dtype_size(a->type);
}

int expr_same_lane(const struct loop *l, char *const base[], int lane)
{
	const struct lane *a = &l->lanes[lane];

	for (int k = 0; k < lane && lane < l->pass->loads; k++) {
		const struct lane *b = &l->lanes[k];

		if (base[k] == base[lane] && a->type == b->type && a->swapped == b->swapped &&
		        0 == memcmp(a->strs, b->strs, sizeof a->strs))
			return k;
	}

	return lane;
}

static bool is_unit(const struct lane *a)
{
	return a->step == (long)lane_size(a);
}

/** Whether all neighbours of a thread lie in one line: the first is at a multiple of `vector`. */
static bool lines_hold(const struct loop *l, int vector)
{
	for (int k = 0; k < l->pass->lanes; k++)
		if (!l->lanes[k].along)
			return 0 == l->dims[0] % vector;

	return true;
}

/** Whether the lines of a lane begin at multiples of so many bytes. */
static bool begins_at(const struct loop *l, const struct lane *a, const char *base, size_t bytes)
{
	size_t bits = (size_t)base;

	for (int d = 1; !a->along && d < l->D; d++)
		bits |= (size_t)a->strs[d];

	return 0 == bits % bytes;
}

/** Whether accesses of that many neighbours would all be aligned. */
static bool is_aligned(const struct loop *l, const struct lane *a, const char *base, int vector)
{
	return begins_at(l, a, base, lane_size(a) * (size_t)vector);
}

/** The most that 16 bytes hold of the widest type that is read or written in a row. */
static int choose_vector(const struct loop *l, char *const base[])
{
	const struct expr_pass *q = l->pass;
	size_t widest = 2;
	int vector;

	for (int k = 0; k < q->lanes; k++)
		if (!is_counted(step_of_lane(q, k)) && is_unit(&l->lanes[k]) &&
		        lane_size(&l->lanes[k]) > widest)
			widest = lane_size(&l->lanes[k]);

	vector = 16 / (int)widest;

	if (!lines_hold(l, vector))
		return 1;

	for (int k = 0; k < q->lanes && 0 == q->reductions; k++) // sums keep their order
		if (!is_counted(step_of_lane(q, k)) && is_unit(&l->lanes[k]) &&
		        !is_aligned(l, &l->lanes[k], base[k], vector))
			return 1;

	return vector;
}

static int choose_unroll(const struct expr_pass *q, int vector)
{
	int values = q->lanes * vector;

	return (values > 48) ? 1 : (1 == vector && values <= 8) ? 4 : 2;
}

static enum access choose_access(const struct writer *w, int lane, const char *base)
{
	const struct lane *a = &w->l->lanes[lane];
	const struct step *s = step_of_lane(w->q, lane);

	if (STEP_STORE != s->kind && 0 == a->step)
		return ACCESS_ONE;

	if (is_counted(s) || !is_unit(a) || !is_aligned(w->l, a, base, w->source->vector))
		return ACCESS_EACH;

	return ACCESS_VECTOR;
}

long expr_source_part(const struct expr_source *s, long count)
{
	long part = (long)EXPR_THREADS * s->vector * s->unroll;

	while (0 < s->reductions && count / part >= EXPR_BLOCKS)
		part *= 2;

	return part;
}

/* ---- the words of the arguments ---- */

static long dims_word(void)
{
	return EXPR_WORDS;
}

static long lane_word(const struct loop *l, int lane)
{
	return dims_word() + l->D + lane * (l->D + 1l);
}

static long scalars_word(const struct loop *l)
{
	return lane_word(l, l->pass->lanes);
}

/** Places of grids and scalars in the order in which steps name them; returns the number of words. */
static long number_scalars(struct expr_source *x)
{
	const struct loop *l = x->loop;
	const struct expr_pass *q = l->pass;
	long next = scalars_word(l);

	for (int i = 0; i < l->plan->g.n; i++)
		x->scalar[i] = -1;

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_COORDINATE == s->kind) {
			x->grid[i] = (int)next;
			next += 2;
		}

		for (int k = 0; k < s->args; k++) {
			if (s->arg[k] >= 0 || 0 <= x->scalar[-1 - s->arg[k]])
				continue;

			x->scalar[-1 - s->arg[k]] = (int)next;
			next += 2;
		}
	}

	return next;
}

long expr_source_lane_word(const struct loop *l, int lane)
{
	return lane_word(l, lane);
}

int expr_source_grid_word(const struct expr_source *s, int step)
{
	return s->grid[step];
}

int expr_source_scalar_word(const struct expr_source *s, int node)
{
	return s->scalar[node];
}

void expr_source_arguments(const struct expr_source *s, char *const base[], int64_t *words)
{
	const struct loop *l = s->loop;
	const struct expr_pass *q = l->pass;

	for (int d = 0; d < l->D; d++)
		words[dims_word() + d] = l->dims[d];

	for (int k = 0; k < q->lanes; k++) {
		words[lane_word(l, k)] = (int64_t)(size_t)base[k];

		for (int d = 0; d < l->D; d++)
			words[lane_word(l, k) + 1 + d] = l->lanes[k].strs[d];
	}

	for (int i = 0; i < q->n; i++) {
		const struct step *t = &q->steps[i];

		if (STEP_COORDINATE == t->kind) {
			memcpy(&words[s->grid[i]], &l->plan->origin[t->id], sizeof(double));
			memcpy(&words[s->grid[i] + 1], &l->plan->spacing[t->id], sizeof(double));
		}
	}

	for (int i = 0; i < l->plan->g.n; i++)
		if (0 <= s->scalar[i])
			memcpy(&words[s->scalar[i]], l->scalars[i], 16);
}

/* ---- text ---- */

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&w->s, fmt, ap);
	va_end(ap);
}

/** "p0 * stride + ...", the lane's offset at the position, or of element i. */
static void put_offset(struct writer *w, int lane)
{
	const struct lane *a = &w->l->lanes[lane];
	bool any = false;

	if (a->along) {
		if (is_unit(a) && !is_counted(step_of_lane(w->q, lane)))
			put(w, "i * %zu", lane_size(a));
		else if (0 == a->step)
			put(w, "0");
		else
			put(w, "i * args.w[%ld]", lane_word(w->l, lane) + 1);

		return;
	}

	for (int d = 0; d < w->l->D; d++) {
		if (0 == a->strs[d])
			continue;

		put(w, "%sp%d * args.w[%ld]", any ? " + " : "", d, lane_word(w->l, lane) + 1 + d);
		any = true;
	}
}

static void put_positions(struct writer *w)
{
	if (!w->positions)
		return;

	put(w, "\t\tplace q = (place)i;\n");

	for (int d = 0; d < w->l->D; d++) {
		if (d + 1 == w->l->D)
			put(w, "\t\tconst i64 p%d = q;\n", d);
		else
			put(w, "\t\tconst i64 p%d = q %% (place)args.w[%ld];\n\t\tq /= (place)args.w[%ld];\n",
			        d, dims_word() + d, dims_word() + d);
	}
}

/** Memory of a lane, `vector` times `unroll` of them. */
static void put_declarations(struct writer *w)
{
	for (int k = 0; k < w->q->lanes; k++) {
		const struct step *s = step_of_lane(w->q, k);

		if (!is_source(s) || k != w->source->same[k])
			continue;

		put(w, "\t%s r%d[%d][%d];\n", is_counted(s) ? "i64" : expr_memory_type(w->l->lanes[k].type),
		        k, w->source->unroll, ACCESS_ONE == w->access[k] ? 1 : w->source->vector);
	}
}

static void put_load(struct writer *w, int lane)
{
	static const char *const readers[2] = {"bytes_at", "element_at"};
	const struct lane *a = &w->l->lanes[lane];
	const struct step *s = step_of_lane(w->q, lane);
	const char *type = expr_memory_type(a->type);
	const bool counted = is_counted(s);
	const int bytes = (int)lane_size(a) * w->source->vector;

	put(w, "\t\t{\n\t\tconst i64 off = ");
	put_offset(w, lane);
	put(w, ";\n");

	if (!counted)
		put(w, "\t\tconst char *p = address_of(args.w[%ld]) + off;\n", lane_word(w->l, lane));

	if (ACCESS_VECTOR == w->access[lane])
		put(w, "\t\tif (FULL || i + %d <= last)\n\t\t\tchunk<%d>::load(r%d[u], p);\n\t\telse ",
		        w->source->vector, bytes, lane);

	if (ACCESS_ONE == w->access[lane])
		put(w, counted ? "\t\tr%d[u][0] = off;\n" : "\t\tr%d[u][0] = %s<%s>(p);\n", lane,
		        readers[w->aligned[lane]], type);
	else if (counted)
		put(w,
		        "\t\tEXPR_UNROLL\n\t\tfor (int k = 0; k < %d; k++)\n\t\t\tr%d[u][k] = off + k * "
		        "args.w[%ld];\n",
		        w->source->vector, lane, lane_word(w->l, lane) + 1);
	else
		put(w,
		        "\t\t{\n\t\tEXPR_UNROLL\n\t\tfor (int k = 0; k < %d; k++)\n\t\t\tif (FULL || i + k < "
		        "last)\n"
		        "\t\t\t\tr%d[u][k] = %s<%s>(p + k * args.w[%ld]);\n\t\t}\n",
		        w->source->vector, lane, readers[w->aligned[lane]], type, lane_word(w->l, lane) + 1);

	put(w, "\t\t}\n");
}

/** The name of an operand of a step. */
static void put_argument(struct writer *w, const struct step *s, int k, enum dtype type)
{
	if (s->arg[k] >= 0)
		put(w, "v%d", s->arg[k]);
	else if (DT_BOOL == type)
		put(w, "to_bool(value_at<flag>(args.w + %d))", w->source->scalar[-1 - s->arg[k]]);
	else
		put(w, "value_at<%s>(args.w + %d)", expr_work_type(type), w->source->scalar[-1 - s->arg[k]]);
}

static enum dtype argument_type(const struct step *s, int k)
{
	enum op op = s->fused ? s->inner : (enum op)s->id;

	return (STEP_OP == s->kind && OP_SELECT == op && 0 == k) ? DT_BOOL : s->work;
}

static void put_arguments(struct writer *w, const struct step *s)
{
	for (int k = 0; k < s->args; k++) {
		put(w, "%s", k ? ", " : "");
		put_argument(w, s, k, argument_type(s, k));
	}
}

static void put_source_value(struct writer *w, const struct step *s)
{
	const struct lane *a = &w->l->lanes[s->lane];
	const int lane = w->source->same[s->lane];
	const char *k = (ACCESS_ONE == w->access[lane]) ? "0" : "k", *t = expr_work_type(s->type);
	const int grid = w->source->grid[s - w->q->steps];

	if (STEP_COORDINATE == s->kind)
		put(w, "(%s)(value_at<f64>(args.w + %d) + value_at<f64>(args.w + %d) * (f64)r%d[u][%s])", t,
		        grid, grid + 1, lane, k);
	else if (STEP_INDEX == s->kind)
		put(w, "(%s)r%d[u][%s]", t, lane, k);
	else
		put(w, a->swapped ? "to_%s(turned(r%d[u][%s]))" : "to_%s(r%d[u][%s])", t, lane, k);
}

static void put_check(struct writer *w, const struct step *s)
{
	if (s->check < 0)
		return;

	const bool integer = dtype_is_integer(s->work), converted = STEP_CONVERT == s->kind;

	put(w, "\t\t\tstate.counter%d += %s_%s(", w->l->plan->nout + s->check,
	        converted ? "over_to"
	        : integer ? "over"
	                  : "outside",
	        converted ? expr_work_type(s->type) : op_name((enum op)s->id));

	for (int k = 0; k < s->args; k++) {
		put(w, "%s%s", k ? ", " : "", integer ? "" : "(f64)");
		put_argument(w, s, k, s->work);
	}

	put(w, ");\n");
}

static void put_reduction(struct writer *w, const struct step *s)
{
	put(w, "\t\t\tred_%s(state.sum%d, ", reduction_name(s->reduction), s->id);

	if (s->fused)
		put(w, "el_%s(", op_name(s->inner));

	for (int k = 0; k < s->args; k++) {
		put(w, "%s", k ? ", " : "");
		put_argument(w, s, k, s->work);
	}

	put(w, "%s, i + k);\n", s->fused ? ")" : "");
}

static void put_value(struct writer *w, int i)
{
	const struct step *s = &w->q->steps[i];

	const bool wraps =
	        NARROW_WRAP == w->l->plan->rules.narrow && 0 <= s->check && dtype_is_integer(s->type);

	put_check(w, s);
	put(w, "\t\t\tconst %s v%d = ", expr_work_type(s->type), i);

	if (is_source(s)) {
		put_source_value(w, s);
	} else if (STEP_CONVERT == s->kind) {
		put(w, wraps ? "(%s)(" : "to_%s(", expr_work_type(s->type));
		put_argument(w, s, 0, s->work);
		put(w, ")");
	} else if (wraps) {
		put(w, "wrap_%s(", op_name((enum op)s->id));
		put_arguments(w, s);
		put(w, ")");
	} else {
		put(w, s->fused ? "el_%s(el_%s(" : "el_%s(", op_name((enum op)s->id), op_name(s->inner));
		put_arguments(w, s);
		put(w, s->fused ? "))" : ")");
	}

	put(w, ";\n");
}

static bool may_lose(const struct writer *w, const struct step *s)
{
	if (STEP_STORE != s->kind)
		return false;

	const enum dtype t = w->l->lanes[s->lane].type;

	return t != s->work && DT_FLOAT64 != t && DT_COMPLEX128 != t;
}

static void put_store_value(struct writer *w, const struct step *s)
{
	const struct lane *a = &w->l->lanes[s->lane];
	const char *type = expr_memory_type(a->type);

	put(w, "\t\t\to%d[k] = %sput<%s>(", s->lane, a->swapped ? "turned(" : "", type);
	put_argument(w, s, 0, s->work);
	put(w, ", %d, %s%d)%s;\n", NARROW_WRAP == w->l->plan->rules.narrow,
	        may_lose(w, s) ? "state.counter" : "none", may_lose(w, s) ? s->id : 0, a->swapped ? ")" : "");
}

static void put_store(struct writer *w, const struct step *s)
{
	static const char *const writers[2] = {"set_bytes", "set_element"};
	const struct lane *a = &w->l->lanes[s->lane];

	put(w, "\t\t{\n\t\tconst i64 off = ");
	put_offset(w, s->lane);
	put(w, ";\n\t\tchar *p = address_of(args.w[%ld]) + off;\n", lane_word(w->l, s->lane));

	if (ACCESS_VECTOR == w->access[s->lane])
		put(w, "\t\tif (FULL || i + %d <= last)\n\t\t\tchunk<%d>::store(p, o%d);\n\t\telse ",
		        w->source->vector, (int)lane_size(a) * w->source->vector, s->lane);

	put(w,
	        "\t\t{\n\t\tEXPR_UNROLL\n\t\tfor (int k = 0; k < %d; k++)\n\t\t\tif (FULL || i + k < last)\n"
	        "\t\t\t\t%s<%s>(p + k * args.w[%ld], o%d[k]);\n\t\t}\n\t\t}\n",
	        w->source->vector, writers[w->aligned[s->lane]], expr_memory_type(a->type),
	        lane_word(w->l, s->lane) + 1, s->lane);
}

static void put_group(struct writer *w, bool load)
{
	put(w,
	        "\tEXPR_UNROLL\n\tfor (int u = 0; u < %d; u++) {\n"
	        "\t\tconst i64 i = at + ((i64)u * EXPR_THREADS + t) * %d;\n"
	        "\t\tif (!FULL && i >= last)\n\t\t\tcontinue;\n",
	        w->source->unroll, w->source->vector);
	put_positions(w);

	if (load)
		put(w, "\t\t(void)i;\n");
}

static void put_loads(struct writer *w)
{
	put_group(w, true);

	for (int k = 0; k < w->q->lanes; k++)
		if (is_source(step_of_lane(w->q, k)) && k == w->source->same[k])
			put_load(w, k);

	put(w, "\t}\n");
}

static void put_computation(struct writer *w)
{
	const struct expr_pass *q = w->q;

	put_group(w, false);

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			put(w, "\t\t%s o%d[%d];\n", expr_memory_type(w->l->lanes[q->steps[i].lane].type),
			        q->steps[i].lane, w->source->vector);

	put(w,
	        "\t\tEXPR_UNROLL\n\t\tfor (int k = 0; k < %d; k++) {\n"
	        "\t\t\tif (!FULL && i + k >= last)\n\t\t\t\tcontinue;\n",
	        w->source->vector);

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_REDUCE == s->kind)
			put_reduction(w, s);
		else if (STEP_STORE == s->kind)
			put_store_value(w, s);
		else
			put_value(w, i);
	}

	put(w, "\t\t}\n");

	for (int i = 0; i < q->n; i++)
		if (STEP_STORE == q->steps[i].kind)
			put_store(w, &q->steps[i]);

	put(w, "\t}\n");
}

/** Whether some element counts in that place; as in struct expr_source. */
static bool has_counter(const struct writer *w, int counter)
{
	const int nout = w->l->plan->nout;

	for (int i = 0; i < w->q->n; i++) {
		const struct step *s = &w->q->steps[i];

		if (counter < nout ? may_lose(w, s) && counter == s->id
		                   : STEP_REDUCE != s->kind && 0 <= s->check && counter == nout + s->check)
			return true;
	}

	return false;
}

static void put_state(struct writer *w)
{
	put(w, "struct arguments {\n\ti64 w[%ld];\n};\n\nstruct thread_state {\n", w->source->words);

	for (int k = 0; k < w->source->reductions; k++)
		put(w, "\taccumulator sum%d;\n", k);

	for (int k = 0; k < w->source->counters; k++)
		if (has_counter(w, k))
			put(w, "\tu64 counter%d;\n", k);

	put(w, "};\n\n");
}

static void put_tile(struct writer *w)
{
	put(w, "template <bool FULL> DEVICE_ONLY void tile(const arguments &args, i64 at, i64 last, unsigned "
	       "t, "
	       "thread_state &state)\n{\n\tu64 none0 = 0;\n\t(void)none0;\n\t(void)state;\n\t(void)last;\n");
	put_declarations(w);
	put_loads(w);
	put_computation(w);
	put(w, "}\n\n");
}

static void put_entry(struct writer *w)
{
	const struct expr_source *s = w->source;

	put(w,
	        "EXPR_ENTRY(arguments)\n{\n"
	        "\tconst i64 first = args.w[%d] + (i64)EXPR_BLOCK_ID * args.w[%d];\n"
	        "\tconst i64 end = first + args.w[%d], last = end < args.w[%d] ? end : args.w[%d];\n",
	        EXPR_FIRST, EXPR_PART_OF_BLOCK, EXPR_PART_OF_BLOCK, EXPR_END, EXPR_END);

	for (int k = 0; k < s->reductions; k++)
		put(w, "\tEXPR_KEEP(accumulator, kept%d);\n", k);

	put(w, "\t{\n\tEACH_THREAD(t)\n\t{\n\t\tthread_state state;\n");

	for (int k = 0; k < s->reductions; k++)
		put(w, "\t\tstate.sum%d = nothing_yet(%d);\n", k, s->how[k]);

	for (int k = 0; k < s->counters; k++)
		if (has_counter(w, k))
			put(w, "\t\tstate.counter%d = 0;\n", k);

	put(w,
	        "\t\tfor (i64 at = first; at < last; at += %d)\n\t\t\tif (at + %d <= last)\n"
	        "\t\t\t\ttile<true>(args, at, last, t, state);\n\t\t\telse\n"
	        "\t\t\t\ttile<false>(args, at, last, t, state);\n",
	        EXPR_THREADS * s->vector * s->unroll, EXPR_THREADS * s->vector * s->unroll);

	for (int k = 0; k < s->reductions; k++)
		put(w, "\t\tEXPR_KEPT(kept%d, t) = state.sum%d;\n", k, k);

	for (int k = 0; k < s->counters; k++)
		if (has_counter(w, k))
			put(w, "\t\tcount_up((u64 *)address_of(args.w[%d]) + %d, state.counter%d);\n",
			        EXPR_COUNTERS, k, k);

	put(w, "\t}\n\t}\n");

	if (0 < s->reductions)
		put(w,
		        "\tEXPR_SHARED accumulator shared[EXPR_THREADS];\n"
		        "\taccumulator *const out = (accumulator *)address_of(args.w[%d]) + "
		        "(i64)EXPR_BLOCK_ID * %d;\n",
		        EXPR_ACCUMULATORS, s->reductions);

	for (int k = 0; k < s->reductions; k++)
		put(w,
		        "\tEXPR_FOLD(shared, kept%d, %d)\n\t{\n\tEACH_THREAD(t)\n\t{\n\t\tif (0 == t)\n"
		        "\t\t\tout[%d] = shared[0];\n\t}\n\t}\n\tEXPR_BARRIER;\n",
		        k, s->how[k], k);

	put(w, "}\n");
}

static void put_head(struct writer *w)
{
	// places fit into 32 bits, or do not
	const char *place = (w->l->count < 1l << 31) ? "unsigned" : "u64";

	put(w, "typedef %s place;\n\n", place);
}

static void describe(struct writer *w, char *const base[])
{
	struct expr_source *s = w->source;
	const struct expr_pass *q = w->q;

	s->loop = w->l;
	s->vector = choose_vector(w->l, base);
	s->unroll = choose_unroll(q, s->vector);
	s->reductions = q->reductions;
	s->counters = w->l->plan->nout + w->l->plan->checks;
	s->how = mem_calloc((size_t)q->reductions + 1, sizeof *s->how);
	s->same = mem_calloc((size_t)q->lanes + 1, sizeof *s->same);

	for (int i = 0; i < q->n; i++)
		if (STEP_REDUCE == q->steps[i].kind)
			s->how[q->steps[i].id] = expr_fold_of(q->steps[i].reduction, q->steps[i].work);

	for (int k = 0; k < q->lanes; k++) {
		s->same[k] = expr_same_lane(w->l, base, k);
		w->access[k] = choose_access(w, k, base[k]);
		w->aligned[k] = begins_at(w->l, &w->l->lanes[k], base[k], dtype_unit(w->l->lanes[k].type)) &&
		                0 == (size_t)w->l->lanes[k].step % dtype_unit(w->l->lanes[k].type);
		w->positions = w->positions || !w->l->lanes[k].along;
	}

	s->scalar = mem_calloc((size_t)w->l->plan->g.n + 1, sizeof *s->scalar);
	s->grid = mem_calloc((size_t)q->n + 1, sizeof *s->grid);
	s->words = number_scalars(s);
}

struct expr_source *expr_source_create(const struct loop *l, char *const base[])
{
	struct expr_source *s = NEW(struct expr_source);
	struct writer w = {.source = s, .l = l, .q = l->pass};

	w.access = mem_calloc((size_t)l->pass->lanes + 1, sizeof *w.access);
	w.aligned = mem_calloc((size_t)l->pass->lanes + 1, sizeof *w.aligned);
	describe(&w, base);
	put_head(&w);
	put_state(&w);
	put_tile(&w);
	put_entry(&w);
	s->text = w.s.data;
	free(w.access);
	free(w.aligned);

	return s;
}

void expr_source_free(struct expr_source *s)
{
	if (NULL == s)
		return;

	free(s->text);
	free(s->how);
	free(s->same);
	free(s->scalar);
	free(s->grid);
	free(s);
}
