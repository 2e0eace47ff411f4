/* Kernels of neighbourhoods as plain C++: the sources of many passes, compiled at once by the system's
 * compiler, give the bytes of the CPU's evaluator. */

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/expr/expr_pass.h"
#include "num/expr/expr_source.h"
#include "num/expr/gpu/stencil_source.h"
#include "num/md/multind.h"

enum { MOST = 100 };

typedef void block_fn(const void *args, unsigned block);

/* A pass with its kernels. */
struct one {
	const char *text;
	enum dtype type;
	enum expr_edge edge;
	long dims[DIMS];
	struct array *in[2], *want, *got;
	struct expr_plan *plan;
	struct expr_run run;
	struct stencil *s;
	struct stencil_work work;
	struct stencil_source *source;
};

static struct one one[MOST];
static int count;

static struct array *values(enum dtype type, const long dims[DIMS], unsigned seed)
{
	struct array *a = array_create(type, DIMS, dims);
	const long n = md_calc_size(DIMS, dims);

	for (long i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;

		const double v = (double)(seed >> 8) / (1 << 24) * 200 - (DT_UINT8 == type ? 0 : 100);

		convert(type, a->data + i * (long)dtype_size(type), DT_FLOAT64, &v, 1, NARROW_SATURATE);
	}

	return a;
}

static void set_work(struct one *o)
{
	const struct expr_pass *q = &o->plan->pass[0];

	for (int i = 0; i < q->n; i++) {
		const struct step *s = &q->steps[i];

		if (STEP_LOAD == s->kind) {
			const struct array *a = o->in[s->id];
			struct stencil_input *in = &o->work.in[s->id];

			*in = (struct stencil_input){.data = a->data, .type = a->type, .swapped = a->swapped};

			for (int d = 0; d < DIMS; d++)
				in->strs[d] = (1 == a->dims[d]) ? 0 : a->strs[d];
		} else if (STEP_STORE == s->kind) {
			struct stencil_output *out = &o->work.out[s->id];

			*out = (struct stencil_output){.data = o->got->data, .type = o->got->type};
			md_copy_dims(DIMS, out->strs, o->got->strs);
		}
	}
}

static void prepare(const char *text, enum dtype type, enum expr_edge edge, long nx, long ny, long nz)
{
	struct one *o = &one[count++];
	struct expr_operand operands[EXPR_OPERANDS];
	struct expr_error err;
	enum dtype result;
	long dims[DIMS];

	*o = (struct one){.text = text, .type = type, .edge = edge};
	md_copy_dims(3, o->dims, (const long[]){nx, ny, nz});

	for (int d = 3; d < DIMS; d++)
		o->dims[d] = (3 == d && nx < 8) ? 2 : 1;

	struct expr *e = expr_parse(text, &err);

	if (NULL == e || !expr_resolve(e, 2, (const char *const[]){"v", "u"}, &err)) {
		check(false, "stencil_source: %s: %s", text, err.text);
		exit(EXIT_FAILURE);
	}

	for (int i = 0; i < expr_inputs(e); i++) {
		o->in[i] = values(type, o->dims, (unsigned)(count * 7 + i));
		expr_operand_of(&operands[i], o->in[i]);
	}

	expr_set_edge(e, edge);
	o->plan = expr_bind(e, operands, array_default);
	expr_plan_output(o->plan, 0, dims, &result);
	o->want = array_create(result, DIMS, dims);
	o->got = array_create(result, DIMS, dims);
	expr_run(o->plan, &o->want, (const struct array *const *)o->in);
	expr_run_start(&o->run, o->plan);
	expr_run_scalars(&o->run, o->plan->pass[0].stage);
	o->s = stencil_create(o->plan, &o->plan->pass[0]);
	set_work(o);
	o->source = stencil_source_create(o->s, &o->work, true);
	expr_free(e);
}

static void release(struct one *o)
{
	stencil_source_free(o->source);
	stencil_free(o->s);
	expr_run_end(&o->run);
	expr_plan_free(o->plan);
	array_free(o->in[0]);
	array_free(o->in[1]);
	array_free(o->want);
	array_free(o->got);
}

static bool write_sources(const char *path)
{
	FILE *f = fopen(path, "w");

	fputs(expr_source_library(), f);

	for (int i = 0; i < count; i++)
		for (int k = 0; NULL != one[i].source && k < one[i].source->kernels; k++)
			fprintf(f,
			        "#define gantry_expr kernel_%d_%d\nnamespace n%d_%d {\n%s}\n#undef "
			        "gantry_expr\n",
			        i, k, i, k, one[i].source->kernel[k].text);

	return 0 == fclose(f);
}

/* Two slabs of slices, of each position along dim 3. */
static void run(struct one *o, int number, void *library)
{
	const struct stencil_source *x = o->source;
	const struct expr_pass *q = &o->plan->pass[0];
	struct stencil_places p = {.from = 0};
	int64_t *words = mem_calloc((size_t)x->words, sizeof *words);
	uint64_t *counters = mem_calloc((size_t)x->counters + 1, sizeof *counters);
	const long half = (o->dims[2] + 1) / 2, most = stencil_source_blocks(x, x->kernels - 1, half);
	struct kern_acc *acc = expr_run_accumulators(q, 4 * most);
	long blocks = 0;

	p.kept = mem_calloc((size_t)o->s->n + 1, sizeof(char *));

	for (int i = 0; i < 4; i++) {
		p.rest[3] = i / 2;
		p.from = (i % 2) ? half : 0;
		p.to = (i % 2) ? o->dims[2] : half;

		if (p.rest[3] >= o->dims[3] || p.from >= p.to)
			continue;

		for (int k = 0; k < o->plan->nin; k++)
			p.in[k] = o->work.in[k].data + p.rest[3] * o->work.in[k].strs[3];

		p.out[0] = o->work.out[0].data + p.rest[3] * o->work.out[0].strs[3];

		for (int k = 0; k < o->s->n; k++)
			if (x->kept[k])
				p.kept[k] = mem_alloc((size_t)stencil_source_kept(x, k, p.to - p.from) *
				                      dtype_size(o->s->stages[k].type));

		words[EXPR_COUNTERS] = (int64_t)(size_t)counters;
		words[EXPR_ACCUMULATORS] = (int64_t)(size_t)(acc + blocks * q->reductions);
		stencil_source_arguments(x, &o->work, &p, (const unsigned char(*)[16])o->run.scalars, words);

		for (int k = 0; k < x->kernels; k++) {
			char name[64];

			snprintf(name, sizeof name, "kernel_%d_%d", number, k);

			block_fn *fn = (block_fn *)(size_t)dlsym(library, name);
			const long n = stencil_source_blocks(x, k, p.to - p.from);

			for (long b = 0; b < n; b++)
				fn(words, (unsigned)b);

			blocks += (k + 1 == x->kernels) ? n : 0;
		}

		for (int k = 0; k < o->s->n; k++) {
			free(p.kept[k]);
			p.kept[k] = NULL;
		}
	}

	expr_run_reduced(&o->run, q, expr_run_merge(q, acc, blocks));
	expr_run_scalars(&o->run, INT_MAX);

	if (expr_plan_is_reduction(o->plan, 0))
		kern_store(o->got->type, false, o->got->data, 0, o->plan->g.nodes[o->plan->root[0]].type,
		        o->run.scalars[o->plan->root[0]], 1, NARROW_SATURATE, false);

	free(acc);
	free(counters);
	free(words);
	free(p.kept);
}

static bool same(const struct one *o)
{
	return 0 ==
	       memcmp(o->want->data, o->got->data, (size_t)array_count(o->want) * dtype_size(o->want->type));
}

static void prepare_all(void)
{
	static const char *const texts[] = {"v[1,-2,1] - 2*v[-1]", "dx(v) + dy(v)*dz(v)", "gradient(v)",
	        "v + 0.1*laplacian(v)", "sum[a=-1:1, b=-1:1, c=-1:1](v[a,b,c])", "mean(v, 1)", "std(v, 1)",
	        "median(v, 1:1:0)", "gauss(v, 0.7)", "laplacian(v*v)[1,1,0]",
	        "min(v, box(1)) + max(v, ball(2))", "bilateral(v, 20, 0.6)", "(v + i0 - 2*x)[0,1,1]",
	        "laplacian(laplacian(laplacian(v)))", "max(laplacian(v))", "argmin(v[1] - u[0,1])"};
	static const char *const windows[] = {"mean(v, 3:4:2)", "max(v, box(4))", "median(v, 3)",
	        "median(v, ball(3))", "mean(mean(v, 3), 3)"};
	static const long shapes[][3] = {{37, 11, 9}, {5, 4, 3}, {70, 1, 1}, {33, 9, 1}};
	static const enum dtype types[] = {DT_FLOAT32, DT_UINT8, DT_FLOAT64, DT_INT16};

	for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++)
		for (int k = 0; k < (int)fewer(3); k++)
			prepare(texts[i], types[(i + k) % 4], (enum expr_edge)((i + 2 * k + i / 4) % 4),
			        shapes[(i + k) % 4][0], shapes[(i + k) % 4][1], shapes[(i + k) % 4][2]);

	for (int i = 0; i < (int)(sizeof windows / sizeof windows[0]); i++)
		for (int k = 0; k < (int)fewer(2); k++)
			prepare(windows[i], types[(i + k) % 4], (enum expr_edge)((i + k) % 4), shapes[k][0],
			        shapes[k][1], shapes[k][2]);
}

int main(void)
{
	char room[SCRATCH], *path = scratch_name(room);

	log_level = -1; // values that do not fit

	if (NULL == mkdtemp(path) || 0 != system("command -v c++ > /dev/null 2>&1")) {
		printf("ok stencil_source: # SKIP there is no C++ compiler\n");
		return 0;
	}

	prepare_all();

	char *source = mem_printf("%s/k.cc", path), *library = mem_printf("%s/k.so", path);
	char *command = mem_printf(
	        "c++ -x c++ -std=c++17 -O0 -w -ffp-contract=off -fPIC -shared -o %s %s", library, source);

	check(write_sources(source), "stencil_source: written");
	check(0 == system(command), "stencil_source: %s", command);

	void *so = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	int kept = 0;

	check(NULL != so, "stencil_source: loaded");

	for (int i = 0; NULL != so && i < count; i++) {
		struct one *o = &one[i];

		check(NULL != o->source, "stencil_source: %s: a kernel", o->text);

		if (NULL == o->source)
			continue;

		kept += 1 < o->source->kernels;
		run(o, i, so);
		check(same(o), "stencil_source: %s, %s, edge %d, %ld x %ld x %ld, %d kernels", o->text,
		        dtype_name(o->type), (int)o->edge, o->dims[0], o->dims[1], o->dims[2],
		        o->source->kernels);
	}

	check(0 < kept, "stencil_source: stages in arrays");

	for (int i = 0; i < count; i++)
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
