/* Larger voxels. */

#include "volume/resample/bin.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/kern/kern.h"

struct bin_slices {
	enum dtype from, to;
	long in[3], out[3], factor[3];
	double scale;
	double *room; // of each thread: a row of the input, one of the output
	long lost, bad;
};

/** Adds boxes of a row to sums. */
static long add_row(const struct bin_slices *b, double *restrict sums, const double *restrict x)
{
	const long f = b->factor[0];
	long bad = 0;

	for (long i = 0; i < b->out[0]; i++)
		for (long k = 0; k < f; k++)
			sums[i] += x[i * f + k];

	for (long i = 0; i < b->out[0] * f; i++)
		bad += !isfinite(x[i]);

	return bad;
}

/** Row j of an output slice, from the slices at `in`. */
static long bin_row(struct bin_slices *b, char *out, const char *in, long j, double *room, long *bad)
{
	const long size = (long)dtype_size(b->from);
	double *line = room, *sums = room + b->in[0];

	for (long i = 0; i < b->out[0]; i++)
		sums[i] = 0.;

	for (long z = 0; z < b->factor[2]; z++)
		for (long y = 0; y < b->factor[1]; y++) {
			const long row = z * b->in[1] + j * b->factor[1] + y;

			*bad += add_row(b, sums,
			        kern_load(DT_FLOAT64, line, b->from, false, in + row * b->in[0] * size, size,
			                b->in[0]));
		}

	for (long i = 0; i < b->out[0]; i++)
		sums[i] *= b->scale;

	return kern_store(b->to, false, out + j * b->out[0] * (long)dtype_size(b->to),
	        (long)dtype_size(b->to), DT_FLOAT64, sums, b->out[0], NARROW_SATURATE, false);
}

static void bin_slice(struct bin_slices *b, char *out, const char *in)
{
	const long each = b->in[0] + b->out[0];
	long lost = 0, bad = 0;

#pragma omp parallel for schedule(static) reduction(+ : lost, bad)                                           \
        num_threads(threads_for(2. * (double)(b->in[0] * b->in[1] * b->factor[2])))
	for (long j = 0; j < b->out[1]; j++)
		lost += bin_row(b, out, in, j, b->room + omp_get_thread_num() * each, &bad);

	b->lost += lost;
	b->bad += bad;
}

/** A volume; slices that are left over are passed by. */
static void bin_volume(struct bin_slices *b, struct cfl *out, struct cfl *in)
{
	const long size = b->in[0] * b->in[1];

	for (long k = 0; k < b->out[2]; k++) {
		const char *x = cfl_next(in, size * b->factor[2]);

		bin_slice(b, cfl_slab(out, b->out[0] * b->out[1]), x);
		progress_add(1);
	}

	for (long k = b->out[2] * b->factor[2]; k < b->in[2]; k++)
		cfl_next(in, size);
}

void bin_volumes(struct cfl *out, struct cfl *in, const long factor[3], bool sum)
{
	struct bin_slices b = {.from = in->hdr.type, .to = out->hdr.type};

	for (int d = 0; d < 3; d++) {
		b.in[d] = in->hdr.dims[d];
		b.out[d] = out->hdr.dims[d];
		b.factor[d] = factor[d];
	}

	const long volumes = in->count / (b.in[0] * b.in[1] * b.in[2]);

	b.scale = sum ? 1. : 1. / (double)(factor[0] * factor[1] * factor[2]);
	b.room = mem_alloc((size_t)(omp_get_max_threads() * (b.in[0] + b.out[0])) * sizeof *b.room);
	progress_start("binning", volumes * b.out[2]);

	for (long v = 0; v < volumes; v++)
		bin_volume(&b, out, in);

	progress_end();
	free(b.room);

	if (0 < b.bad)
		warn("%s: %ld voxels are NaN or infinite, and so are the bins that contain them", in->name,
		        b.bad);

	if (0 < b.lost)
		warn("%ld of %ld values do not fit into %s: clipped in %s", b.lost, out->count,
		        dtype_name(b.to), out->name);
}

long bin_volumes_memory(const struct cfl *in, const long factor[3])
{
	const long slices = mul_checked(in->hdr.dims[0] * in->hdr.dims[1], factor[2], in->name);

	return cfl_is_mapped(in) ? 1L << 16 : mul_checked(slices, (long)dtype_size(in->hdr.type), in->name);
}
