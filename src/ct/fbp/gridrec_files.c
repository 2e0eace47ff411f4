/** Reconstruction by Fourier transforms from file to file: pairs of slices, which threads share. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_files.h"

#include "ct/fbp/gridrec/gridrec.h"
#include "ct/projector/xray.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

/** A channel and time. */
struct part {
	const struct fbp_files *s;
	const float *in; // all projections, where they are float32
	long first;      // view
	struct cfl *out;
	long at;   // first voxel
	char *vol; // of the whole output; NULL: elements are put
	int power; // of two: samples are divided by it, and voxels are multiplied with it
};

/** Data whose largest magnitude is within 2^-FAR .. 2^FAR are computed as they are. */
enum { FAR = 64 };

static const float *load_row(void *ctx, long view, long row, float *buffer)
{
	const struct part *p = ctx;
	const struct fbp_files *s = p->s;
	const long size = s->g->cols * s->g->rows, k = view_place(s->chosen, p->first + view);

	if (p->in)
		return p->in + k * size + row * s->g->cols;

	if (0 == p->power) {
		view_read_at(s->proj, DT_FLOAT32, size, k, row * s->g->cols, s->g->cols,
		        (void *const[2]){buffer, NULL});
		return buffer;
	}

	double *x = mem_alloc((size_t)s->g->cols * sizeof *x);

	view_read_at(s->proj, DT_FLOAT64, size, k, row * s->g->cols, s->g->cols, (void *const[2]){x, NULL});

	for (long i = 0; i < s->g->cols; i++)
		buffer[i] = (float)ldexp(x[i], -p->power);

	free(x);

	return buffer;
}

/** The power of two that brings float64 into the range of float32, 0 where they are in it. */
static int power_of(const struct part *p)
{
	const struct fbp_files *s = p->s;
	const long size = s->g->cols * s->g->rows;
	double high = 0.;

	if (DT_FLOAT64 != s->proj->hdr.type)
		return 0;

#pragma omp parallel reduction(max : high)
	{
		double *x = mem_alloc((size_t)size * sizeof *x);

#pragma omp for
		for (long k = 0; k < s->g->views; k++) {
			view_read_at(s->proj, DT_FLOAT64, size, view_place(s->chosen, p->first + k), 0, size,
			        (void *const[2]){x, NULL});
			high = fmax(high, md_maxabs_t(DT_FLOAT64, 1, &size, (const long[]){sizeof *x}, x));
		}

		free(x);
	}

	const int power = (high > 0.) ? ilogb(high) : 0;

	return (power < -FAR || power > FAR) ? power : 0;
}

/** Names the element of the projections that is not finite, where there is one. */
static void refuse(const struct part *p)
{
	const struct fbp_files *s = p->s;
	const long size = s->g->cols * s->g->rows;

	for (long k = 0; p->in && k < s->g->views; k++) {
		const long at = view_place(s->chosen, p->first + k);

		view_expect_finite(s->proj, size, at, size, p->in + at * size);
	}
}

/** n voxels from `at` on, in the range of the data again. */
static void store_scaled(const struct part *p, long at, long n, const float *x)
{
	const enum dtype type = p->s->h->type;
	double *wide = mem_alloc((size_t)n * sizeof *wide);
	void *narrow = mem_alloc((size_t)n * dtype_size(type));

	for (long i = 0; i < n; i++)
		wide[i] = ldexp((double)x[i], p->power);

	xray_expect_finite(DT_FLOAT64, n, wide, p->s->proj->name, "attenuations");
	convert(type, narrow, DT_FLOAT64, wide, n, NARROW_SATURATE);

	if (DT_FLOAT32 == type)
		xray_expect_finite(type, n, narrow, p->s->proj->name, "attenuations");

	if (p->vol)
		memcpy(p->vol + at * (long)dtype_size(type), narrow, (size_t)n * dtype_size(type));
	else
		cfl_put(p->out, at, n, narrow);

	free(wide);
	free(narrow);
}

static void store_lines(void *ctx, long z, long y, long n, const float *x)
{
	const struct part *p = ctx;
	const long nx = p->s->grid->size[0], at = p->at + (z * p->s->grid->size[1] + y) * nx;
	const enum dtype type = p->s->h->type;

	if (0 < vec_count_nonfinite(DT_FLOAT32, n * nx, x))
		refuse(p);

	xray_expect_finite(DT_FLOAT32, n * nx, x, p->s->proj->name, "attenuations");

	if (0 != p->power)
		store_scaled(p, at, n * nx, x);
	else if (p->vol)
		convert(type, p->vol + at * (long)dtype_size(type), DT_FLOAT32, x, n * nx, NARROW_SATURATE);
	else
		cfl_put(p->out, at, n * nx, x);
}

/** The pairs of slices of this rank, dealt out to threads as they come. */
static void reconstruct(const struct gridrec *g, struct part *p)
{
	const struct gridrec_files files = {load_row, store_lines, p};
	const long *size = p->s->grid->size,
	           most = min_long(tool_memory() / 4 / gridrec_memory(g), tool_threads());
	long first, end;

	ranks_part(size[2], 2, &first, &end);

#pragma omp parallel num_threads((int)max_long(most, 1))
	{
		struct gridrec_room *r = gridrec_room_create(g);

#pragma omp for schedule(dynamic)
		for (long z = first; z < end; z += 2) {
			gridrec_pair(g, r, &files, z);
			progress_add(min_long(end - z, 2));
		}

		gridrec_room_free(r);
	}

	if (p->vol)
		cfl_write_own(p->out, p->at + first * size[0] * size[1], (end - first) * size[0] * size[1]);
}

void fbp_files_gridrec(const struct fbp_files *s, struct fbp *f)
{
	const long *size = s->grid->size, voxels = size[0] * size[1] * size[2],
	           volumes = s->proj->count / (s->g->cols * s->g->rows * s->chosen->views);
	struct gridrec *g = gridrec_create(f, s->grid);

	cfl_expect_real(s->proj);
	tool_needs(gridrec_memory(g) * tool_threads(), 0.);

	struct cfl *y = cfl_create(s->out, s->h);
	const bool straight = DT_FLOAT32 == s->proj->hdr.type,
	           put = DT_FLOAT32 == s->h->type && cfl_takes_put(y);

	cfl_in_parts(y);

	const float *all = cfl_map(s->proj); // before threads read it: a stream is copied here

	struct part p = {.s = s, .in = straight ? all : NULL, .out = y, .vol = put ? NULL : cfl_map_out(y)};

	progress_start("fbp", volumes * size[2]);

	for (long c = 0; c < volumes; c++) {
		p.first = c * s->g->views;
		p.at = c * voxels;
		p.power = power_of(&p);
		reconstruct(g, &p);
	}

	progress_end();
	gridrec_free(g);
	cfl_close(s->proj);
	cfl_close(y);
}
