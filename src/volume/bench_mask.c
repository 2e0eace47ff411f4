#include "volume/bench_mask.h"

#include <stdio.h>
#include <stdlib.h>

#include "misc/mem.h"

enum { TRIAD_MOST = 1 << 24 };

bool bench_mask_create(struct bench_mask *m, struct bench *b, long size)
{
	const long n = size * size * size, triad = n < TRIAD_MOST ? n : TRIAD_MOST;

	*m = (struct bench_mask){.b = b};
	snprintf(m->shape, sizeof m->shape, "%ld^3 uint8", size);

	if (!bench_fits(5. * (double)n + 12. * (double)triad, m->shape))
		return false;

	m->data = mem_calloc((size_t)n, 1);
	m->out = bench_random(n, 3);
	m->in = (struct voxels){.data = (const char *)m->data,
	        .type = DT_UINT8,
	        .nx = size,
	        .ny = size,
	        .nz = size,
	        .each = n,
	        .volumes = 1};
	m->rows = (struct mask_rows){.in = &m->in};

	for (int i = 0; i < 3; i++)
		m->triad[i] = bench_random(triad, (unsigned long)i);

	bench_triad(b, triad, m->triad[0], m->triad[1], m->triad[2]);
	return true;
}

void bench_mask_free(struct bench_mask *m)
{
	free(m->data);
	free(m->out);

	for (int i = 0; i < 3; i++)
		free(m->triad[i]);
}

void bench_mask_balls(struct bench_mask *m)
{
	const long n = m->in.nx, period = n / 4 > 0 ? n / 4 : 1;

#pragma omp parallel for
	for (long z = 0; z < n; z++)
		for (long i = 0; i < n * n; i++) {
			const long at[3] = {i % n, i / n, z};
			long square = 0;

			for (int d = 0; d < 3; d++) {
				const long x = 2 * (at[d] % period) + 1 - period;

				square += x * x;
			}

			m->data[z * n * n + i] = 2 * square < period * period;
		}
}

void bench_mask_random(struct bench_mask *m, double share)
{
	for (long i = 0; i < m->in.each; i++)
		m->data[i] = (double)m->out[i] - .5 < share; // values from 0.5 to 1.5
}

static double check(void *ctx)
{
	return ((const struct bench_mask *)ctx)->sum;
}

void bench_mask_case(struct bench_mask *m, const char *name, double bytes, void (*run)(void *ctx), void *ctx)
{
	struct bench_case c = {.name = name,
	        .hand = -1,
	        .bytes = bytes * (double)m->in.each,
	        .check = check,
	        .check_ctx = m,
	        .tolerance = 1e-9};

	snprintf(c.shape, sizeof c.shape, "%s", m->shape);
	bench_case(m->b, &c, 1, (const struct bench_contender[]){{.name = "gantry", .run = run, .ctx = ctx}});
}
