/* Neighbourhoods by steps that keep their values in registers (num/line/line_kern.h) have the bits of those
 * by kernels over lines: all edges, shapes from 1 to 70 per dim, float32 and float64. Sums of direct
 * neighbours read arrays of any steps in place, and nothing around them. */

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/expr/expr.h"

/* A weight that may exceed 1, so that its exponential is that of any argument. */
#define WEIGHT(x) "max(exp(max((" x " - v)^2*0.5 + 1, -90)) - 0.1, 0)"

/* What each gives twice: a choice, whose condition is always met, has no such steps. */
static const char *const texts[] = {
        "v + 0.1*laplacian(v)",
        "sum[a=-1:1, b=-1:1, c=-1:1](v[a,b,c])",
        "gradient(v)",
        "v[1,0,0] - 2*v + v[-1,2,0]/(v*v + 3)",
        "-sqrt(v[0,1,0])*v[0,0,-1] + 1/(v + v[0,1,0])",
        "exp(-(v[1,0,0] - v)^2*40)*v[0,0,1] + exp(v)*(v - v[0,-1,0])",
        "(v - v[2,0,0])*(v + v[0,2,0]) - (v[0,0,2] - v)*(v[1,1,1] + v)",
        "5 - v[-3,0,0]*0.5",
        "2*(v[1,0,0] + v[-1,0,0]) + 3*(v[0,1,0] + v[0,-1,0]) - 4*v",
        "v[2,0,0] - 0.7*((v[0,0,1] + v[0,0,-1]) + 0.5*(v[0,2,0] + v[-1,0,0]) + (v[1,1,1] + v) + 3*v[0,0,2])",
        "sum[a=-2:1, b=0:2](v[a,b])*0.25",
        "mean[a=-1:1, b=-2:2, c=-1:0](v[a,b,c])",
        "sum[b=-1:1, c=-2:2](v[0,b,c])/3",
        "sum[a=-9:2, c=-1:1](v[a,0,c]) + sum[a=0:3](v[a])",
        "sum[a=1:5, b=3:4](v[a,b])",
        "max(v[1,0,0] - v, 0)*max(v, v[0,1,0]) - max(0.5, max(v[0,-1,0], v)*v)",
        "bilateral(v, 0.3, 0.5)",
        "bilateral(v, 0.02, 1:0.5:0)",
        "let a = " WEIGHT("v[1,0,0]") "; let s = a*v[1,0,0]; let b = " WEIGHT(
                "v[0,1,0]") "; let n = a + b; let t = s + b*v[0,1,0]; let c "
                            "= " WEIGHT("v[0,0,1]") "; let m = n + c; "
                                                    "let q = t + c*v[0,0,1]; q/m",
};

static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64};
static unsigned long state = 1;

static long draw(long n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;

	return (long)((state >> 33) % (unsigned long)n);
}

static void fill(void *data, enum dtype t, long n)
{
	for (long i = 0; i < n; i++) {
		const double x = (double)draw(1000000) / 250000. - 1.;

		if (DT_FLOAT32 == t)
			((float *)data)[i] = (float)x;
		else
			((double *)data)[i] = x;
	}
}

/** The result's bytes. */
static void *result_of(const char *text, enum expr_edge edge, const struct array *v, size_t *bytes)
{
	const struct array_rules rules = {NARROW_SATURATE, DOMAIN_NAN};
	struct expr_error err;
	struct expr *e = expr_parse(text, &err);
	struct expr_operand o;
	long dims[DIMS];
	enum dtype type;

	if (NULL == e || !expr_resolve(e, 1, (const char *const[]){"v"}, &err)) {
		check(false, "%s: column %ld: %s", text, err.column, err.text);
		exit(1);
	}

	expr_set_edge(e, edge);
	expr_operand_of(&o, v);

	struct expr_plan *p = expr_bind(e, &o, rules);

	expr_plan_output(p, 0, dims, &type);
	*bytes = (size_t)array_count(v) * dtype_size(type);

	void *data = mem_calloc(*bytes + 1, 1);
	struct array *out = array_borrow(type, DIMS, dims, NULL, data);

	expr_run(p, &out, (const struct array *const[]){v});
	array_free(out);
	expr_plan_free(p);
	expr_free(e);

	return data;
}

static void compare(const char *text, enum expr_edge edge, const struct array *v, const long n[3], int type)
{
	char other[512];
	const char *semicolon = strrchr(text, ';'), *last = (NULL == semicolon) ? text : semicolon + 1;
	size_t bytes, same;

	snprintf(other, sizeof other, "%.*s(v > -1e30) ? %s : 7", (int)(last - text), text, last);

	void *fast = result_of(text, edge, v, &bytes), *slow = result_of(other, edge, v, &same);

	if (bytes != same || 0 != memcmp(fast, slow, bytes))
		check(false, "%s of %ld x %ld x %ld, type %d, edge %d: the bits differ", text, n[0], n[1],
		        n[2], type, (int)edge);

	free(fast);
	free(slow);
}

/* ---- in place ---- */

/* Sums of direct neighbours, alone and of each other. */
static const char *const sums[] = {
        "v + 0.1*laplacian(v)",
        "(v[1] + v[-1])*0.3 + (v[0,3] + v[0,-2])*0.7 + (v[0,0,4] + v[0,0,-5]) + v*0.1",
        "(v[1,1] + v[-1,1])*0.3 + (v[0,3] + v[0,-2])*0.7 + v[0,1]*0.1",
        "laplacian(laplacian(v))",
        "v + 0.1*laplacian(v + 0.1*laplacian(v))",
        "laplacian(v)*v[2,1] + laplacian(laplacian(v))",
};

/* An array between two pages that must not be touched: its elements end, or begin, at one. Rows and slices
 * have gaps, go backwards, or are repeated. */
static struct array *make_guarded(enum dtype t, const long n[3], char **p, size_t *bytes)
{
	const long size = (long)dtype_size(t), page = sysconf(_SC_PAGESIZE), gap = draw(2) * draw(20);
	long strs[3] = {size, (n[0] + gap) * size, (n[0] + gap) * n[1] * size};
	const long used = strs[2] * n[2] - gap * size, whole = (used + page - 1) / page * page;

	*bytes = (size_t)(whole + 2 * page);
	*p = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (MAP_FAILED == *p || mprotect(*p, (size_t)page, PROT_NONE) ||
	        mprotect(*p + page + whole, (size_t)page, PROT_NONE))
		abort();

	char *first = *p + page + draw(2) * (whole - used);

	fill(first, t, used / size);

	for (int d = 1; d < 3; d++) {
		const long kind = draw(4);

		first += (1 == kind) ? (n[d] - 1) * strs[d] : 0;
		strs[d] = (1 == kind) ? -strs[d] : (2 == kind) ? 0 : strs[d];
	}

	return array_borrow(t, 3, n, strs, first);
}

static void test_in_place(const long n[3], enum dtype t, long number)
{
	size_t all, bytes;
	char *p;
	struct array *v = make_guarded(t, n, &p, &all), *copy = array_create(t, 3, n);

	array_copy(copy, v, array_default);

	for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
		const enum expr_edge edge = (enum expr_edge)(((size_t)number + k) % 4);
		void *want = result_of(sums[k], edge, copy, &bytes),
		     *got = result_of(sums[k], edge, v, &bytes);

		if (0 != memcmp(want, got, bytes))
			check(false,
			        "%s of %ld x %ld x %ld, type %d, edge %d, steps %ld %ld: the bits differ",
			        sums[k], n[0], n[1], n[2], (int)t, (int)edge, v->strs[1], v->strs[2]);

		free(want);
		free(got);
	}

	array_free(v);
	array_free(copy);
	munmap(p, all);
}

int main(void)
{
	const int before = checks_failed;

	for (long i = 0; i < fewer(32); i++) {
		const long n[3] = {1 + draw(70), 1 + draw(70) / (1 + i % 3), 1 + draw(70) / 4};
		const enum dtype t = types[i % 2];
		void *data = mem_alloc((size_t)(n[0] * n[1] * n[2]) * 8);

		fill(data, t, n[0] * n[1] * n[2]);

		struct array *v = array_borrow(t, 3, n, NULL, data);

		for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
			compare(texts[k], (enum expr_edge)(((size_t)i + k) % 4), v, n, t);

		array_free(v);
		free(data);
	}

	check(before == checks_failed, "steps in registers have the bits of kernels over lines");

	for (long i = 0; i < fewer(80); i++)
		test_in_place((const long[]){2 + draw(70), 1 + draw(20), 1 + draw(5)}, types[i % 2], i);

	check(before == checks_failed, "elements are read in place, and no others");

	return checks_failed > 0;
}
