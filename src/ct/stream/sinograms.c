#include "ct/stream/sinograms.h"

#include <stdlib.h>

#include "ct/stream/view_read.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "misc/threads.h"
#include "num/kern/convert.h"

/** Number of rows that are gathered at a time: a quarter of a GiB, and at least one for each thread. */
static long rows_at_once(const struct cfl *in)
{
	const long one = in->hdr.dims[0] * in->hdr.dims[2], rows = in->hdr.dims[1];
	long per = (1L << 25) / one;

	per = (per < tool_threads()) ? tool_threads() : per;

	return (per < rows) ? per : rows;
}

long sinograms_pass_memory(const struct cfl *in)
{
	return rows_at_once(in) * in->hdr.dims[0] * in->hdr.dims[2] * (long)sizeof(double);
}

/** Between rows [row, row + n) of a stack of views of a file and x(u, view, row). */
static void gather(const struct cfl *f, const char *from, long stack, long row, long n, double *x)
{
	const long *d = f->hdr.dims, step = (long)dtype_size(f->hdr.type);
	const int threads = threads_for(2. * (double)(n * d[0] * d[2]));
	long bad = f->count;

#pragma omp parallel for schedule(static) reduction(min : bad) num_threads(threads)
	for (long k = 0; k < d[2]; k++)
		for (long b = 0; b < n; b++) {
			long at = d[0] * (row + b + d[1] * (k + d[2] * stack));
			void *const to[2] = {x + d[0] * (k + d[2] * b), NULL};
			long i = view_convert(DT_FLOAT64, to, f->hdr.type, from + at * step, d[0]);

			if (i < d[0] && at + i < bad)
				bad = at + i;
		}

	if (bad < f->count)
		view_refuse(f, d[0] * d[1], 0, bad);
}

/** The other way round; returns how many values the file cannot hold. */
static long scatter(const struct cfl *f, char *to, long stack, long row, long n, const double *x)
{
	const long *d = f->hdr.dims, step = (long)dtype_size(f->hdr.type);
	const int threads = threads_for(2. * (double)(n * d[0] * d[2]));
	long lost = 0;

#pragma omp parallel for schedule(static) reduction(+ : lost) num_threads(threads)
	for (long k = 0; k < d[2]; k++)
		for (long b = 0; b < n; b++)
			lost += convert(f->hdr.type, to + d[0] * (row + b + d[1] * (k + d[2] * stack)) * step,
			        DT_FLOAT64, x + d[0] * (k + d[2] * b), d[0], NARROW_SATURATE);

	return lost;
}

void sinograms_pass(const struct sinogram_pass *p)
{
	const long *d = p->in->hdr.dims, stacks = p->in->count / (d[0] * d[1] * d[2]);
	const long per = rows_at_once(p->in), size = d[0] * d[2];
	double *x = mem_alloc((size_t)mul_checked(per, size, p->in->name) * sizeof *x);
	const char *from = cfl_map(p->in);
	long lost = 0, begin, end;

	cfl_in_parts(p->out);
	ranks_part(d[1], 1, &begin, &end);

	char *to = cfl_map_out(p->out);

	progress_start(p->what, stacks * (end - begin));

	for (long s = 0; s < stacks; s++)
		for (long row = begin, n; row < end; row += n) {
			n = (end - row < per) ? end - row : per;
			gather(p->in, from, s, row, n, x);

#pragma omp parallel for schedule(dynamic)
			for (long b = 0; b < n; b++) {
				p->fn(p->ctx, d[0], d[2], x + b * size);
				progress_add(1);
			}

			lost += scatter(p->out, to, s, row, n, x);
		}

	for (long k = 0; k < stacks * d[2]; k++)
		cfl_write_own(p->out, d[0] * (begin + d[1] * k), d[0] * (end - begin));

	progress_end();
	ranks_sum(&lost, 1);
	view_report_clipped(p->out, lost);
	free(x);
}
