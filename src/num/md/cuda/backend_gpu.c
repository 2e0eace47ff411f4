/* The GPU's back end: converts shapes and chains to the form of its kernels (num/md/cuda/md.h) and launches
 * them.
 */

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/backend/backend_forms.h"
#include "num/device/cuda/selftest.h"
#include "num/device/device.h"
#include "num/expr/cuda/chain_generated.h"
#include "num/expr/expr_fold.h"
#include "num/md/cuda/blas.h"
#include "num/md/cuda/md.h"

_Static_assert((int)LOOP_OPERANDS == MD_OPERANDS && (int)PROGRAM_VALUES == CHAIN_VALUES &&
                       (int)VALUE_OPERAND == CHAIN_OPERAND && (int)VALUE_CONSTANT == CHAIN_CONSTANT &&
                       (int)VALUE_CONVERT == CHAIN_CONVERT && (int)VALUE_OP == CHAIN_OP,
        "num/md/cuda/md.h");

/* ---- loops and programs ---- */

/** Whether dim 0 can be taken in packs: every operand moves to its neighbour or not at all. */
static bool can_pack(const struct md_shape *s, const size_t size[])
{
	if (0 == s->D || 0 != s->dims[0] % LOOP_PACK)
		return false;

	for (int k = 0; k < s->N; k++)
		if (0 != s->strs[k][0] && (long)size[k] != s->strs[k][0])
			return false;

	return true;
}

/** size: of the elements of each operand, or NULL: no packs. */
static void loop_make(struct loop *l, const struct md_shape *s, const size_t size[])
{
	memset(l, 0, sizeof *l);
	l->D = s->D;
	l->N = s->N;
	l->pack = (NULL != size && can_pack(s, size)) ? LOOP_PACK : 1;
	l->count = 1;

	for (int d = 0; d < s->D; d++) {
		const long by = (0 == d) ? l->pack : 1;

		l->dims[d] = s->dims[d] / by;
		l->count *= l->dims[d];

		for (int k = 0; k < s->N; k++)
			l->strs[k][d] = s->strs[k][d] * by;
	}

	for (int k = 0; k < s->N; k++)
		l->inner[k] = (0 < s->D) ? s->strs[k][0] : 0;

	l->small = l->count <= INT_MAX;

	for (int d = 0; d < s->D && l->small && 0 < l->count; d++)
		l->div[d] = loop_div_by(l->dims[d]);
}

static bool stands_still(const struct md_shape *s, int k)
{
	for (int d = 0; d < s->D; d++)
		if (0 != s->strs[k][d])
			return false;

	return true;
}

static void copy_small(void *out, const void *in, size_t size)
{
	if (device_holds(in))
		device_copy(out, in, size);
	else
		memcpy(out, in, size);
}

static bool is_known(enum dtype t)
{
	return DT_BOOL == t || DT_FLOAT32 == t || DT_FLOAT64 == t || DT_COMPLEX64 == t || DT_COMPLEX128 == t;
}

static void check_place(const void *p)
{
	if (!device_holds(p))
		error("an operation on a GPU got an array in host memory: expected all arrays in one place");
}

static bool is_integer(enum dtype t)
{
	return DT_INT64 == t || DT_UINT64 == t;
}

/** What the interpreter knows. */
static void check_types(const struct program *p)
{
	for (int v = 0; v < p->values; v++) {
		const struct program_value *x = &p->value[v];

		if (CHAIN_OP == x->kind && !is_known((enum dtype)x->work))
			error("%s of %s is not supported on a GPU (valid: bool, float, complex, and a single "
			      "operator on contiguous integer arrays)",
			        op_name((enum op)x->op), dtype_name((enum dtype)x->work));
	}
}

/** The chain for kernels. Operands that stand still (operand `first` of the shape is the chain's first) and
 * lie on the host become constants. */
static void program_make(struct program *p, const struct md_chain *f, const struct md_shape *s, int first,
        const void *const in[])
{
	memset(p, 0, sizeof *p);
	p->operands = f->operands;
	p->values = f->values;

	for (int v = 0; v < f->values; v++) {
		const struct md_value *x = &f->value[v];
		struct program_value *y = &p->value[v];

		y->kind = (unsigned char)x->kind;
		y->type = (unsigned char)x->type;
		y->op = (unsigned char)x->op;
		y->work = (unsigned char)x->work;
		y->args = (unsigned char)x->args;

		for (int i = 0; i < x->args; i++)
			y->in[i] = (unsigned char)x->in[i];

		memcpy(p->constant[v], x->constant, sizeof p->constant[v]);

		if (CHAIN_OPERAND != x->kind || NULL == in || device_holds(in[v]))
			continue;

		if (!stands_still(s, first + v))
			check_place(in[v]);

		y->kind = CHAIN_CONSTANT;
		memcpy(p->constant[v], in[v], dtype_size(x->type));
	}
}

/* ---- element by element ---- */

/** One operator, all of whose operands are of its type and without gaps, or constants. */
static bool run_line(
        const struct program *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[])
{
	const struct program_value *last = &f->value[f->values - 1];
	const long size = (long)dtype_size(t);
	struct gpu_operand operand[3] = {{0}};

	if (CHAIN_OP != last->kind || t != last->work || t != last->type || 1 < s->D)
		return false;

	if (1 == s->D && size != s->strs[0][0])
		return false;

	for (int i = 0; i < last->args; i++) {
		const int v = last->in[i];
		const struct program_value *x = &f->value[v];

		if (t != x->type)
			return false;

		if (CHAIN_CONSTANT == x->kind) {
			operand[i].is_constant = true;
			memcpy(operand[i].constant, f->constant[v], sizeof operand[i].constant);
		} else if (CHAIN_OPERAND == x->kind && (0 == s->D || size == s->strs[1 + v][0])) {
			operand[i].p = in[v];
		} else {
			return false;
		}
	}

	for (int v = 0; v < f->values - 1; v++)
		if (CHAIN_OPERAND != f->value[v].kind && CHAIN_CONSTANT != f->value[v].kind)
			return false;

	return gpu_md_line((enum op)last->op, t, (0 < s->D) ? s->dims[0] : 1, out, last->args, operand);
}

static void gpu_chain(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[])
{
	struct program p;
	struct loop l;
	struct loop_pointers ptr = {.p = {out}};
	size_t size[MD_OPERANDS] = {dtype_size(t)};

	if (0 == md_calc_size(s->D, s->dims))
		return;

	check_place(out);
	gpu_selftest(is_integer(chain_type(f)) ? &gpu_selftest_integers : &gpu_selftest_operators);
	program_make(&p, f, s, 1, in);

	if (run_line(&p, t, s, out, in))
		return;

	check_types(&p);

	if (gpu_chain_generated(f, t, s, out, in))
		return;

	for (int k = 0; k < f->operands; k++) {
		ptr.p[1 + k] = (char *)in[k];
		size[1 + k] = dtype_size(f->value[k].type);
	}

	loop_make(&l, s, size);
	gpu_md_chain(&p, t, &l, &ptr);
}

static void gpu_axpby(enum dtype t, long n, void *out, double f, const void *a, double g, const void *b)
{
	check_place(out);
	check_place(a);
	check_place(b);
	gpu_selftest(&gpu_selftest_operators);
	gpu_md_axpby(dtype_real(t), dtype_is_complex(t) ? 2 * n : n, out, f, a, g, b);
}

/* ---- reductions ---- */

/** The shape of a contiguous array with the dims of another. */
static struct md_shape without_gaps(const struct md_shape *s, size_t size)
{
	struct md_shape r = {.D = s->D, .N = 1};
	long step = (long)size;

	for (int d = 0; d < s->D; d++) {
		r.dims[d] = s->dims[d];
		r.strs[0][d] = step;
		step *= s->dims[d];
	}

	return r;
}

/** Runs a reduction whose `keep` and `fold` are given; out may lie on the host. */
static void reduce(struct reduce_job *j, const struct md_shape *keep, const struct md_shape *fold, void *out,
        const void *const in[])
{
	struct md_shape to = *keep, flat = without_gaps(keep, dtype_size(j->type));
	struct loop_pointers p = {.p = {out}};
	const long outputs = md_calc_size(keep->D, keep->dims);
	void *own = NULL;

	if (0 == outputs)
		return;

	for (int k = 1; k < keep->N; k++)
		p.p[k] = (char *)in[k - 1];

	if (!device_holds(out)) {
		memcpy(to.strs[0], flat.strs[0], sizeof to.strs[0]);
		p.p[0] = own = device_alloc((size_t)outputs * dtype_size(j->type));
	}

	loop_make(&j->keep, &to, NULL);
	loop_make(&j->fold, fold, NULL);
	gpu_selftest(is_integer(j->work) ? &gpu_selftest_integers : &gpu_selftest_reductions);

	if (is_integer(j->work))
		gpu_integer_reduce(j, (int)expr_fold_of(j->red, j->work), &p);
	else
		gpu_md_reduce(j, &p);

	if (NULL != own) {
		md_copy2(keep->D, keep->dims, keep->strs[0], out, flat.strs[0], own, dtype_size(j->type));
		device_free(own);
	}
}

/** Whether a reduction of integers is one of operands in memory to a type that its kernels write. */
static bool is_plain_integer(const struct reduce_job *j, const struct md_chain *pre, const void *const in[])
{
	bool plain = pre->values == pre->operands && !j->has_post;

	for (int k = 0; k < pre->operands; k++)
		plain = plain && pre->value[k].type == j->work && device_holds(in[k]);

	return plain && (is_integer(j->type) || DT_BOOL == j->type || DT_FLOAT64 == j->type);
}

static void gpu_reduction(const struct md_reduction *r, enum dtype t, const struct md_shape *s, void *out,
        const void *const in[])
{
	struct reduce_job j = {.red = r->red, .type = t};
	struct md_chain plain = {0};
	const struct md_chain *pre = r->pre;
	struct md_shape keep, fold;
	struct op_types types;

	if (NULL == pre) {
		for (int k = 0; k < s->N - 1; k++)
			chain_operand(&plain, r->type);

		pre = &plain;
	}

	enum dtype of = chain_type(pre);

	if (!reduction_types(r->red, (const enum dtype[]){of, of}, &types))
		error("%s is not defined for %s", reduction_name(r->red), dtype_name(of));

	j.work = types.work;
	j.value = types.value;
	forms_split(&keep, &fold, s);
	program_make(&j.pre, pre, s, 1, in);
	check_types(&j.pre);

	if (NULL != r->post) {
		j.has_post = true;
		program_make(&j.post, r->post, NULL, 0, NULL);
		check_types(&j.post);
	}

	if (is_integer(j.work) ? !is_plain_integer(&j, pre, in) : !is_known(j.work))
		error("%s of %s is not supported on a GPU (valid: bool, float, complex, and integers without "
		      "further operations)",
		        reduction_name(r->red), dtype_name(of));

	reduce(&j, &keep, &fold, out, in);
}

/* ---- contractions ---- */

enum { GEMM_LEAST = 8 }; // rows, columns and terms of a product of matrices

/** The dim with the largest extent among those in which operands move as asked; -1 = none. */
static int largest_dim(const struct md_shape *s, bool o, bool a, bool b, int *others)
{
	int best = -1;

	*others = 0;

	for (int d = 0; d < s->D; d++) {
		if (o != (0 != s->strs[0][d]) || a != (0 != s->strs[1][d]) || b != (0 != s->strs[2][d]))
			continue;

		*others += (0 <= best);
		best = (0 > best || s->dims[d] > s->dims[best]) ? d : best;
	}

	return best;
}

/** Products of matrices with one summed dim; further rows and columns are a batch. */
static bool gemm(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out, const void *a,
        const void *b)
{
	const long size = (long)dtype_size(t), osize = wide ? 2 * size : size;
	int more, sums;
	const int m = largest_dim(s, true, true, false, &more), n = largest_dim(s, true, false, true, &more);
	const int k = largest_dim(s, false, true, true, &sums);
	struct md_shape batch = {.N = 3};

	if (0 > m || 0 > n || 0 > k || 0 < sums)
		return false;

	if (s->dims[m] < GEMM_LEAST || s->dims[n] < GEMM_LEAST || s->dims[k] < GEMM_LEAST)
		return false;

	for (int d = 0; d < s->D; d++) {
		if (d == m || d == n || d == k)
			continue;

		if (0 == s->strs[0][d]) // summed over one operand alone
			return false;

		batch.dims[batch.D] = s->dims[d];

		for (int i = 0; i < 3; i++)
			batch.strs[i][batch.D] = s->strs[i][d];

		batch.D++;
	}

	struct gemm_job j = {.type = t,
	        .out_type = !wide                 ? t
	                    : dtype_is_complex(t) ? DT_COMPLEX128
	                                          : DT_FLOAT64,
	        .conj_b = conj_b && dtype_is_complex(t),
	        .m = s->dims[m],
	        .n = s->dims[n],
	        .k = s->dims[k]};
	const long step[6] = {
	        s->strs[0][m], s->strs[0][n], s->strs[1][m], s->strs[1][k], s->strs[2][k], s->strs[2][n]};
	const struct loop_pointers p = {.p = {out, (char *)a, (char *)b}};

	for (int i = 0; i < 6; i++)
		if (0 != step[i] % ((i < 2) ? osize : size))
			return false;

	if (wide && (DT_FLOAT64 == t || DT_COMPLEX128 == t))
		j.out_type = t;

	j.o_row = step[0] / osize;
	j.o_col = step[1] / osize;
	j.a_row = step[2] / size;
	j.a_term = step[3] / size;
	j.b_term = step[4] / size;
	j.b_col = step[5] / size;
	loop_make(&j.batch, &batch, NULL);
	gpu_selftest(&gpu_selftest_blas);

	if (!gpu_blas_gemm(&j, &p))
		gpu_md_gemm(&j, &p);

	return true;
}

static void gpu_contract(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out,
        const void *a, const void *b)
{
	const enum dtype sum = dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
	const void *const in[] = {a, b};
	struct reduce_job j = {.red = RED_DOT, .work = t, .value = sum, .plain = !conj_b, .add = true};
	struct md_chain pre = {0};
	struct md_shape keep, fold;

	if (0 == md_calc_size(s->D, s->dims))
		return;

	check_place(out);

	if (device_holds(a) && device_holds(b) && gemm(t, conj_b, wide, s, out, a, b))
		return;

	chain_operand(&pre, t);
	chain_operand(&pre, t);
	program_make(&j.pre, &pre, s, 1, in);
	j.type = wide ? sum : t;
	forms_split(&keep, &fold, s);
	reduce(&j, &keep, &fold, out, in);
}

static const struct backend_forms forms = {gpu_chain, gpu_contract};

static void gpu_apply1(enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a)
{
	forms_apply1(&forms, op, t, s, out, a);
}

static void gpu_apply2(
        enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a, const void *b)
{
	forms_apply2(&forms, op, t, s, out, a, b);
}

static void gpu_apply3(enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a,
        const void *b, const void *c)
{
	forms_apply3(&forms, op, t, s, out, a, b, c);
}

static void gpu_fmac(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out, const void *a,
        const void *b)
{
	forms_fmac(&forms, t, conj_b, wide, s, out, a, b);
}

static void gpu_smul(enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f)
{
	forms_smul(&forms, t, s, out, a, f);
}

static void gpu_axpy(enum dtype t, const struct md_shape *s, void *out, complex double f, const void *a)
{
	forms_axpy(&forms, t, s, out, f, a);
}

/* ---- scans ---- */

static void gpu_cumsum(
        enum dtype t, long n, const long steps[2], const struct md_shape *s, void *out, const void *a)
{
	struct loop l;
	const struct loop_pointers p = {.p = {out, (char *)a}};

	check_place(out);
	check_place(a);
	gpu_selftest(&gpu_selftest_reductions);
	loop_make(&l, s, NULL);
	gpu_md_cumsum(t, n, steps[0], steps[1], &l, &p);
}

/** The k-th largest magnitude, 8 bits at a time: as integers, float64 are in the same order. */
static double gpu_largest(enum dtype t, long k, const struct md_shape *s, const void *a)
{
	struct loop l;
	unsigned long prefix = 0;
	double value;

	check_place(a);
	gpu_selftest(&gpu_selftest_reductions);
	loop_make(&l, s, NULL);

	for (int shift = 56; shift >= 0; shift -= 8) {
		long counts[256], digit = 255;

		gpu_md_digits(t, shift, prefix, &l, a, counts);

		for (; counts[digit] < k; digit--)
			k -= counts[digit];

		prefix = prefix << 8 | (unsigned long)digit;
	}

	memcpy(&value, &prefix, sizeof value);

	return value;
}

/* ---- copies and fills ---- */

/** Whether all steps of the shape are multiples of w. */
static bool steps_divide(const struct md_shape *s, long w)
{
	for (int k = 0; k < s->N; k++)
		for (int d = 0; d < s->D; d++)
			if (0 != s->strs[k][d] % w)
				return false;

	return true;
}

/** The largest word of 1 to 16 bytes that elements of `size` bytes are made of and addresses allow. */
static long word_of(size_t size, const struct md_shape *s, const void *const p[])
{
	long w = 16;

	while (1 < w) {
		bool fits = 0 == (long)size % w && steps_divide(s, w);

		for (int k = 0; k < s->N; k++)
			fits = fits && 0 == (uintptr_t)p[k] % (size_t)w;

		if (fits)
			break;

		w /= 2;
	}

	return w;
}

/** Elements as so many words, along a dim of their own. */
static void in_words(struct md_shape *s, size_t size, long w)
{
	if ((long)size == w)
		return;

	if (DIMS == s->D)
		error("a copy of elements of %zu bytes has %d dimensions, expected at most %d", size, s->D,
		        DIMS - 1);

	memmove(s->dims + 1, s->dims, (size_t)s->D * sizeof s->dims[0]);
	s->dims[0] = (long)size / w;

	for (int k = 0; k < s->N; k++) {
		memmove(s->strs[k] + 1, s->strs[k], (size_t)s->D * sizeof s->strs[k][0]);
		s->strs[k][0] = w;
	}

	s->D = md_simplify(s->N, s->D + 1, s->dims, s->strs);
}

/** Pairs of words as one, while they are neighbours. */
static long widen_words(struct md_shape *s, long w, const void *const p[])
{
	while (16 > w && 0 < s->D && 0 == s->dims[0] % 2) {
		struct md_shape wide = *s;
		bool fits = true;

		wide.dims[0] /= 2;

		for (int k = 0; k < s->N; k++) {
			fits = fits && w == s->strs[k][0] && 0 == (uintptr_t)p[k] % (size_t)(2 * w);
			wide.strs[k][0] *= 2;
		}

		if (!fits || !steps_divide(&wide, 2 * w))
			break;

		*s = wide;
		w *= 2;
	}

	return w;
}

/** The dim along which the input moves least, where that is not dim 0 and tiles pay; else -1. */
static int turned_dim(const struct md_shape *s)
{
	enum { LEAST = 8 };
	int best = 0;

	for (int d = 1; d < s->D; d++)
		if (0 != s->strs[1][d] && labs(s->strs[1][d]) < labs(s->strs[1][best]))
			best = d;

	return (0 != best && LEAST <= s->dims[best] && LEAST <= s->dims[0]) ? best : -1;
}

static void copy_on_device(size_t size, const struct md_shape *shape, void *out, const void *in)
{
	struct md_shape s = *shape;
	const void *const p[] = {out, in};
	struct loop l;
	long w = word_of(size, &s, p);

	gpu_selftest(&gpu_selftest_copies);
	in_words(&s, size, w);

	const int turned = turned_dim(&s);

	if (0 < turned) {
		for (int k = 0; k < s.N; k++) {
			const long step = s.strs[k][1];

			s.strs[k][1] = s.strs[k][turned];
			s.strs[k][turned] = step;
		}

		const long n = s.dims[1];

		s.dims[1] = s.dims[turned];
		s.dims[turned] = n;
		loop_make(&l, &s, NULL);
		gpu_md_transpose((int)w, &l, out, in);
		return;
	}

	w = widen_words(&s, w, p);
	loop_make(&l, &s, NULL);
	gpu_md_copy((int)w, &l, out, in);
}

static void gpu_copy(size_t size, const struct md_shape *s, void *out, const void *in)
{
	if (0 == md_calc_size(s->D, s->dims) || 0 == size)
		return;

	if (device_holds(out) && device_holds(in))
		copy_on_device(size, s, out, in);
	else // by way of this function on either side
		md_copy2(s->D, s->dims, s->strs[0], out, s->strs[1], in, size);
}

static void gpu_fill(size_t size, const struct md_shape *shape, void *out, const void *value)
{
	enum { MOST = 64 };
	struct md_shape s = *shape;
	const void *const p[] = {out};
	struct loop l;
	char bytes[MOST] = {0};

	if (0 == md_calc_size(s.D, s.dims) || 0 == size)
		return;

	check_place(out);

	if (MOST < size) { // a copy of an element that is repeated
		const bool here = device_holds(value);
		void *own = here ? NULL : device_alloc(size);

		if (!here)
			device_copy(own, value, size);

		s.N = 2;
		memset(s.strs[1], 0, sizeof s.strs[1]);
		copy_on_device(size, &s, out, here ? value : own);
		device_free(own);
		return;
	}

	gpu_selftest(&gpu_selftest_copies);
	copy_small(bytes, value, size);

	long w = word_of(size, &s, p), period = (long)size / w;

	in_words(&s, size, w);

	if (1 == period) {
		const long wide = widen_words(&s, w, p);

		for (; w < wide; w *= 2)
			memcpy(bytes + w, bytes, (size_t)w);
	}

	loop_make(&l, &s, NULL);
	gpu_md_fill((int)w, (int)period, &l, out, bytes);
}

static void *gpu_alloc(size_t bytes)
{
	return device_alloc(bytes);
}

static void gpu_release(void *p)
{
	device_free(p);
}

#define ENTRY(entry, ret, params, args, bytes) .entry = gpu_##entry,
struct backend backend_gpu = {.name = "gpu", BACKEND_PRIMITIVES(ENTRY)};
