#include "iter/step/fold.h"

#include "misc/threads.h"

enum { CHUNKS = 1024 };

void fold(long n, fold_fn *fn, void *ctx, double sum[FOLD_SUMS])
{
	double part[CHUNKS][FOLD_SUMS] = {{0.}};
	long blocks = (n + FOLD_BLOCK - 1) / FOLD_BLOCK;
	long per_chunk = (blocks + CHUNKS - 1) / CHUNKS;
	long chunks = (0 == per_chunk) ? 0 : (blocks + per_chunk - 1) / per_chunk;

#pragma omp parallel for schedule(dynamic) num_threads(threads_for(2. * (double)n))
	for (long c = 0; c < chunks; c++) {
		for (long b = c * per_chunk; b < blocks && b < (c + 1) * per_chunk; b++) {
			long first = b * FOLD_BLOCK;

			fn(ctx, first, n - first < FOLD_BLOCK ? n - first : FOLD_BLOCK, part[c]);
		}
	}

	for (int k = 0; k < FOLD_SUMS; k++) {
		sum[k] = 0.;

		for (long c = 0; c < chunks; c++)
			sum[k] += part[c][k];
	}
}
