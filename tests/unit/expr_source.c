/* Generated kernels as plain C++: the sources of many passes, compiled at once by the system's compiler, give
 * what the CPU's evaluator gives. */

#include <dlfcn.h>
#include <limits.h>
#include <math.h>

#include "expr_case.h"
#include "misc/error.h"
#include "num/expr/expr_pass.h"
#include "num/expr/expr_source.h"

enum { CASES = 150, PASSES = 16 };

typedef void block_fn(const void *args, unsigned block);

/* An expression with its operands, what it gives, and its kernels. */
struct one {
	char *text;
	struct operand own[INPUTS];
	int nin;
	struct array *in[EXPR_OPERANDS];
	struct expr_plan *plan;
	struct strided memory;
	struct array *want, *got;
	struct expr_run run;
	struct loop *loop[PASSES];
	struct expr_source *source[PASSES];
	char *base[PASSES][64];
};

static struct one one[CASES];

static void prepare_pass(struct one *o, int k)
{
	const struct expr_pass *q = &o->plan->pass[k];
	struct loop *l = expr_loop_create(o->plan, q, (const unsigned char(*)[16])o->run.scalars);

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD != s->kind && STEP_STORE != s->kind)
			continue;

		const struct array *a = (STEP_LOAD == s->kind) ? o->in[s->id] : o->got;

		expr_loop_set(
		        l, s->lane, a->type, a->swapped, 0 == (size_t)a->data % dtype_unit(a->type), a->strs);
		o->base[k][s->lane] = a->data;
	}

	expr_loop_simplify(l, q->ordered);
	o->loop[k] = l;
	o->source[k] = expr_source_create(l, o->base[k]);
}

static void prepare(struct one *o, const char *text, bool single)
{
	struct expr_operand operands[EXPR_OPERANDS];
	struct expr_error err;
	long dims[DIMS];
	enum dtype type;

	make_inputs(single);
	memcpy(o->own, inputs, sizeof inputs);
	used = 0;

	if (NULL == text) {
		struct str s = {0};

		print_tree(&s, grow(4));
		o->text = s.data;
	} else {
		o->text = mem_strdup(text);
	}

	struct expr *e = expr_parse(o->text, &err);

	for (int i = 0; NULL != e && i < expr_inputs(e); i++) {
		o->in[i] = o->own[expr_input(e, i)[0] - 'a'].a;
		expr_operand_of(&operands[i], o->in[i]);
	}

	o->nin = (NULL == e) ? 0 : expr_inputs(e);

	if (0 == o->nin) {
		expr_free(e);
		return;
	}

	o->plan = expr_bind(e, operands, rules);
	expr_plan_output(o->plan, 0, dims, &type);

	if (0 == pick(3))
		type = DT_COMPLEX128;
	else if (0 == pick(3))
		type = DT_INT16;

	o->memory = strided_make(DIMS, dims, dtype_size(type), false);
	o->got = array_borrow(type, DIMS, dims, o->memory.strs, o->memory.first);
	o->want = array_create(type, DIMS, dims);
	expr_run(o->plan, &o->want, (const struct array *const *)o->in);
	expr_run_start(&o->run, o->plan);

	for (int k = 0; k < o->plan->passes && k < PASSES; k++)
		prepare_pass(o, k);

	expr_free(e);
}

static void release(struct one *o)
{
	free(o->text);

	for (int k = 0; k < INPUTS; k++)
		operand_free(&o->own[k]);

	if (NULL == o->plan)
		return;

	for (int k = 0; k < o->plan->passes && k < PASSES; k++) {
		expr_source_free(o->source[k]);
		expr_loop_free(o->loop[k]);
	}

	expr_run_end(&o->run);
	expr_plan_free(o->plan);
	array_free(o->want);
	array_free(o->got);
	free(o->memory.buffer);
}

/* All sources in one file: what they share once, each of the rest in a namespace. */
static bool write_sources(const char *path)
{
	FILE *f = fopen(path, "w");

	fputs(expr_source_library(), f);

	for (int i = 0; i < CASES; i++)
		for (int k = 0; one[i].plan && k < one[i].plan->passes && k < PASSES; k++) {
			const struct expr_source *s = one[i].source[k];

			fprintf(f,
			        "#define gantry_expr gantry_expr_%d_%d\nnamespace n%d_%d {\n%s}\n#undef "
			        "gantry_expr\n",
			        i, k, i, k, s->text);
		}

	return 0 == fclose(f);
}

static void run_source(struct one *o, int k, block_fn *fn)
{
	const struct expr_source *s = o->source[k];
	const struct loop *l = o->loop[k];
	long part = expr_source_part(s, l->count), blocks = (l->count + part - 1) / part;
	int64_t *words = mem_calloc((size_t)s->words, sizeof *words);
	uint64_t *counters = mem_calloc((size_t)s->counters + 1, sizeof *counters);
	struct kern_acc *acc = expr_run_accumulators(l->pass, blocks);

	expr_source_arguments(s, o->base[k], words);
	words[EXPR_END] = l->count;
	words[EXPR_PART_OF_BLOCK] = part;
	words[EXPR_ACCUMULATORS] = (int64_t)(size_t)acc;
	words[EXPR_COUNTERS] = (int64_t)(size_t)counters;

	for (long b = 0; b < blocks; b++)
		fn(words, (unsigned)b);

	expr_run_reduced(&o->run, l->pass, expr_run_merge(l->pass, acc, blocks));
	free(words);
	free(counters);
	free(acc);
}

static void run(struct one *o, void *library, int number)
{
	for (int k = 0; k < o->plan->passes; k++) {
		char name[64];

		snprintf(name, sizeof name, "gantry_expr_%d_%d", number, k);
		expr_run_scalars(&o->run, o->plan->pass[k].stage);
		run_source(o, k, (block_fn *)(size_t)dlsym(library, name));
	}

	expr_run_scalars(&o->run, INT_MAX);

	if (expr_plan_is_reduction(o->plan, 0))
		kern_store(o->got->type, false, o->got->data, 0, o->plan->g.nodes[o->plan->root[0]].type,
		        o->run.scalars[o->plan->root[0]], 1, NARROW_SATURATE, false);
}

static double off(const struct one *o)
{
	long pos[DIMS] = {0};
	double worst = 0, scale = 1;

	do {
		complex double a, b;

		convert(DT_COMPLEX128, &a, o->want->type,
		        o->want->data + md_calc_offset(DIMS, o->want->strs, pos), 1, NARROW_SATURATE);
		convert(DT_COMPLEX128, &b, o->got->type,
		        o->got->data + md_calc_offset(DIMS, o->got->strs, pos), 1, NARROW_SATURATE);
		scale = fmax(scale, cabs(a));

		if (cabs(a - b) > 0)
			worst = fmax(worst, cabs(a - b));
		else if (!(cabs(a - b) == 0) && !(isnan(cabs(a)) && isnan(cabs(b))) && cabs(a) != cabs(b))
			worst = INFINITY;
	} while (md_next(DIMS, o->want->dims, ~0ul, pos));

	return worst / scale;
}

static const char *const fixed[] = {"argmin(real(a) + 0*real(b))", "argmax(abs(a))", "dot(a, b)",
        "prod(1 + 0*a)", "any(real(a) > 1) + all(real(a) < 5) + count(b)", "norm1(a - b)",
        "min(abs(a)) + max(abs(b))", "exp(-abs(a)/9)", "-log(1 + abs(a))", "floor(real(a)) % 3",
        "clamp(real(a), -1, 0.5)", "arg(a)", "cis(real(a))", "atan2(real(a), real(b))",
        "soft(a, 0.5) + hard(b, 0.5)", "a*a + a", "(real(a) > 0 && real(b) < 1) || isnan(c)", "sign(a)",
        "tan(a/7) + sinh(a/7)*cosh(b/7)", "asin(a/9)*acos(a/9) + atan(b)",
        "log1p(abs(a)) + expm1(a/9) + erf(real(b))", "(1 + abs(a))^0.3 + a^-2",
        "asinh(a) + tanh(b) + cbrt(real(a))", "i0 + 10*i1 + a", "log(a + 0i) + sqrt(b + 0i)"};

int main(void)
{
	char room[SCRATCH], *path = scratch_name(room);
	const int nfixed = (int)(sizeof fixed / sizeof fixed[0]);
	int bad = 0, number = 0;

	log_level = -1; // values that do not fit

	if (NULL == mkdtemp(path) || 0 != system("command -v c++ > /dev/null 2>&1")) {
		printf("ok expr_source: # SKIP there is no C++ compiler\n");
		return 0;
	}

	for (int i = 0; i < CASES; i++)
		prepare(&one[i], (i < 2 * nfixed) ? fixed[i % nfixed] : NULL, i % 2);

	char *source = mem_printf("%s/k.cc", path), *library = mem_printf("%s/k.so", path);
	char *command = mem_printf(
	        "c++ -x c++ -std=c++17 -O0 -w -ffp-contract=off -fPIC -shared -o %s %s", library, source);

	check(write_sources(source), "expr_source: written");
	check(0 == system(command), "expr_source: %s", command);

	void *so = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	check(NULL != so, "expr_source: loaded");

	for (int i = 0; NULL != so && i < CASES; i++) {
		if (NULL == one[i].plan)
			continue;

		run(&one[i], so, i);

		double d = off(&one[i]);

		number++;

		if (!(d <= 1e-6)) {
			bad++;
			check(false, "expr_source: %s is off by %g", one[i].text, d);
		}
	}

	check(0 == bad && 0 < number, "expr_source: %d expressions as the evaluator", number);

	for (int i = 0; i < CASES; i++)
		release(&one[i]);

	if (NULL == getenv("KEEP")) {
		unlink(source);
		unlink(library);
		rmdir(path);
	}

	free(source);
	free(library);
	free(command);

	return checks_failed > 0;
}
