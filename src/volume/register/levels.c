#include "volume/register/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "volume/resample/volumes.h"

enum { LEVELS = 8, COARSEST = 24, FIRST = 4 }; // FIRST: first step of the search [voxels of the level]
static const double finest = 1 << 26;          // voxels

static double count(const struct space *s)
{
	return (double)s->n[0] * (double)s->n[1] * (double)s->n[2];
}

void register_open(struct register_volume *v, const char *name)
{
	struct cfl *f = cfl_open(name);

	cfl_expect_real(f);
	cfl_expect(f, ~(1u << Q_GEOMETRY | 1u << Q_LINE_INTEGRAL | 1u << Q_COUNTS | 1u << Q_TRANSMISSION),
	        "volumes are registered (gantry fbp makes one)");
	space_from_header(&v->space, &f->hdr, f->name);

	if ((double)f->count != count(&v->space))
		error("%s is %s, expected one volume (x, y, z)", f->name, hdr_shape(&f->hdr));

	v->file = f;
	v->part = v->space;
}

struct register_image register_coarsen(const struct register_volume *v, double f)
{
	struct cfl *file = v->file;
	struct register_image im;
	struct resample r = {.kernel = RESAMPLE_LINEAR};
	struct affine same;

	space_coarsen(&im.space, &v->part, f);
	affine_identity(&same);
	space_map(r.at, &v->space, &im.space, &same);
	memcpy(r.in, v->space.n, sizeof r.in);
	memcpy(r.out, im.space.n, sizeof r.out);
	resample_coarser(&r);

	const long bytes = volumes_memory(file, &r, NULL, NULL);
	void *room = mem_alloc((size_t)bytes);
	struct resample_plan *p = resample_plan_create(&r, DT_FLOAT32, NULL, NULL);
	float *x = mem_alloc((size_t)(r.out[0] * r.out[1] * r.out[2]) * sizeof *x);

	if (resample_forward(p, (struct resample_array){.data = x, .type = DT_FLOAT32, .step = sizeof *x},
	            (struct resample_array){.data = (void *)cfl_map(file),
	                    .type = file->hdr.type,
	                    .step = (long)dtype_size(file->hdr.type)},
	            room, bytes)
	                .bad)
		error("%s contains NaN or infinite values: replace them first (gantry expr)", file->name);

	resample_plan_free(p);
	free(room);
	im.x = x;

	return im;
}

void register_refuse_constant(const struct register_volume *v, const struct register_image *im)
{
	const double n = count(&im->space);
	double sum = 0., squares = 0.;

	for (long i = 0; i < (long)n; i++)
		sum += im->x[i];

	for (long i = 0; i < (long)n; i++)
		squares += (im->x[i] - sum / n) * (im->x[i] - sum / n);

	if (!(sqrt(squares / n) > 1e-5 * fabs(sum / n)))
		error("%s is constant%s: nothing in it can be aligned", v->file->name,
		        (count(&v->part) < count(&v->space)) ? " in the overlap" : "");
}

/** Factors of the levels, coarse to fine; returns how many. */
static int choose_levels(double factor[LEVELS], const struct space *a, const struct space *b, double reach)
{
	const double most = fmax(fmax(count(a), count(b)) / finest, 1.);
	const double longest = (double)max_long(max_long(a->n[0], a->n[1]), a->n[2]);
	double f = exp2(ceil(log2(most) / 3.));
	int n = 0;
	double list[LEVELS];

	for (; n < LEVELS; f *= 2.) {
		list[n++] = f;

		if (reach > 0. ? FIRST * 2. * f > reach : longest / f <= COARSEST)
			break;
	}

	for (int i = 0; i < n; i++)
		factor[i] = list[n - 1 - i];

	return n;
}

struct register_result register_volumes(struct register_pose *pose, const struct register_how *how,
        const struct register_volume *fixed, const struct register_volume *moving, double reach)
{
	const struct register_pose start = *pose;
	const struct register_how coarse = {how->metric, how->shift_only, REGISTER_POINTS};
	const struct register_how fine = {how->metric, how->shift_only, REGISTER_LAST_POINTS};
	struct register_result r = {.before = {0}};
	double factor[LEVELS];
	const int levels = choose_levels(factor, &fixed->part, &moving->part, reach);

	progress_start("registration", levels);

	for (int l = 0; l < levels; l++) {
		const bool last = levels - 1 == l;
		const struct register_image a = register_coarsen(fixed, factor[l]);
		const struct register_image b = register_coarsen(moving, factor[l]);

		if (last) {
			register_refuse_constant(fixed, &a);
			register_refuse_constant(moving, &b);
		}

		r.before = register_measure(&start, &a, &b);
		r.after = register_level(pose, &coarse, &a, &b, (0 == l) ? FIRST : 1., 1. / 8.);

		if (last)
			r.after = register_level(pose, &fine, &a, &b, 1. / 8., 1. / 64.);

		free((void *)a.x);
		free((void *)b.x);
		progress_update(l + 1);
	}

	progress_end();

	return r;
}
