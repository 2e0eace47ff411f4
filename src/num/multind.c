/* Dims, strides, the normal form of strided loops, and moving data. The moving itself is in the back ends. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/backend.h"
#include "num/multind.h"

long md_calc_size(int D, const long dims[])
{
	long n = 1;

	for (int i = 0; i < D; i++)
		n = mul_checked(n, dims[i], "the number of elements");

	return n;
}

void md_calc_strides(int D, long strs[], const long dims[], size_t size)
{
	long step = (long)size;

	for (int i = 0; i < D; i++) {
		strs[i] = (1 == dims[i]) ? 0 : step;
		step = mul_checked(step, dims[i], "the size of an array");
	}
}

long md_calc_offset(int D, const long strs[], const long pos[])
{
	long offset = 0;

	for (int i = 0; i < D; i++)
		offset += strs[i] * pos[i];

	return offset;
}

void md_copy_dims(int D, long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		out[i] = in[i];
}

void md_set_dims(int D, long dims[], long value)
{
	for (int i = 0; i < D; i++)
		dims[i] = value;
}

void md_singleton_dims(int D, long dims[])
{
	md_set_dims(D, dims, 1);
}

void md_select_dims(int D, unsigned long flags, long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		out[i] = (flags & 1ul << i) ? in[i] : 1;
}

bool md_check_equal_dims(int D, const long a[], const long b[], unsigned long flags)
{
	for (int i = 0; i < D; i++)
		if ((flags & 1ul << i) && a[i] != b[i])
			return false;

	return true;
}

bool md_check_broadcast(int D, const long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		if (in[i] != out[i] && 1 != in[i])
			return false;

	return true;
}

bool md_next(int D, const long dims[], unsigned long flags, long pos[])
{
	for (int i = 0; i < D; i++) {
		if (!(flags & 1ul << i))
			continue;

		if (++pos[i] < dims[i])
			return true;

		pos[i] = 0;
	}

	return false;
}

/** Whether dim a belongs inside dim b: by the first operand that moves along both. */
static bool inside(int N, long (*strs)[DIMS], int a, int b)
{
	for (int k = 0; k < N; k++) {
		long sa = labs(strs[k][a]), sb = labs(strs[k][b]);

		if (0 != sa && 0 != sb && sa != sb)
			return sa < sb;
	}

	return false;
}

static void swap_dims(int N, long dims[], long (*strs)[DIMS], int a, int b)
{
	long t = dims[a];

	dims[a] = dims[b];
	dims[b] = t;

	for (int k = 0; k < N; k++) {
		t = strs[k][a];
		strs[k][a] = strs[k][b];
		strs[k][b] = t;
	}
}

static bool mergeable(int N, const long dims[], long (*strs)[DIMS], int a, int b)
{
	for (int k = 0; k < N; k++)
		if (strs[k][b] != strs[k][a] * dims[a])
			return false;

	return true;
}

int md_simplify(int N, int D, long dims[], long (*strs)[DIMS])
{
	int n = 0;

	for (int i = 0; i < D; i++) // drop
		if (1 != dims[i]) {
			swap_dims(N, dims, strs, n, i);
			n++;
		}

	for (int i = 1; i < n; i++) // sort
		for (int j = i; j > 0 && inside(N, strs, j, j - 1); j--)
			swap_dims(N, dims, strs, j, j - 1);

	int m = 0;

	for (int i = 1; i < n; i++) { // merge
		if (mergeable(N, dims, strs, m, i)) {
			dims[m] *= dims[i];
		} else {
			m++;
			swap_dims(N, dims, strs, m, i);
		}
	}

	return (0 == n) ? 0 : m + 1;
}

/** Elements of a piece of a line: the grain of the partition. */
enum { PIECE = 1 << 15 };

struct nary {
	int N, D;
	long dims[DIMS + 1];
	long strs[MD_NARY][DIMS];
	long pieces; // of a line
	char *ptr[MD_NARY];
};

/** Pieces [first, end) in the order of the loop. */
static void nary_run(const struct nary *l, long first, long end, md_line_fn *fn, void *ctx)
{
	long n = l->dims[0];
	long pos[DIMS] = {0};
	long inner[MD_NARY];
	char *line[MD_NARY];
	long piece = first % l->pieces, rest = first / l->pieces;

	for (int i = 1; i < l->D; i++) {
		pos[i] = rest % l->dims[i];
		rest /= l->dims[i];
	}

	for (int k = 0; k < l->N; k++) {
		inner[k] = l->strs[k][0];
		line[k] = l->ptr[k] + md_calc_offset(l->D, l->strs[k], pos);
	}

	for (long t = first; t < end; t++) {
		char *p[MD_NARY];
		long at = piece * PIECE;

		for (int k = 0; k < l->N; k++)
			p[k] = line[k] + at * inner[k];

		fn(ctx, (n - at < PIECE) ? n - at : PIECE, inner, p);

		if (++piece < l->pieces)
			continue;

		piece = 0;

		for (int i = 1; i < l->D; i++) {
			bool wrap = ++pos[i] == l->dims[i];

			for (int k = 0; k < l->N; k++)
				line[k] += wrap ? (1 - l->dims[i]) * l->strs[k][i] : l->strs[k][i];

			if (!wrap)
				break;

			pos[i] = 0;
		}
	}
}

void md_nary(int N, int D, const long dims[], const long *const strs[], void *const ptr[], md_line_fn *fn,
        void *ctx, bool parallel)
{
	struct nary l = {.N = N};

	if (N > MD_NARY)
		error("a loop over %d arrays, expected at most %d", N, MD_NARY);

	md_copy_dims(D, l.dims, dims);

	for (int k = 0; k < N; k++) {
		md_copy_dims(D, l.strs[k], strs[k]);
		l.ptr[k] = ptr[k];
	}

	l.D = md_simplify(N, D, l.dims, l.strs);

	if (0 == l.D) {
		l.D = 1;
		l.dims[0] = 1;
	}

	l.pieces = (l.dims[0] + PIECE - 1) / PIECE;

	long tasks = l.pieces * md_calc_size(l.D - 1, l.dims + 1);

	if (!parallel || 1 == tasks || tasks * (l.dims[0] / l.pieces) <= PIECE) {
		nary_run(&l, 0, tasks, fn, ctx);
		return;
	}

#pragma omp parallel
	{
		long nt = omp_get_num_threads(), me = omp_get_thread_num();
		long share = tasks / nt, extra = tasks % nt;
		long first = share * me + (me < extra ? me : extra);

		nary_run(&l, first, first + share + (me < extra), fn, ctx);
	}
}

void *md_alloc(int D, const long dims[], size_t size)
{
	return backend_cpu.alloc(
	        (size_t)mul_checked(md_calc_size(D, dims), (long)size, "the size of an array"));
}

void *md_calloc(int D, const long dims[], size_t size)
{
	void *p = md_alloc(D, dims, size);

	md_clear(D, dims, p, size);

	return p;
}

void *md_alloc_sameplace(int D, const long dims[], size_t size, const void *ref)
{
	return backend_of(ref)->alloc(
	        (size_t)mul_checked(md_calc_size(D, dims), (long)size, "the size of an array"));
}

bool md_is_sameplace(const void *a, const void *b)
{
	return backend_of(a) == backend_of(b);
}

void md_free(const void *p)
{
	if (NULL != p)
		backend_of(p)->release((void *)p);
}

/** The normal form of a loop over up to two arrays. */
static struct md_shape shape2(int D, const long dims[], const long ostrs[], const long istrs[])
{
	struct md_shape s = {.N = (NULL == istrs) ? 1 : 2};

	md_copy_dims(D, s.dims, dims);
	md_copy_dims(D, s.strs[0], ostrs);

	if (NULL != istrs)
		md_copy_dims(D, s.strs[1], istrs);

	s.D = md_simplify(s.N, D, s.dims, s.strs);

	return s;
}

void md_clear2(int D, const long dims[], const long ostrs[], void *out, size_t size)
{
	static const char zero[64];

	md_fill2(D, dims, ostrs, out, zero, size);
}

void md_clear(int D, const long dims[], void *out, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_clear2(D, dims, strs, out, size);
}

void md_fill2(int D, const long dims[], const long ostrs[], void *out, const void *value, size_t size)
{
	struct md_shape s = shape2(D, dims, ostrs, NULL);

	backend_of(out)->fill(size, &s, out, value);
}

void md_fill(int D, const long dims[], void *out, const void *value, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_fill2(D, dims, strs, out, value, size);
}

void md_copy2(int D, const long dims[], const long ostrs[], void *out, const long istrs[], const void *in,
        size_t size)
{
	struct md_shape s = shape2(D, dims, ostrs, istrs);

	backend_of(out)->copy(size, &s, out, in);
}

void md_copy(int D, const long dims[], void *out, const void *in, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_copy2(D, dims, strs, out, strs, in, size);
}

void md_permute(int D, const int order[], const long odims[], void *out, const long idims[], const void *in,
        size_t size)
{
	long ostrs[DIMS], istrs[DIMS], permuted[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);

	for (int i = 0; i < D; i++)
		permuted[i] = istrs[order[i]];

	md_copy2(D, odims, ostrs, out, permuted, in, size);
}

void md_transpose(
        int D, int d1, int d2, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	int order[DIMS];

	for (int i = 0; i < D; i++)
		order[i] = (i == d1) ? d2 : (i == d2) ? d1 : i;

	md_permute(D, order, odims, out, idims, in, size);
}

void md_flip(int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size)
{
	long ostrs[DIMS], istrs[DIMS];
	const char *p = in;

	md_calc_strides(D, ostrs, dims, size);
	md_copy_dims(D, istrs, ostrs);

	for (int i = 0; i < D; i++) {
		if (!(flags & 1ul << i))
			continue;

		p += (dims[i] - 1) * istrs[i];
		istrs[i] = -istrs[i];
	}

	md_copy2(D, dims, ostrs, out, istrs, p, size);
}

void md_slice(int D, unsigned long flags, const long pos[], const long dims[], void *out, const void *in,
        size_t size)
{
	long odims[DIMS], at[DIMS] = {0};

	md_select_dims(D, ~flags, odims, dims);

	for (int i = 0; i < D; i++)
		at[i] = (flags & 1ul << i) ? pos[i] : 0;

	md_copy_block(D, at, odims, out, dims, in, size);
}

void md_copy_block(int D, const long pos[], const long odims[], void *out, const long idims[], const void *in,
        size_t size)
{
	long ostrs[DIMS], istrs[DIMS], dims[DIMS];
	char *o = out;
	const char *p = in;

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);

	for (int i = 0; i < D; i++) {
		bool cut = odims[i] <= idims[i];

		dims[i] = cut ? odims[i] : idims[i];
		p += cut ? pos[i] * istrs[i] : 0;
		o += cut ? 0 : pos[i] * ostrs[i];
	}

	md_copy2(D, dims, ostrs, o, istrs, p, size);
}

static void resize_at(int D, const long pos[], const long odims[], void *out, const long idims[],
        const void *in, size_t size)
{
	bool grows = false;

	for (int i = 0; i < D; i++)
		grows = grows || odims[i] > idims[i];

	if (grows)
		md_clear(D, odims, out, size);

	md_copy_block(D, pos, odims, out, idims, in, size);
}

void md_resize(int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	const long pos[DIMS] = {0};

	resize_at(D, pos, odims, out, idims, in, size);
}

void md_resize_center(int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	long pos[DIMS];

	for (int i = 0; i < D; i++)
		pos[i] = labs(odims[i] / 2 - idims[i] / 2);

	resize_at(D, pos, odims, out, idims, in, size);
}

/** Dims from d on: the two halves of dim d, each with all of the rest. */
static void shift_from(int d, int D, long dims[], const long strs[], const long shift[], char *out,
        const char *in, size_t size)
{
	while (d < D && 0 == shift[d])
		d++;

	if (d == D) {
		md_copy2(D, dims, strs, out, strs, in, size);
		return;
	}

	long n = dims[d], s = shift[d];

	dims[d] = n - s;
	shift_from(d + 1, D, dims, strs, shift, out + s * strs[d], in, size);
	dims[d] = s;
	shift_from(d + 1, D, dims, strs, shift, out, in + (n - s) * strs[d], size);
	dims[d] = n;
}

void md_circ_shift(int D, const long dims[], const long shift[], void *out, const void *in, size_t size)
{
	long strs[DIMS], part[DIMS], s[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_copy_dims(D, part, dims);

	for (int i = 0; i < D; i++)
		s[i] = (shift[i] % dims[i] + dims[i]) % dims[i];

	shift_from(0, D, part, strs, s, out, in, size);
}

bool md_compare(int D, const long dims[], const void *a, const void *b, size_t size)
{
	return 0 ==
	       memcmp(a, b, (size_t)mul_checked(md_calc_size(D, dims), (long)size, "the size of an array"));
}
