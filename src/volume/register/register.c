#include "volume/register/register.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"

enum { BINS = 32, CHUNKS = 16, LEAST = 64 };

/** Points of the fixed image, with its values there. */
struct register_points {
	long n;
	double (*at)[3]; // [mm]
	float *value;
	double low, high; // of the values
};

/** Sums over points that are in both images. */
struct register_sums {
	double n, f, m, ff, mm, fm;
	double joint[BINS][BINS];
};

/** Linear interpolation at a place in voxels; false outside. */
static bool value_at(const struct register_image *im, const double p[3], float *out)
{
	const long *n = im->space.n;
	long i[3], step[3] = {1, n[0], n[0] * n[1]};
	double f[3];

	for (int d = 0; d < 3; d++) {
		const double slack = (1 == n[d]) ? 0.5 : 1e-6, last = (double)(n[d] - 1);

		if (!(p[d] >= -slack && p[d] <= last + slack))
			return false;

		const double x = fmin(fmax(p[d], 0.), last);

		i[d] = min_long((long)x, max_long(0, n[d] - 2));
		f[d] = x - (double)i[d];
		step[d] = (1 == n[d]) ? 0 : step[d];
	}

	const float *x = im->x + i[0] + n[0] * (i[1] + n[1] * i[2]);
	double row[4];

	for (int k = 0; k < 4; k++) {
		const float *q = x + (k & 1) * step[1] + (k >> 1) * step[2];

		row[k] = q[0] + f[0] * (double)(q[step[0]] - q[0]);
	}

	const double low = row[0] + f[1] * (row[1] - row[0]), high = row[2] + f[1] * (row[3] - row[2]);

	*out = (float)(low + f[2] * (high - low));

	return true;
}

/** Additive recurrence with the powers of the root of x^4 = x + 1: even in three dims. */
static void points_create(struct register_points *p, const struct register_image *fixed, long most)
{
	const double g = 1.22074408460575947536;
	const long voxels = fixed->space.n[0] * fixed->space.n[1] * fixed->space.n[2];

	p->n = max_long(LEAST, min_long(most, voxels));
	p->at = mem_alloc((size_t)p->n * sizeof *p->at);
	p->value = mem_alloc((size_t)p->n * sizeof *p->value);
	p->low = INFINITY;
	p->high = -INFINITY;

	for (long k = 0; k < p->n; k++) {
		double v[3], scale = 1.;

		for (int d = 0; d < 3; d++) {
			double u = 0.5 + (double)(k + 1) * (scale /= g);

			u -= floor(u);
			v[d] = u * (double)(fixed->space.n[d] - 1);
		}

		value_at(fixed, v, p->value + k);
		p->low = fmin(p->low, p->value[k]);
		p->high = fmax(p->high, p->value[k]);

		for (int d = 0; d < 3; d++) {
			p->at[k][d] = fixed->space.origin[d];

			for (int c = 0; c < 3; c++)
				p->at[k][d] += fixed->space.step[d][c] * v[c];
		}
	}
}

static void points_free(struct register_points *p)
{
	free(p->at);
	free(p->value);
}

void register_affine(struct affine *m, const struct register_pose *pose, const struct space *fixed)
{
	double centre[3], a[3][3] = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}};

	space_centre(fixed, centre);

	for (int d = 0; d < 3; d++) { // a = (turn about d) a
		const int u = (d + 1) % 3, v = (d + 2) % 3;
		const double c = cos(pose->v[d]), s = sin(pose->v[d]);

		for (int k = 0; k < 3; k++) {
			const double x = a[u][k], y = a[v][k];

			a[u][k] = c * x - s * y;
			a[v][k] = s * x + c * y;
		}
	}

	memcpy(m->a, a, sizeof a);

	for (int d = 0; d < 3; d++) {
		m->b[d] = centre[d] + pose->v[3 + d];

		for (int k = 0; k < 3; k++)
			m->b[d] -= a[d][k] * centre[k];
	}
}

bool register_pose_of(struct register_pose *pose, const struct affine *m, const struct space *fixed)
{
	struct affine back;
	double centre[3], moved[3], worst = 0.;

	pose->v[0] = atan2(m->a[2][1], m->a[2][2]);
	pose->v[1] = -asin(fmin(1., fmax(-1., m->a[2][0])));
	pose->v[2] = atan2(m->a[1][0], m->a[0][0]);
	space_centre(fixed, centre);
	affine_apply(m, moved, centre);

	for (int d = 0; d < 3; d++)
		pose->v[3 + d] = moved[d] - centre[d];

	register_affine(&back, pose, fixed);

	for (int i = 0; i < 9; i++)
		worst = fmax(worst, fabs(back.a[i / 3][i % 3] - m->a[i / 3][i % 3]));

	return worst < 1e-5;
}

static double bin_of(double v, double low, double high)
{
	return (high > low) ? (v - low) / (high - low) * (BINS - 1) : 0.;
}

/** Points [first, end) at an affine map from places to voxels of the moving image. */
static void sum_points(struct register_sums *s, const struct register_points *p,
        const struct register_image *moving, const struct affine *to, const double range[2], long first,
        long end)
{
	memset(s, 0, sizeof *s);

	for (long k = first; k < end; k++) {
		double v[3];
		float m;

		affine_apply(to, v, p->at[k]);

		if (!value_at(moving, v, &m))
			continue;

		const double f = p->value[k];
		const double b = bin_of(fmin(fmax(m, range[0]), range[1]), range[0], range[1]);
		const int i = (int)(bin_of(f, p->low, p->high) + 0.5), j = (b < BINS - 1) ? (int)b : BINS - 2;

		s->n += 1.;
		s->f += f;
		s->m += m;
		s->ff += f * f;
		s->mm += (double)m * m;
		s->fm += f * m;
		s->joint[i][j] += 1. - (b - j);
		s->joint[i][j + 1] += b - j;
	}
}

static void sum_all(struct register_sums *s, const struct register_points *p,
        const struct register_image *moving, const struct affine *to, const double range[2])
{
	struct register_sums *part = mem_alloc(CHUNKS * sizeof *part);

#pragma omp parallel for schedule(static) num_threads(threads_for(40. * (double)p->n))
	for (long c = 0; c < CHUNKS; c++)
		sum_points(part + c, p, moving, to, range, p->n * c / CHUNKS, p->n * (c + 1) / CHUNKS);

	memset(s, 0, sizeof *s);

	for (long c = 0; c < CHUNKS; c++)
		for (size_t i = 0; i < sizeof *s / sizeof(double); i++)
			((double *)s)[i] += ((double *)(part + c))[i];

	free(part);
}

static double entropy(int n, const double *p, int step, double total)
{
	double h = 0.;

	for (int i = 0; i < n; i++)
		if (p[i * step] > 0.)
			h -= p[i * step] / total * log(p[i * step] / total);

	return h;
}

static int occupied(int n, const double *p)
{
	int k = 0;

	for (int i = 0; i < n; i++)
		k += p[i] > 0. ? 1 : 0;

	return k;
}

/** Normalised mutual information; with the bias of the entropies of a histogram [3], of unrelated values. */
static void information(struct register_fit *fit, const struct register_sums *s)
{
	double f[BINS] = {0.}, m[BINS] = {0.};

	for (int i = 0; i < BINS; i++)
		for (int j = 0; j < BINS; j++) {
			f[i] += s->joint[i][j];
			m[j] += s->joint[i][j];
		}

	const double both = entropy(BINS * BINS, &s->joint[0][0], 1, s->n);

	if (!(both > 0.))
		return;

	const int excess = occupied(BINS * BINS, &s->joint[0][0]) - occupied(BINS, f) - occupied(BINS, m) + 1;

	fit->information = (entropy(BINS, f, 1, s->n) + entropy(BINS, m, 1, s->n)) / both;
	fit->chance = 1. + fmax(0., excess) / (2. * s->n) / both;
}

static double correlation(const struct register_sums *s)
{
	const double vf = s->ff - s->f * s->f / s->n, vm = s->mm - s->m * s->m / s->n;
	const double c = s->fm - s->f * s->m / s->n;

	return (vf > 0. && vm > 0.) ? fmin(1., fmax(-1., c / sqrt(vf * vm))) : 0.;
}

struct search {
	struct register_how how;
	const struct register_image *fixed, *moving;
	struct register_points points;
	struct affine to_voxels; // of the moving image
	double range[2];         // of its values
	double unit[6];          // of a parameter that moves voxels of the fixed image by about one
	struct register_fit fit; // of the last cost()
};

/** b after a. */
static void chain(struct affine *out, const struct affine *b, const struct affine *a)
{
	struct affine c;

	for (int r = 0; r < 3; r++) {
		for (int k = 0; k < 3; k++)
			c.a[r][k] =
			        b->a[r][0] * a->a[0][k] + b->a[r][1] * a->a[1][k] + b->a[r][2] * a->a[2][k];

		c.b[r] = b->a[r][0] * a->b[0] + b->a[r][1] * a->b[1] + b->a[r][2] * a->b[2] + b->b[r];
	}

	*out = c;
}

/** Less is better; poses that leave under a quarter of the points in both images are no solution. */
static double cost(struct search *s, const struct register_pose *pose)
{
	struct register_sums sums;
	struct affine m;

	register_affine(&m, pose, &s->fixed->space);
	chain(&m, &s->to_voxels, &m);
	sum_all(&sums, &s->points, s->moving, &m, s->range);
	s->fit = (struct register_fit){
	        .overlap = sums.n / (double)s->points.n, .information = 1., .chance = 1.};

	if (s->fit.overlap < 0.25)
		return INFINITY;

	s->fit.correlation = correlation(&sums);
	information(&s->fit, &sums);

	return (REGISTER_LS == s->how.metric) ? 1. - s->fit.correlation * fabs(s->fit.correlation)
	                                      : -s->fit.information;
}

/** Tries steps along each parameter; returns the cost of what it found. */
static double explore(struct search *s, struct register_pose *pose, double best, double step)
{
	for (int k = 0; k < 6; k++) {
		const double here = pose->v[k];

		for (int sign = 1; sign >= -1; sign -= 2) {
			pose->v[k] = here + sign * step * s->unit[k];

			const double c = (0. == s->unit[k]) ? INFINITY : cost(s, pose);

			if (c < best) {
				best = c;
				break;
			}

			pose->v[k] = here;
		}
	}

	return best;
}

static void pattern_search(struct search *s, struct register_pose *pose, double first, double last)
{
	double best = cost(s, pose);

	for (double step = first; step >= last;) {
		struct register_pose next = *pose;
		const double found = explore(s, &next, best, step);

		if (!(found < best)) {
			step /= 2.;
			continue;
		}

		while (true) { // on in the direction of success
			struct register_pose far;

			for (int k = 0; k < 6; k++)
				far.v[k] = 2. * next.v[k] - pose->v[k];

			*pose = next;
			best = cost(s, pose);

			const double c = explore(s, &far, cost(s, &far), step);

			if (!(c < best))
				break;

			next = far;
		}
	}

	cost(s, pose);
}

static void search_create(struct search *s, const struct register_how *how,
        const struct register_image *fixed, const struct register_image *moving)
{
	const long *n = fixed->space.n, m = moving->space.n[0] * moving->space.n[1] * moving->space.n[2];
	double edge = INFINITY, radius = 0.;
	bool thin[3] = {false, false, false}; // one slice across this axis

	*s = (struct search){.how = *how, .fixed = fixed, .moving = moving, .range = {INFINITY, -INFINITY}};
	points_create(&s->points, fixed, how->points);
	space_to_voxels(&s->to_voxels, &moving->space);

	for (long i = 0; i < m; i++) {
		s->range[0] = fmin(s->range[0], moving->x[i]);
		s->range[1] = fmax(s->range[1], moving->x[i]);
	}

	for (int d = 0; d < 3; d++) {
		double h = 0.;

		for (int k = 0; k < 3; k++)
			h += fixed->space.step[k][d] * fixed->space.step[k][d];

		edge = (1 < n[d]) ? fmin(edge, sqrt(h)) : edge;
		radius = fmax(radius, sqrt(h) * (double)n[d] / 4.);
	}

	for (int d = 0; d < 3; d++) {
		int across = 0;

		for (int k = 1; k < 3; k++)
			if (fabs(fixed->space.step[k][d]) > fabs(fixed->space.step[across][d]))
				across = k;

		thin[across] = thin[across] || 1 == n[d];
	}

	edge = isfinite(edge) ? edge : 1.;

	for (int k = 0; k < 3; k++) {
		const bool turns = !how->shift_only && !thin[(k + 1) % 3] && !thin[(k + 2) % 3];

		s->unit[k] = turns ? edge / radius : 0.;
		s->unit[3 + k] = thin[k] ? 0. : edge;
	}
}

struct register_fit register_level(struct register_pose *pose, const struct register_how *how,
        const struct register_image *fixed, const struct register_image *moving, double first, double last)
{
	struct search s;

	search_create(&s, how, fixed, moving);
	pattern_search(&s, pose, first, last);
	points_free(&s.points);

	return s.fit;
}

struct register_fit register_measure(const struct register_pose *pose, const struct register_image *fixed,
        const struct register_image *moving)
{
	struct search s;

	search_create(
	        &s, &(struct register_how){.metric = REGISTER_LS, .points = REGISTER_POINTS}, fixed, moving);
	cost(&s, pose);
	points_free(&s.points);

	return s.fit;
}
