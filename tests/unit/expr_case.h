#ifndef TESTS_UNIT_EXPR_CASE_H
#define TESTS_UNIT_EXPR_CASE_H

#include <complex.h>

#include "check.h"
#include "num/expr/expr.h"
#include "strided.h"

/** Random expressions with random operands, for the unit programs that test expressions. */

enum { INPUTS = 4, NODES = 64 };

/* ---- operands ---- */

struct operand {
	struct strided memory;
	struct array *a;
	complex double *value; // contiguous, for the evaluator
};

static const char *const names[INPUTS] = {"a", "b", "c", "d"};
static const struct array_rules rules = {NARROW_SATURATE, DOMAIN_NAN};

static complex double random_value(enum dtype t)
{
	if (dtype_is_integer(t))
		return (double)(pick(5) + ((t >= DT_UINT8 || DT_BOOL == t) ? 0 : -2));

	double re = (double)(pick(4001) - 2000) / 1000, im = (double)(pick(4001) - 2000) / 1000;

	return dtype_is_complex(t) ? re + im * I : re;
}

__attribute__((unused)) static struct operand operand_make(enum dtype t, int D, const long dims[DIMS])
{
	struct operand o;
	long pos[DIMS] = {0}, n = md_calc_size(D, dims);

	o.memory = strided_make(D, dims, dtype_size(t), false);
	o.a = array_borrow(t, D, dims, o.memory.strs, o.memory.first);
	o.value = mem_alloc((size_t)n * sizeof *o.value);
	n = 0;

	do {
		complex double v = random_value(t);

		convert(t, strided_at(&o.memory, D, pos), DT_COMPLEX128, &v, 1, NARROW_SATURATE);
		convert(DT_COMPLEX128, &o.value[n++], t, strided_at(&o.memory, D, pos), 1, NARROW_SATURATE);
	} while (md_next(D, dims, ~0ul, pos));

	return o;
}

__attribute__((unused)) static void operand_free(struct operand *o)
{
	array_free(o->a);
	free(o->memory.buffer);
	free(o->value);
}

/* ---- trees ---- */

struct tree {
	const char *text; // "%s" of the operands
	enum {
		INPUT,
		NUMBER,
		INDEX,
		ADD,
		SUB,
		MUL,
		DIV,
		MIN,
		LESS,
		CHOICE,
		SQRT,
		EXP,
		SIN,
		ABS,
		SQUARE,
		CONJ,
		REAL,
		CUBE,
		SUM,
		MEAN,
		MAX,
		NORM
	} kind;
	int id, args;
	struct tree *arg[3];
	bool is_complex;
	double number;
	bool known; // of reductions
	complex double value;
};

static struct tree pool[NODES];
static int used;
static struct operand inputs[INPUTS];
static long extents[DIMS];

static const struct {
	int kind, args;
	const char *text;
	bool real_only, to_real;
} kinds[] = {
        {ADD, 2, "(%s + %s)", false, false},
        {SUB, 2, "(%s - %s)", false, false},
        {MUL, 2, "%s * %s", false, false},
        {MUL, 2, "(%s)*(%s)", false, false},
        {DIV, 2, "(%s / (1.5 + abs2(%s)))", false, false},
        {MIN, 2, "min(%s, %s)", true, false},
        {LESS, 2, "(%s < %s)", true, true},
        {CHOICE, 3, "(real(%s) > 0 ? %s : %s)", false, false},
        {SQRT, 1, "sqrt(abs(%s))", false, true},
        {EXP, 1, "exp(%s/64)", false, false},
        {SIN, 1, "sin(real(%s))", false, true},
        {ABS, 1, "abs(%s)", false, true},
        {SQUARE, 1, "(%s)^2", false, false},
        {CUBE, 1, "(%s)^3", false, false},
        {CONJ, 1, "-conj(%s)", false, false},
        {REAL, 1, "real(%s)", false, true},
        {SUM, 1, "sum(%s)", false, false},
        {MEAN, 1, "mean(%s)", false, false},
        {MAX, 1, "max(%s)", true, false},
        {NORM, 1, "norm(%s)", false, true},
};

/* No jumps: where float32 may decide a comparison otherwise than float64. */
static bool smooth;

static struct tree *leaf(void)
{
	struct tree *t = &pool[used++];

	*t = (struct tree){.kind = INPUT};

	switch (pick(8)) {
	case 0:
		t->kind = NUMBER;
		t->number = (double)pick(9) / 4;
		break;
	case 1:
		t->kind = INDEX;
		t->id = (int)pick(3);
		break;
	default:
		t->id = (int)pick(INPUTS);
		t->is_complex = dtype_is_complex(inputs[t->id].a->type);
	}

	return t;
}

__attribute__((unused)) static struct tree *grow(int depth)
{
	if (0 == depth || used > NODES - 24)
		return leaf();

	struct tree *t = &pool[used++];
	int k = (int)pick(sizeof kinds / sizeof kinds[0]);

	if (smooth && (LESS == kinds[k].kind || CHOICE == kinds[k].kind))
		return leaf();

	*t = (struct tree){.kind = kinds[k].kind, .args = kinds[k].args, .text = kinds[k].text};

	for (int i = 0; i < t->args; i++) {
		t->arg[i] = grow(depth - 1 - (int)pick(2) * (depth > 1));
		t->is_complex = t->is_complex || (t->arg[i]->is_complex && !(CHOICE == t->kind && 0 == i));
	}

	if (DIV == t->kind)
		t->is_complex = t->arg[0]->is_complex;

	if (kinds[k].real_only && t->is_complex)
		return t->arg[0]->is_complex ? t->arg[0] : t->arg[1];

	t->is_complex = t->is_complex && !kinds[k].to_real;

	return t;
}

__attribute__((unused)) static void print_tree(struct str *s, const struct tree *t)
{
	struct str part[3] = {{0}};

	if (INPUT == t->kind)
		str_add(s, names[t->id]);
	else if (NUMBER == t->kind)
		str_printf(s, "%g", t->number);
	else if (INDEX == t->kind)
		str_printf(s, "i%d", t->id);

	if (0 == t->args)
		return;

	for (int i = 0; i < t->args; i++) {
		bool loose = '%' == t->text[0] && MUL == t->kind;

		str_add(&part[i], loose ? "(" : "");
		print_tree(&part[i], t->arg[i]);
		str_add(&part[i], loose ? ")" : "");
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	char *text = mem_printf(t->text, part[0].data, part[1].data, part[2].data);
#pragma GCC diagnostic pop

	str_add(s, text);
	free(text);

	for (int i = 0; i < t->args; i++)
		free(part[i].data);
}

static const long shapes[][3] = {{1500, 1, 1}, {3, 170, 2}, {64, 9, 3}, {7, 1, 40}, {1, 33, 1}};

/* Operands that extend along all, some or no dims. */
__attribute__((unused)) static void make_inputs(bool single)
{
	static const enum dtype wide[] = {
	        DT_FLOAT64, DT_COMPLEX128, DT_INT32, DT_INT64, DT_FLOAT64, DT_UINT32};
	static const enum dtype narrow[] = {
	        DT_FLOAT32, DT_UINT8, DT_INT16, DT_FLOAT32, DT_COMPLEX64, DT_BOOL, DT_FLOAT64};
	const long *s = shapes[pick(sizeof shapes / sizeof shapes[0])];

	md_singleton_dims(DIMS, extents);

	for (int k = 0; k < INPUTS; k++) {
		long dims[DIMS];

		md_singleton_dims(DIMS, dims);

		for (int d = 0; d < 3; d++) {
			dims[d] = (0 == k || 0 != pick(3)) ? s[d] : 1;
			extents[d] = (1 == extents[d]) ? dims[d] : extents[d];
		}

		inputs[k] = operand_make(single ? narrow[pick(7)] : wide[pick(6)], 3, dims);
	}
}

#endif
