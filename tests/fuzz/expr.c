/**
 * The expression language: an input is parsed, bound to operands of any type, shape, stride and byte order,
 * and run. An input is "EXPRESSION", or "EXPRESSION$SETUP" where the bytes of SETUP choose the operands.
 * Element-wise results must be bit-identical to those for contiguous copies of the operands.
 */

#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/array.h"
#include "num/expr/expr.h"

enum { MOST = 8, RANK = 3, ELEMENTS = 4096 };

struct setup {
	char *text;
	const uint8_t *p, *end;
	bool compared; // the copies' turn: no error any more
};

static unsigned next(struct setup *s)
{
	return (s->p < s->end) ? *s->p++ : 0;
}

/* Extents of the whole: small, one line longer than a block, odd ones. */
static void choose_dims(struct setup *s, long dims[RANK])
{
	static const long extents[] = {3, 1, 2, 5, 16, 17, 64, 513, 1100, 4, 33, 7};
	long n = 1;

	for (int d = 0; d < RANK; d++) {
		dims[d] = extents[next(s) % (sizeof extents / sizeof extents[0])];

		if (n * dims[d] > ELEMENTS)
			dims[d] = 1;

		n *= dims[d];
	}
}

/* Memory with gaps and any order of the dims; the array stands at `data`. */
static struct array *choose_layout(struct setup *s, enum dtype t, const long dims[RANK], char **memory)
{
	unsigned how = next(s);
	long size = (long)dtype_size(t), step = size, strs[RANK], offset = 0;

	for (int k = 0; k < RANK; k++) {
		int d = (how & 1) ? RANK - 1 - k : k;

		strs[d] = step * ((how & 2) ? 2 : 1);
		step = strs[d] * dims[d] + ((how & 4) ? 3 * size : 0);

		if (how & (8u << d)) {
			offset += strs[d] * (dims[d] - 1);
			strs[d] = -strs[d];
		}
	}

	*memory = mem_calloc((size_t)step, 1);

	struct array *a = array_borrow(t, RANK, dims, strs, *memory + offset);

	a->swapped = (how & 64) && size > 1;

	return a;
}

/* Small whole numbers, or any bytes. */
static void fill(struct setup *s, struct array *a, char *memory)
{
	unsigned how = next(s);
	uint32_t state = how * 2654435761u + 1;
	long n = array_count(a);

	if (how & 1) {
		size_t bytes = dtype_size(a->type) * (size_t)n;

		for (size_t i = 0; i < bytes; i++)
			memory[i] = (char)((state = state * 1664525u + 1013904223u) >> 24) &
			            (DT_BOOL == a->type ? 1 : -1);

		return;
	}

	int8_t *small = mem_alloc((size_t)n);

	for (long i = 0; i < n; i++)
		small[i] = (int8_t)((int)((state = state * 1664525u + 1013904223u) >> 24) % 9 - 3);

	struct array *values = array_borrow(DT_INT8, DIMS, a->dims, NULL, small);

	array_copy(a, values, array_default);
	array_free(values);
	free(small);
}

static struct array *choose_operand(struct setup *s, const long whole[RANK], char **memory)
{
	enum dtype t = (enum dtype)(next(s) % DT_COUNT);
	unsigned shape = next(s);
	long dims[RANK];

	for (int d = 0; d < RANK; d++)
		dims[d] = (shape & (1u << d)) ? 1 : whole[d];

	if (shape > 250)
		dims[0]++; // does not fit

	struct array *a = choose_layout(s, t, dims, memory);

	fill(s, a, *memory);

	return a;
}

static struct expr *parse(struct setup *s, const char *names[MOST], int *n)
{
	struct expr_error err = {.column = -1};
	struct expr *e = expr_parse(s->text, &err);
	unsigned coordinates = next(s);

	*n = 0;

	if (e && expr_inputs(e) <= MOST && expr_outputs(e) <= MOST) {
		for (int i = 0; i < expr_inputs(e); i++)
			if (!(strchr("xyz", expr_input(e, i)[0]) && (coordinates & 1)))
				names[(*n)++] = mem_strdup(expr_input(e, i));

		if (expr_resolve(e, *n, names, &err) && expr_inputs(e) <= MOST)
			return e;
	}

	FUZZ_EXPECT(e || (1 <= err.column && err.column <= (long)strlen(s->text) + 1 && err.text[0]),
	        "an error in column %ld of %zu: %.200s", err.column, strlen(s->text), err.text);
	expr_free(e);

	return NULL;
}

static bool same(const struct array *a, const struct array *b)
{
	const enum dtype wide = dtype_is_complex(a->type) ? DT_COMPLEX128 : DT_FLOAT64;
	long n = array_count(a) * (dtype_is_complex(a->type) ? 2 : 1);
	const struct array_rules quiet = {NARROW_WRAP, DOMAIN_NAN};
	struct array *c = array_cast(a, a->type, quiet), *d = array_cast(b, b->type, quiet);
	struct array *x = array_cast(a, wide, quiet), *y = array_cast(b, wide, quiet);
	const double *u = (const double *)(const void *)x->data, *v = (const double *)(const void *)y->data;
	bool good = 0 == memcmp(c->data, d->data, (size_t)array_count(a) * dtype_size(a->type));

	if (!good && a->type >= DT_FLOAT16)
		for (good = true; n > 0 && good; n--, u++, v++)
			good = *u == *v || (isnan(*u) && isnan(*v)); // NaNs differ in bits that mean nothing

	array_free(c);
	array_free(d);
	array_free(x);
	array_free(y);

	return good;
}

/* Again, with operands and results in a row. */
static void compare(struct setup *s, const struct expr *e, const struct expr_plan *p,
        struct array *const out[], struct array *const copies[])
{
	struct array *plain[MOST];

	s->compared = true;

	for (int i = 0; i < expr_outputs(e); i++)
		plain[i] = array_create(out[i]->type, RANK, out[i]->dims);

	expr_run(p, plain, (const struct array *const *)copies);

	for (int i = 0; i < expr_outputs(e); i++) {
		FUZZ_EXPECT(same(out[i], plain[i]), "output %d of '%s' (%s) depends on the operands' steps",
		        i, s->text, dtype_name(out[i]->type));
		array_free(plain[i]);
	}
}

static bool reduces(const struct expr *e, const struct expr_plan *p)
{
	bool any = expr_plan_passes(p) > 1;

	for (int i = 0; i < expr_outputs(e); i++)
		any = any || expr_plan_is_reduction(p, i);

	return any;
}

static void run_plan(
        struct setup *s, const struct expr *e, const struct expr_plan *p, struct array *const in[])
{
	struct array *out[MOST], *copies[MOST];
	char *memory[MOST] = {NULL};

	for (int i = 0; i < expr_inputs(e); i++)
		copies[i] = array_cast(in[i], in[i]->type, array_default);

	for (int i = 0; i < expr_outputs(e); i++) {
		long dims[DIMS];
		enum dtype t;
		unsigned how = next(s);

		expr_plan_output(p, i, dims, &t);

		const struct array *alias = (0 == i && expr_inputs(e) > 0) ? in[0] : NULL;

		if ((how & 128) && alias && md_check_equal_dims(DIMS, dims, alias->dims, ~0ul)) {
			out[i] = array_ref(alias);
			continue;
		}

		out[i] = choose_layout(
		        s, (how & 1) ? (enum dtype)((how >> 1) % DT_COUNT) : t, dims, &memory[i]);
	}

	expr_run(p, out, (const struct array *const *)in);

	if (!reduces(e, p))
		compare(s, e, p, out, copies);

	for (int i = 0; i < expr_outputs(e); i++) {
		array_free(out[i]);
		free(memory[i]);
	}

	for (int i = 0; i < expr_inputs(e); i++)
		array_free(copies[i]);
}

static void run(void *ctx)
{
	struct setup *s = ctx;
	const char *names[MOST];
	struct array *in[MOST];
	char *memory[MOST];
	struct expr_operand operands[MOST];
	long whole[RANK];
	int n;
	struct expr *e = parse(s, names, &n);

	if (e) {
		unsigned rules = next(s);
		struct array_rules r = {(enum narrow)(rules % 3), (enum domain)(rules / 3 % 4)};

		choose_dims(s, whole);

		for (int i = 0; i < expr_inputs(e); i++) {
			in[i] = choose_operand(s, whole, &memory[i]);
			expr_operand_of(&operands[i], in[i]);
		}

		struct expr_plan *p = expr_bind(e, operands, r);

		free(expr_plan_text(p));
		run_plan(s, e, p, in);
		expr_plan_free(p);

		for (int i = 0; i < expr_inputs(e); i++) {
			array_free(in[i]);
			free(memory[i]);
		}

		expr_free(e);
	}

	for (int i = 0; i < n; i++)
		free((char *)names[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = memchr(data, '$', size);
	size_t length = cut ? (size_t)(cut - data) : size;
	struct setup s = {.text = strndup((const char *)data, length),
	        .p = cut ? cut + 1 : data + size,
	        .end = data + size};

	fuzz_run(run, &s);
	FUZZ_EXPECT(!s.compared || !fuzz_sentence()[0], "'%s' fails with the operands in a row alone: %s",
	        s.text, fuzz_sentence());
	free(s.text);

	return 0;
}
