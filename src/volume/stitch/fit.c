#include "volume/stitch/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/progress.h"
#include "num/kern/kern.h"
#include "volume/resample/volumes.h"
#include "volume/stitch/stitch.h"
#include "volume/voxels.h"

enum { EDGE = 64, LONGEST = 256, LEAST = 4, MARGIN = 16, REACH = 8, BLOCK = 1024 };
static const double STEEPEST = M_PI / 4.; // angle between axes d of both volumes

/** Unit vector of axis c. */
static void axis_of(const struct space *s, int c, double e[3])
{
	const double h = sqrt(s->step[0][c] * s->step[0][c] + s->step[1][c] * s->step[1][c] +
	                      s->step[2][c] * s->step[2][c]);

	for (int k = 0; k < 3; k++)
		e[k] = s->step[k][c] / h;
}

static void check_directions(const struct stitch_fit *s)
{
	for (int c = 0; c < 3; c++) {
		double a[3], b[3];

		axis_of(&s->a.space, c, a);
		axis_of(&s->b.space, c, b);

		for (int k = 0; k < 3; k++)
			if (!(fabs(a[k] - b[k]) < 1e-3))
				error("%s and %s have different directions: resample one first (gantry "
				      "resample --like)",
				        s->a.file->name, s->b.file->name);
	}
}

/** Moves b so that lateral centres agree, and the first slice is at voxel `at` of a along d. */
static void place(struct stitch_fit *s, double at)
{
	const struct space *a = &s->a.space;
	struct space *b = &s->b.space;
	double from[3], to[3];

	space_centre(a, to);
	space_centre(b, from);

	for (int k = 0; k < 3; k++) {
		to[k] += a->step[k][s->d] * (at - (double)(a->n[s->d] - 1) / 2.);
		from[k] -= b->step[k][s->d] * (double)(b->n[s->d] - 1) / 2.;
		b->origin[k] += to[k] - from[k];
	}

	s->b.part = *b;
}

/** The last n slices of an image along d. */
static struct register_image last_slices(const struct register_image *im, int d, long n)
{
	const long *old = im->space.n, skip = old[d] - n;
	struct register_image part;

	space_crop(&part.space, &im->space, d, skip, n);

	const long *now = part.space.n;
	float *x = mem_alloc((size_t)(now[0] * now[1] * now[2]) * sizeof *x);

	for (long z = 0; z < now[2]; z++)
		for (long y = 0; y < now[1]; y++)
			memcpy(x + now[0] * (y + now[1] * z),
			        im->x + (0 == d ? skip : 0) +
			                old[0] * (y + (1 == d ? skip : 0) +
			                                 old[1] * (z + (2 == d ? skip : 0))),
			        (size_t)now[0] * sizeof *x);

	part.x = x;

	return part;
}

double stitch_fit_finer(const struct stitch_fit *s)
{
	double a = 0., b = 0.;

	for (int k = 0; k < 3; k++) {
		a += s->a.space.step[k][s->d] * s->a.space.step[k][s->d];
		b += s->b.space.step[k][s->d] * s->b.space.step[k][s->d];
	}

	return sqrt(a / b);
}

/** Where b is for a map from positions in a to positions in b. error() if an axis d turns towards another
 * axis: `start` and `end` are then far away, or have no meaning. */
static void locate(struct stitch_fit *s, const struct affine *m)
{
	const int d = s->d;
	double first = 0.;

	space_map(s->at, &s->b.space, &s->a.space, m);

	const double turn = acos(fmin(1., s->at[d][d] / stitch_fit_finer(s)));

	if (!(turn < STEEPEST))
		error("the rotation found tilts %s by %.0f degrees, expected less than %.0f (give a more "
		      "accurate --overlap)",
		        s->b.file->name, turn * 180. / M_PI, STEEPEST * 180. / M_PI);

	first -= s->at[d][3];

	for (int c = 0; c < 3; c++)
		first -= (c == d) ? 0. : s->at[d][c] * (double)(s->a.space.n[c] - 1) / 2.;

	s->start = first / s->at[d][d];

	s->end = s->start + (double)(s->b.space.n[d] - 1) / s->at[d][d];
	s->length = max_long(s->a.space.n[d], 1 + (long)floor(s->end + 1e-6));
}

/** Factor of a grid of at most EDGE^3 voxels and LONGEST along an axis. */
static double search_factor(const struct space *s)
{
	const double voxels = (double)s->n[0] * (double)s->n[1] * (double)s->n[2];
	double f = fmax(1., cbrt(voxels) / EDGE);

	for (int k = 0; k < 3; k++)
		f = fmax(f, (double)s->n[k] / LONGEST);

	return f;
}

/** The shift for which coarse grids of both volumes agree best, with overlaps of at least LEAST slices of
 * these grids. */
static void search(struct stitch_fit *s)
{
	const struct register_how how = {
	        .metric = REGISTER_LS, .shift_only = true, .points = REGISTER_POINTS};
	const double f = fmax(search_factor(&s->a.space), search_factor(&s->b.space));
	const struct register_image a = register_coarsen(&s->a, f), b = register_coarsen(&s->b, f);
	const long na = a.space.n[s->d], most = min_long(na, b.space.n[s->d]), least = min_long(LEAST, most);
	double correlation = -1.;

	register_refuse_constant(&s->a, &a);
	register_refuse_constant(&s->b, &b);
	progress_start("search for the overlap", most + 1 - least);

	for (long n = least; n <= most; n += 2) {
		const struct register_image end = last_slices(&a, s->d, n);
		struct register_pose pose = {{0.}};

		for (int k = 0; k < 3; k++)
			pose.v[3 + k] = a.space.step[k][s->d] * (double)n;

		const struct register_fit fit = register_level(&pose, &how, &end, &b, LEAST, 1.);

		if (fit.correlation > correlation) {
			correlation = fit.correlation;
			s->pose = pose;
		}

		free((void *)end.x);
		progress_update(n + 1 - least);
	}

	progress_end();
	free((void *)a.x);
	free((void *)b.x);
}

void stitch_fit_find(struct stitch_fit *s, bool rotate, long overlap)
{
	const struct register_how how = {.metric = REGISTER_LS, .shift_only = !rotate};
	const long na = s->a.space.n[s->d], nb = s->b.space.n[s->d];
	struct affine m;

	check_directions(s);
	s->pose = (struct register_pose){{0.}};
	place(s, (double)(na - max_long(0, overlap)));

	if (overlap < 0) {
		search(s);
		register_affine(&m, &s->pose, &s->a.space);
		locate(s, &m);
		overlap = min_long(na, max_long(1, na - lround(s->start)));
	}

	space_crop(&s->a.part, &s->a.space, s->d, na - overlap, overlap);
	space_crop(&s->b.part, &s->b.space, s->d, 0,
	        min_long(nb, (long)ceil(stitch_fit_finer(s) * (double)(overlap + overlap / 2 + MARGIN))));
	s->match = register_volumes(&s->pose, &how, &s->a, &s->b, fmax(REACH, (double)overlap / 2.)).after;
	register_affine(&m, &s->pose, &s->a.part);
	locate(s, &m);

	for (int c = 0; c < 3; c++) {
		double e[3], length = 0.;

		axis_of(&s->a.space, c, e);
		s->shift[c] = 0.;

		for (int k = 0; k < 3; k++) {
			length += s->a.space.step[k][c] * e[k];
			s->shift[c] -= e[k] * s->pose.v[3 + k];
		}

		s->shift[c] /= length;
	}
}

struct join {
	const struct stitch_fit *s;
	struct voxels_out out;
	const char *a;
	enum dtype type; // of out and of the resampled values of b
	double fill;
	bool bad; // a value of a is not finite
};

/** Elements [x, x + n) of a row of the output, n <= BLOCK, from values b, which are NaN outside b. */
static void blend(struct join *j, long n, double *out, long x, long y, long z, const double *b)
{
	const struct stitch_fit *s = j->s;
	const enum dtype type = s->a.file->hdr.type;
	const long *na = s->a.space.n, place[3] = {x, y, z}, along = place[s->d], end = na[s->d];
	const long inside = (0 == s->d) ? min_long(n, max_long(0, end - x)) : (along < end) ? n : 0;
	const long size = (long)dtype_size(type), first = (0 < inside) ? x + na[0] * (y + na[1] * z) : 0;
	const double overlap = fmax(0., (double)end - s->start);
	double buf[BLOCK];
	const double *a = kern_load(DT_FLOAT64, buf, type, false, j->a + first * size, size, inside);

	for (long i = 0; i < n; i++) {
		const double at = (double)(along + ((0 == s->d) ? i : 0)) - s->start;
		const double w = fmin(fmax((at + 1.) / (overlap + 1.), 0.), 1.);

		if (i < inside && !isfinite(a[i]))
#pragma omp atomic write
			j->bad = true;

		if (isnan(b[i]))
			out[i] = (i < inside) ? a[i] : j->fill;
		else
			out[i] = (i < inside) ? (1. - w) * a[i] + w * b[i] : b[i];
	}
}

static void put(void *ctx, long first, long n, const void *data)
{
	struct join *j = ctx;
	const long *dims = j->out.file->hdr.dims, size = (long)dtype_size(j->type);
	double buf[BLOCK], out[BLOCK];

	for (long i = 0, m; i < n; i += m) {
		const long x = (first + i) % dims[0], row = (first + i) / dims[0];

		m = min_long(min_long(BLOCK, dims[0] - x), n - i);
		blend(j, m, out, x, row % dims[1], row / dims[1],
		        kern_load(DT_FLOAT64, buf, j->type, false, (const char *)data + i * size, size, m));
		kern_store(j->type, false, buf, size, DT_FLOAT64, out, m, NARROW_SATURATE, false);
		voxels_put(&j->out, first + i, m, buf);
	}
}

/** Settings for b on the grid of the output. */
static struct resample settings(const struct stitch_fit *s, enum resample_kernel kernel)
{
	struct resample r = {.kernel = kernel, .fill = NAN};

	memcpy(r.at, s->at, sizeof r.at);
	memcpy(r.in, s->b.space.n, sizeof r.in);
	memcpy(r.out, s->a.space.n, sizeof r.out);
	r.out[s->d] = s->length;
	resample_coarser(&r);

	return r;
}

long stitch_fit_memory(const struct stitch_fit *s, enum resample_kernel kernel)
{
	const struct resample r = settings(s, kernel);

	return volumes_memory(s->b.file, &r, NULL, NULL);
}

void stitch_fit_join(struct cfl *out, const struct stitch_fit *s, enum resample_kernel kernel, double fill)
{
	struct cfl *b = s->b.file;
	struct join j = {.s = s, .a = cfl_map(s->a.file), .type = out->hdr.type, .fill = fill};
	const struct resample r = settings(s, kernel);
	const long bytes = stitch_fit_memory(s, kernel);
	void *room = mem_alloc((size_t)bytes);
	struct resample_plan *p = resample_plan_create(&r, j.type, NULL, NULL);

	voxels_create(&j.out, out);
	progress_start("stitching", out->count);

	const struct resample_report report = resample_forward(p,
	        (struct resample_array){
	                .type = j.type, .step = (long)dtype_size(j.type), .put = put, .ctx = &j},
	        (struct resample_array){.data = (void *)cfl_map(b),
	                .type = b->hdr.type,
	                .step = (long)dtype_size(b->hdr.type)},
	        room, bytes);

	progress_end();
	resample_plan_free(p);
	free(room);
	stitch_refuse_bad(s->a.file, j.bad);
	stitch_refuse_bad(b, report.bad);
}
