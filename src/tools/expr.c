/** Expressions over files. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/ranks/sharing.h"
#include "num/array/array.h"
#include "num/expr/expr.h"
#include "num/expr/iterate.h"
#include "num/md/number.h"
#include "num/shape/spill.h"
#include "num/shape/merge_header.h"

int main_expr(int argc, char *argv[]);

/** The words after the expression. */
struct words {
	int nin, nout;
	const char *in_name[EXPR_OPERANDS], *in_file[EXPR_OPERANDS];
	const char *out_file[EXPR_OPERANDS]; // per output of the expression; NULL: none
	int bare;
	const char *bare_file[2];
	int bare_number[2]; // which positional word it is
};

/** Where FILE begins in "NAME=FILE"; NULL when a word has no name. */
static const char *file_of(const char *word)
{
	const char *p = word;

	while (isalnum((unsigned char)*p) || '_' == *p)
		p++;

	return ('=' == *p && p > word && !isdigit((unsigned char)*word)) ? p + 1 : NULL;
}

static bool has_name(const char *word, const char *file, const char *name)
{
	size_t n = (size_t)(file - word - 1);

	return n == strlen(name) && 0 == strncmp(word, name, n);
}

static int find_output(const struct expr *e, const char *word, const char *file)
{
	for (int i = 0; i < expr_outputs(e); i++)
		if (has_name(word, file, expr_output(e, i)))
			return i;

	return -1;
}

static bool reads(const struct expr *e, const char *word, const char *file)
{
	for (int i = 0; i < expr_inputs(e); i++)
		if (has_name(word, file, expr_input(e, i)))
			return true;

	return false;
}

/** NAME=FILE: an output where the expression defines NAME, else an input. */
static void take_named(struct words *w, const struct expr *e, int number, const char *word, const char *file)
{
	int output = find_output(e, word, file);

	if ('\0' == *file)
		usage_error("%s: expected the name of an array after '='", word);

	if (0 <= output && NULL != w->out_file[output])
		usage_error("%s: '%s' has two files, expected one", word, expr_output(e, output));

	if (output < 0 && !reads(e, word, file))
		usage_error("%s: the expression does not use '%.*s'", word, (int)(file - word - 1), word);

	tool_record_array(number, (int)(file - word - 1), 0 <= output);

	if (0 <= output) {
		w->out_file[output] = file;
		w->nout++;
		return;
	}

	char *name = mem_printf("%.*s", (int)(file - word - 1), word);

	for (int i = 0; i < w->nin; i++)
		if (0 == strcmp(name, w->in_name[i]))
			usage_error("%s: '%s' has two files, expected one", word, name);

	w->in_name[w->nin] = name;
	w->in_file[w->nin++] = file;
}

static void set_output(struct words *w, const struct expr *e, int number, const char *file)
{
	int last = expr_outputs(e) - 1;

	if (NULL != w->out_file[last])
		usage_error("%s: '%s' has two files, expected one", file, expr_output(e, last));

	w->out_file[last] = file;
	w->nout++;
	tool_record_array(number, 0, true);
}

static bool may_be_coordinate(const char *name)
{
	return name[0] >= 'x' && name[0] <= 'z' && '\0' == name[1];
}

/** The only operand: the one name beside coordinates, or the one name. -1 when there are several. */
static int only_input(const struct expr *e)
{
	int names = 0, found = -1;

	for (int i = 0; i < expr_inputs(e); i++) {
		if (may_be_coordinate(expr_input(e, i)))
			continue;

		names++;
		found = i;
	}

	if (0 == names && 1 == expr_inputs(e))
		return 0;

	return (1 == names) ? found : -1;
}

/** Words without a name: the only operand's file where none is named, and the file of the last result. */
static void take_bare(struct words *w, const struct expr *e)
{
	int k = 0, only = only_input(e);

	if (0 < w->bare && 0 == w->nin && 0 <= only) {
		w->in_name[0] = mem_strdup(expr_input(e, only)); // it outlives coordinates
		w->in_file[w->nin++] = w->bare_file[k];
		tool_record_array(w->bare_number[k], 0, false);
		k++;
	}

	if (w->bare - k > 1)
		usage_error("%s: a name is missing, expected NAME=FILE for each operand, and one OUT",
		        w->bare_file[k]);

	if (k < w->bare)
		set_output(w, e, w->bare_number[k], w->bare_file[k]);
}

static void take_word(struct words *w, const struct expr *e, int number, const char *word)
{
	const char *file = file_of(word);

	if (NULL != file) {
		take_named(w, e, number, word, file);
		return;
	}

	if (2 == w->bare)
		usage_error("%s: a name is missing, expected NAME=FILE", word);

	w->bare_number[w->bare] = number;
	w->bare_file[w->bare++] = word;
}

/** first: the word in the place of the expression where a program is read from a file; else NULL. */
static void take_words(struct words *w, const struct expr *e, const char *first, const struct opt_list *l)
{
	if (NULL != first)
		take_word(w, e, 0, first);

	for (int i = 0; i < l->n; i++)
		take_word(w, e, i + 1, l->v[i]);

	take_bare(w, e);
}

/** The expression of the command line, or the program of a file. */
static struct expr *parse(const char *text, const char *program)
{
	struct expr_error err;
	char *lines = (NULL != program) ? file_read_text(program) : NULL;
	struct expr *e = (NULL != lines) ? expr_parse_program(lines, &err) : expr_parse(text, &err);

	free(lines);

	if (NULL == e && NULL != program)
		usage_error("%s, %s: %s", program, expr_place(err.column), err.text);

	if (NULL == e)
		usage_error("expression, %s: %s", expr_place(err.column), err.text);

	return e;
}

static void resolve(struct expr *e, const struct words *w)
{
	struct expr_error err;

	if (!expr_resolve(e, w->nin, w->in_name, &err))
		usage_error(
		        "expression, %s: %s (give a file as NAME=FILE)", expr_place(err.column), err.text);
}

/** Results that go to no file serve others; without files those that are numbers are printed, of named ones
 * before an unnamed one only that. */
static void drop_results(struct expr *e, struct words *w)
{
	int last = expr_outputs(e) - 1;
	bool only_last = 0 == w->nout && '\0' == expr_output(e, last)[0];

	for (int i = last; i >= 0; i--) {
		if (only_last ? i == last : (0 == w->nout || NULL != w->out_file[i]))
			continue;

		expr_drop_output(e, i);
		memmove(w->out_file + i, w->out_file + i + 1,
		        (size_t)(EXPR_OPERANDS - i - 1) * sizeof w->out_file[0]);
	}
}

static void open_inputs(
        const struct expr *e, const struct words *w, struct cfl *in[], struct expr_operand operands[])
{
	for (int i = 0; i < expr_inputs(e); i++) {
		for (int k = 0; k < w->nin; k++)
			if (0 == strcmp(w->in_name[k], expr_input(e, i)))
				in[i] = cfl_open(w->in_file[k]);

		expr_operand_of_file(&operands[i], in[i]);
	}
}

/** The headers of the inputs in a mask that fit an array of these dims (NULL: any). */
static int fitting(const struct expr *e, struct cfl *const in[], unsigned long mask, const long dims[],
        const struct hdr *list[])
{
	int n = 0;

	for (int i = 0; i < expr_inputs(e); i++)
		if ((mask & 1ul << i) && (NULL == dims || md_check_broadcast(DIMS, dims, in[i]->hdr.dims)))
			list[n++] = &in[i]->hdr;

	return n;
}

/** The inputs that have a detector: geometries. */
static unsigned long with_detector(const struct expr *e, struct cfl *const in[])
{
	unsigned long mask = 0;

	for (int i = 0; i < expr_inputs(e); i++)
		mask |= in[i]->hdr.has_detector ? 1ul << i : 0;

	return mask;
}

static void result_header(
        struct hdr *h, const struct expr *e, const struct expr_plan *p, int i, struct cfl *const in[])
{
	const struct hdr *list[EXPR_OPERANDS];
	long dims[DIMS];
	enum dtype type;

	expr_plan_output(p, i, dims, &type);
	hdr_init(h);

	bool number = expr_plan_is_reduction(p, i);
	int n = number ? 0 : fitting(e, in, expr_placed(e, i), dims, list);

	if (0 < n)
		merge_grid(h, n, list);

	merge_quantity(h, fitting(e, in, expr_kin(e, i), number ? NULL : dims, list), list);
	h->has_detector = false;

	if (number && Q_GEOMETRY == h->quantity)
		h->quantity = Q_UNKNOWN;
	else if (!number)
		merge_detector(h, fitting(e, in, expr_moved(e, i, with_detector(e, in)), dims, list), list);

	md_copy_dims(DIMS, h->dims, dims);
	h->type = type;
}

/** The results that are numbers: alone, or each after its name. */
static void print(const struct expr *e, const struct expr_plan *p, const unsigned char values[][16])
{
	for (int i = 0; i < expr_outputs(e); i++) {
		long dims[DIMS];
		enum dtype type;

		expr_plan_output(p, i, dims, &type);

		char *text = number_text(dtype_work(type), values[i]);

		printf("%s%s%s\n", (1 < expr_outputs(e)) ? expr_output(e, i) : "",
		        (1 < expr_outputs(e)) ? " " : "", text);
		free(text);
	}
}

/** Without files, arrays are steps on the way to numbers: drops them. */
static void keep_numbers(struct expr *e, const struct expr_plan *p)
{
	int last = expr_outputs(e) - 1;

	if (!expr_plan_is_reduction(p, last))
		usage_error("the result%s%s is an array, expected an output file",
		        expr_output(e, last)[0] ? " " : "", expr_output(e, last));

	for (int i = last; i >= 0; i--)
		if (!expr_plan_is_reduction(p, i))
			expr_drop_output(e, i);
}

static void show_plan(const struct expr_plan *p)
{
	expr_plan_warn(p);

	if (log_level < 1)
		return;

	char *text = expr_plan_text(p);

	for (char *line = strtok(text, "\n"); NULL != line; line = strtok(NULL, "\n"))
		verbose("%s", line);

	free(text);
}

static void close_inputs(const struct expr *e, struct cfl *const in[])
{
	for (int i = 0; i < expr_inputs(e); i++)
		cfl_close(in[i]);
}

static void run_to_numbers(struct expr *e, struct array_rules rules, const struct expr_operand operands[],
        struct cfl *const in[])
{
	unsigned char values[EXPR_OPERANDS][16];
	struct cfl *out[EXPR_OPERANDS] = {NULL};
	struct expr_plan *p = expr_bind(e, operands, rules);

	keep_numbers(e, p);
	expr_plan_free(p);
	p = expr_bind(e, operands, rules);
	show_plan(p);
	tool_plan_text();
	expr_run_files(p, out, in, values, "expr");
	close_inputs(e, in);
	print(e, p, (const unsigned char(*)[16])values);
	expr_plan_free(p);
}

static void run_to_files(const struct expr *e, const struct words *w, struct array_rules rules, int type,
        const struct expr_operand operands[], struct cfl *const in[])
{
	struct cfl *out[EXPR_OPERANDS];
	struct expr_plan *p = expr_bind(e, operands, rules);

	show_plan(p);

	for (int i = 0; i < expr_outputs(e); i++) {
		struct hdr h;

		result_header(&h, e, p, i, in);
		h.type = (0 <= type) ? (enum dtype)type : h.type;
		out[i] = cfl_create(w->out_file[i], &h);
		hdr_free(&h);
	}

	expr_run_files(p, out, in, NULL, "expr");
	expr_plan_free(p);
	close_inputs(e, in);

	for (int i = 0; i < expr_outputs(e); i++)
		cfl_close(out[i]);
}

struct own {
	struct cfl *f;
	long size;
};

static void write_own(void *ctx, size_t first, size_t bytes)
{
	const struct own *o = ctx;

	cfl_write_own(o->f, (long)first / o->size, (long)bytes / o->size);
}

/** Steps of which each takes the result of the one before as the operand that was given first. */
static void run_steps(const struct expr *e, const struct words *w, struct array_rules rules, long steps,
        long halo, const struct expr_operand operands[], struct cfl *const in[])
{
	const struct array *from[EXPR_OPERANDS];
	struct expr_plan *p = expr_bind(e, operands, rules);
	struct hdr h;
	int state = 0;

	for (int i = 0; i < expr_inputs(e); i++)
		if (0 == strcmp(w->in_name[0], expr_input(e, i)))
			state = i;

	show_plan(p);
	result_header(&h, e, p, 0, in);
	h.type = operands[state].type;

	struct cfl *f = cfl_create(w->out_file[0], &h);

	cfl_in_parts(f);

	for (int i = 0; i < expr_inputs(e); i++)
		from[i] = array_borrow(
		        in[i]->hdr.type, DIMS, in[i]->hdr.dims, NULL, (void *)cfl_map(in[i])); // only read

	struct array *out = array_borrow(h.type, DIMS, h.dims, NULL, cfl_map_out(f));

	expr_iterate(e, state, steps, 0, halo, rules, operands, out, from, "expr");
	array_free(out);

	const long size = (long)dtype_size(h.type);
	const struct sharing part = sharing_along(DIMS, h.dims, (size_t)size, expr_iterate_dim(h.dims), 1);

	sharing_own(&part, write_own, &(struct own){f, size});

	for (int i = 0; i < expr_inputs(e); i++)
		array_free((struct array *)from[i]); // only what describes it

	hdr_free(&h);
	expr_plan_free(p);
	close_inputs(e, in);
	cfl_close(f);
}

int main_expr(int argc, char *argv[])
{
	const char *text = NULL, *program = NULL;
	struct opt_list list = {0};
	int type = -1, narrow = NARROW_SATURATE, domain = DOMAIN_NAN, edge = EXPR_EDGE_CLAMP;
	long steps = 0, halo = 0;
	bool edge_given = false;

	const struct opt opts[] = {
	        OPT_TYPE(&type),
	        OPT_CHOICE(0, "narrow", &narrow, "saturate|wrap|error",
	                "values outside the range of the output type"),
	        OPT_CHOICE(0, "domain", &domain, "nan|warn|error|complex",
	                "real roots, logarithms, ... outside their domain"),
	        {0, "edge", OPT_KIND_CHOICE, &edge, "clamp|zero|wrap|mirror",
	                "values beyond the borders (mirror: border elements included)", 0, 0, 0, &edge_given},
	        OPT_INFILE('f', "file", &program, "FILE", "program of several lines, in place of EXPRESSION"),
	        OPT_LONG(0, "iterate", &steps, "N", 1, 1000000000,
	                "number of steps; each result is the first operand of the next step"),
	        {0, "halo", OPT_KIND_LONG, &halo, "N",
	                "with --iterate and MPI: steps between exchanges (default: 5)", OPT_NO_HISTORY, 1,
	                1000000000, 0},
	        ARG_STRING("EXPRESSION", &text, "'x*y + z', 'm = mean(x); y = x - m', 'norm(x - y)'"),
	        {0, "NAME=FILE", OPT_KIND_STRING, &list, 0,
	                "operands and named results; OUT alone takes the last result",
	                OPT_IS_ARG | OPT_MANY | OPT_OPTIONAL | OPT_WRITES, 0, 0, 0},
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "expr",
	        .group = GROUP_CALCULATE,
	        .synonyms = "calc math compute calculate",
	        .about = "Compute an expression of arrays, element by element",
	        .details = "The whole expression is computed in one pass over the files. Parts that "
	                   "depend on a reduction need one more pass.\n\n"
	                   "Operators: + - * / % ^, comparisons, && || !, a ? b : c.\n"
	                   "Functions: abs sqrt exp log sin cos ... min max clamp where real imag conj "
	                   "arg.\n"
	                   "Reductions: sum mean min max prod norm norm1 dot argmin argmax any all "
	                   "count.\n"
	                   "Numbers: 2, 0.5, 1e-3, 2i, pi, e, inf, nan.\n"
	                   "Element numbers and sizes of the dimensions: i0 to i15 and n0 to n15.\n"
	                   "Positions in mm: x, y and z, unless an operand has that name.\n"
	                   "Single neighbours: v[1,0,-1].\n"
	                   "Sums over neighbours: sum[a=-1:1, b=-1:1](v[a,b]), and likewise min, max and "
	                   "mean.\n"
	                   "Derivatives: dx(v), dy(v), dz(v) and gradient(v) in 1/mm, and laplacian(v) in "
	                   "1/mm^2.\n"
	                   "Filters with a window W: mean(v, W), min(v, W), max(v, W), std(v, W), "
	                   "median(v, W). The window W is r, rx:ry:rz, box(r) or ball(r), with radii in "
	                   "elements. In min and max, write box(r) in place of r.\n"
	                   "Other filters: gauss(v, sigma), bilateral(v, s, sigma), perona_malik(v, k), "
	                   "where sigma is in elements.\n"
	                   "Interpolation at positions in mm: nearest(v, X, Y, Z), linear(v, X, Y, Z), "
	                   "cubic(v, X, Y, Z).\n"
	                   "Steps: for[k=0:9, s=0](s + v while s < 5).\n\n"
	                   "Dimensions of length 1 are repeated. An expression such as 'a = x*y; b = a + "
	                   "z' gives several results. All results with NAME=FILE are written in one pass. "
	                   "If no result has a file, the results must be numbers, which are printed. A "
	                   "single operand may be given as FILE without a name. An expression that begins "
	                   "with - must come after --. The page doc/expressions.md describes the whole "
	                   "language.",
	        .examples = "gantry expr 'x*y + 0.5*z' x=a y=b z=c out\n"
	                    "gantry expr 'sum(a*b)/sum(b)' a=a b=b\n"
	                    "gantry expr 'm = mean(a); d = a - m' a=a d=centred\n"
	                    "gantry expr 'x^2 + y^2 < 20^2 ? v : 0' v=vol disc\n"
	                    "gantry expr --edge mirror 'median(v, 1)' vol smooth",
	        .memory = "a few tens of MiB. A stream with neighbourhoods or several passes is copied to a "
	                  "temporary file",
	        .by_parts = true,
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	struct words w = {0};
	struct cfl *in[EXPR_OPERANDS];
	struct expr_operand operands[EXPR_OPERANDS];
	struct expr *e = parse(text, program);
	struct array_rules rules = {(enum narrow)narrow, (enum domain)domain};

	expr_set_edge(e, (enum expr_edge)edge);
	take_words(&w, e, (NULL != program) ? text : NULL, &list);
	resolve(e, &w);
	drop_results(e, &w);
	open_inputs(e, &w, in, operands);

	if (edge_given && !expr_has_neighbours(e))
		usage_error("--edge has no effect: the expression reads no neighbours");

	if (0 < steps && (1 != w.nout || 1 != expr_outputs(e) || 0 == w.nin))
		usage_error("--iterate needs at least one operand, and exactly one result with a file");

	if (0 == steps && 0 < halo)
		usage_error("--halo requires --iterate");

	if (0 < steps && 0 <= type)
		usage_error("--iterate and --type exclude each other: steps keep the type of their operand "
		            "(see 'gantry cast')");

	spill_limit(tool_memory());

	if (0 < steps)
		run_steps(e, &w, rules, steps, halo ? halo : 5, operands, in);
	else if (0 == w.nout)
		run_to_numbers(e, rules, operands, in);
	else
		run_to_files(e, &w, rules, type, operands, in);

	expr_free(e);
	leave(EXIT_DONE);
}
