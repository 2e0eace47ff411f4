/* Parses text into terms by precedence climbing. Operators from loosest to tightest: ?: || && == != < <= > >=
 * + - * / % unary - + ! ^ (to the right; binds tighter than a minus before it). */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/expr/expr_lex.h"
#include "num/expr/expr_tree.h"
#include "num/expr/windows/window.h"

/** Nesting of parentheses, signs and branches: bounds the recursion of this file. */
enum { DEPTH = 200, TEXT_MAX = 1 << 20 };

/** A name that stands for a term: the variables of folds. */
struct local {
	char name[64];
	int term;
};

/** A function of the program: its text is read again wherever it is called. */
struct macro {
	char name[64];
	int n;
	char parameter[8][64];
	struct lexer body;
};

/** The most variables and parameters at a time, functions, names by let, and variables of one fold; the
 * largest bound of one. */
enum { LOCALS = 64, MACROS = 64, LETS = 256, VARIABLES = 12, BOUND_MAX = 65536 };

struct parser {
	struct lexer lex;
	struct expr *e;
	int depth;
	int locals, scope; // those from `scope` on are seen
	struct local local[LOCALS];
	int lets;
	struct local let[LETS];
	int macros, seen; // the first `seen` may be called
	struct macro macro[MACROS];
	long calls;
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
} aliases[] = {{"ln", OP_LOG}, {"sq", OP_SQUARE}, {"select", OP_SELECT}, {"if", OP_SELECT}};

static const char *const constants[] = {"pi", "e", "inf", "nan", "i"};
static const double constant_values[] = {3.14159265358979323846, 2.71828182845904523536, INFINITY, NAN, 1};
enum { CONSTANTS = sizeof constants / sizeof constants[0], CONSTANT_I = CONSTANTS - 1 };

static const char *const sampler_names[SAMPLER_METHODS] = {"nearest", "linear", "cubic"};

const char *sampler_name(enum sampler_method m)
{
	return sampler_names[m];
}

int sampler_parse(const char *name)
{
	for (int i = 0; i < SAMPLER_METHODS; i++)
		if (0 == strcmp(name, sampler_names[i]))
			return i;

	return -1;
}

const char *term_name(const struct term *t)
{
	if (TERM_REDUCTION == t->kind)
		return reduction_name((enum reduction)t->id);

	if (TERM_SAMPLE == t->kind)
		return sampler_names[t->shift[0]];

	if (TERM_OP != t->kind)
		return "a number";

	for (int i = 0; i < BINARIES; i++)
		if ((int)binaries[i].op == t->id)
			return binaries[i].text;

	return (OP_NEG == t->id) ? "-" : (OP_NOT == t->id) ? "!" : op_name((enum op)t->id);
}

static int add_term(struct parser *p, struct term t)
{
	return expr_add_term(p->e, t, p->lex.err);
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

/** Functions of neighbours but for windows. */
enum {
	NEIGHBOUR_GAUSS = 3,
	NEIGHBOUR_LAPLACIAN,
	NEIGHBOUR_GRADIENT,
	NEIGHBOUR_BILATERAL,
	NEIGHBOUR_PERONA_MALIK,
	NEIGHBOURS
};

static const char *const neighbour_names[NEIGHBOURS] = {
        "dx", "dy", "dz", [NEIGHBOUR_GAUSS] = "gauss", "laplacian", "gradient", "bilateral", "perona_malik"};

static int neighbour_parse(const char *name)
{
	for (int i = 0; i < NEIGHBOURS; i++)
		if (0 == strcmp(name, neighbour_names[i]))
			return i;

	return -1;
}

static bool is_function(const char *name)
{
	return 0 <= function_op(name) || 0 <= reduction_parse(name) || 0 <= window_parse(name) ||
	       0 <= neighbour_parse(name) || 0 <= sampler_parse(name);
}

static void unknown_function(struct parser *p, long column, const char *name)
{
	const char *names[OP_COUNT + RED_COUNT_OF + WINDOW_FUNCTIONS + NEIGHBOURS + SAMPLER_METHODS + 1];
	int n = 0;

	for (int i = 0; i < OP_COUNT; i++)
		names[n++] = op_name((enum op)i);

	for (int i = 0; i < RED_COUNT_OF; i++)
		names[n++] = reduction_name((enum reduction)i);

	for (int i = 0; i < WINDOW_FUNCTIONS; i++)
		names[n++] = window_name((enum window_function)i);

	for (int i = 0; i < NEIGHBOURS; i++)
		names[n++] = neighbour_names[i];

	for (int i = 0; i < SAMPLER_METHODS; i++)
		names[n++] = sampler_names[i];

	names[n] = NULL;

	const char *near = nearest_name(name, names);

	expr_fail(p->lex.err, column, "no function '%.40s'%s%s%s", name, near ? "; did you mean '" : "",
	        near ? near : "", near ? "'?" : "");
}

/** The arguments of a function. */
struct arguments {
	int n;       // 5: more than four
	int term[4]; // the first ones
	bool has_window;
	struct window window; // of the last argument
	int radii;            // of a window without box() or ball(): how many
	int radius[3];        // terms
};

static bool is_word(const struct parser *p, const char *word)
{
	return SIGN_NAME == p->lex.sign && (int)strlen(word) == p->lex.length &&
	       0 == strncmp(p->lex.word, word, strlen(word));
}

/** A whole number of a term made of numbers. */
static bool whole_value(struct parser *p, int term, long low, long high, const char *what, long *k)
{
	if (term < 0)
		return false;

	const double v = p->e->terms[term].value;

	if (!p->e->terms[term].number || v != rint(v) || !(v >= (double)low && v <= (double)high)) {
		expr_fail(p->lex.err, p->e->terms[term].column, "%s must be a whole number from %ld to %ld",
		        what, low, high);
		return false;
	}

	*k = (long)v;

	return true;
}

/** "box(2)", "ball(2, 2, 1)": the name is the current word. */
static bool parse_shape(struct parser *p, struct window *w)
{
	const long column = p->lex.column;
	int n = 0;

	w->ball = is_word(p, "ball");
	lex_next(&p->lex);

	if (!take(p, SIGN_OPEN, "'('"))
		return false;

	for (;; lex_next(&p->lex)) {
		const int t = parse_choice(p);

		if (n < 3 && !whole_value(p, t, 0, EXPR_RADIUS_MAX, "a radius", &w->r[n]))
			return false;

		n++;

		if (t < 0 || SIGN_COMMA != p->lex.sign)
			break;
	}

	if (1 == n)
		w->r[1] = w->r[2] = w->r[0];

	if (1 != n && 3 != n)
		expr_fail(p->lex.err, column, "a window has 1 radius or 3, found %d", n);

	return take(p, SIGN_CLOSE, "',' or ')'");
}

/** One argument: a value, a window, or radii like 1:1:2. */
static bool parse_argument(struct parser *p, struct arguments *a, int *t)
{
	*t = -1;
	a->radii = 0;

	if (is_word(p, "box") || is_word(p, "ball")) {
		struct lexer back = p->lex;

		lex_next(&p->lex);

		const bool shape = SIGN_OPEN == p->lex.sign;

		p->lex = back;

		if (shape) {
			a->has_window = true;
			return parse_shape(p, &a->window);
		}
	}

	*t = parse_choice(p);

	for (int v = *t; 0 <= v && a->radii < 3; a->radii++) {
		a->radius[a->radii] = v;

		if (SIGN_COLON != p->lex.sign || 2 == a->radii)
			break;

		lex_next(&p->lex);
		v = parse_choice(p);

		if (v < 0)
			return false;
	}

	a->radii += 0 <= *t;

	return 0 <= *t;
}

/** Arguments up to ')'; more than four only of min and max, which combine them as they come. */
static bool parse_arguments(struct parser *p, int combine, long column, struct arguments *a)
{
	if (SIGN_CLOSE == p->lex.sign) {
		lex_next(&p->lex);
		return true;
	}

	for (;;) {
		int t;

		if (a->has_window) {
			expr_fail(p->lex.err, p->lex.column, "a window is the last argument");
			return false;
		}

		if (!parse_argument(p, a, &t))
			return false;

		if (0 <= combine && 2 == a->n && !a->has_window)
			a->term[0] = add_op(p, TERM_OP, combine, column, 2, a->term);
		else if (a->n < 5)
			a->n++;

		if (a->n <= 4)
			a->term[a->n - 1] = t;

		if (SIGN_COMMA != p->lex.sign)
			return take(p, SIGN_CLOSE, "',' or ')'");

		if (1 < a->radii) {
			take(p, SIGN_CLOSE, "')'");
			return false;
		}

		lex_next(&p->lex);
	}
}

/** The second argument as a window: box(), ball(), a radius or three of them. */
static bool take_window(struct parser *p, const char *name, struct arguments *a, long column)
{
	if (2 != a->n || (!a->has_window && 2 == a->radii)) {
		expr_fail(p->lex.err, column, "%s takes a value and a window: r, rx:ry:rz, box(r) or ball(r)",
		        name);
		return false;
	}

	for (int d = 0; !a->has_window && d < 3; d++)
		if (!whole_value(p, a->radius[(1 == a->radii) ? 0 : d], 0, EXPR_RADIUS_MAX, "a radius",
		            &a->window.r[d]))
			return false;

	if (0 == a->window.r[0] && 0 == a->window.r[1] && 0 == a->window.r[2]) {
		expr_fail(p->lex.err, column,
		        "a window of radius 0 is the element itself, expected a radius of at least 1");
		return false;
	}

	return true;
}

/** The last argument as standard deviations in elements: s or sx:sy:sz. */
static bool take_sigma(struct parser *p, const struct arguments *a, double most, double sigma[3])
{
	for (int d = 0; d < 3; d++) {
		const int t = a->radius[(1 == a->radii) ? 0 : d];

		sigma[d] = p->e->terms[t].value;

		if (!p->e->terms[t].number || !(0. <= sigma[d] && sigma[d] <= most)) {
			expr_fail(p->lex.err, p->e->terms[t].column,
			        "a standard deviation must be a number from 0 to %g", most);
			return false;
		}
	}

	if (0. == sigma[0] && 0. == sigma[1] && 0. == sigma[2]) {
		expr_fail(p->lex.err, p->e->terms[a->radius[0]].column,
		        "a standard deviation of 0 gives the element itself, expected more than 0");
		return false;
	}

	return true;
}

/** Largest standard deviation of the bilateral filter: 21^3 neighbours. */
enum { BILATERAL_MAX = 5 };

/** Differences of values in filters. Their squares, and the reciprocals of these, are finite in float32. */
static const double difference_least = 1e-18, difference_most = 1e18;

/** Checks a difference of values, the second argument, if it is a number. Where its square becomes 0, all
 * results are NaN at equal values. */
static bool check_difference(struct parser *p, const struct arguments *a)
{
	const struct term *t = &p->e->terms[a->term[1]];

	if (!t->number || (difference_least <= t->value && t->value <= difference_most))
		return true;

	expr_fail(p->lex.err, t->column, "the difference of values is %g, expected %g to %g", t->value,
	        difference_least, difference_most);
	return false;
}

static int parse_neighbour(struct parser *p, int which, const struct window_builder *b, struct arguments *a)
{
	static const int counts[NEIGHBOURS] = {1, 1, 1, [NEIGHBOUR_GAUSS] = 2, 1, 1, 3, 2};
	static const char *const takes[NEIGHBOURS] = {
	        [NEIGHBOUR_GAUSS] = "a value and a standard deviation in elements: s or sx:sy:sz",
	        [NEIGHBOUR_BILATERAL] =
	                "a value and standard deviations of values and in elements: s or sx:sy:sz",
	        [NEIGHBOUR_PERONA_MALIK] = "a value and the difference that counts as an edge"};
	const bool sigmas = NEIGHBOUR_GAUSS == which || NEIGHBOUR_BILATERAL == which;
	double sigma[3];

	if (counts[which] != a->n || a->has_window || (1 < a->radii && !sigmas) || 2 == a->radii) {
		expr_fail(p->lex.err, b->column, takes[which] ? "%s takes %s" : "%s takes 1 argument",
		        neighbour_names[which], takes[which]);
		return -1;
	}

	if ((NEIGHBOUR_BILATERAL == which || NEIGHBOUR_PERONA_MALIK == which) && !check_difference(p, a))
		return -1;

	if (sigmas &&
	        !take_sigma(p, a, (NEIGHBOUR_GAUSS == which) ? (double)EXPR_SIGMA_MAX : (double)BILATERAL_MAX,
	                sigma))
		return -1;

	switch (which) {
	case NEIGHBOUR_GAUSS:
		return window_gauss(b, a->term[0], sigma);
	case NEIGHBOUR_LAPLACIAN:
		return window_laplacian(b, a->term[0]);
	case NEIGHBOUR_GRADIENT:
		return window_gradient(b, a->term[0]);
	case NEIGHBOUR_BILATERAL:
		return window_bilateral(b, a->term[0], a->term[1], sigma);
	case NEIGHBOUR_PERONA_MALIK:
		return window_perona_malik(b, a->term[0], a->term[1]);
	default:
		return window_difference(b, a->term[0], which);
	}
}

static int parse_sample(struct parser *p, int method, long column, const struct arguments *a)
{
	if (4 != a->n || a->has_window || 1 < a->radii) {
		expr_fail(p->lex.err, column,
		        "%s takes an operand and three places in mm, as in %s(v, x, y, z)",
		        sampler_names[method], sampler_names[method]);
		return -1;
	}

	if (TERM_INPUT != p->e->terms[a->term[0]].kind) {
		expr_fail(p->lex.err, column, "%s takes values of an operand, found an expression",
		        sampler_names[method]);
		return -1;
	}

	return add_term(p, (struct term){.kind = TERM_SAMPLE,
	                           .id = a->term[0],
	                           .args = 3,
	                           .arg = {a->term[1], a->term[2], a->term[3]},
	                           .shift = {method},
	                           .column = column});
}

static int find_macro(const struct parser *p, const char *name)
{
	for (int i = p->seen - 1; i >= 0; i--)
		if (0 == strcmp(name, p->macro[i].name))
			return i;

	return -1;
}

/** The value of function `which` for its arguments, whose first word is the current one. */
static int call_macro(struct parser *p, int which, long column)
{
	const struct macro *m = &p->macro[which];
	const int scope = p->scope, seen = p->seen, locals = p->locals;
	int args[8], n = 0;

	for (bool more = SIGN_CLOSE != p->lex.sign; more; more = SIGN_COMMA == p->lex.sign) {
		if (0 < n)
			lex_next(&p->lex);

		if (8 == n || (args[n++] = parse_choice(p)) < 0)
			break;
	}

	if (0 == p->lex.err->column && SIGN_CLOSE == p->lex.sign && n != m->n)
		expr_fail(p->lex.err, column, "%s takes %d argument%s, found %d", m->name, m->n,
		        (1 == m->n) ? "" : "s", n);

	if (EXPR_TERMS == p->calls++ || LOCALS < p->locals + n)
		expr_fail(p->lex.err, column, "more than %d calls of functions, or %d names in them",
		        EXPR_TERMS, LOCALS);

	if (0 < p->lex.err->column || !take(p, SIGN_CLOSE, "',' or ')'"))
		return -1;

	const struct lexer back = p->lex;

	for (int i = 0; i < n; i++) {
		memcpy(p->local[locals + i].name, m->parameter[i], sizeof m->parameter[i]);
		p->local[locals + i].term = args[i];
	}

	p->lex = m->body;
	p->scope = locals;
	p->locals = locals + n;
	p->seen = which;

	const int t = parse_choice(p);

	if (0 <= t && SIGN_END != p->lex.sign && SIGN_NEXT != p->lex.sign)
		take(p, SIGN_NEXT, "an operator or the end of the function");

	p->lex = back;
	p->scope = scope;
	p->locals = locals;
	p->seen = seen;

	return (0 == p->lex.err->column) ? t : -1;
}

static int parse_function(struct parser *p, const char *name, long column)
{
	if (0 <= find_macro(p, name))
		return call_macro(p, find_macro(p, name), column);

	int op = function_op(name), red = reduction_parse(name), window = window_parse(name);
	const int neighbour = neighbour_parse(name);
	const bool extreme = OP_MIN == op || OP_MAX == op;
	const struct window_builder b = {p->e, p->lex.err, column};
	struct arguments a = {0};

	if (!is_function(name)) {
		unknown_function(p, column, name);
		return -1;
	}

	if (!parse_arguments(p, extreme ? op : -1, column, &a))
		return -1;

	if (0 <= neighbour)
		return parse_neighbour(p, neighbour, &b, &a);

	if (0 <= sampler_parse(name))
		return parse_sample(p, sampler_parse(name), column, &a);

	if (0 <= window && (a.has_window || 1 < a.radii || (2 == a.n && !extreme) || (op < 0 && red < 0)))
		return take_window(p, name, &a, column)
		               ? window_term(&b, (enum window_function)window, a.term[0], &a.window)
		               : -1;

	if (a.has_window || 1 < a.radii) {
		expr_fail(p->lex.err, column, "%s takes no window", name);
		return -1;
	}

	const int n = a.n;

	if (0 <= red && n == reduction_args((enum reduction)red))
		return add_op(p, TERM_REDUCTION, red, column, n, a.term);

	if (0 <= op && n == op_args((enum op)op))
		return add_op(p, TERM_OP, op, column, n, a.term);

	int want = (0 <= op) ? op_args((enum op)op) : reduction_args((enum reduction)red);

	expr_fail(p->lex.err, column, "%s takes %s%d argument%s, found %s%d", name,
	        extreme ? "at least " : "", extreme ? 1 : want, (1 == want || extreme) ? "" : "s",
	        (n > 4) ? "more than " : "", (n > 4) ? 4 : n);

	return -1;
}

/* ---- folds: sum[a=-1:1, b=-1:1](w * v[a,b]), for[i=0:9, s=0](s + v while s < 1) ---- */

/** The variables of one, and how values are joined. */
struct fold {
	bool is_for; // new values of states, not a sum or extreme of values
	enum op op;
	int n, variable[VARIABLES]; // those that count: places among the parser's locals
	long from[VARIABLES], to[VARIABLES];
	int states, state[VARIABLES]; // of a sum: its value and, of a mean, how many values it has
	int value[2];
	int going; // term: whether the steps go on; -1: always
	struct lexer body;
};

static int add_integer(struct parser *p, long v, long column)
{
	const struct term t = {.kind = TERM_INTEGER, .integer = (uint64_t)labs(v), .column = column};
	const int size = add_term(p, t);

	return (v < 0) ? add_op(p, TERM_OP, OP_NEG, column, 1, &size) : size;
}

/** "-2:2" or the first value of a state. */
static bool parse_bounds(struct parser *p, struct fold *f, const char *name, long column)
{
	const int first = parse_choice(p);
	long *from = &f->from[f->n], *to = &f->to[f->n];

	if (first < 0)
		return false;

	if (f->is_for && SIGN_COLON != p->lex.sign) {
		p->local[p->locals].term = first;
		f->state[f->states++] = p->locals;

		return true;
	}

	if (!whole_value(p, first, -BOUND_MAX, BOUND_MAX, "a bound", from) || !take(p, SIGN_COLON, "':'") ||
	        !whole_value(p, parse_choice(p), -BOUND_MAX, BOUND_MAX, "a bound", to))
		return false;

	if (*to < *from) {
		expr_fail(p->lex.err, column, "'%s' has no values from %ld to %ld", name, *from, *to);
		return false;
	}

	f->variable[f->n++] = p->locals;

	return true;
}

/** "a=-2:2": a variable and its range; "s=0": a state. */
static bool parse_range_of(struct parser *p, struct fold *f)
{
	if (LOCALS == p->locals || f->n + f->states == VARIABLES) {
		expr_fail(p->lex.err, p->lex.column, "more than %d variables", VARIABLES);
		return false;
	}

	if (SIGN_NAME != p->lex.sign || (size_t)p->lex.length >= sizeof p->local[0].name) {
		take(p, SIGN_BAD, "the name of a variable");
		return false;
	}

	const long column = p->lex.column;
	char name[sizeof p->local[0].name];

	snprintf(name, sizeof name, "%.*s", p->lex.length, p->lex.word);
	lex_next(&p->lex);

	if (!take(p, SIGN_ASSIGN, "'='") || !parse_bounds(p, f, name, column))
		return false;

	snprintf(p->local[p->locals++].name, sizeof name, "%s", name);

	return true;
}

/** b where the steps go on, else a. */
static int while_going(struct parser *p, const struct fold *f, int b, int a, long column)
{
	const int args[3] = {f->going, b, a};

	return (f->going < 0 || b < 0) ? b : add_op(p, TERM_OP, OP_SELECT, column, 3, args);
}

/** Joins a value to those before. */
static bool add_value(struct parser *p, struct fold *f, int v, long column)
{
	const int one = add_integer(p, 1, column), joined[2] = {f->value[0], v},
	          counted[2] = {f->value[1], one};

	if (f->value[0] < 0) {
		f->value[0] = v;
		f->value[1] = one;
	} else {
		f->value[0] = while_going(
		        p, f, add_op(p, TERM_OP, (int)f->op, column, 2, joined), joined[0], column);
		f->value[1] =
		        while_going(p, f, add_op(p, TERM_OP, OP_ADD, column, 2, counted), counted[0], column);
	}

	return 0 <= f->value[0] && 0 <= f->value[1];
}

/** One step: the body, and whether there is to be a further one. */
static bool fold_step(struct parser *p, struct fold *f, long column)
{
	int v[VARIABLES], n = 0, args[2];

	p->lex = f->body;

	do {
		if (0 < n)
			lex_next(&p->lex);

		v[n] = parse_choice(p);
	} while (0 <= v[n] && ++n < f->states && SIGN_COMMA == p->lex.sign);

	if (0 < p->lex.err->column)
		return false;

	if (f->is_for && n < f->states) {
		expr_fail(p->lex.err, p->lex.column, "%d new values, expected one of each of %d variables", n,
		        f->states);
		return false;
	}

	if (!f->is_for && !add_value(p, f, v[0], column))
		return false;

	for (int k = 0; k < f->states; k++) {
		struct local *s = &p->local[f->state[k]];

		s->term = while_going(p, f, v[k], s->term, column);
	}

	if (!is_word(p, "while"))
		return 0 == p->lex.err->column;

	lex_next(&p->lex);
	args[0] = f->going;
	args[1] = parse_choice(p);

	if (f->going < 0) { // a condition, whatever its type
		args[0] = args[1];
		args[1] = (args[0] < 0) ? -1 : add_integer(p, 0, column);
		f->going = add_op(p, TERM_OP, OP_NE, column, 2, args);
	} else {
		f->going = add_op(p, TERM_OP, OP_AND, column, 2, args);
	}

	return 0 == p->lex.err->column;
}

/** Joins what stands for some values of a variable, all values of the later ones, to that of those before. */
static bool join_parts(struct parser *p, struct fold *f, const int before[2], long column)
{
	for (int k = 0; k < 2; k++) {
		const int args[2] = {before[k], f->value[k]};

		f->value[k] = add_op(p, TERM_OP, (0 == k) ? (int)f->op : OP_ADD, column, 2, args);
	}

	return 0 <= f->value[0] && 0 <= f->value[1];
}

/** The body for all values of variables `level` and later: without an early end those of the later ones are
 * joined first, so that parts which differ by an offset are the same. */
static bool fold_over(struct parser *p, struct fold *f, int level, long column)
{
	if (level == f->n)
		return fold_step(p, f, column);

	for (long k = f->from[level]; k <= f->to[level]; k++) {
		const int before[2] = {f->value[0], f->value[1]};
		const bool parts = !f->is_for && f->going < 0 && level + 1 < f->n && 0 <= before[0];

		if (parts)
			f->value[0] = -1;

		p->local[f->variable[level]].term = add_integer(p, k, column);

		if (!fold_over(p, f, level + 1, column) || (parts && !join_parts(p, f, before, column)))
			return false;
	}

	return true;
}

static int parse_fold(struct parser *p, const char *name, long column)
{
	struct fold f = {.is_for = 0 == strcmp(name, "for"),
	        .op = (0 == strcmp(name, "min"))   ? OP_MIN
	              : (0 == strcmp(name, "max")) ? OP_MAX
	                                           : OP_ADD,
	        .value = {-1, -1},
	        .going = -1};
	const int locals = p->locals;
	int t = -1;

	do
		lex_next(&p->lex);
	while (parse_range_of(p, &f) && SIGN_COMMA == p->lex.sign);

	if (0 == p->lex.err->column && f.is_for && (0 == f.n || 0 == f.states))
		expr_fail(p->lex.err, column,
		        "for takes a variable with its range and one with its first value, as in for[i=0:9, "
		        "s=0](s + i)");

	if (0 == p->lex.err->column && take(p, SIGN_RIGHT, "',' or ']'") && take(p, SIGN_OPEN, "'('")) {
		f.body = p->lex;

		if (fold_over(p, &f, 0, column) && take(p, SIGN_CLOSE, "')'"))
			t = f.is_for ? p->local[f.state[0]].term : f.value[0];
	}

	p->locals = locals;

	if (t < 0 || 0 != strcmp(name, "mean"))
		return t;

	return add_op(p, TERM_OP, OP_DIV, column, 2, f.value);
}

/** "[1, 0, -1]" after a value. */
static int parse_offset(struct parser *p, int t)
{
	const struct window_builder b = {p->e, p->lex.err, p->lex.column};
	long shift[3] = {0};
	int n = 0;

	do {
		lex_next(&p->lex);

		if (3 == n) {
			expr_fail(p->lex.err, p->lex.column, "more than 3 offsets");
			return -1;
		}

		if (!whole_value(
		            p, parse_choice(p), -EXPR_OFFSET_MAX, EXPR_OFFSET_MAX, "an offset", &shift[n++]))
			return -1;
	} while (SIGN_COMMA == p->lex.sign);

	return take(p, SIGN_RIGHT, "',' or ']'") ? window_shift(&b, t, shift) : -1;
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

/** The term of a variable of folds, the innermost of its name; or -1. */
static int find_local(const struct parser *p, const char *name)
{
	for (int i = p->locals - 1; i >= p->scope; i--)
		if (0 == strcmp(name, p->local[i].name))
			return p->local[i].term;

	for (int i = p->lets - 1; i >= 0; i--)
		if (0 == strcmp(name, p->let[i].name))
			return p->let[i].term;

	return -1;
}

/** What goes over ranges. */
static bool is_fold(const char *name)
{
	return 0 == strcmp(name, "for") || 0 == strcmp(name, "sum") || 0 == strcmp(name, "mean") ||
	       0 == strcmp(name, "min") || 0 == strcmp(name, "max");
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
	} else if (SIGN_LEFT == p->lex.sign && is_fold(name)) {
		t = parse_fold(p, name, column);
	} else if (0 <= find_local(p, name)) {
		t = find_local(p, name);
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

	while (0 <= args[0] && SIGN_LEFT == p->lex.sign)
		args[0] = parse_offset(p, args[0]);

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

/** "f(a, b) = ..." up to its end: the function is known from then on. False where it is another statement. */
static bool parse_macro(struct parser *p)
{
	const struct lexer back = p->lex;
	const struct expr_error before = *back.err;
	struct macro m = {.n = 0};
	bool good = SIGN_NAME == p->lex.sign && (size_t)p->lex.length < sizeof m.name;

	if (good)
		snprintf(m.name, sizeof m.name, "%.*s", p->lex.length, p->lex.word);

	lex_next(&p->lex);
	good = good && SIGN_OPEN == p->lex.sign;

	do {
		lex_next(&p->lex);
		good = good && m.n < 8 && SIGN_NAME == p->lex.sign && (size_t)p->lex.length < sizeof m.name;

		if (good)
			snprintf(m.parameter[m.n++], sizeof m.name, "%.*s", p->lex.length, p->lex.word);

		if (good)
			lex_next(&p->lex);
	} while (good && SIGN_COMMA == p->lex.sign);

	good = good && SIGN_CLOSE == p->lex.sign;

	if (good)
		lex_next(&p->lex);

	if (!good || SIGN_ASSIGN != p->lex.sign) {
		*back.err = before;
		p->lex = back;

		return false;
	}

	lex_next(&p->lex);
	m.body = p->lex;

	while (SIGN_END != p->lex.sign && SIGN_NEXT != p->lex.sign && SIGN_BAD != p->lex.sign)
		lex_next(&p->lex);

	if (is_function(m.name) || 0 <= find_macro(p, m.name))
		expr_fail(back.err, back.column, "'%s' is a function already, expected another name", m.name);

	if (MACROS == p->macros)
		expr_fail(back.err, back.column, "more than %d functions", MACROS);
	else
		p->macro[p->macros++] = m;

	p->seen = p->macros;

	return true;
}

/** "let NAME = ..." up to its end: a name for this program alone. False where it is another statement. */
static bool parse_let(struct parser *p)
{
	const struct lexer back = p->lex;
	char name[sizeof p->let[0].name];

	if (!is_word(p, "let"))
		return false;

	lex_next(&p->lex);

	if (SIGN_NAME != p->lex.sign) {
		p->lex = back;
		return false;
	}

	const long column = p->lex.column;

	snprintf(name, sizeof name, "%.*s", p->lex.length, p->lex.word);
	lex_next(&p->lex);

	if (!take(p, SIGN_ASSIGN, "'='"))
		return true;

	const int t = parse_choice(p);

	if (LETS == p->lets)
		expr_fail(p->lex.err, column, "more than %d names", LETS);
	else if (0 <= t && may_define(p, name, column)) {
		snprintf(p->let[p->lets].name, sizeof name, "%s", name);
		p->let[p->lets++].term = t;
	}

	return true;
}

/** One statement; one without a name must be the last. */
static bool parse_statement(struct parser *p)
{
	if (parse_macro(p) || parse_let(p)) {
		if (SIGN_END == p->lex.sign)
			expr_fail(p->lex.err, p->lex.column,
			        "a program ends with a result, NAME = EXPRESSION or EXPRESSION");

		return 0 == p->lex.err->column;
	}

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

static struct expr *parse_text(const char *text, bool lines, struct expr_error *err)
{
	struct parser *p = NEW(struct parser);
	struct expr *e = p->e = NEW(struct expr);

	*err = (struct expr_error){0};

	if (strlen(text) > TEXT_MAX)
		expr_fail(err, TEXT_MAX, "the text is too long, expected at most %d bytes", TEXT_MAX);
	else {
		lex_start(&p->lex, text, lines, err);
		parse_statements(p);
	}

	free(p);

	if (0 == err->column)
		return e;

	expr_free(e);

	return NULL;
}

struct expr *expr_parse(const char *text, struct expr_error *err)
{
	return parse_text(text, false, err);
}

struct expr *expr_parse_program(const char *text, struct expr_error *err)
{
	return parse_text(text, true, err);
}
