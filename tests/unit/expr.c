/* Expressions against a plain recursive evaluator: random trees over random types, shapes and steps; and
 * outputs that overlap inputs against the same with copies. */

#include <math.h>
#include <omp.h>

#include "expr_case.h"

static void shape(const struct tree *t, long dims[DIMS])
{
	md_singleton_dims(DIMS, dims);

	if (INPUT == t->kind)
		md_copy_dims(DIMS, dims, inputs[t->id].a->dims);

	if (INDEX == t->kind)
		dims[t->id] = extents[t->id];

	for (int i = 0; i < t->args && t->kind < SUM; i++) {
		long part[DIMS];

		shape(t->arg[i], part);

		for (int d = 0; d < DIMS; d++)
			dims[d] = (1 == dims[d]) ? part[d] : dims[d];
	}
}

static complex double eval(struct tree *t, const long pos[DIMS]);

/* The value of a reduction. */
static complex double fold(struct tree *t)
{
	long dims[DIMS], pos[DIMS] = {0}, n = 0;
	complex double sum = 0;
	double most = -INFINITY, squares = 0;

	if (t->known)
		return t->value;

	shape(t->arg[0], dims);

	do {
		complex double v = eval(t->arg[0], pos);

		sum += v;
		squares += creal(v) * creal(v) + cimag(v) * cimag(v);
		most = (creal(v) > most) ? creal(v) : most;
		n++;
	} while (md_next(DIMS, dims, ~0ul, pos));

	t->known = true;
	t->value = (SUM == t->kind)    ? sum
	           : (MEAN == t->kind) ? sum / (double)n
	           : (MAX == t->kind)  ? most
	                               : sqrt(squares);

	return t->value;
}

static complex double input_at(const struct operand *o, const long pos[DIMS])
{
	long strs[DIMS];

	md_calc_strides(DIMS, strs, o->a->dims, 1);

	return o->value[md_calc_offset(DIMS, strs, pos)];
}

static complex double eval_op(struct tree *t, const long pos[DIMS])
{
	complex double v[3] = {0};

	for (int i = 0; i < t->args && t->kind < SUM; i++)
		v[i] = eval(t->arg[i], pos);

	switch (t->kind) {
	case INPUT:
		return input_at(&inputs[t->id], pos);
	case NUMBER:
		return t->number;
	case INDEX:
		return (double)pos[t->id];
	case ADD:
		return v[0] + v[1];
	case SUB:
		return v[0] - v[1];
	case MUL:
		return v[0] * v[1];
	case DIV:
		return v[0] / (1.5 + creal(v[1]) * creal(v[1]) + cimag(v[1]) * cimag(v[1]));
	case MIN:
		return fmin(creal(v[0]), creal(v[1]));
	case LESS:
		return creal(v[0]) < creal(v[1]);
	case CHOICE:
		return creal(v[0]) > 0 ? v[1] : v[2];
	case SQRT:
		return sqrt(cabs(v[0]));
	case EXP:
		return cexp(v[0] / 64);
	case SIN:
		return sin(creal(v[0]));
	case ABS:
		return cabs(v[0]);
	case SQUARE:
		return v[0] * v[0];
	case CUBE:
		return v[0] * v[0] * v[0];
	case CONJ:
		return -conj(v[0]);
	case REAL:
		return creal(v[0]);
	default:
		return fold(t);
	}
}

/* The largest magnitude on the way, to which errors are compared. */
static double scale;

static complex double eval(struct tree *t, const long pos[DIMS])
{
	complex double v = eval_op(t, pos);

	scale = fmax(scale, cabs(v));

	return v;
}

/* ---- random trees ---- */

/* How far the result is off, as a part of the largest magnitude on the way. */
static double difference(const struct array *out, struct tree *t)
{
	long pos[DIMS] = {0};
	double off = 0;

	scale = 1;

	do {
		complex double got, want = eval(t, pos);

		convert(DT_COMPLEX128, &got, out->type, out->data + md_calc_offset(DIMS, out->strs, pos), 1,
		        NARROW_SATURATE);
		off = fmax(off, cabs(got - want));
	} while (md_next(DIMS, out->dims, ~0ul, pos));

	return off / scale;
}

static double try_tree(bool single, char **text)
{
	const struct array *in[EXPR_OPERANDS];
	struct expr_operand operands[EXPR_OPERANDS];
	struct expr_error err;
	struct str s = {0};
	long dims[DIMS];
	enum dtype type;

	make_inputs(single);
	used = 0;
	smooth = single;

	struct tree *t = grow(4);

	print_tree(&s, t);

	struct expr *e = expr_parse(s.data, &err);

	*text = s.data;

	if (NULL == e)
		return INFINITY;

	for (int i = 0; i < expr_inputs(e); i++) {
		in[i] = inputs[expr_input(e, i)[0] - 'a'].a;
		expr_operand_of(&operands[i], in[i]);
	}

	// index variables take the extents of the operands that are read
	long all[DIMS];

	md_singleton_dims(DIMS, all);

	for (int i = 0; i < expr_inputs(e); i++)
		for (int d = 0; d < DIMS; d++)
			all[d] = (1 == all[d]) ? in[i]->dims[d] : all[d];

	md_copy_dims(DIMS, extents, all);

	if (0 == expr_inputs(e)) {
		expr_free(e);
		return 0;
	}

	struct expr_plan *p = expr_bind(e, operands, rules);

	expr_plan_output(p, 0, dims, &type);

	if (dtype_is_integer(type) || 0 == pick(2)) // integers are not to be clipped
		type = DT_COMPLEX128;

	struct strided memory = strided_make(DIMS, dims, dtype_size(type), false);
	struct array *out = array_borrow(type, DIMS, dims, memory.strs, memory.first);

	expr_run(p, &out, in);

	double off = difference(out, t);

	array_free(out);
	free(memory.buffer);
	expr_plan_free(p);
	expr_free(e);

	return off;
}

static void test_trees(bool single, int cases, double bound)
{
	int bad = 0;

	for (int i = 0; i < cases; i++) {
		char *text;

		omp_set_num_threads(1 + i % 3);

		double off = try_tree(single, &text);

		if (!(off <= bound)) {
			bad++;
			check(false, "expr: %s is off by %g", text, off);
		}

		free(text);

		for (int k = 0; k < INPUTS; k++)
			operand_free(&inputs[k]);
	}

	check(0 == bad, "expr: %d random trees over %s operands", cases, single ? "all kinds of" : "wide");
}

/* ---- overlap ---- */

/* A random view of the buffer: n x m elements from anywhere, either direction, steps of 1 to 3. */
static struct array *random_view(const struct array *buffer, const long dims[2])
{
	long strs[2], size = (long)dtype_size(buffer->type), room = buffer->dims[0];
	long step = 1 + pick(2);

	strs[0] = step * size;
	strs[1] = (step * dims[0] + pick(3)) * size;

	long span = strs[0] * (dims[0] - 1) + strs[1] * (dims[1] - 1);
	long first = pick(room - span / size) * size;

	for (int d = 0; d < 2; d++)
		if (0 == pick(3)) {
			first += strs[d] * (dims[d] - 1);
			strs[d] = -strs[d];
		}

	if (0 == pick(4))
		strs[0] = 0, strs[1] = 0; // one element, repeated: inputs only

	return array_borrow(buffer->type, 2, dims, strs, buffer->data + first);
}

static void test_overlap(void)
{
	static const char *const texts[] = {"a*2 + b", "m = max(a); r = a - m + b", "a < b ? a : b", "a"};
	const long dims[2] = {90, 7};
	int bad = 0;

	for (int i = 0; i < 400; i++) {
		const char *text = texts[i % 4];
		long n = 5000;
		struct array *buffer = array_create(DT_FLOAT32, 1, &n);
		float *p = (float *)buffer->data;

		for (long k = 0; k < n; k++)
			p[k] = (float)random_value(DT_FLOAT64);

		struct array *a = random_view(buffer, dims), *b = random_view(buffer, dims),
		             *out = random_view(buffer, dims);
		struct array *m = array_create(DT_FLOAT64, 0, NULL),
		             *want = array_create(DT_FLOAT32, 2, dims);
		const struct array *copies[] = {
		        array_cast(a, DT_FLOAT32, rules), array_cast(b, DT_FLOAT32, rules)};

		if (!array_self_overlap(out)) {
			int nout = (1 == i % 4) ? 2 : 1;

			expr_eval(text, nout, (2 == nout) ? (struct array *const[]){m, want} : &want, 2,
			        names, copies, rules);
			expr_eval(text, nout, (2 == nout) ? (struct array *const[]){m, out} : &out, 2, names,
			        (const struct array *const[]){a, b}, rules);

			struct array *got = array_cast(out, DT_FLOAT32, rules);

			bad += 0 != memcmp(got->data, want->data, 4 * 90 * 7);
			array_free(got);
		}

		array_free(a);
		array_free(b);
		array_free(out);
		array_free(m);
		array_free(want);
		array_free(copies[0]);
		array_free(copies[1]);
		array_free(buffer);
	}

	check(0 == bad, "expr: outputs that overlap inputs");
}

/* ---- threads ---- */

static void test_threads(void)
{
	const long dims[DIMS] = {301, 407, 3};
	struct operand x = operand_make(DT_FLOAT32, 3, dims);
	complex double first[3];
	bool same = true;

	for (int threads = 1; threads <= 7; threads += 3) {
		static const char *const texts[] = {
		        "sum(exp(a))", "norm(1.2*a + 1)", "argmax(a*a) + mean(a)"};

		omp_set_num_threads(threads);

		for (int k = 0; k < 3; k++) {
			complex double v =
			        expr_reduce(texts[k], 1, names, (const struct array *const[]){x.a}, rules);

			same = same && (1 == threads || v == first[k]);
			first[k] = v;
		}
	}

	check(same, "expr: the same bits for any number of threads");
	operand_free(&x);
}

/* One value for all elements that is counted and then converted: the conversion does not run ahead of it. */
static void test_counted(void)
{
	const struct array_rules warns = {NARROW_SATURATE, DOMAIN_WARN};
	float a = 4;
	double b[700];

	for (int i = 0; i < 700; i++)
		b[i] = i;

	struct array *x = array_borrow(DT_FLOAT32, 1, (const long[]){1}, NULL, &a);
	struct array *y = array_borrow(DT_FLOAT64, 1, (const long[]){700}, NULL, b);
	struct array *out = array_create(DT_FLOAT64, 1, (const long[]){700});
	bool good = true;

	expr_eval("sqrt(a) + b", 1, &out, 2, names, (const struct array *const[]){x, y}, warns);

	for (int i = 0; i < 700; i++)
		good = good && ((const double *)out->data)[i] == 2 + b[i];

	check(good, "a counted operator on one value, converted");
	array_free(x);
	array_free(y);
	array_free(out);
}

/* An output over an operand that another output is a copy of. */
static void test_passed_on(void)
{
	float a[600], b[600], copy[600];
	bool good = true;

	for (int i = 0; i < 600; i++) {
		a[i] = (float)i;
		b[i] = 2;
	}

	struct array *x = array_borrow(DT_FLOAT32, 1, (const long[]){600}, NULL, a);
	struct array *y = array_borrow(DT_FLOAT32, 1, (const long[]){600}, NULL, b);
	struct array *z = array_borrow(DT_FLOAT32, 1, (const long[]){600}, NULL, copy);

	expr_eval("p = a * b; q = a", 2, (struct array *const[]){x, z}, 2, names,
	        (const struct array *const[]){x, y}, rules);

	for (int i = 0; i < 600; i++)
		good = good && a[i] == 2 * (float)i && copy[i] == (float)i;

	check(good, "an output over an operand that another output copies");
	array_free(x);
	array_free(y);
	array_free(z);
}

/* Means written past the cache, in rows of whole cache lines and others, against those beside another result.
 */
static void test_means(void)
{
	const long sizes[][4] = {{256, 128, 130, 256}, {20, 512, 412, 32}}; // with the step between rows

	for (int k = 0; k < 2; k++) {
		const long *n = sizes[k], step = 4 * n[3], strs[] = {4, step, step * n[1]};
		float *data = mem_alloc((size_t)(step * n[1] * n[2])); // begins at a cache line
		struct array *v = array_create(DT_FLOAT32, 3, n), *copy = array_create(DT_FLOAT32, 3, n);
		struct array *want = array_create(DT_FLOAT32, 3, n);
		struct array *out = array_borrow(DT_FLOAT32, 3, n, strs, data);

		for (long i = 0; i < n[0] * n[1] * n[2]; i++)
			((float *)v->data)[i] = (float)(i * 7919 % 100003);

		expr_eval("m = mean(a, 1); c = a", 2, (struct array *const[]){want, copy}, 1, names,
		        (const struct array *const[]){v}, rules);
		expr_eval("mean(a, 1)", 1, &out, 1, names, (const struct array *const[]){v}, rules);

		struct array *got = array_cast(out, DT_FLOAT32, rules);

		check(!memcmp(got->data, want->data, (size_t)(4 * n[0] * n[1] * n[2])),
		        "means of rows of %ld elements past the cache", n[0]);
		array_free(got);
		array_free(out);
		array_free(want);
		array_free(copy);
		array_free(v);
		free(data);
	}
}

int main(void)
{
	test_counted();
	test_means();
	test_passed_on();
	test_trees(false, 1500, 1e-6);
	test_trees(true, 1500, 5e-3);
	test_overlap();
	test_threads();

	return checks_failed > 0;
}
