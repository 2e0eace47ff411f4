#include "ct/projector/check/verify.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "ct/projector/cuda/untilted.h"
#include "misc/minmax.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

enum { THIN = 16 }; // voxels along an axis on which a ball has no room

/** The number of old elements that are merged into one. */
static long factor(long n, long most)
{
	return (n + most - 1) / most;
}

struct geom *verify_coarse(const struct geom *g, long views, long most)
{
	const long n = min_long(g->views, views), fu = factor(g->cols, most), fv = factor(g->rows, most);
	struct geom *out = geom_create(n, g->cols / fu, g->rows / fv, g->parallel);

	out->radius = g->radius;
	out->stack = g->stack;

	for (long k = 0; k < n; k++) {
		out->view[k] = g->view[k * g->views / n];

		for (int i = 0; i < 3; i++) {
			out->view[k].u[i] *= fu;
			out->view[k].v[i] *= fv;
		}
	}

	return out;
}

void verify_coarse_grid(struct grid *out, const struct grid *in, long most)
{
	for (int i = 0; i < 3; i++) {
		const double middle = in->origin[i] + (in->size[i] - 1) / 2. * in->spacing[i];
		const long f = factor(in->size[i], most);

		out->size[i] = in->size[i] / f;
		out->spacing[i] = in->spacing[i] * f;
		out->origin[i] = middle - (out->size[i] - 1) / 2. * out->spacing[i];
	}
}

static long voxels(const struct grid *grid)
{
	return grid->size[0] * grid->size[1] * grid->size[2];
}

static long pixels(const struct geom *g)
{
	return g->cols * g->rows * g->views;
}

static float *noise(long n, unsigned long seed)
{
	float *x = mem_alloc(mul_checked(n, sizeof(float), "random numbers"));

	for (long i = 0; i < n; i++)
		x[i] = (float)(rand_uniform(seed, i) - 0.5);

	return x;
}

static double *widen(const float *x, long n)
{
	double *y = mem_alloc(mul_checked(n, sizeof(double), "random numbers"));

	for (long i = 0; i < n; i++)
		y[i] = x[i];

	return y;
}

/** A number in 0..n-1. */
static long pick(unsigned long seed, long i, long n)
{
	return min_long((long)(rand_uniform(seed, i) * n), n - 1);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool verify_dot(const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said)
{
	// a few hundred numbers do not average the float32 rounding down to 1e-8
	const double limit = (min_long(voxels(grid), pixels(g)) < 10000) ? 1e-7 : 1e-8;
	struct linop *A = linop_xray_create(g, grid, model, DT_FLOAT32, 1, 1);
	double d[5];

	for (int seed = 0; seed < 5; seed++)
		d[seed] = linop_dot_test(A, seed);

	linop_free(A);
	qsort(d, 5, sizeof d[0], compare);
	str_printf(said, "median %.1e, largest %.1e of 5 (limits %.0e, %.0e)", d[2], d[4], limit, 3. * limit);
	return d[2] <= limit && d[4] <= 3. * limit;
}

/** Largest difference between A e_j at a pixel and A' e_i at a voxel, for voxels j that pixel i sees and
 * others beside them. */
static double pixel_elements(const struct xray *x, const struct geom *g, const struct grid *grid, long a,
        long b, long view, float *vol, float *proj, long *pairs)
{
	enum { TRIES = 6 };
	const long at = a + g->cols * b, n = voxels(grid), per_view = g->cols * g->rows;
	float *row = mem_calloc(n, sizeof(float));
	long seen = 0;
	double worst = 0.;

	memset(proj, 0, per_view * sizeof(float));
	proj[at] = 1.f;
	xray_adjoint(x, DT_FLOAT32, row, proj, view, 1);

	for (long j = 0; j < n; j++)
		seen += (row[j] != 0.f);

	for (long t = 0; t < TRIES && seen > 0; t++) {
		long wanted = pick(a + 1000 * b, t, seen), j = 0;

		for (; row[j] == 0.f || wanted-- > 0;)
			j++;

		j = min_long(j + t % 2, n - 1); // every second one a neighbour, which may see nothing
		vol[j] = 1.f;
		xray_forward(x, DT_FLOAT32, proj, vol, view, 1);
		vol[j] = 0.f;
		worst = fmax(worst, fabs((double)proj[at] - row[j]));
		(*pairs)++;
	}

	free(row);
	return worst;
}

bool verify_elements(const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said)
{
	enum { RAYS = 40 };
	const double scale = fmax(grid->spacing[0], fmax(grid->spacing[1], grid->spacing[2]));
	struct xray *x = xray_create(g, grid, model);
	float *vol = mem_calloc(voxels(grid), sizeof(float)),
	      *proj = mem_calloc(g->cols * g->rows, sizeof(float));
	double worst = 0.;
	long pairs = 0;

	for (long i = 0; i < RAYS; i++)
		worst = fmax(worst, pixel_elements(x, g, grid, pick(10, i, g->cols), pick(11, i, g->rows),
		                            pick(12, i, g->views), vol, proj, &pairs));

	free(vol);
	free(proj);
	xray_free(x);
	worst /= scale;
	str_printf(said, "%ld pairs of ray and voxel, largest difference %.1e voxels (limit 2e-06)", pairs,
	        worst);
	return pairs > 0 && worst <= 2e-6;
}

/** Root mean square of a - b over that of b. */
static double relative(double diff2, double ref2)
{
	return (ref2 > 0.) ? sqrt(diff2 / ref2) : sqrt(diff2);
}

static double reference_rays(const struct xray *x, const struct geom *g, const struct grid *grid)
{
	enum { RAYS = 400 };
	float *vol = noise(voxels(grid), 20), *proj = mem_alloc(pixels(g) * sizeof(float));
	double *wide = widen(vol, voxels(grid)), diff = 0., size = 0.;

	xray_forward(x, DT_FLOAT32, proj, vol, 0, g->views);

	for (long i = 0; i < RAYS; i++) {
		long a = pick(21, i, g->cols), b = pick(22, i, g->rows), k = pick(23, i, g->views);
		double want = xray_reference_pixel(x, wide, a, b, k),
		       got = proj[a + g->cols * (b + g->rows * k)];

		diff += (got - want) * (got - want);
		size += want * want;
	}

	free(vol);
	free(proj);
	free(wide);
	return relative(diff, size);
}

static double reference_voxels(const struct xray *x, const struct geom *g, const struct grid *grid)
{
	enum { VOXELS = 24 };
	float *proj = noise(pixels(g), 30), *vol = mem_calloc(voxels(grid), sizeof(float));
	double *wide = widen(proj, pixels(g)), diff = 0., size = 0.;

	xray_adjoint(x, DT_FLOAT32, vol, proj, 0, g->views);

#pragma omp parallel for reduction(+ : diff, size)
	for (long i = 0; i < VOXELS; i++) {
		long at[3];

		for (int d = 0; d < 3; d++)
			at[d] = pick(31 + d, i, grid->size[d]);

		double want = xray_reference_voxel(x, wide, at[0], at[1], at[2]);
		double got = vol[at[0] + grid->size[0] * (at[1] + grid->size[1] * at[2])];

		diff += (got - want) * (got - want);
		size += want * want;
	}

	free(vol);
	free(proj);
	free(wide);
	return relative(diff, size);
}

bool verify_reference(const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said)
{
	struct xray *x = xray_create(g, grid, model);
	double rays = reference_rays(x, g, grid), vox = reference_voxels(x, g, grid);

	xray_free(x);
	str_printf(said, "against float64 from the definition: project %.1e, backproject %.1e (limit 1e-05)",
	        rays, vox);
	return rays <= 1e-5 && vox <= 1e-5;
}

bool verify_split(const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said)
{
	const bool gpu = 0 <= device_used(); // its sums have the same bytes for batches of so many views
	const long n = voxels(grid), m = pixels(g), per_view = m / g->views,
	           half = gpu ? g->views / 2 / GPU_BATCH_VIEWS * GPU_BATCH_VIEWS : g->views / 2;
	const int threads = omp_get_max_threads();
	struct xray *x = xray_create(g, grid, model);
	float *vol = noise(n, 40), *proj[2], *back[2];

	for (int i = 0; i < 2; i++) {
		proj[i] = mem_alloc(m * sizeof(float));
		back[i] = mem_calloc(n, sizeof(float));
	}

	omp_set_num_threads(1);
	xray_forward(x, DT_FLOAT32, proj[0], vol, 0, g->views);
	xray_adjoint(x, DT_FLOAT32, back[0], proj[0], 0, g->views);

	omp_set_num_threads(7);

	if (half > 0) {
		xray_forward(x, DT_FLOAT32, proj[1], vol, 0, half);
		xray_adjoint(x, DT_FLOAT32, back[1], proj[0], 0, half);
	}

	xray_forward(x, DT_FLOAT32, proj[1] + half * per_view, vol, half, g->views - half);
	xray_adjoint(x, DT_FLOAT32, back[1], proj[0] + half * per_view, half, g->views - half);
	omp_set_num_threads(threads);

	bool same =
	        !memcmp(proj[0], proj[1], m * sizeof(float)) && !memcmp(back[0], back[1], n * sizeof(float));
	long bad = vec_count_nonfinite(DT_FLOAT32, m, proj[0]) + vec_count_nonfinite(DT_FLOAT32, n, back[0]);

	for (int i = 0; i < 2; i++) {
		free(proj[i]);
		free(back[i]);
	}

	free(vol);
	xray_free(x);
	str_printf(said, "%s bytes for 1 and 7 threads and %s, %ld values not finite",
	        same ? "the same" : "other", half > 0 || !gpu ? "two batches of views" : "in two runs", bad);
	return same && bad == 0;
}

static double det3(const double a[3], const double b[3], const double c[3])
{
	double n[3];

	cross3(n, b, c);
	return dot3(a, n);
}

/** Column of a curved detector whose pixels stand in the plane of the direction and v: their side changes
 * sign there. */
static bool curved_column(
        const struct geom *g, long view, const double dir[3], const double from[3], double *a)
{
	double lo = 0., hi = g->cols - 1., side[2], p[3];

	for (int step = 0; step < 60; step++) {
		double at[3] = {lo, hi, (lo + hi) / 2.}, value[3];

		for (int i = 0; i < 3; i++) {
			geom_pixel(g, view, at[i], 0., p);

			for (int j = 0; j < 3; j++)
				p[j] -= from[j];

			value[i] = det3(dir, g->view[view].v, p);
		}

		side[0] = value[0];
		side[1] = value[1];

		if (side[0] * side[1] > 0.)
			return false;

		if (value[0] * value[2] <= 0.)
			hi = at[2];
		else
			lo = at[2];
	}

	*a = (lo + hi) / 2.;
	return true;
}

bool verify_pixel(const struct geom *g, long view, const double p[3], double *a, double *b)
{
	const struct geom_view *w = g->view + view;
	double dir[3], from[3], column[3], minus[3];

	for (int i = 0; i < 3; i++) {
		from[i] = (g->parallel || (g->stack && i == 2)) ? p[i] : w->s[i];
		dir[i] = g->parallel ? w->s[i] : p[i] - from[i];
		minus[i] = -dir[i];
	}

	*a = (g->cols - 1) / 2.;

	if (g->radius > 0. && !curved_column(g, view, dir, from, a))
		return false;

	// from + t dir = pixel + x u + y v; on a curved detector x is 0 for the column just found
	geom_pixel(g, view, *a, (g->rows - 1) / 2., column);

	for (int i = 0; i < 3; i++)
		column[i] = from[i] - column[i];

	double det = det3(w->u, w->v, minus), x = det3(column, w->v, minus) / det,
	       y = det3(w->u, column, minus) / det;
	double t = det3(w->u, w->v, column) / det;

	*a += (g->radius > 0.) ? 0. : x;
	*b = (g->rows - 1) / 2. + y;
	return g->parallel || t > 0.;
}

/** A ball with smooth edge (a Gaussian) at c, which becomes the centre of mass of its voxels: the volume may
 * cut it. */
static void make_ball(float *vol, const struct grid *grid, double c[3], double sigma)
{
	const long *n = grid->size;
	double sum = 0., x = 0., y = 0., z = 0.;

#pragma omp parallel for reduction(+ : sum, x, y, z)
	for (long k = 0; k < n[2]; k++)
		for (long j = 0; j < n[1]; j++)
			for (long i = 0; i < n[0]; i++) {
				const long at[3] = {i, j, k};
				double t[3], r2 = 0.;

				for (int d = 0; d < 3; d++) {
					t[d] = grid->origin[d] + at[d] * grid->spacing[d] - c[d];
					r2 += t[d] * t[d];
				}

				const double v = exp(-r2 / (2. * sigma * sigma));

				vol[i + n[0] * (j + n[1] * k)] = (float)v;
				sum += v;
				x += v * t[0];
				y += v * t[1];
				z += v * t[2];
			}

	c[0] += x / sum;
	c[1] += y / sum;
	c[2] += z / sum;
}

/** Pixels per mm, along columns and rows, of what is in a plane through c parallel to the detector. */
static void pixels_per_mm(double out[2], const struct geom *g, long view, const double c[3])
{
	const struct geom_view *w = g->view + view;
	double n[3], to_point = 0., to_detector = 0., m = 1.;

	geom_normal(g, view, n);

	for (int i = 0; i < 3; i++) {
		to_point += n[i] * (w->s[i] - c[i]);
		to_detector += n[i] * (w->s[i] - w->d[i]);
	}

	if (!g->parallel)
		m = fabs(to_detector / to_point);

	out[0] = m / norm3(w->u);
	out[1] = (g->stack ? 1. : m) / norm3(w->v);
}

/** A ball that voxels and pixels can hold: its sigma [mm], so wide that its samples in either sum up to the
 * integral (1e-4); and pixels at c. Axes of a few voxels, and a single row, do not count: a ball is cut
 * there. */
static double ball_size(const struct geom *g, const struct grid *grid, const double c[3])
{
	const int axes = (g->rows > 1) ? 2 : 1;
	double voxel = 0., pixel = 0.;

	for (int d = 0; d < 3; d++)
		if (grid->size[d] > THIN || d < 2)
			voxel = fmax(voxel, grid->spacing[d]);

	for (long k = 0; k < g->views; k++) {
		double per_mm[2];

		pixels_per_mm(per_mm, g, k, c);

		for (int i = 0; i < axes; i++)
			pixel = fmax(pixel, 1. / per_mm[i]);
	}

	return fmax(1.5 * voxel, 0.75 * pixel);
}

/** Is a ball of that size in the view, all of it that is in the volume? */
static bool is_seen(const struct geom *g, long view, const struct grid *grid, double a, double b,
        double sigma, const double per_mm[2])
{
	const double *v = g->view[view].v, wide = 4. * sigma, high = 0.75 * grid->size[2] * grid->spacing[2];
	const bool untilted = (v[0] == 0. && v[1] == 0.); // its footprint is no higher than the volume's
	const double margin[2] = {
	        wide * per_mm[0] + 1., (untilted ? fmin(wide, high) : wide) * per_mm[1] + 1.};

	if (!(a >= margin[0] && a <= g->cols - 1 - margin[0]))
		return false;

	return (g->rows > 1) ? b >= margin[1] && b <= g->rows - 1 - margin[1] : fabs(b) <= 0.5;
}

/** The centroid of a view; false where nothing is seen. */
static bool centroid(double at[2], const struct geom *g, const float *proj)
{
	double sum = 0.;

	at[0] = at[1] = 0.;

	for (long j = 0; j < g->rows; j++)
		for (long i = 0; i < g->cols; i++) {
			const double y = proj[i + g->cols * j];

			sum += y;
			at[0] += y * i;
			at[1] += y * j;
		}

	at[0] /= sum;
	at[1] /= sum;
	return sum > 0.;
}

/** How far from its place a ball may be seen [pixels], in columns (0) or rows (1). Siddon's ray takes the
 * value of a voxel wherever it meets it. Rays that go along the grid may all meet their voxels at one side:
 * they see the ball by up to half a voxel from where it is, or half a pixel where that is less, for then they
 * meet every voxel in several places. */
static double ball_limit(const struct grid *grid, enum xray_model model, int axis, const double per_mm[2])
{
	const double smooth = 0.25, rest = 0.02, *h = grid->spacing;
	const double voxel = ((axis == 0) ? fmax(h[0], h[1]) : fmax(fmax(h[0], h[1]), h[2])) * per_mm[axis];

	switch (model) {
	case XRAY_JOSEPH:
	case XRAY_SF:
		return smooth;
	case XRAY_SIDDON:
		return fmax(smooth, 0.5 * fmin(voxel, 1.) + rest);
	}

	return NAN;
}

/** What a ball was seen off its place, at most in relation to the limit. */
struct seen {
	double off, limit; // [pixels]
	long views;
};

static void look_at_ball(struct seen *o, const struct geom *g, const struct grid *grid, enum xray_model model,
        const float *proj, const double c[3], double sigma)
{
	for (long k = 0; k < g->views; k++) {
		double want[2], at[2], per_mm[2];

		pixels_per_mm(per_mm, g, k, c);

		if (!verify_pixel(g, k, c, &want[0], &want[1]) ||
		        !is_seen(g, k, grid, want[0], want[1], sigma, per_mm))
			continue;

		const bool there = centroid(at, g, proj + k * g->cols * g->rows);

		o->views++;

		for (int i = 0; i < (g->rows > 1 ? 2 : 1); i++) {
			const double off = there ? fabs(at[i] - want[i]) : INFINITY,
			             limit = ball_limit(grid, model, i, per_mm);

			if (off / limit > o->off / o->limit) {
				o->off = off;
				o->limit = limit;
			}
		}
	}
}

bool verify_orientation(
        const struct geom *g, const struct grid *grid, enum xray_model model, struct str *said)
{
	static const double where[3][3] = {
	        {0.25, -0.1, 0.2}, {-0.3, 0.15, -0.1}, {0.05, 0.3, 0.1}}; // of the volume's size
	struct xray *x = xray_create(g, grid, model);
	float *vol = mem_alloc(voxels(grid) * sizeof(float)), *proj = mem_alloc(pixels(g) * sizeof(float));
	struct seen seen = {.limit = 1.};

	for (int ball = 0; ball < 3; ball++) {
		double c[3];

		for (int d = 0; d < 3; d++) {
			const double f = (grid->size[d] > THIN)
			                         ? where[ball][d]
			                         : 0.; // thin volumes cut balls: evenly, please

			c[d] = grid->origin[d] +
			       ((grid->size[d] - 1) / 2. + f * grid->size[d]) * grid->spacing[d];
		}

		const double sigma = ball_size(g, grid, c);

		make_ball(vol, grid, c, sigma);
		xray_forward(x, DT_FLOAT32, proj, vol, 0, g->views);
		look_at_ball(&seen, g, grid, model, proj, c, sigma);
	}

	free(vol);
	free(proj);
	xray_free(x);

	if (seen.views == 0)
		str_printf(said, "no view shows a whole test ball: nothing to compare");
	else
		str_printf(said,
		        "the positions of 3 balls in %ld views are at most %.2f pixels off (limit %.2f)",
		        seen.views, seen.off, seen.limit);

	return seen.off <= seen.limit;
}
