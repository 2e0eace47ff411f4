/* Choice of the kernels' instruction set, and functions without one. */

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/kern/kern_internal.h"

#if defined(__x86_64__)

int kern_sets(const struct kern_set *sets[3])
{
	int n = 0;

	__builtin_cpu_init();

	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		sets[n++] = &kern_set_avx512;

	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	        __builtin_cpu_supports("bmi2")) // F16C came before, on every processor made
		sets[n++] = &kern_set_avx2;

	sets[n++] = &kern_set_plain;

	return n;
}

#else

int kern_sets(const struct kern_set *sets[3])
{
	sets[0] = &kern_set_plain;

	return 1;
}

#endif

static const struct kern_set *chosen = &kern_set_plain;

/* Once: under virtualisation CPUID takes microseconds. A name that is unknown or beyond the machine changes
 * nothing. */
__attribute__((constructor)) static void choose(void)
{
	const struct kern_set *sets[3];
	const char *wanted = getenv("GANTRY_ISA");
	int n = kern_sets(sets);

	chosen = sets[0];

	for (int i = 0; NULL != wanted && i < n; i++)
		if (0 == strcmp(wanted, sets[i]->name))
			chosen = sets[i];
}

const struct kern_set *kern_set(void)
{
	return chosen;
}

const char *kern_isa(void)
{
	return chosen->name;
}

kern_fn *kern_op(enum op op, enum dtype work)
{
	int row = kern_row(work);

	return (row < 0) ? NULL : chosen->op[row][op];
}

/* Row of a 64-bit integer among those that wrap, -1 of other types. */
static int integer_row(enum dtype work)
{
	return (DT_INT64 == work) ? 0 : (DT_UINT64 == work) ? 1 : -1;
}

kern_fn *kern_op_as(enum op op, enum dtype work, enum narrow mode)
{
	const int row = integer_row(work);
	kern_fn *wrapped = (row < 0 || NARROW_WRAP != mode) ? NULL : chosen->wrapped[row][op];

	return (NULL != wrapped) ? wrapped : kern_op(op, work);
}

/* Element i of an operand of 8 bytes. */
static const void *operand_at(const void *p, bool scalar, long i)
{
	return (NULL == p || scalar) ? p : (const char *)p + 8 * i;
}

long kern_overflow(
        enum op op, enum dtype work, long n, const void *a, const void *b, const void *c, unsigned scalar)
{
	const int row = integer_row(work);
	kern_fn *leaves = (row < 0) ? NULL : chosen->leaves[row][op];
	unsigned char flags[KERN_BLOCK];
	long count = 0;

	for (long i = 0; NULL != leaves && i < n; i += KERN_BLOCK) {
		const long m = (n - i < KERN_BLOCK) ? n - i : KERN_BLOCK;

		leaves(m, flags, operand_at(a, scalar & 1, i), operand_at(b, scalar & 2, i),
		        operand_at(c, scalar & 4, i), scalar);

		for (long k = 0; k < m; k++)
			count += flags[k];
	}

	return count;
}

/* Whether op has no real value at x (and y, of POW). */
static inline bool outside(enum op op, double x, double y)
{
	switch (op) {
	case OP_SQRT:
	case OP_LOG:
	case OP_LOG2:
	case OP_LOG10:
		return x < 0;
	case OP_LOG1P:
		return x < -1;
	case OP_ASIN:
	case OP_ACOS:
	case OP_ATANH:
		return fabs(x) > 1;
	case OP_ACOSH:
		return x < 1;
	case OP_POW:
		return x < 0 && isfinite(x) && isfinite(y) && y != rint(y);
	default:
		return false;
	}
}

long kern_domain(enum op op, enum dtype work, long n, const void *a, const void *b, unsigned scalar)
{
	const long sa = (scalar & 1) ? 0 : 1, sb = (scalar & 2) ? 0 : 1;
	long count = 0;

	if (!op_has_domain(op) || (DT_FLOAT32 != work && DT_FLOAT64 != work))
		return 0;

	if (OP_POW != op)
		b = a;

	for (long i = 0; i < n; i++) {
		if (DT_FLOAT32 == work)
			count += outside(
			        op, (double)((const float *)a)[i * sa], (double)((const float *)b)[i * sb]);
		else
			count += outside(op, ((const double *)a)[i * sa], ((const double *)b)[i * sb]);
	}

	return count;
}

kern_fn *kern_op_of(enum op op, enum op inner, enum dtype work)
{
	if (DT_FLOAT32 != work && DT_FLOAT64 != work)
		return NULL;

	if (OP_EXP == op && OP_NEG == inner)
		return chosen->exp_minus[DT_FLOAT64 == work];

	return (OP_NEG == op && OP_LOG == inner) ? chosen->minus_log[DT_FLOAT64 == work] : NULL;
}
