/* The CPU back end: primitives on shapes in normal form. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/backend/backend_cpu.h"
#include "num/backend/backend_forms.h"
#include "num/shape/spill.h"

static const struct backend_forms forms = {cpu_chain, cpu_contract};

static void cpu_apply1(enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a)
{
	forms_apply1(&forms, op, t, s, out, a);
}

static void cpu_apply2(
        enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a, const void *b)
{
	forms_apply2(&forms, op, t, s, out, a, b);
}

static void cpu_apply3(enum op op, enum dtype t, const struct md_shape *s, void *out, const void *a,
        const void *b, const void *c)
{
	forms_apply3(&forms, op, t, s, out, a, b, c);
}

static void cpu_fmac(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out, const void *a,
        const void *b)
{
	forms_fmac(&forms, t, conj_b, wide, s, out, a, b);
}

static void cpu_smul(enum dtype t, const struct md_shape *s, void *out, const void *a, complex double f)
{
	forms_smul(&forms, t, s, out, a, f);
}

static void cpu_axpy(enum dtype t, const struct md_shape *s, void *out, complex double f, const void *a)
{
	forms_axpy(&forms, t, s, out, f, a);
}

static void cpu_axpby(enum dtype t, long n, void *out, double f, const void *a, double g, const void *b)
{
	enum dtype r = dtype_real(t);
	long size = (long)dtype_size(r);
	struct md_shape s = {.D = 1, .N = 3, .dims = {n}, .strs = {{size}, {size}, {size}}};
	struct md_chain c = {0};
	int x = chain_operand(&c, r), y = chain_operand(&c, r);

	if (dtype_is_complex(t))
		s.dims[0] *= 2;

	y = chain_scale(&c, y, g);

	if (1. == f)
		chain_op2(&c, OP_ADD, x, y);
	else
		chain_op3(&c, OP_MULADD, x, chain_constant(&c, r, f), y);

	cpu_chain(&c, r, &s, out, (const void *const[]){a, b});
}

static void *cpu_alloc(size_t bytes)
{
	return spill_alloc(bytes);
}

static void cpu_release(void *p)
{
	spill_free(p);
}

struct backend backend_cpu = {.name = "cpu",
#define X(op, ret, params, args, bytes) .op = cpu_##op,
        BACKEND_PRIMITIVES(X)
#undef X
};
