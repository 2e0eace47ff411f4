#ifndef CT_PROJECTOR_MODEL_SF_H
#define CT_PROJECTOR_MODEL_SF_H

#include "ct/projector/model/joseph.h"

/**
 * Separable footprints [1]: the contributions of one voxel to the pixels of one view. The code is C and CUDA
 * C.
 *
 * The footprint of a voxel on the detector is the product of two densities with integral 1. One density
 * varies along u, from column to column. The other density varies along v, from row to row. Each density is
 * centred at the projection of the voxel's centre. The integral of each density over a pixel gives one
 * factor. The contribution to the pixel is the product of the two factors and the amount of the voxel. The
 * amount [mm] is the volume of the voxel divided by the cross-section of a pixel's beam at the voxel. If the
 * detector sees the whole voxel, the contributions to all pixels sum to the amount.
 *
 * Each of the three edges of the voxel projects to one box along u and one box along v. The box of the edge
 * along axis i has the width |g_i|. Here g is the gradient of the footprint's position in voxel coordinates.
 * Along each direction, the two smaller boxes are replaced by one box of the same variance. The density is
 * the convolution of the two remaining boxes, which is a trapezoid. If the detector columns are parallel to
 * z, only two boxes contribute along u. In this case the two smaller boxes along v are neglected (SF-TR of
 * [1]).
 *
 * A voxel must be entirely in front of the plane through the source that is parallel to the detector. Other
 * voxels have no footprint.
 *
 * [1] Y. Long, J. A. Fessler, J. M. Balter, 3D forward and back-projection for X-ray CT using separable
 * footprints, IEEE TMI 29(11), 2010.
 */

/** One view. Voxel positions are index coordinates of a box. Detector coordinates are along u [mm], along v
 * [rows] and along the normal [mm]. Detector coordinates are 0 at the centre of the detector. */
struct sf_view {
	double to[3][4];   /* maps (x, y, z, 1) to detector coordinates */
	double from[3];    /* detector coordinates of the source, or of the beam's direction */
	double source[3];  /* index coordinates of the source */
	double spacing[3]; /* size of a voxel [mm] */
	double length;     /* length of the direction vector of a parallel beam [mm] */
	double density;    /* 1 / determinant of u, v, n in index coordinates */
	double pitch;      /* distance of columns [mm] */
	double radius;     /* radius of a curved detector [mm], 0 if flat */
	double middle[2];  /* column and row of the detector's centre */
	int parallel;      /* parallel beam */
	int untilted;      /* detector columns are parallel to z */
	double slice;      /* 1 for a single slice and a single detector row, else 0 */
};

/** The footprint of a voxel, along u (index 0) and along v (index 1). The density along each direction is a
 * box of width `wide`, convolved with a box of width `soft`. `soft` is not larger than `wide`. */
struct sf_hit {
	double at[2], wide[2], soft[2]; /* position and widths [pixels] */
	double amount;                  /* [mm]; 0 means that there is no footprint */
};

/** Sets *wide to the width of the largest of three boxes. Sets *soft to the width of one box with the
 * variance of the other two boxes. */
DEVICE_FN void sf_boxes(double *wide, double *soft, double g0, double g1, double g2)
{
	double a = g0 * g0, b = g1 * g1, c = g2 * g2;
	double more = (a > b) ? a : b, less = (a > b) ? b : a;
	double most = (more > c) ? more : c, rest = (more > c) ? c : more;

	*wide = sqrt(most);
	*soft = sqrt(less + rest);
	*soft = (*soft < *wide) ? *soft : *wide;
}

/** Finds the point p + t r at which a ray meets a curved detector. The direction c is tangential to the
 * detector at this point. The direction n points from this point to the centre of curvature. A negative or
 * NaN *t means that the ray misses the detector. */
DEVICE_FN void sf_bend(const struct sf_view *w, double p0, double p2, double r0, double r2, double *t,
        double c[2], double n[2])
{
	double q2 = p2 - w->radius, a = r0 * r0 + r2 * r2, b = p0 * r0 + q2 * r2;
	double e = p0 * p0 + q2 * q2 - w->radius * w->radius, root = sqrt(b * b - a * e);

	*t = (b > 0.) ? -e / (b + root) : (root - b) / a;
	c[0] = -(q2 + *t * r2) / w->radius;
	c[1] = (p0 + *t * r0) / w->radius;
	n[0] = -c[1];
	n[1] = c[0];
}

/** Returns the position along the arc at which a curved detector has the direction c [mm]. */
DEVICE_FN double sf_arc(const struct sf_view *w, const double c[2])
{
	return w->radius * atan2(c[1], c[0]);
}

/** Returns detector coordinate k of the point (x, y, z). */
DEVICE_FN double sf_coordinate(const struct sf_view *w, int k, double x, double y, double z)
{
	return w->to[k][0] * x + w->to[k][1] * y + w->to[k][2] * z + w->to[k][3];
}

/** Projects the edge of a voxel along axis i. Sets *g0 and *g1 to the length of the projection [columns,
 * rows]. Returns the length of the edge along the detector's normal [mm]. */
DEVICE_FN double sf_edge(const struct sf_view *w, int i, const double r[3], const double c[2],
        const double n[2], double before, double scale, double *g0, double *g1)
{
	double depth = n[0] * w->to[0][i] + n[1] * w->to[2][i], k = depth / before;

	*g0 = scale * (c[0] * w->to[0][i] + c[1] * w->to[2][i] + (c[0] * r[0] + c[1] * r[2]) * k) / w->pitch;
	*g1 = scale * (w->to[1][i] + r[1] * k);
	return fabs(depth);
}

/** Returns the distance of the voxel from the source [mm]. For a parallel beam, returns the length of the
 * direction vector of the beam [mm]. */
DEVICE_FN double sf_distance(const struct sf_view *w, double x, double y, double z)
{
	double dx = (x - w->source[0]) * w->spacing[0], dy = (y - w->source[1]) * w->spacing[1],
	       dz = (z - w->source[2]) * w->spacing[2];

	return w->parallel ? w->length : sqrt(dx * dx + dy * dy + dz * dz);
}

/** Sets c to the tangential direction of a curved detector at the projection of (x, y, z). */
DEVICE_FN void sf_meet(const struct sf_view *w, double x, double y, double z, double c[2])
{
	double p0 = sf_coordinate(w, 0, x, y, z), p2 = sf_coordinate(w, 2, x, y, z), t, n[2];
	double r0 = w->parallel ? w->from[0] : p0 - w->from[0],
	       r2 = w->parallel ? w->from[2] : p2 - w->from[2];

	sf_bend(w, w->parallel ? p0 : w->from[0], w->parallel ? p2 : w->from[2], r0, r2, &t, c, n);
}

/** Computes the footprint of the voxel at (x, y, z). For a curved detector, `arc` is the position of the
 * projection along the arc [mm]. The function has no loops, which lets compilers vectorise over voxels. */
DEVICE_FN void sf_look_from(
        struct sf_hit *o, const struct sf_view *w, double x, double y, double z, int curved, double arc)
{
	double p0 = sf_coordinate(w, 0, x, y, z), p1 = sf_coordinate(w, 1, x, y, z),
	       p2 = sf_coordinate(w, 2, x, y, z);
	double r[3], c[2] = {1., 0.}, n[2] = {0., 1.}, place, t, scale, before, half, u0, u1, u2, v0, v1, v2;
	int seen;

	r[0] = w->parallel ? w->from[0] : p0 - w->from[0];
	r[1] = w->parallel ? w->from[1] : p1 - w->from[1];
	r[2] = w->parallel ? w->from[2] : p2 - w->from[2];
	p0 = w->parallel ? p0 : w->from[0];
	p1 = w->parallel ? p1 : w->from[1];
	p2 = w->parallel ? p2 : w->from[2];

	if (curved) {
		sf_bend(w, p0, p2, r[0], r[2], &t, c, n);
		place = arc;
	} else {
		t = -p2 / r[2];
		place = p0 + t * r[0];
	}

	before = -(n[0] * r[0] + n[1] * r[2]);
	scale = w->parallel ? 1. : t;
	half = 0.5 * (sf_edge(w, 0, r, c, n, before, scale, &u0, &v0) +
	                     sf_edge(w, 1, r, c, n, before, scale, &u1, &v1) +
	                     sf_edge(w, 2, r, c, n, before, scale, &u2, &v2));
	o->at[0] = place / w->pitch + w->middle[0];
	o->at[1] = p1 + t * r[1] + w->middle[1];
	o->amount = sf_distance(w, x, y, z) * scale * scale * w->density / before;
	sf_boxes(&o->wide[0], &o->soft[0], u0, u1, u2);
	sf_boxes(&o->wide[1], &o->soft[1], v0, v1, v2);
	o->wide[1] = w->untilted ? fabs(v2) : o->wide[1];
	o->soft[1] = w->untilted ? 0. : o->soft[1];

	o->amount = (w->slice * (fabs(o->at[1]) - 0.5 * o->wide[1]) > 0.) ? 0. : o->amount;
	o->amount /= w->slice * (o->wide[1] - 1.) + 1.;
	o->at[1] -= w->slice * o->at[1];
	o->wide[1] += w->slice * (0.5 - o->wide[1]);
	seen = (before > (w->parallel ? 0. : half)) & (w->parallel ? t == t : t > 0.);
	o->amount = seen ? o->amount : 0.;
	o->at[0] = seen ? o->at[0] : 0.;
	o->at[1] = seen ? o->at[1] : 0.;
	o->wide[0] = seen ? o->wide[0] : 1.;
	o->wide[1] = seen ? o->wide[1] : 1.;
	o->soft[0] = seen ? o->soft[0] : 0.;
	o->soft[1] = seen ? o->soft[1] : 0.;
}

/** Does the same as sf_look_from(), and computes `arc` too. */
DEVICE_FN void sf_look(struct sf_hit *o, const struct sf_view *w, double x, double y, double z, int curved)
{
	double c[2] = {1., 0.};

	if (curved)
		sf_meet(w, x, y, z, c);

	sf_look_from(o, w, x, y, z, curved, curved ? sf_arc(w, c) : 0.);
}

/** Among n pixels along one direction, finds the range [*first, *end) that a footprint touches. The results
 * are whole numbers, and *first < n. */
DEVICE_FN void sf_range(double *first, double *end, double at, double wide, double soft, double n)
{
	double lo = floor(at - 0.5 * (wide + soft) + 0.5), hi = floor(at + 0.5 * (wide + soft) + 0.5) + 1.;

	lo = (lo > 0.) ? lo : 0.;
	hi = (hi > 0.) ? hi : 0.;
	*first = (lo < n - 1.) ? lo : n - 1.;
	*end = (hi < n) ? hi : n;
}

/**
 * Returns the integral of a density from position 0, the middle, to position e [pixels]. The sign of the
 * result is the sign of e. The integral over a pixel is the difference of two results, for the two edges of
 * the pixel. The other arguments are:
 *
 *     flat = (wide - soft) / 2,    bend = 1 / (2 soft), or 0 if soft is 0,    inv = 1 / wide
 */
DEVICE_FN float sf_part(float e, float flat, float soft, float bend, float inv)
{
	float p = fabsf(e), m = (p < flat) ? p : flat, q = p - flat, h;

	q = (q > 0.f) ? q : 0.f;
	q = (q < soft) ? q : soft;
	h = (m + (q - q * q * bend)) * inv;
	return (e < 0.f) ? -h : h;
}

/** Does the same as sf_part() in float64. */
DEVICE_FN double sf_part64(double e, double flat, double soft, double bend, double inv)
{
	double p = fabs(e), m = (p < flat) ? p : flat, q = p - flat, h;

	q = (q > 0.) ? q : 0.;
	q = (q < soft) ? q : soft;
	h = (m + (q - q * q * bend)) * inv;
	return (e < 0.) ? -h : h;
}

#endif
