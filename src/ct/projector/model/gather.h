#ifndef CT_PROJECTOR_MODEL_GATHER_H
#define CT_PROJECTOR_MODEL_GATHER_H

#include "ct/projector/model/siddon.h"

/** Qualifier for pointers to tables in device memory; the prelude of OpenCL programs also defines it. */
#ifndef DEVICE_TABLE
#define DEVICE_TABLE
#endif

/**
 * The X-ray transform for any geometry, one ray or one voxel at a time; shared by the forward and adjoint
 * kernels of GPUs. C, CUDA C and OpenCL C.
 *
 * Forward traces a ray (joseph.h, siddon.h). The adjoint finds the pixels whose rays may meet the voxel, and
 * adds each pixel times the weight of the voxel in the ray. This weight is computed in one of two ways.
 * Plain: the ray is computed in float64 as in forward, then joseph.h or siddon.h is used. Near, for float32:
 * positions are relative to the ray through the voxel's centre, so that no large numbers cancel.
 *
 * For the near computation, let w be the vector from the source to the voxel's centre. Let (a*, b*) be the
 * projection of the centre, which is t times as far from the source as the centre. In the plane through the
 * centre perpendicular to axis m, the ray of pixel (a, b) has this offset from the centre along axis p:
 *
 *     (e_p - (w_p / w_m) e_m) / (t + e_m / w_m),    e = (a - a*) u + (b - b*) v
 *
 * For a parallel beam, w is the direction of the beam, and the offset is e_p - (w_p / w_m) e_m.
 *
 * Coordinates are those of joseph.h, the box being the whole volume: voxel 0 is at 1.
 */

/** One view. */
struct gather_view {
	double s[3], d[3], u[3], v[3], n[3]; /* of bricks.h: s and d count from voxel 0 */
	double to[3][3];                     /* rows: coordinates of a point along u, v, n */
	double from[3]; /* source from the detector's centre, or direction, along these */
	long columns;   /* first of its columns in the tables */
	int axis;       /* of a parallel beam */
	int odd;        /* nothing is known about where pixels see: look at all */
};

/** Data that all views share. */
struct gather {
	double n[3];       /* voxels */
	double spacing[3]; /* [mm] */
	long cols, rows;
	double middle[2]; /* column and row of the detector's centre */
	int size[3];
	int parallel, curved;
	int siddon; /* else Joseph's method */
};

/** A column of the detector. x [columns along u] and z [mm along n] are its position on the detector. Its
 * rays meet the tangent plane `land` columns from the detector's centre; the ray in row r, counted from the
 * centre, meets this plane at row rise * r + up. */
struct gather_column {
	double x, z, land, rise, up;
};

struct gather_ray {
	double s[3], d[3];
};

/** The ray of a pixel, with the same bits as on the CPU. */
DEVICE_FN void gather_aim(struct gather_ray *r, const struct gather *g,
        DEVICE_TABLE const struct gather_view *w, DEVICE_TABLE const struct gather_column *c, long row)
{
	const double up = (double)row - g->middle[1];
	int i;

	for (i = 0; i < 3; i++) {
		double s = g->parallel ? w->d[i] + c->x * w->u[i] + c->z * w->n[i] : w->s[i],
		       d = g->parallel ? w->s[i] : ((w->d[i] - w->s[i]) + c->x * w->u[i]) + c->z * w->n[i];

		r->s[i] = s + 1.;
		r->d[i] = d;

		if (g->parallel)
			r->s[i] += up * w->v[i];
		else
			r->d[i] += up * w->v[i];
	}
}

/** Length of the ray between successive planes of its dominant axis [mm]. */
DEVICE_FN double gather_length(const struct gather *g, const struct gather_ray *r)
{
	const int m = joseph_axis(r->d[0], r->d[1], r->d[2]);
	const double x = r->d[0] * g->spacing[0], y = r->d[1] * g->spacing[1], z = r->d[2] * g->spacing[2];

	return sqrt(x * x + y * y + z * z) / fabs(r->d[m]);
}

DEVICE_FN double gather_tent(double x)
{
	x = 1. - fabs(x);
	return (x > 0.) ? x : 0.;
}

/** Weight of the voxel at c in a ray by Joseph's method, in units of gather_length(). */
DEVICE_FN double gather_joseph(const struct gather *g, const struct gather_ray *r, const double c[3])
{
	const int m = joseph_axis(r->d[0], r->d[1], r->d[2]), p = (m == 0), q = (m == 2) ? 1 : 2;
	const double inv = 1. / r->d[m], sp = r->d[p] * inv, sq = r->d[q] * inv;
	const double ahead = (c[m] - r->s[m]) * inv;

	if (!g->parallel && !(ahead >= 0.))
		return 0.;

	return gather_tent(r->s[p] - r->s[m] * sp + sp * c[m] - c[p]) *
	       gather_tent(r->s[q] - r->s[m] * sq + sq * c[m] - c[q]);
}

/** Weight of the voxel at c in a ray by Siddon's method. */
DEVICE_FN double gather_siddon(const struct gather *g, const struct gather_ray *r, const double c[3])
{
	struct siddon_line line;
	struct siddon_parts part;
	int i, k;
	double sum = 0.;

	if (siddon_clip(&line, r->s, r->d, g->size, !g->parallel) == 0)
		return 0.;

	i = (int)c[line.l.m] - line.l.first;

	if (i < 0 || i >= line.l.count)
		return 0.;

	siddon_slab(&part, &line, (int)c[line.l.m], g->size);

	for (k = 0; k < 3; k++)
		if (part.p[k] == (int)c[line.l.p] && part.q[k] == (int)c[line.l.q])
			sum += part.w[k];

	return sum;
}

/** The projection of a voxel. */
struct gather_hit {
	double at[2];   /* on the tangent plane, columns and rows from the detector's centre */
	double far[2];  /* rays that meet it land at most so far from there */
	double t;       /* the detector's distance in units of the voxel's; 1 when parallel */
	double way[3];  /* from the source, or the direction */
	double rate[2]; /* columns and rows that the landing place moves, in units of the way off the detector
	                 */
	double lean;
	int known; /* else rays of any pixel may meet it */
};

/** Projects the voxel at c. A ray that meets the voxel passes its centre within `reach` voxels along every
 * axis. */
DEVICE_FN void gather_look(struct gather_hit *o, const struct gather *g,
        DEVICE_TABLE const struct gather_view *w, const double c[3], double reach)
{
	double e[3], p[3], away, inv, edge;
	int i, k;

	for (i = 0; i < 3; i++) {
		e[i] = c[i] - 1. - w->d[i];
		o->way[i] = g->parallel ? w->s[i] : c[i] - 1. - w->s[i];
	}

	for (k = 0; k < 3; k++)
		p[k] = w->to[k][0] * e[0] + w->to[k][1] * e[1] + w->to[k][2] * e[2];

	away = w->from[2] - p[2];
	inv = 1. / (g->parallel ? w->from[2] : away);
	edge = g->parallel ? 0. : reach * (fabs(w->to[2][0]) + fabs(w->to[2][1]) + fabs(w->to[2][2])) * inv;
	o->known = !w->odd && (g->parallel || (away > 0. && edge < 0.999));
	o->t = g->parallel ? 1. : w->from[2] * inv;
	o->lean = 1. / (1. - edge);

	for (k = 0; k < 2; k++) {
		o->rate[k] = (g->parallel ? -w->from[k] : p[k] - w->from[k]) * inv;
		o->at[k] = p[k] + p[2] * o->rate[k];
	}
}

/** How many columns (k = 0) or rows the projection moves when the voxel moves by one along axis i. */
DEVICE_FN double gather_move(
        const struct gather_hit *o, DEVICE_TABLE const struct gather_view *w, int k, int i)
{
	return fabs(o->t * (w->to[k][i] + o->rate[k] * w->to[2][i]));
}

/** The range lo..hi of pixels 0..n-1 within `far` of `at`, slightly enlarged; `at` is counted from the
 * middle. */
DEVICE_FN void gather_range(long *lo, long *hi, double at, double far, double middle, long n)
{
	const double slack = 1e-9 * (1. + fabs(at)) + far * 1e-6;
	double a = ceil(at - far - slack + middle), b = floor(at + far + slack + middle);

	a = (a > 0.) ? a : 0.;
	b = (b < (double)n - 1.) ? b : (double)n - 1.;
	*lo = (a < (double)n) ? (long)a : n;
	*hi = (b >= 0.) ? (long)b : -1;
}

/** gather_range() for the columns of a curved detector, whose positions on the tangent plane ascend. */
DEVICE_FN void gather_bent_range(
        long *lo, long *hi, DEVICE_TABLE const struct gather_column *column, double at, double far, long n)
{
	const double slack = 1e-9 * (1. + fabs(at)) + far * 1e-6;
	long a = 0, b = n;

	while (a < b) { /* the first that is not before the range */
		const long middle = a + (b - a) / 2;

		if (column[middle].land < at - far - slack)
			a = middle + 1;
		else
			b = middle;
	}

	*lo = a;

	for (*hi = a - 1; *hi + 1 < n && column[*hi + 1].land <= at + far + slack;)
		++*hi;
}

/** Data of a voxel and a view for the near computation; m is the dominant axis of all rays that meet the
 * voxel. */
struct gather_near {
	double up, vp, uq,
	        vq;       /* how a ray moves across m per column and row, before the division by its scale */
	double um, vm, t; /* that scale: per column and row, and of the middle ray */
	double rp, rq, bend; /* slopes of the middle ray, and their change per voxel across */
};

/** Those members of struct gather_near that Joseph's method needs, in float32. */
struct gather_nearly {
	float up, vp, uq, vq, um, vm, t;
};

/** Sets *o, and makes hit->far as small as possible. Returns false if the rays that may meet the voxel may
 * have different dominant axes. */
DEVICE_FN int gather_approach(struct gather_near *o, struct gather_hit *hit, const struct gather *g,
        DEVICE_TABLE const struct gather_view *w, double reach)
{
	const float x = fabsf((float)hit->way[0]), y = fabsf((float)hit->way[1]),
	            z = fabsf((float)hit->way[2]);
	const int m = g->parallel ? w->axis
	              : (x >= y)  ? ((x >= z) ? 0 : 2)
	                          : ((y >= z) ? 1 : 2),
	          p = (m == 0), q = (m == 2) ? 1 : 2;
	const double scale = hit->lean * reach, inv = 1. / hit->way[m], rp = hit->way[p] * inv,
	             rq = hit->way[q] * inv;
	int k;

	for (k = 0; k < 2; k++) {
		hit->far[k] = gather_move(hit, w, k, p) + gather_move(hit, w, k, q);

		if (g->siddon)
			hit->far[k] += gather_move(hit, w, k, m);

		hit->far[k] *= scale;
	}

	if (!g->parallel) {
		const double a = hit->far[0] + 1., b = hit->far[1] + 1., t = hit->t;
		const double least = t * fabs(hit->way[m]) - a * fabs(w->u[m]) - b * fabs(w->v[m]);

		if (!(least > t * fabs(hit->way[p]) + a * fabs(w->u[p]) + b * fabs(w->v[p])) ||
		        !(least > t * fabs(hit->way[q]) + a * fabs(w->u[q]) + b * fabs(w->v[q])))
			return 0;
	}

	o->up = w->u[p] - rp * w->u[m];
	o->vp = w->v[p] - rp * w->v[m];
	o->uq = w->u[q] - rq * w->u[m];
	o->vq = w->v[q] - rq * w->v[m];
	o->um = g->parallel ? 0. : w->u[m] * inv;
	o->vm = g->parallel ? 0. : w->v[m] * inv;
	o->t = hit->t;
	o->rp = rp;
	o->rq = rq;
	o->bend = g->parallel ? 0. : inv;
	return 1;
}

DEVICE_FN void gather_nearly(struct gather_nearly *o, const struct gather_near *n)
{
	o->up = (float)n->up;
	o->vp = (float)n->vp;
	o->uq = (float)n->uq;
	o->vq = (float)n->vq;
	o->um = (float)n->um;
	o->vm = (float)n->vm;
	o->t = (float)n->t;
}

/** Joseph's weight of the voxel in the ray that is da columns and db rows from the middle ray, which is the
 * ray through the voxel's centre. */
DEVICE_FN float gather_joseph_near(const struct gather_nearly *o, float da, float db)
{
	const float scale = 1.f / (o->t + da * o->um + db * o->vm);
	float p = 1.f - fabsf((da * o->up + db * o->vp) * scale),
	      q = 1.f - fabsf((da * o->uq + db * o->vq) * scale);

	p = (p > 0.f) ? p : 0.f;
	q = (q > 0.f) ? q : 0.f;
	return p * q;
}

/** Narrows [lo, hi], a part of a slab from -1/2 to 1/2, to the positions e at which x + e slope is in -1/2 ..
 * 1/2. Returns false if the line runs in a face, or so close to a face that rounding may decide. */
DEVICE_FN int gather_within(double *lo, double *hi, double x, double slope)
{
	const double least = 1e-6, size = fabs(slope), y = (slope < 0.) ? -x : x;

	if (size < least) { /* it crosses no face unless close to one */
		if (fabs(fabs(x) - 0.5) < size + 1e-9)
			return 0;

		if (fabs(x) > 0.5)
			*hi = *lo;

		return 1;
	}

	const double inv = 1. / size, a = (-0.5 - y) * inv, b = (0.5 - y) * inv;

	*lo = (a > *lo) ? a : *lo;
	*hi = (b < *hi) ? b : *hi;
	return 1;
}

/** Siddon's weight of the voxel in the ray of gather_joseph_near(). If it is negative, the caller must use
 * the plain computation. The ray's position is float64, since the length is this position divided by a
 * slope. */
DEVICE_FN float gather_siddon_near(const struct gather_near *o, double da, double db)
{
	const double scale = 1. / (o->t + da * o->um + db * o->vm);
	const double p = (da * o->up + db * o->vp) * scale, q = (da * o->uq + db * o->vq) * scale;
	double lo = -0.5, hi = 0.5;

	if (!gather_within(&lo, &hi, p, o->rp + p * o->bend) ||
	        !gather_within(&lo, &hi, q, o->rq + q * o->bend))
		return -1.f;

	return (hi > lo) ? (float)(hi - lo) : 0.f;
}

#endif
