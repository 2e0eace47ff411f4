#include "iter/step/fold.h"

#include "misc/minmax.h"
#include "misc/ranks/sharing.h"
#include "misc/threads.h"

/** The sums of all chunks in every rank, which has computed those of its own elements. */
static void gather(long n, long chunk, void *part)
{
	struct sharing_runs r = sharing_runs_create();
	const size_t size = FOLD_SUMS * sizeof(double);

	for (int k = 0; k < ranks_count(); k++) {
		long first, end;

		distributed_part_of(k, n, &first, &end);

		const long a = first / chunk, b = (end + chunk - 1) / chunk;

		if (first < end)
			sharing_runs_add(&r, (size_t)a * size, (size_t)(b - a) * size);

		r.start[k + 1] = r.n;
	}

	ranks_share(part, r.run, r.start);
	sharing_runs_free(&r);
}

void fold(long n, fold_fn *fn, void *ctx, double sum[FOLD_SUMS])
{
	double part[DISTRIBUTED_CHUNKS][FOLD_SUMS] = {{0.}};
	const long chunk = distributed_chunk(n), chunks = (n + chunk - 1) / chunk;
	long from, to;

	distributed_part(n, &from, &to);

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(2. * (double)(to - from)))
	for (long c = from / chunk; c < (to + chunk - 1) / chunk; c++) {
		for (long first = max_long(from, c * chunk); first < min_long(to, (c + 1) * chunk);
		        first += FOLD_BLOCK)
			fn(ctx, first, min_long(FOLD_BLOCK, n - first), part[c]);
	}

	if (distributed())
		gather(n, chunk, part);

	for (int k = 0; k < FOLD_SUMS; k++) {
		sum[k] = 0.;

		for (long c = 0; c < chunks; c++)
			sum[k] += part[c][k];
	}
}
