/* Text to terms: precedence climbing. From loose to tight: ?:  ||  &&  == !=  < <= > >=  + -  * / %
 * unary - + !  ^ (to the right; binds tighter than a minus before it). */

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/expr/expr_lex.h"
#include "num/expr/expr_tree.h"

/** Nesting of parentheses, signs and branches: bounds the recursion of this file. */
enum { DEPTH = 200, TEXT_MAX = 1 << 20 };

struct parser {
	struct lexer lex;
	struct expr *e;
	int depth;
};

/** Operators of two operands; a higher level binds tighter. */
static const struct {
	enum sign sign;
	int level;
	enum op op;
	const char *text;
} binaries[] = {
        {SIGN_OR, 1, OP_OR, "||"},
        {SIGN_AND, 2, OP_AND, "&&"},
        {SIGN_EQ, 3, OP_EQ, "=="},
        {SIGN_NE, 3, OP_NE, "!="},
        {SIGN_LT, 4, OP_LT, "<"},
        {SIGN_LE, 4, OP_LE, "<="},
        {SIGN_GT, 4, OP_GT, ">"},
        {SIGN_GE, 4, OP_GE, ">="},
        {SIGN_ADD, 5, OP_ADD, "+"},
        {SIGN_SUB, 5, OP_SUB, "-"},
        {SIGN_MUL, 6, OP_MUL, "*"},
        {SIGN_DIV, 6, OP_DIV, "/"},
        {SIGN_MOD, 6, OP_MOD, "%"},
        {SIGN_POW, 8, OP_POW, "^"},
};
enum { BINARIES = sizeof binaries / sizeof binaries[0], LEVEL_EQUAL = 3, LEVEL_LESS = 4 };

/** Other names of functions. */
static const struct {
	const char *name;
	enum op op;
} aliases[] = {{"ln", OP_LOG}, {"sq", OP_SQUARE}, {"select", OP_SELECT}};

static const char *const constants[] = {"pi", "e", "inf", "nan", "i"};
static const double constant_values[] = {3.14159265358979323846, 2.71828182845904523536, INFINITY, NAN, 1};
enum { CONSTANTS = sizeof constants / sizeof constants[0], CONSTANT_I = CONSTANTS - 1 };

const char *term_name(const struct term *t)
{
	if (TERM_REDUCTION == t->kind)
		return reduction_name((enum reduction)t->id);

	if (TERM_OP != t->kind)
		return "a number";

	for (int i = 0; i < BINARIES; i++)
		if ((int)binaries[i].op == t->id)
			return binaries[i].text;

	return (OP_NEG == t->id) ? "-" : (OP_NOT == t->id) ? "!" : op_name((enum op)t->id);
}

static int add_term(struct parser *p, struct term t)
{
	struct expr *e = p->e;

	if (EXPR_TERMS == e->n) {
		expr_fail(p->lex.err, t.column, "more than %d terms", EXPR_TERMS);
		return -1;
	}

	if (e->n == e->room) {
		e->room = 2 * e->room + 32;
		e->terms = mem_realloc(e->terms, (size_t)e->room * sizeof *e->terms);
	}

	e->terms[e->n] = t;

	return e->n++;
}

/** A term with operands; -1 when one of them failed. */
static int add_op(struct parser *p, enum term_kind kind, int id, long column, int n, const int args[])
{
	struct term t = {.kind = kind, .id = id, .args = n, .column = column};

	for (int i = 0; i < n; i++) {
		if (args[i] < 0)
			return -1;

		t.arg[i] = args[i];
	}

	return add_term(p, t);
}

/** Takes the sign or fails: "expected ')', found ...". */
static bool take(struct parser *p, enum sign sign, const char *text)
{
	if (sign == p->lex.sign) {
		lex_next(&p->lex);
		return true;
	}

	expr_fail(p->lex.err, p->lex.column, "expected %s, found %s", text, lex_describe(&p->lex));

	return false;
}

static int parse_choice(struct parser *p);

static int function_op(const char *name)
{
	for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
		if (0 == strcmp(name, aliases[i].name))
			return (int)aliases[i].op;

	return op_parse(name);
}

static bool is_function(const char *name)
{
	return 0 <= function_op(name) || 0 <= reduction_parse(name);
}

static void unknown_function(struct parser *p, long column, const char *name)
{
	const char *names[OP_COUNT + RED_COUNT_OF + 1];
	int n = 0;

	for (int i = 0; i < OP_COUNT; i++)
		names[n++] = op_name((enum op)i);

	for (int i = 0; i < RED_COUNT_OF; i++)
		names[n++] = reduction_name((enum reduction)i);

	names[n] = NULL;

	const char *near = nearest_name(name, names);

	expr_fail(p->lex.err, column, "no function '%.40s'%s%s%s", name, near ? "; did you mean '" : "",
	        near ? near : "", near ? "'?" : "");
}

/** Arguments up to ')'; the first three are kept, more only of min and max, which combine them as they come.
 * Returns their number, -1 on an error. */
static int parse_arguments(struct parser *p, int combine, long column, int args[3])
{
	int n = 0;

	if (SIGN_CLOSE == p->lex.sign) {
		lex_next(&p->lex);
		return 0;
	}

	for (;;) {
		int t = parse_choice(p);

		if (t < 0)
			return -1;

		if (0 <= combine && 2 == n)
			args[0] = add_op(p, TERM_OP, combine, column, 2, args);
		else if (n < 3)
			n++;
		else
			n = 4;

		if (n <= 3)
			args[n - 1] = t;

		if (SIGN_COMMA != p->lex.sign)
			return take(p, SIGN_CLOSE, "',' or ')'") ? n : -1;

		lex_next(&p->lex);
	}
}

static int parse_function(struct parser *p, const char *name, long column)
{
	int op = function_op(name), red = reduction_parse(name);
	bool extreme = OP_MIN == op || OP_MAX == op;
	int args[3];

	if (op < 0 && red < 0) {
		unknown_function(p, column, name);
		return -1;
	}

	int n = parse_arguments(p, extreme ? op : -1, column, args);

	if (n < 0)
		return -1;

	if (0 <= red && n == reduction_args((enum reduction)red))
		return add_op(p, TERM_REDUCTION, red, column, n, args);

	if (0 <= op && n == op_args((enum op)op))
		return add_op(p, TERM_OP, op, column, n, args);

	int want = (0 <= op) ? op_args((enum op)op) : reduction_args((enum reduction)red);

	expr_fail(p->lex.err, column, "%s takes %s%d argument%s, found %s%d", name,
	        extreme ? "at least " : "", extreme ? 1 : want, (1 == want || extreme) ? "" : "s",
	        (n > 3) ? "more than " : "", (n > 3) ? 3 : n);

	return -1;
}

/** "i0".."i15", "n0".."n15": the dim; else -1. */
static int dim_of(const char *name)
{
	if (('i' != name[0] && 'n' != name[0]) || name[1] < '0' || name[1] > '9')
		return -1;

	char *end;
	long d = strtol(name + 1, &end, 10);

	return ('\0' == *end && d < DIMS && ('0' != name[1] || '\0' == name[2])) ? (int)d : -1;
}

static int constant_of(const char *name)
{
	for (int i = 0; i < CONSTANTS; i++)
		if (0 == strcmp(name, constants[i]))
			return i;

	return -1;
}

static int find_name(const struct expr_name *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (0 == strcmp(names[i].text, name))
			return i;

	return -1;
}

static int parse_operand(struct parser *p, const char *name, long column)
{
	struct expr *e = p->e;
	int k = find_name(e->out, e->nout, name);

	if (0 <= k)
		return e->out[k].term;

	k = find_name(e->in, e->nin, name);

	if (0 <= k)
		return e->in[k].term;

	if (EXPR_OPERANDS == e->nin) {
		expr_fail(p->lex.err, column, "more than %d operands", EXPR_OPERANDS);
		return -1;
	}

	int t = add_term(p, (struct term){.kind = TERM_INPUT, .id = e->nin, .column = column});

	if (0 <= t)
		e->in[e->nin++] = (struct expr_name){mem_strdup(name), t, column};

	return t;
}

static int parse_name(struct parser *p)
{
	long column = p->lex.column;
	char *name = mem_printf("%.*s", p->lex.length, p->lex.word);
	int constant = constant_of(name), d = dim_of(name);
	int t;

	lex_next(&p->lex);

	if (SIGN_OPEN == p->lex.sign) {
		lex_next(&p->lex);
		t = parse_function(p, name, column);
	} else if (0 <= constant) {
		t = add_term(p, (struct term){.kind = (CONSTANT_I == constant) ? TERM_IMAGINARY : TERM_FLOAT,
		                        .value = constant_values[constant],
		                        .column = column});
	} else if (0 <= d) {
		t = add_term(p, (struct term){.kind = ('i' == name[0]) ? TERM_INDEX : TERM_EXTENT,
		                        .id = d,
		                        .column = column});
	} else if (is_function(name)) {
		expr_fail(p->lex.err, column, "'%s' is a function, expected '(' after it", name);
		t = -1;
	} else {
		t = parse_operand(p, name, column);
	}

	free(name);

	return t;
}

static int parse_number(struct parser *p)
{
	const struct lexer *l = &p->lex;
	struct term t = {.kind = TERM_FLOAT, .column = l->column, .value = l->value, .integer = l->integer};

	if (l->imaginary)
		t.kind = TERM_IMAGINARY;
	else if (l->whole)
		t.kind = TERM_INTEGER;

	lex_next(&p->lex);

	return add_term(p, t);
}

static int parse_primary(struct parser *p)
{
	int t;

	switch (p->lex.sign) {
	case SIGN_NUMBER:
		return parse_number(p);
	case SIGN_NAME:
		return parse_name(p);
	case SIGN_OPEN:
		lex_next(&p->lex);
		t = parse_choice(p);

		return (0 <= t && take(p, SIGN_CLOSE, "')'")) ? t : -1;
	default:
		take(p, SIGN_NUMBER, "an operand");

		return -1;
	}
}

static int parse_unary(struct parser *p);

/** a ^ b: b may have a sign, and takes the next ^ first. */
static int parse_power(struct parser *p)
{
	int args[2] = {parse_primary(p), -1};
	long column = p->lex.column;

	if (args[0] < 0 || SIGN_POW != p->lex.sign)
		return args[0];

	lex_next(&p->lex);
	args[1] = parse_unary(p);

	return add_op(p, TERM_OP, OP_POW, column, 2, args);
}

static bool enter(struct parser *p)
{
	if (++p->depth <= DEPTH)
		return true;

	expr_fail(p->lex.err, p->lex.column, "nested more than %d deep", DEPTH);

	return false;
}

static int parse_unary(struct parser *p)
{
	enum sign sign = p->lex.sign;
	long column = p->lex.column;
	int t = -1;

	if (!enter(p))
		return -1;

	if (SIGN_SUB == sign || SIGN_NOT == sign || SIGN_ADD == sign) {
		lex_next(&p->lex);
		t = parse_unary(p);

		if (SIGN_ADD != sign)
			t = add_op(p, TERM_OP, (SIGN_SUB == sign) ? OP_NEG : OP_NOT, column, 1, &t);
	} else {
		t = parse_power(p);
	}

	p->depth--;

	return t;
}

/** The entry of the current sign at that level or above, or -1. */
static int binary_at(const struct parser *p, int level)
{
	for (int i = 0; i < BINARIES; i++)
		if (binaries[i].sign == p->lex.sign && binaries[i].level >= level &&
		        SIGN_POW != binaries[i].sign)
			return i;

	return -1;
}

static int parse_binary(struct parser *p, int level)
{
	int args[2] = {parse_unary(p), -1};
	int compared = 0;

	for (int k; 0 <= args[0] && 0 <= (k = binary_at(p, level));) {
		long column = p->lex.column;

		if (compared == binaries[k].level) {
			expr_fail(p->lex.err, column,
			        "comparisons in a row, expected parentheses or && between them");
			return -1;
		}

		if (LEVEL_EQUAL == binaries[k].level || LEVEL_LESS == binaries[k].level)
			compared = binaries[k].level;

		lex_next(&p->lex);
		args[1] = parse_binary(p, binaries[k].level + 1);
		args[0] = add_op(p, TERM_OP, (int)binaries[k].op, column, 2, args);
	}

	return args[0];
}

static int parse_choice(struct parser *p)
{
	if (!enter(p))
		return -1;

	int args[3] = {parse_binary(p, 1), -1, -1};
	long column = p->lex.column;
	int t = args[0];

	if (0 <= t && SIGN_ASK == p->lex.sign) {
		lex_next(&p->lex);
		args[1] = parse_choice(p);

		if (0 <= args[1] && take(p, SIGN_COLON, "':'"))
			args[2] = parse_choice(p);

		t = add_op(p, TERM_OP, OP_SELECT, column, 3, args);
	}

	p->depth--;

	return t;
}

/** Whether a statement may define that name. */
static bool may_define(struct parser *p, const char *name, long column)
{
	const struct expr *e = p->e;
	struct expr_error *err = p->lex.err;

	if (0 <= constant_of(name) || 0 <= dim_of(name))
		expr_fail(err, column, "'%s' has a meaning already, expected another name", name);
	else if (is_function(name))
		expr_fail(err, column, "'%s' is a function, expected another name", name);
	else if (0 <= find_name(e->in, e->nin, name))
		expr_fail(err, column, "'%.40s' is read before it is defined", name);
	else if (0 <= find_name(e->out, e->nout, name))
		expr_fail(err, column, "'%.40s' is defined twice", name);
	else if (EXPR_OPERANDS == e->nout)
		expr_fail(err, column, "more than %d results", EXPR_OPERANDS);

	return 0 == err->column;
}

/** "NAME =" at the start of a statement: the name (malloc'd) and the words taken; else NULL. */
static char *parse_target(struct parser *p)
{
	if (SIGN_NAME != p->lex.sign)
		return NULL;

	struct lexer back = p->lex;

	lex_next(&p->lex);

	if (SIGN_ASSIGN != p->lex.sign) {
		back.err = p->lex.err;

		if (SIGN_BAD != p->lex.sign)
			p->lex = back;

		return NULL;
	}

	char *name = mem_printf("%.*s", back.length, back.word);

	if (!may_define(p, name, back.column)) {
		free(name);
		p->lex.sign = SIGN_BAD;

		return NULL;
	}

	lex_next(&p->lex);

	return name;
}

/** One statement; one without a name must be the last. */
static bool parse_statement(struct parser *p)
{
	struct expr *e = p->e;
	long column = p->lex.column;
	char *name = parse_target(p);
	int t = parse_choice(p);

	if (0 <= t && NULL == name && EXPR_OPERANDS == e->nout)
		expr_fail(p->lex.err, column, "more than %d results", EXPR_OPERANDS);

	if (t < 0 || 0 < p->lex.err->column) {
		free(name);
		return false;
	}

	e->out[e->nout++] = (struct expr_name){(NULL != name) ? name : mem_strdup(""), t, column};

	if (NULL == name && SIGN_NEXT == p->lex.sign) {
		expr_fail(p->lex.err, column,
		        "a statement without a name before another one, expected NAME = ...");
		return false;
	}

	return true;
}

static void parse_statements(struct parser *p)
{
	while (parse_statement(p)) {
		if (SIGN_END == p->lex.sign)
			return;

		if (!take(p, SIGN_NEXT, "an operator, ';' or the end"))
			return;

		if (SIGN_END == p->lex.sign)
			return;
	}
}

struct expr *expr_parse(const char *text, struct expr_error *err)
{
	struct parser p = {.e = NEW(struct expr)};

	*err = (struct expr_error){0};

	if (strlen(text) > TEXT_MAX)
		expr_fail(err, TEXT_MAX, "the text goes on, expected at most %d bytes", TEXT_MAX);
	else {
		lex_start(&p.lex, text, err);
		parse_statements(&p);
	}

	if (0 == err->column)
		return p.e;

	expr_free(p.e);

	return NULL;
}
