/* Primitives that are chains of operators, for any back end. */

#include <string.h>

#include "num/backend/backend_forms.h"
#include "num/kern/convert.h"

void forms_apply1(const struct backend_forms *forms, enum op op, enum dtype t, const struct md_shape *s,
        void *out, const void *a)
{
	struct md_chain f = {0};

	chain_op1(&f, op, chain_operand(&f, t));
	forms->chain(&f, t, s, out, (const void *const[]){a});
}

void forms_apply2(const struct backend_forms *forms, enum op op, enum dtype t, const struct md_shape *s,
        void *out, const void *a, const void *b)
{
	struct md_chain f = {0};
	int x = chain_operand(&f, t), y = chain_operand(&f, t);

	chain_op2(&f, op, x, y);
	forms->chain(&f, t, s, out, (const void *const[]){a, b});
}

void forms_apply3(const struct backend_forms *forms, enum op op, enum dtype t, const struct md_shape *s,
        void *out, const void *a, const void *b, const void *c)
{
	struct md_chain f = {0};
	int x = chain_operand(&f, t), y = chain_operand(&f, t), z = chain_operand(&f, t);

	chain_op3(&f, op, x, y, z);
	forms->chain(&f, t, s, out, (const void *const[]){a, b, c});
}

/** Whether the output stands still along some dim. */
static bool accumulates(const struct md_shape *s)
{
	for (int i = 0; i < s->D; i++)
		if (0 == s->strs[0][i])
			return true;

	return false;
}

/** The same loop with the output as one more operand at the end. */
static struct md_shape with_output(const struct md_shape *s)
{
	struct md_shape x = *s;

	memcpy(x.strs[x.N++], s->strs[0], sizeof s->strs[0]);

	return x;
}

void forms_fmac(const struct backend_forms *forms, enum dtype t, bool conj_b, bool wide,
        const struct md_shape *s, void *out, const void *a, const void *b)
{
	if (accumulates(s)) {
		forms->contract(t, conj_b, wide, s, out, a, b);
		return;
	}

	enum dtype sum = !wide ? t : dtype_is_complex(t) ? DT_COMPLEX128 : DT_FLOAT64;
	struct md_shape s4 = with_output(s);
	struct md_chain f = {0};
	int x = chain_operand(&f, t), y = chain_operand(&f, t), o = chain_operand(&f, sum);

	x = chain_convert(&f, sum, x);
	y = chain_convert(&f, sum, y);

	if (conj_b)
		chain_op2(&f, OP_ADD, o, chain_op2(&f, OP_MULC, x, y));
	else
		chain_op3(&f, OP_MULADD, x, y, o);

	forms->chain(&f, sum, &s4, out, (const void *const[]){a, b, out});
}

/** A loop over complex elements without gaps as one over their parts, for operations that treat these alike.
 */
static bool as_parts(struct md_shape *s, enum dtype *t)
{
	long size = (long)dtype_size(*t);

	for (int k = 0; k < s->N; k++)
		if (0 == s->D || size != s->strs[k][0])
			return false;

	for (int k = 0; k < s->N; k++)
		s->strs[k][0] = size / 2;

	s->dims[0] *= 2;
	*t = dtype_real(*t);

	return true;
}

void forms_smul(const struct backend_forms *forms, enum dtype t, const struct md_shape *s, void *out,
        const void *a, complex double f)
{
	struct md_shape s2 = *s;
	struct md_chain c = {0};

	if (dtype_is_complex(t) && 0 == cimag(f))
		as_parts(&s2, &t);

	int x = chain_operand(&c, t);

	if (0 == cimag(f))
		chain_scale(&c, x, creal(f));
	else
		chain_op2(&c, OP_MUL, x, chain_constant(&c, t, f));

	forms->chain(&c, t, &s2, out, (const void *const[]){a});
}

void forms_axpy(const struct backend_forms *forms, enum dtype t, const struct md_shape *s, void *out,
        complex double f, const void *a)
{
	struct md_chain c = {0};

	if (accumulates(s)) {
		struct md_shape s3 = *s; // the factor as a third operand that stands still
		char factor[16] __attribute__((aligned(16)));

		s3.N = 3;
		memset(s3.strs[2], 0, sizeof s3.strs[2]);
		convert(t, factor, DT_COMPLEX128, &f, 1, NARROW_SATURATE);
		forms->contract(t, false, false, &s3, out, a, factor);
		return;
	}

	struct md_shape s3 = with_output(s);

	if (dtype_is_complex(t) && 0 == cimag(f))
		as_parts(&s3, &t);

	int x = chain_operand(&c, t), o = chain_operand(&c, t);

	if (dtype_is_complex(t) && 0 == cimag(f))
		chain_op2(&c, OP_ADD, chain_scale(&c, x, creal(f)), o);
	else
		chain_op3(&c, OP_MULADD, x, chain_constant(&c, t, f), o);

	forms->chain(&c, t, &s3, out, (const void *const[]){a, out});
}

void forms_split(struct md_shape *keep, struct md_shape *fold, const struct md_shape *s)
{
	*keep = *fold = (struct md_shape){.N = s->N};

	for (int i = 0; i < s->D; i++) {
		struct md_shape *to = (0 == s->strs[0][i]) ? fold : keep;

		to->dims[to->D] = s->dims[i];

		for (int k = 0; k < s->N; k++)
			to->strs[k][to->D] = s->strs[k][i];

		to->D++;
	}

	keep->D = md_simplify(s->N, keep->D, keep->dims, keep->strs);
	fold->D = md_simplify(s->N, fold->D, fold->dims, fold->strs);
}
