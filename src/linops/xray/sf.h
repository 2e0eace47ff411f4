#ifndef LINOPS_XRAY_SF_H
#define LINOPS_XRAY_SF_H

#include "linops/xray/joseph.h"

/**
 * Separable footprints [1]: what one voxel adds to the pixels of one view. C and CUDA C.
 *
 * The shadow of a voxel on the detector is a product of two densities of integral 1 about the shadow of its
 * centre, one along the columns and one along the rows; a pixel gets the parts of both that fall between its
 * edges, times the voxel's volume over the area of a pixel's beam at the voxel [mm], so that the shadow's
 * mass is the voxel's. Along each direction an edge of the voxel along axis i is seen as a box of width
 * |g_i|, g the gradient of the shadow's place. The three boxes blur each other; two of them make a trapezoid,
 * and the two smaller ones count as one box of the same variance. Where the columns are parallel to z, two
 * boxes are all there is along the columns, and along the rows the small ones are left out: the SF-TR of [1].
 * Otherwise it is a trapezoid in both directions. A voxel that the plane through the source parallel to the
 * detector meets, or that lies behind it, throws no shadow.
 *
 * [1] Y. Long, J. A. Fessler, J. M. Balter, 3D forward and back-projection for X-ray CT using separable
 * footprints, IEEE TMI 29(11), 2010.
 */

/** One view, for voxels counted in index coordinates of a box. A point's coordinates across, along and
 * before the detector: along u [mm], along v [rows] and along the normal [mm], from the detector's centre. */
struct sf_view {
	double to[3][4];   /* of voxel (x, y, z, 1) */
	double from[3];    /* source, or direction of the beam */
	double source[3];  /* index coordinates */
	double spacing[3]; /* [mm] */
	double length;     /* of the direction of a parallel beam [mm] */
	double density;    /* 1 / determinant of u, v, n in index coordinates */
	double pitch;      /* of columns [mm] */
	double radius;     /* of a curved detector [mm], else 0 */
	double middle[2];  /* column and row of the detector's centre */
	int parallel;      /* beam */
	int upright;       /* columns parallel to z */
	int slice;         /* a single slice before a single row: it has no ends along z */
};

/** The shadow of a voxel: along columns and rows a box of width wide blurred by one of width soft <= wide
 * [pixels]. */
struct sf_spot {
	double at[2], wide[2], soft[2];
	double amount; /* [mm]; 0: no shadow */
};

/** The larger one of three boxes, and the two others as one. */
XRAY_FN void sf_boxes(double *wide, double *soft, const double g[3])
{
	double a = g[0] * g[0], b = g[1] * g[1], c = g[2] * g[2];
	double more = (a > b) ? a : b, less = (a > b) ? b : a;
	double most = (more > c) ? more : c, rest = (more > c) ? c : more;

	*wide = sqrt(most);
	*soft = sqrt(less + rest);
	*soft = (*soft < *wide) ? *soft : *wide;
}

/** How far along the ray p + t r a curved detector stands, and the directions along it (c) and to its centre
 * (n) there; returns the place [mm] along its arc. *t < 0 or NaN: nowhere. */
XRAY_FN double sf_bend(
        const struct sf_view *w, const double p[3], const double r[3], double *t, double c[2], double n[2])
{
	double q0 = p[0], q2 = p[2] - w->radius;
	double a = r[0] * r[0] + r[2] * r[2], b = q0 * r[0] + q2 * r[2];
	double e = q0 * q0 + q2 * q2 - w->radius * w->radius, root = sqrt(b * b - a * e);

	*t = (b > 0.) ? -e / (b + root) : (root - b) / a;
	q0 += *t * r[0];
	q2 += *t * r[2];
	c[0] = -q2 / w->radius;
	c[1] = q0 / w->radius;
	n[0] = -c[1];
	n[1] = c[0];
	return w->radius * atan2(q0, -q2);
}

/** The shadow of the voxel at (x, y, z); curved: w->radius > 0. */
XRAY_FN void sf_look(struct sf_spot *o, const struct sf_view *w, double x, double y, double z, int curved)
{
	double p[3], r[3], c[2] = {1., 0.}, n[2] = {0., 1.}, g[2][3], place, t, scale, before, half = 0.,
	                   size;

	for (int i = 0; i < 3; i++) {
		double at = w->to[i][0] * x + w->to[i][1] * y + w->to[i][2] * z + w->to[i][3];

		p[i] = w->parallel ? at : w->from[i];
		r[i] = w->parallel ? w->from[i] : at - w->from[i];
	}

	if (curved) {
		place = sf_bend(w, p, r, &t, c, n);
	} else {
		t = -p[2] / r[2];
		place = p[0] + t * r[0];
	}

	before = -(n[0] * r[0] + n[1] * r[2]);
	scale = w->parallel ? 1. : t;

	for (int i = 0; i < 3; i++) {
		double depth = n[0] * w->to[0][i] + n[1] * w->to[2][i], k = depth / before;

		half += 0.5 * fabs(depth);
		g[0][i] = scale *
		          (c[0] * w->to[0][i] + c[1] * w->to[2][i] + (c[0] * r[0] + c[1] * r[2]) * k) /
		          w->pitch;
		g[1][i] = scale * (w->to[1][i] + r[1] * k);
	}

	{
		double dx = (x - w->source[0]) * w->spacing[0], dy = (y - w->source[1]) * w->spacing[1],
		       dz = (z - w->source[2]) * w->spacing[2];

		size = w->parallel ? w->length : sqrt(dx * dx + dy * dy + dz * dz);
	}

	o->at[0] = place / w->pitch + w->middle[0];
	o->at[1] = p[1] + t * r[1] + w->middle[1];
	o->amount = size * scale * scale * w->density / before;
	sf_boxes(&o->wide[0], &o->soft[0], g[0]);
	sf_boxes(&o->wide[1], &o->soft[1], g[1]);

	if (w->upright) {
		o->wide[1] = fabs(g[1][2]);
		o->soft[1] = 0.;
	}

	if (w->slice) {
		o->amount = (fabs(o->at[1]) <= 0.5 * o->wide[1]) ? o->amount / o->wide[1] : 0.;
		o->at[1] = 0.;
		o->wide[1] = 0.5;
	}

	if (!(before > (w->parallel ? 0. : half) && (w->parallel ? t == t : t > 0.))) {
		o->amount = 0.;
		o->at[0] = o->at[1] = 0.;
		o->wide[0] = o->wide[1] = 1.;
		o->soft[0] = o->soft[1] = 0.;
	}
}

/** Pixels [*first, *end) of 0..n-1 that a shadow touches along one direction; *first < n. */
XRAY_FN void sf_range(long *first, long *end, double at, double wide, double soft, long n)
{
	double lo = floor(at - 0.5 * (wide + soft) + 0.5), hi = floor(at + 0.5 * (wide + soft) + 0.5) + 1.;

	lo = (lo > 0.) ? lo : 0.;
	hi = (hi > 0.) ? hi : 0.;
	*first = (long)((lo < n - 1.) ? lo : n - 1.);
	*end = (long)((hi < n) ? hi : n);
}

/** The part of a shadow between its middle and e pixels from it, with the sign of e: flat = (wide - soft) /
 * 2, bend = 1 / (2 soft) (0 where soft is 0), inv = 1 / wide. A pixel's part is the difference at its edges.
 */
XRAY_FN float sf_part(float e, float flat, float soft, float bend, float inv)
{
	float p = fabsf(e), m = (p < flat) ? p : flat, q = p - flat, h;

	q = (q > 0.f) ? q : 0.f;
	q = (q < soft) ? q : soft;
	h = (m + (q - q * q * bend)) * inv;
	return (e < 0.f) ? -h : h;
}

/** The same in float64. */
XRAY_FN double sf_part64(double e, double flat, double soft, double bend, double inv)
{
	double p = fabs(e), m = (p < flat) ? p : flat, q = p - flat, h;

	q = (q > 0.) ? q : 0.;
	q = (q < soft) ? q : soft;
	h = (m + (q - q * q * bend)) * inv;
	return (e < 0.) ? -h : h;
}

#endif
