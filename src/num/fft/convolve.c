/* Convolution by strides. Along each dim the outputs are cut into ranges for which the same taps of the
 * kernel meet the input: one range of all taps in the middle, single outputs at the borders. Every
 * combination of ranges is one strided loop over outputs and taps, in which the input overlaps itself. */

#include "num/fft/convolve.h"

#include "misc/error.h"
#include "misc/minmax.h"
#include "num/md/contract.h"
#include "num/md/flpmath.h"

void md_conv_geometry(enum conv_mode mode, int D, unsigned long flags, long odims[], long centre[],
        const long kdims[], const long idims[])
{
	for (int i = 0; i < D; i++) {
		long n = idims[i], k = kdims[i];

		centre[i] = 0;

		if (!(flags & 1ul << i))
			continue;

		switch (mode) {
		case CONV_FULL:
			odims[i] = n + k - 1;
			break;
		case CONV_VALID:
			if (k > n)
				error("a kernel of %ld elements is longer than the input of %ld elements "
				      "along dimension %d",
				        k, n, i);

			odims[i] = n - k + 1;
			centre[i] = k - 1;
			break;
		case CONV_CAUSAL:
			odims[i] = n;
			break;
		default:
			odims[i] = n;
			centre[i] = (k - 1) / 2;
		}
	}
}

/** A convolution of a loop's operands; a correlation is one with the kernel from its end. */
struct convolution {
	enum dtype t;
	bool conj, periodic;
	int D;
	unsigned long flags;
	long centre[DIMS];
	long odims[DIMS], kdims[DIMS], idims[DIMS];
	long ostrs[DIMS], kstrs[DIMS], istrs[DIMS];
	int N; // dims of the loop so far
	long dims[2 * DIMS], os[2 * DIMS], ks[2 * DIMS], is[2 * DIMS];
};

static void push(struct convolution *c, long n, long os, long ks, long is)
{
	if (1 == n)
		return;

	if (DIMS == c->N)
		error("the kernel is too large along too many dimensions, expected at most %d nested loops",
		        DIMS);

	c->dims[c->N] = n;
	c->os[c->N] = os;
	c->ks[c->N] = ks;
	c->is[c->N++] = is;
}

static void along(struct convolution *c, int d, char *out, const char *k, const char *in);

/** Outputs [o, o + n) of dim d with taps [first, end) of the input `shift` elements on. */
static void range(struct convolution *c, int d, long o, long n, long first, long end, long shift, char *out,
        const char *k, const char *in)
{
	int N = c->N;

	push(c, n, c->ostrs[d], 0, c->istrs[d]);
	push(c, end - first, 0, c->kstrs[d], -c->istrs[d]);
	along(c, d + 1, out + o * c->ostrs[d], k + first * c->kstrs[d],
	        in + (o + c->centre[d] - first + shift) * c->istrs[d]);
	c->N = N;
}

/** One output of dim d, whose element o + centre - t of the input may lie outside, or in another period. */
static void border(struct convolution *c, int d, long o, char *out, const char *k, const char *in)
{
	const long n = c->idims[d], top = o + c->centre[d], taps = c->kdims[d];

	if (!c->periodic) {
		long first = max_long(0, top - n + 1), end = min_long(taps, top + 1);

		if (first < end)
			range(c, d, o, 1, first, end, 0, out, k, in);

		return;
	}

	for (long t = 0; t < taps;) { // up to one period
		long at = ((top - t) % n + n) % n, end = min_long(taps, t + at + 1);

		range(c, d, o, 1, t, end, at - (top - t), out, k, in);
		t = end;
	}
}

/** Dim d and those after it. */
static void along(struct convolution *c, int d, char *out, const char *k, const char *in)
{
	if (d == c->D) {
		md_fmac_t(c->t, c->conj, c->N, c->dims, c->os, out, c->is, in, c->ks, k);
		return;
	}

	if (!(c->flags & 1ul << d)) {
		int N = c->N;
		long n = max_long(c->odims[d], max_long(c->kdims[d], c->idims[d]));

		push(c, n, (1 == c->odims[d]) ? 0 : c->ostrs[d], (1 == c->kdims[d]) ? 0 : c->kstrs[d],
		        (1 == c->idims[d]) ? 0 : c->istrs[d]);
		along(c, d + 1, out, k, in);
		c->N = N;
		return;
	}

	long first = min_long(c->odims[d], max_long(0, c->kdims[d] - 1 - c->centre[d]));
	long end = max_long(first, min_long(c->odims[d], c->idims[d] - c->centre[d]));

	for (long o = 0; o < first; o++)
		border(c, d, o, out, k, in);

	if (first < end)
		range(c, d, first, end - first, 0, c->kdims[d], 0, out, k, in);

	for (long o = end; o < c->odims[d]; o++)
		border(c, d, o, out, k, in);
}

void md_convolve_t(enum dtype t, unsigned mode, int D, unsigned long flags, const long centre[],
        const long odims[], const long ostrs[], void *out, const long kdims[], const long kstrs[],
        const void *k, const long idims[], const long istrs[], const void *in)
{
	struct convolution c = {
	        .t = t, .conj = mode & CONV_CONJ, .periodic = mode & CONV_PERIODIC, .D = D, .flags = flags};
	const char *taps = k;
	long loop[DIMS];

	md_select_dims(D, ~flags, loop, odims);

	for (int i = 0; i < D; i++) {
		bool along_i = flags & 1ul << i, back = along_i && (mode & CONV_CORRELATE);

		c.centre[i] = !along_i ? 0 : back ? kdims[i] - 1 - centre[i] : centre[i];
		c.odims[i] = odims[i];
		c.kdims[i] = kdims[i];
		c.idims[i] = idims[i];
		c.ostrs[i] = ostrs[i];
		c.kstrs[i] = back ? -kstrs[i] : kstrs[i];
		c.istrs[i] = istrs[i];
		taps += back ? (kdims[i] - 1) * kstrs[i] : 0;

		if (!along_i) {
			long k1[1] = {kdims[i]}, i1[1] = {idims[i]}, o1[1] = {odims[i]}, all[1];

			md_tenmul_dims(1, all, o1, k1, i1);
		}
	}

	md_clear2(D, odims, ostrs, out, dtype_size(t));

	if (0 == md_calc_size(D, odims) || 0 == md_calc_size(D, kdims) || 0 == md_calc_size(D, idims))
		return;

	along(&c, 0, out, taps, in);
}

static void contiguous(enum dtype t, enum conv_mode mode, unsigned flags_of_kernel, int D,
        unsigned long flags, const long odims[], void *out, const long kdims[], const void *k,
        const long idims[], const void *in)
{
	long want[DIMS], centre[DIMS], ostrs[DIMS], kstrs[DIMS], istrs[DIMS];
	size_t size = dtype_size(t);

	md_copy_dims(D, want, odims);
	md_conv_geometry(mode, D, flags, want, centre, kdims, idims);

	if (!md_check_equal_dims(D, want, odims, flags))
		error("the output of a convolution has a wrong size for its mode");

	if (flags_of_kernel & CONV_CORRELATE)
		for (int i = 0; i < D; i++) // so that the modes select the same outputs
			centre[i] = (flags & 1ul << i) ? kdims[i] - 1 - centre[i] : 0;

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, kstrs, kdims, size);
	md_calc_strides(D, istrs, idims, size);
	md_convolve_t(t, flags_of_kernel | ((CONV_CYCLIC == mode) ? CONV_PERIODIC : 0), D, flags, centre,
	        odims, ostrs, out, kdims, kstrs, k, idims, istrs, in);
}

#define DEFINE_CONV(name, T, t, how)                                                                         \
	void md_##name(enum conv_mode mode, int D, unsigned long flags, const long odims[], T *out,          \
	        const long kdims[], const T *k, const long idims[], const T *in)                             \
	{                                                                                                    \
		contiguous(t, mode, how, D, flags, odims, out, kdims, k, idims, in);                         \
	}
DEFINE_CONV(conv, float, DT_FLOAT32, 0)
DEFINE_CONV(corr, float, DT_FLOAT32, CONV_CORRELATE)
DEFINE_CONV(zconv, complex float, DT_COMPLEX64, 0)
DEFINE_CONV(zcorr, complex float, DT_COMPLEX64, CONV_CORRELATE | CONV_CONJ)
