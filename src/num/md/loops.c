/* Loops over strided arrays: their normal form, and calls of a function for every line or position. */

#include <omp.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/threads.h"
#include "num/md/multind.h"

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
		line[k] = l->ptr[k] + md_calc_offset(l->D - 1, l->strs[k] + 1, pos + 1);
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
		error("a loop has %d arrays, expected at most %d", N, MD_NARY);

	long all = md_calc_size(D, dims);

	if (0 == all)
		return;

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

	const int threads = parallel ? threads_for(2. * (double)all) : 1;

	if (1 == tasks || 1 == threads) {
		nary_run(&l, 0, tasks, fn, ctx);
		return;
	}

#pragma omp parallel num_threads(threads)
	{
		long nt = omp_get_num_threads(), me = omp_get_thread_num();
		long share = tasks / nt, extra = tasks % nt;
		long first = share * me + (me < extra ? me : extra);

		nary_run(&l, first, first + share + (me < extra), fn, ctx);
	}
}

void md_loop(int D, const long dims[], md_loop_fn *fn, void *ctx)
{
	long pos[DIMS] = {0};

	if (0 == md_calc_size(D, dims))
		return;

	do
		fn(ctx, pos);
	while (md_next(D, dims, ~0ul, pos));
}

void md_parallel_loop(int D, const long dims[], md_loop_fn *fn, void *ctx)
{
	long n = md_calc_size(D, dims);

#pragma omp parallel for
	for (long i = 0; i < n; i++) {
		long pos[DIMS] = {0};

		md_unravel_index(D, pos, ~0ul, dims, i);
		fn(ctx, pos);
	}
}

void md_septrafo2(int D, const long dims[], unsigned long flags, const long strs[], void *ptr,
        md_trafo_fn *fn, void *ctx)
{
	for (int d = 0; d < D; d++) {
		if (!(flags & 1ul << d))
			continue;

		long across[DIMS];

		md_select_dims(D, ~(1ul << d), across, dims);

		long lines = (0 == dims[d]) ? 0 : md_calc_size(D, across);

#pragma omp parallel for
		for (long i = 0; i < lines; i++) {
			long pos[DIMS] = {0};

			md_unravel_index(D, pos, ~0ul, across, i);
			fn(ctx, dims[d], strs[d], (char *)ptr + md_calc_offset(D, strs, pos));
		}
	}
}

void md_septrafo(
        int D, const long dims[], unsigned long flags, void *ptr, size_t size, md_trafo_fn *fn, void *ctx)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_septrafo2(D, dims, flags, strs, ptr, fn, ctx);
}
