/* Differences along a dim, and the modulation that centres a transform. */

#include <complex.h>
#include <math.h>

#include "misc/error.h"
#include "num/backend/backend.h"
#include "num/md/flpmath.h"

/** out = a - b on `n` elements along dim d: those of a at `at`, those of b at `from`. */
static void difference(enum dtype type, int D, long dims[], int d, long n, long at, long from,
        const long ostrs[], char *out, const long astrs[], const char *a)
{
	long all = dims[d];

	if (0 == n)
		return;

	dims[d] = n;
	md_apply2(OP_SUB, type, D, dims, ostrs, out + at * ostrs[d], astrs, a + at * astrs[d], astrs,
	        a + from * astrs[d]);
	dims[d] = all;
}

void md_fdiff_t(enum md_diff kind, enum dtype type, int D, const long dims[], int d, const long ostrs[],
        void *out, const long astrs[], const void *a)
{
	long part[DIMS];

	if (0 > d || d >= D)
		error("differences along dimension %d, expected 0 to %d", d, D - 1);

	long n = dims[d];

	md_copy_dims(D, part, dims);

	if (0 == n)
		return;

	bool forward = DIFF_FORWARD == kind || DIFF_FORWARD0 == kind;
	bool periodic = DIFF_FORWARD == kind || DIFF_BACKWARD == kind;
	long end = forward ? 0 : n - 1; // the element without a neighbour

	difference(type, D, part, d, n - 1, forward ? 1 : 0, forward ? 0 : 1, ostrs, out, astrs, a);

	if (periodic) {
		difference(type, D, part, d, 1, end, n - 1 - end, ostrs, out, astrs, a);
	} else {
		part[d] = 1;
		md_copy2(D, part, ostrs, (char *)out + end * ostrs[d], astrs,
		        (const char *)a + end * astrs[d], dtype_size(type));
	}
}

/** exp(i pi c (2 k - c) / n), exact at quarter turns. */
static complex double phase(long k, long n)
{
	long c = n / 2, period = 2 * n;
	long turns = (c % period) * ((2 * k - c) % period) % period; // of pi / n

	if (0 > turns)
		turns += period;

	if (0 == 2 * turns % n) {
		static const double quarter[] = {1., 0., -1., 0.};
		long q = 2 * turns / n;

		return quarter[q % 4] + I * quarter[(q + 3) % 4];
	}

	double angle = M_PI * (double)turns / (double)n;

	return cos(angle) + I * sin(angle);
}

void md_fftmod_t(enum dtype type, int D, const long dims[], unsigned long flags, bool inverse,
        const long ostrs[], void *out, const long astrs[], const void *a)
{
	enum op op = inverse ? OP_MULC : OP_MUL;

	if (!dtype_is_complex(type))
		error("modulation of %s, expected complex64 or complex128", dtype_name(type));

	for (int d = 0; d < D; d++) {
		if (!(flags & 1ul << d) || 2 > dims[d])
			continue;

		long strs[DIMS] = {0};
		complex double *p = md_alloc(1, &dims[d], sizeof *p);

		for (long k = 0; k < dims[d]; k++)
			p[k] = phase(k, dims[d]);

		void *there = md_alloc_sameplace(1, &dims[d], sizeof *p, out);
		struct md_chain f = {0};
		int x = chain_operand(&f, type), y = chain_operand(&f, DT_COMPLEX128);

		md_copy(1, &dims[d], there, p, sizeof *p);
		strs[d] = sizeof *p;
		chain_op2(&f, op, x, chain_convert(&f, type, y));
		md_chain(&f, type, D, dims, ostrs, out, (const long *const[]){astrs, strs},
		        (const void *const[]){a, there});
		md_free(there);
		md_free(p);
		astrs = ostrs;
		a = out;
	}

	if (a != out)
		md_copy2(D, dims, ostrs, out, astrs, a, dtype_size(type));
}
