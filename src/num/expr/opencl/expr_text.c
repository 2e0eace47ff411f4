/** The source of a kernel for a pass in OpenCL C: the text of library.cl, then what this pass loads, computes
 * and stores. */

#include "num/expr/opencl/expr_text.h"

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/device/opencl.h"

/* ---- which passes are supported ---- */

bool expr_text_is_real(enum dtype t)
{
	return DT_FLOAT32 == t || (DT_FLOAT64 == t && opencl_has_float64());
}

bool expr_text_is_stored(enum dtype t)
{
	return expr_text_is_real(t) || dtype_is_integer(t);
}

static bool can_reduce(enum reduction r)
{
	return RED_SUM == r || RED_MEAN == r || RED_NORM == r || RED_NORM1 == r || RED_DOT == r ||
	       RED_MIN == r || RED_MAX == r;
}

static bool is_logical(enum op op)
{
	return OP_NOT == op || OP_AND == op || OP_OR == op || OP_XOR == op;
}

bool expr_text_can_apply(enum op op, enum dtype work)
{
	static const enum op without[] = {OP_IMAG, OP_ARG, OP_CIS, OP_COMPLEX, OP_MOD};

	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		if (op == without[i])
			return false;

	if ((OP_MIN == op || OP_MAX == op) && (DT_BOOL == work || DT_INT64 == work || DT_UINT64 == work))
		return true;

	return is_logical(op) ? DT_BOOL == work : expr_text_is_real(work);
}

bool expr_text_can_step(const struct expr_plan *p, const struct step *s)
{
	const bool value = expr_text_is_real(s->type) || DT_BOOL == s->type;

	switch (s->kind) {
	case STEP_LOAD:
		return value && expr_text_is_stored(p->operand[s->id].type);
	case STEP_STORE:
		return expr_text_is_real(s->work) || DT_BOOL == s->work;
	case STEP_CONVERT:
		return value && (expr_text_is_real(s->work) || DT_BOOL == s->work);
	case STEP_OP:
		return value && expr_text_can_apply((enum op)s->id, s->work) &&
		       (!s->fused || expr_text_can_apply(s->inner, s->work));
	case STEP_REDUCE:
		return expr_text_is_real(s->work) && can_reduce(s->reduction) &&
		       (!s->fused || expr_text_can_apply(s->inner, s->work));
	default:
		return false;
	}
}

bool expr_text_can(const struct expr_plan *p, const struct expr_pass *q)
{
	enum { STEPS_MOST = 500, LANES_MOST = 24 };

	if (q->n > STEPS_MOST || q->lanes > LANES_MOST)
		return false;

	for (int i = 0; i < q->n; i++)
		if (!expr_text_can_step(p, &q->steps[i]))
			return false;

	return true;
}

int expr_text_items(const struct expr_pass *q)
{
	enum { RUN = 4096 };

	return (opencl_is_processor() && 0 == q->reductions) ? RUN : 1;
}

/* ---- words ---- */

static long strides_word(const struct loop *l, int lane)
{
	return l->D * (1l + lane);
}

static long scalar_word(const struct loop *l, int node)
{
	return strides_word(l, l->pass->lanes) + node;
}

long expr_text_words(const struct loop *l)
{
	return scalar_word(l, l->plan->g.n);
}

void expr_text_fill(const struct loop *l, int64_t *words)
{
	for (int d = 0; d < l->D; d++)
		words[d] = l->dims[d];

	for (int k = 0; k < l->pass->lanes; k++)
		for (int d = 0; d < l->D; d++)
			words[strides_word(l, k) + d] = l->lanes[k].strs[d];

	for (int i = 0; i < l->plan->g.n; i++)
		memcpy(&words[scalar_word(l, i)], l->scalars[i], 8);
}

/* ---- text ---- */

/** Types in OpenCL C, and for integers the range [low, over). */
static const struct {
	const char *memory, *work, *head, *low, *over;
} types[] = {[DT_BOOL] = {"uchar", "truth", "(0 != ", NULL, NULL},
        [DT_INT8] = {"char", NULL, NULL, "-0x1p7f", "0x1p7f"},
        [DT_INT16] = {"short", NULL, NULL, "-0x1p15f", "0x1p15f"},
        [DT_INT32] = {"int", NULL, NULL, "-0x1p31f", "0x1p31f"},
        [DT_INT64] = {"long", "i64", "((i64)", "-0x1p63f", "0x1p63f"},
        [DT_UINT8] = {"uchar", NULL, NULL, "0", "0x1p8f"},
        [DT_UINT16] = {"ushort", NULL, NULL, "0", "0x1p16f"},
        [DT_UINT32] = {"uint", NULL, NULL, "0", "0x1p32f"},
        [DT_UINT64] = {"ulong", "u64", "((u64)", "0", "0x1p64f"},
        [DT_FLOAT32] = {"f32", "f32", "((f32)", NULL, NULL},
        [DT_FLOAT64] = {"f64", "f64", "((f64)", NULL, NULL}};

const char *expr_text_memory_type(enum dtype t)
{
	return types[t].memory;
}

const char *expr_text_work_type(enum dtype t)
{
	return types[t].work;
}

const char *expr_text_convert_head(enum dtype to, enum dtype from)
{
	return (to == from) ? "(" : types[to].head;
}

void expr_text_word(struct str *s, long word, enum dtype type)
{
	if (DT_FLOAT64 == type)
		str_printf(s, "as_double(words[%ld])", word);
	else if (DT_FLOAT32 == type)
		str_printf(s, "as_float((int)words[%ld])", word);
	else
		str_printf(s, "(truth)(0 != (words[%ld] & 255))", word);
}

static void put_scalar(struct str *s, const struct loop *l, int node, enum dtype type)
{
	expr_text_word(s, scalar_word(l, node), type);
}

static enum dtype argument_type(const struct step *t, int k)
{
	const enum op op = t->fused ? t->inner : (enum op)t->id;

	return (STEP_OP == t->kind && OP_SELECT == op && 0 == k) ? DT_BOOL : t->work;
}

static void put_argument(struct str *s, const struct loop *l, const struct step *t, int k)
{
	if (t->arg[k] >= 0)
		str_printf(s, "v%d", t->arg[k]);
	else
		put_scalar(s, l, -1 - t->arg[k], argument_type(t, k));
}

/** "(a, b, c)", each as the widest type where `wide`. */
static void put_arguments(struct str *s, const struct loop *l, const struct step *t, bool wide)
{
	str_add(s, "(");

	for (int k = 0; k < t->args; k++) {
		str_printf(s, "%s%s", k ? ", " : "", wide ? "(wide)" : "");
		put_argument(s, l, t, k);
	}

	str_add(s, ")");
}

/** The address of an element of a lane. */
static void put_place(struct str *s, const struct loop *l, int lane)
{
	const struct lane *a = &l->lanes[lane];
	const char *type = expr_text_memory_type(a->type);

	str_printf(s, "*(__global %s *)(b%d", type, lane);

	if (a->along) {
		str_printf(s, " + i * %ld)", a->step);
		return;
	}

	for (int d = 0; d < l->D; d++)
		if (0 != a->strs[d])
			str_printf(s, " + p%d * words[%ld]", d, strides_word(l, lane) + d);

	str_add(s, ")");
}

static bool needs_positions(const struct loop *l)
{
	bool needed = false;

	for (int k = 0; k < l->pass->lanes; k++)
		needed = needed || !l->lanes[k].along;

	return needed;
}

static void put_positions(struct str *s, const struct loop *l)
{
	if (!needs_positions(l))
		return;

	str_add(s, "\tulong q = i;\n");

	for (int d = 0; d < l->D; d++)
		if (d + 1 == l->D)
			str_printf(s, "\tconst long p%d = q;\n", d);
		else
			str_printf(s, "\tconst long p%d = q %% words[%d];\n\tq /= words[%d];\n", d, d, d);
}

static void put_check(struct str *s, const struct loop *l, const struct step *t)
{
	if (t->check < 0)
		return;

	str_printf(s, "\tif (outside_%s", op_name((enum op)t->id));
	put_arguments(s, l, t, true);
	str_printf(s, ")\n\t\tcount%d++;\n", l->plan->nout + t->check);
}

static void put_value(struct str *s, const struct loop *l, int i)
{
	const struct step *t = &l->pass->steps[i];

	if (STEP_OP == t->kind)
		put_check(s, l, t);

	str_printf(s, "\tconst %s v%d = ", expr_text_work_type(t->type), i);

	if (STEP_LOAD == t->kind) {
		str_add(s, expr_text_convert_head(t->type, l->lanes[t->lane].type));
		put_place(s, l, t->lane);
		str_add(s, ")");
	} else if (STEP_CONVERT == t->kind) {
		str_add(s, expr_text_convert_head(t->type, t->work));
		put_argument(s, l, t, 0);
		str_add(s, ")");
	} else {
		str_printf(s, "el_%s_%s", op_name((enum op)t->id), expr_text_work_type(t->work));

		if (t->fused)
			str_printf(s, "(el_%s_%s", op_name(t->inner), expr_text_work_type(t->work));

		put_arguments(s, l, t, false);
		str_add(s, t->fused ? ")" : "");
	}

	str_add(s, ";\n");
}

/** Integers are rounded to nearest and clipped; NaN gives 0. */
static void store_integer(
        struct str *s, const char *place, enum dtype to, const char *value, enum dtype from, int output)
{
	const char *type = types[to].memory;

	if (DT_BOOL == from)
		str_printf(s, "\t%s = %s;\n", place, value);
	else if (DT_INT64 == from || DT_UINT64 == from)
		str_printf(s, "\t%s = convert_%s_sat(%s);\n\tif ((%s)convert_%s_sat(%s) != %s)\n", place,
		        type, value, types[from].work, type, value, value);
	else
		str_printf(s,
		        "\t%s = is_nan(%s) ? 0 : convert_%s_sat_rte(%s);\n"
		        "\tif (!(rint(%s) >= %s && rint(%s) < %s))\n",
		        place, value, type, value, value, types[to].low, value, types[to].over);

	if (DT_BOOL != from)
		str_printf(s, "\t\tcount%d++;\n", output);
}

void expr_text_store(
        struct str *s, const char *place, enum dtype to, const char *value, enum dtype from, int output)
{
	const char *lost = (DT_FLOAT32 == to && DT_FLOAT64 == from) ? "overflows"
	                   : (DT_BOOL == to && DT_BOOL != from)     ? "is_nan"
	                                                            : NULL;

	if (DT_BOOL != to && dtype_is_integer(to)) {
		store_integer(s, place, to, value, from, output);
		return;
	}

	if (lost)
		str_printf(s, "\tif (%s(%s))\n\t\tcount%d++;\n", lost, value, output);

	str_printf(s, "\t%s = %s%s);\n", place, expr_text_convert_head(to, from), value);
}

static void put_store(struct str *s, const struct loop *l, const struct step *t)
{
	struct str place = {0}, value = {0};

	put_place(&place, l, t->lane);
	put_argument(&value, l, t, 0);
	expr_text_store(s, place.data, l->lanes[t->lane].type, value.data, t->work, t->id);
	free(place.data);
	free(value.data);
}

static void put_reduction(struct str *s, const struct loop *l, const struct step *t)
{
	const char *name = reduction_name(t->reduction);

	str_printf(s, "\tsum%d = red_%s(sum%d, ", t->id, name, t->id);

	if (t->fused) {
		str_printf(s, "(wide)el_%s_%s", op_name(t->inner), expr_text_work_type(t->work));
		put_arguments(s, l, t, false);
	} else {
		for (int k = 0; k < t->args; k++) {
			str_add(s, k ? ", (wide)" : "(wide)");
			put_argument(s, l, t, k);
		}
	}

	str_add(s, ");\n");
}

/** The code for element i. */
static void put_element(struct str *s, const struct loop *l)
{
	const struct expr_pass *q = l->pass;

	put_positions(s, l);

	for (int i = 0; i < q->n; i++)
		if (STEP_REDUCE == q->steps[i].kind)
			put_reduction(s, l, &q->steps[i]);
		else if (STEP_STORE == q->steps[i].kind)
			put_store(s, l, &q->steps[i]);
		else
			put_value(s, l, i);
}

void expr_text_begin_counts(struct str *s, int n)
{
	for (int i = 0; i < n; i++)
		str_printf(s, "\tuint count%d = 0;\n", i);
}

void expr_text_add_counts(struct str *s, int n)
{
	for (int i = 0; i < n; i++)
		str_printf(s, "\tif (0 < count%d)\n\t\tatomic_add(counters + %d, count%d);\n", i, i, i);
}

void expr_text_begin_folds(struct str *s, const struct expr_pass *q)
{
	str_add(s, "\t__local total shared[THREADS];\n\tconst int t = get_local_id(0);\n");

	for (int i = 0; i < q->n; i++)
		if (STEP_REDUCE == q->steps[i].kind)
			str_printf(s, "\ttotal sum%d = start_%s;\n", q->steps[i].id,
			        reduction_name(q->steps[i].reduction));
}

void expr_text_folds(struct str *s, const struct expr_pass *q)
{
	for (int i = 0; i < q->n; i++) {
		const struct step *t = &q->steps[i];

		if (STEP_REDUCE != t->kind)
			continue;

		str_printf(s,
		        "\tshared[t] = sum%d;\n\tfor (int w = THREADS / 2; w > 0; w /= 2) {\n"
		        "\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n\t\tif (t < w)\n"
		        "\t\t\tshared[t] = fold_%s(shared[t], shared[t + w]);\n\t}\n"
		        "\tif (0 == t)\n\t\tsums[part * %d + %d] = shared[0];\n"
		        "\tbarrier(CLK_LOCAL_MEM_FENCE);\n",
		        t->id, reduction_name(t->reduction), q->reductions, t->id);
	}
}

char *expr_text_of(const struct loop *l)
{
	const struct expr_pass *q = l->pass;
	const int counts = l->plan->nout + l->plan->checks;
	struct str s = {0};

	str_add(&s, "__kernel void gantry_expr(long first, long last, __global const long *words, long "
	            "words_at,\n"
	            "\t__global uint *counters, long counters_at, __global total *sums, long sums_at");

	for (int k = 0; k < q->lanes; k++)
		str_printf(&s, ",\n\t__global uchar *b%d, long b%d_at, long a%d", k, k, k);

	str_add(&s, ")\n{\n\twords = AT(const long, words, words_at);\n"
	            "\tcounters = AT(uint, counters, counters_at);\n\tsums = AT(total, sums, sums_at);\n");

	for (int k = 0; k < q->lanes; k++)
		str_printf(&s, "\tb%d += b%d_at + a%d;\n", k, k, k);

	expr_text_begin_counts(&s, counts);

	if (q->reductions > 0) {
		expr_text_begin_folds(&s, q);
		str_add(&s,
		        "\tconst long part = first / PART + get_group_id(0);\n"
		        "\tfor (long i = part * PART + t; i < min(last, (part + 1) * PART); i += THREADS) "
		        "{\n");
	} else if (expr_text_items(q) > 1) {
		str_printf(&s,
		        "\tconst long from = first + get_global_id(0) * %d;\n%s"
		        "\tfor (long i = from; i < min(last, from + %d); i++) {\n",
		        expr_text_items(q), needs_positions(l) ? "" : "\tVECTORISE\n", expr_text_items(q));
	} else {
		str_add(&s, "\tconst long i = first + get_global_id(0);\n\tif (i < last) {\n");
	}

	put_element(&s, l);
	str_add(&s, "\t}\n");
	expr_text_add_counts(&s, counts);
	expr_text_folds(&s, q);
	str_add(&s, "}\n");
	return s.data;
}
