/* The arrays that a parsed expression reads and writes. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_lex.h"
#include "num/expr/expr_tree.h"
#include "num/kern/ops.h"

/** The value of an operator on numbers, where it is one of those in which offsets are written. */
static void set_number(const struct expr *e, struct term *t)
{
	double x[2] = {0};

	t->number = TERM_INTEGER == t->kind || TERM_FLOAT == t->kind;

	if (TERM_INTEGER == t->kind)
		t->value = (double)t->integer;

	if (TERM_OP != t->kind || t->args > 2)
		return;

	for (int k = 0; k < t->args; k++) {
		if (!e->terms[t->arg[k]].number)
			return;

		x[k] = e->terms[t->arg[k]].value;
	}

	t->number = true;

	switch ((enum op)t->id) {
	case OP_NEG:
		t->value = -x[0];
		break;
	case OP_ADD:
		t->value = x[0] + x[1];
		break;
	case OP_SUB:
		t->value = x[0] - x[1];
		break;
	case OP_MUL:
		t->value = x[0] * x[1];
		break;
	case OP_DIV:
		t->value = x[0] / x[1];
		break;
	default:
		t->number = false;
	}
}

int expr_add_term(struct expr *e, struct term t, struct expr_error *err)
{
	if (EXPR_TERMS == e->n) {
		expr_fail(err, t.column, "more than %d terms", EXPR_TERMS);
		return -1;
	}

	if (e->n == e->room) {
		e->room = 2 * e->room + 32;
		e->terms = mem_realloc(e->terms, (size_t)e->room * sizeof *e->terms);
	}

	set_number(e, &t);
	e->terms[e->n] = t;

	return e->n++;
}

void expr_free(struct expr *e)
{
	if (NULL == e)
		return;

	for (int i = 0; i < e->nin; i++)
		free(e->in[i].text);

	for (int i = 0; i < e->nout; i++)
		free(e->out[i].text);

	free(e->terms);
	free(e);
}

void expr_set_edge(struct expr *e, enum expr_edge edge)
{
	e->edge = edge;
}

bool expr_has_neighbours(const struct expr *e)
{
	for (int i = 0; i < e->n; i++)
		switch (e->terms[i].kind) {
		case TERM_SHIFT:
		case TERM_MEDIAN:
		case TERM_BOX:
		case TERM_SAMPLE:
			return true;
		default:
			break;
		}

	return false;
}

int expr_inputs(const struct expr *e)
{
	return e->nin;
}

const char *expr_input(const struct expr *e, int i)
{
	assert(0 <= i && i < e->nin);

	return e->in[i].text;
}

int expr_outputs(const struct expr *e)
{
	return e->nout;
}

const char *expr_output(const struct expr *e, int i)
{
	assert(0 <= i && i < e->nout);

	return e->out[i].text;
}

static void remove_name(struct expr_name *names, int *n, int i)
{
	free(names[i].text);
	memmove(names + i, names + i + 1, (size_t)(*n - i - 1) * sizeof *names);
	(*n)--;
}

void expr_drop_output(struct expr *e, int i)
{
	assert(0 <= i && i < e->nout);
	remove_name(e->out, &e->nout, i);
}

static bool is_among(int n, const char *const names[], const char *name)
{
	for (int i = 0; i < n; i++)
		if (0 == strcmp(names[i], name))
			return true;

	return false;
}

/** Dim of the coordinate of that name, or -1. */
static int coordinate_of(const char *name)
{
	return ('x' <= name[0] && name[0] <= 'z' && '\0' == name[1]) ? name[0] - 'x' : -1;
}

bool expr_resolve(struct expr *e, int n, const char *const names[], struct expr_error *err)
{
	*err = (struct expr_error){0};

	for (int i = 0; i < e->nin;) {
		int d = coordinate_of(e->in[i].text);

		if (is_among(n, names, e->in[i].text)) {
			e->terms[e->in[i].term].id = i;
			i++;
			continue;
		}

		if (d < 0) {
			expr_fail(err, e->in[i].column, "there is no operand '%.40s'", e->in[i].text);
			return false;
		}

		e->terms[e->in[i].term].kind = TERM_COORDINATE;
		e->terms[e->in[i].term].id = d;
		remove_name(e->in, &e->nin, i);
	}

	return true;
}
