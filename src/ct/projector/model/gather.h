#ifndef CT_PROJECTOR_MODEL_GATHER_H
#define CT_PROJECTOR_MODEL_GATHER_H

#include "ct/projector/model/siddon.h"

/** Qualifies pointers to tables in device memory. OpenCL programs define DEVICE_TABLE before this header. */
#ifndef DEVICE_TABLE
#define DEVICE_TABLE
#endif

/**
 * The X-ray transform for any geometry, computed for one ray or one voxel at a time. The forward and adjoint
 * kernels of GPUs share this code in C, CUDA C and OpenCL C.
 *
 * The forward projection traces a ray (joseph.h, siddon.h). The adjoint finds the pixels whose rays may meet
 * a voxel. The adjoint adds `weight * pixel` to the voxel, where `weight` is the voxel's weight in the
 * pixel's ray. There are two ways to compute the weight:
 * - plain: the ray is computed in float64, in the same way as in the forward projection.
 * - near: positions are relative to the ray through the voxel's centre, which makes float32 accurate enough.
 *
 * The near computation uses these symbols. The vector w points from the source to the voxel's centre. The
 * pixel position (a*, b*) is the projection of the centre. The number t is the source-projection distance
 * divided by the source-centre distance. The ray of pixel (a, b) crosses the centre's plane, which is
 * perpendicular to axis m. Along axis p, the crossing is offset from the centre by:
 *
 *     (e_p - (w_p / w_m) e_m) / (t + e_m / w_m),    e = (a - a*) u + (b - b*) v
 *
 * For a parallel beam, w is the direction of the beam. In this case the offset is e_p - (w_p / w_m) e_m.
 *
 * Coordinates are those of joseph.h for the whole volume: the first voxel is at 1.
 */

/** One view, in voxel index coordinates. */
struct gather_view {
	double s[3], d[3], u[3], v[3], n[3]; /* as in bricks.h: voxel 0 is at 0 */
	double to[3][3];                     /* maps a point to coordinates along u, v, n */
	double from[3];                      /* source, or direction of the beam, along u, v, n */
	long columns;                        /* index of the first column in the table of columns */
	int axis;                            /* dominant axis of a parallel beam */
	int odd;                             /* the adjoint must test every pixel */
};

/** Data that all views share. */
struct gather {
	double n[3];       /* number of voxels */
	double spacing[3]; /* [mm] */
	long cols, rows;
	double middle[2]; /* column and row of the detector's centre */
	int size[3];
	int parallel, curved;
	int siddon; /* Siddon's method, else Joseph's method */
};

/** A column of the detector. The column is at position x along u [columns] and z along n [mm]. The rays of
 * the column meet the tangent plane at position `land`, in columns from the detector's centre. The ray of row
 * r meets the tangent plane at row rise * r + up. Row numbers count from the centre. */
struct gather_column {
	double x, z, land, rise, up;
};

struct gather_ray {
	double s[3], d[3];
};

/** Computes the ray of a pixel. The ray is bit-identical to that of the CPU. */
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

/** Returns the length of the ray between successive planes of the ray's dominant axis [mm]. */
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

/** Returns the weight of the voxel at c in a ray by Joseph's method, in units of gather_length(). */
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

/** Returns the weight of the voxel at c in a ray by Siddon's method, in units of gather_length(). */
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

/** The projection of a voxel on the detector's tangent plane. */
struct gather_hit {
	double at[2];   /* columns and rows from the detector's centre */
	double far[2];  /* largest distance from `at` to rays that meet the voxel */
	double t;       /* source-detector distance / source-voxel distance; 1 if parallel */
	double way[3];  /* vector from the source, or direction of the beam */
	double rate[2]; /* shift of `at` per mm along the normal */
	double lean;    /* magnification of `reach` by the divergence of the beam */
	int known;      /* if 0, rays of any pixel may meet the voxel */
};

/** Projects the voxel at c. A ray that meets the voxel passes the voxel's centre within `reach` voxels along
 * every axis. */
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

/** Returns the distance that the projection moves when the voxel moves by one along axis i. The unit is
 * columns if k is 0 and rows if k is 1. */
DEVICE_FN double gather_move(
        const struct gather_hit *o, DEVICE_TABLE const struct gather_view *w, int k, int i)
{
	return fabs(o->t * (w->to[k][i] + o->rate[k] * w->to[2][i]));
}

/** Finds the pixels [*lo, *hi], among n pixels, whose distance from `at` is at most `far`. The range is
 * slightly enlarged because of rounding errors. The position `at` is relative to `middle`. */
DEVICE_FN void gather_range(long *lo, long *hi, double at, double far, double middle, long n)
{
	const double slack = 1e-9 * (1. + fabs(at)) + far * 1e-6;
	double a = ceil(at - far - slack + middle), b = floor(at + far + slack + middle);

	a = (a > 0.) ? a : 0.;
	b = (b < (double)n - 1.) ? b : (double)n - 1.;
	*lo = (a < (double)n) ? (long)a : n;
	*hi = (b >= 0.) ? (long)b : -1;
}

/** Finds the columns [*lo, *hi] of a curved detector whose distance from `at` is at most `far`. The positions
 * `land` of the columns must ascend. */
DEVICE_FN void gather_bent_range(
        long *lo, long *hi, DEVICE_TABLE const struct gather_column *column, double at, double far, long n)
{
	const double slack = 1e-9 * (1. + fabs(at)) + far * 1e-6;
	long a = 0, b = n;

	while (a < b) { /* finds the first column that is not before the range */
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

/** Data of a voxel in a view, for the near computation. All rays that meet the voxel have the same dominant
 * axis m. The middle ray is the ray through the voxel's centre. */
struct gather_near {
	double up, vp, uq, vq; /* shift of a ray across m per column and row, times the scale */
	double um, vm, t;      /* scale: change per column and row, and value at the middle ray */
	double rp, rq, bend;   /* slopes of the middle ray, change of slope per voxel across m */
};

/** The members of struct gather_near that Joseph's method needs, in float32. */
struct gather_nearly {
	float up, vp, uq, vq, um, vm, t;
};

/** Sets *o for the near computation, and sets hit->far. Returns 0 if rays that meet the voxel may have
 * different dominant axes. */
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

/** Returns Joseph's weight of the voxel in a ray. The ray is da columns and db rows from the ray through the
 * voxel's centre. */
DEVICE_FN float gather_joseph_near(const struct gather_nearly *o, float da, float db)
{
	const float scale = 1.f / (o->t + da * o->um + db * o->vm);
	float p = 1.f - fabsf((da * o->up + db * o->vp) * scale),
	      q = 1.f - fabsf((da * o->uq + db * o->vq) * scale);

	p = (p > 0.f) ? p : 0.f;
	q = (q > 0.f) ? q : 0.f;
	return p * q;
}

/** Narrows [lo, hi] to the positions e at which x + e slope is between -1/2 and 1/2. Returns 0 if the line
 * is too close to a face for a reliable result. */
DEVICE_FN int gather_within(double *lo, double *hi, double x, double slope)
{
	const double least = 1e-6, size = fabs(slope), y = (slope < 0.) ? -x : x;

	if (size < least) { /* crosses no face, or starts close to a face */
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

/** Returns Siddon's weight of the voxel in a ray. The ray is da columns and db rows from the ray through the
 * voxel's centre. A negative result means that the caller must use the plain computation. */
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
