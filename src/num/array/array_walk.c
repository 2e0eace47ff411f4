/* Walks through strided arrays in the order of their elements. */

#include "num/array/array_walk.h"

void array_walk_init(struct array_walk *w, int N, int D, const long dims[], const long *const strs[])
{
	int n = 0;

	*w = (struct array_walk){.N = N};

	for (int i = 0; i < D; i++) {
		bool follows = 0 < n;

		if (1 == dims[i])
			continue;

		for (int k = 0; follows && k < N; k++)
			follows = (strs[k] ? strs[k][i] : 0) == w->strs[k][n - 1] * w->dims[n - 1];

		if (follows) {
			w->dims[n - 1] *= dims[i];
			continue;
		}

		w->dims[n] = dims[i];

		for (int k = 0; k < N; k++)
			w->strs[k][n] = strs[k] ? strs[k][i] : 0;

		n++;
	}

	if (0 == n)
		w->dims[n++] = 1;

	w->D = n;
}

void array_walk_to(struct array_walk *w, long at)
{
	for (int k = 0; k < w->N; k++)
		w->offset[k] = 0;

	for (int i = 0; i < w->D; i++) {
		w->pos[i] = at % w->dims[i];
		at /= w->dims[i];

		for (int k = 0; k < w->N; k++)
			w->offset[k] += w->pos[i] * w->strs[k][i];
	}
}

static void move(struct array_walk *w, int i, long n)
{
	w->pos[i] += n;

	for (int k = 0; k < w->N; k++)
		w->offset[k] += n * w->strs[k][i];
}

long array_walk_run(struct array_walk *w, long n, long offset[])
{
	const long left = w->dims[0] - w->pos[0];
	const long run = (left < n) ? left : n;

	for (int k = 0; k < w->N; k++)
		offset[k] = w->offset[k];

	move(w, 0, run);

	for (int i = 0; i + 1 < w->D && w->pos[i] == w->dims[i]; i++) {
		move(w, i, -w->dims[i]);
		move(w, i + 1, 1);
	}

	return run;
}
