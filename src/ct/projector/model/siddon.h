#ifndef CT_PROJECTOR_MODEL_SIDDON_H
#define CT_PROJECTOR_MODEL_SIDDON_H

#include "ct/projector/model/column.h"

/**
 * Siddon's method [1] along one ray, computed slab by slab as in [2]. The weight of a voxel is the length
 * of the ray inside the voxel. A slab is one voxel thick along the dominant axis. In a slab, a ray crosses
 * at most one face along p and one face along q. A ray therefore meets at most three voxels of a slab.
 * Coordinates are those of joseph.h, with voxel faces at 0.5, 1.5, 2.5 and so on. A ray inside a face
 * belongs to the voxel above the face. The code is C and CUDA C.
 *
 * [1] R. L. Siddon, Fast calculation of the exact radiological path for a three-dimensional CT array, Med.
 * Phys. 12(2), 1985.
 *
 * [2] H. Gao, Fast parallel algorithms for the x-ray transform and its adjoint, Med. Phys. 39(11), 2012.
 */
struct siddon_line {
	struct joseph_line l; /* the middle of slab i is plane i */
	double from, to;      /* ends of the ray along m */
};

/** The parts of a ray in the voxels of one slab, at most three. `w` holds the lengths of the parts along the
 * dominant axis [voxels]. `p` and `q` hold the voxel positions along the axes p and q. */
struct siddon_parts {
	double w[3];
	int p[3], q[3];
};

DEVICE_FN int siddon_clip(
        struct siddon_line *r, const double s[3], const double d[3], const int n[3], int half)
{
	int m = joseph_axis(d[0], d[1], d[2]);
	double inv = 1. / d[m], lo = 1., hi = n[m];

	r->from = (half && inv > 0.) ? s[m] : -1.;
	r->to = (half && inv < 0.) ? s[m] : n[m] + 2.;
	lo = (r->from - 0.5 > lo) ? r->from - 0.5 : lo;
	hi = (r->to + 0.5 < hi) ? r->to + 0.5 : hi;
	return joseph_between(&r->l, s, d, n, lo, hi);
}

DEVICE_FN double siddon_limit(double x, double lo, double hi)
{
	x = (x > lo) ? x : lo;
	return (x < hi) ? x : hi;
}

/** Returns the t in [a, b] at which the ray x + t slope crosses a voxel face. Returns b if the ray crosses
 * no face. Sets *c0 and *c1 to the voxels that contain the ray at a and at b. */
DEVICE_FN double siddon_cross(double x, double slope, double a, double b, double end, double *c0, double *c1)
{
	double u = siddon_limit(floor(x + a * slope + 0.5), 0., end);
	double v = siddon_limit(floor(x + b * slope + 0.5), 0., end);
	double face = ((u > v) ? u : v) - 0.5;

	*c0 = u;
	*c1 = v;
	return (u != v) ? siddon_limit((face - x) / slope, a, b) : b;
}

/** Computes the parts of a ray in slab i of a box of n voxels. */
DEVICE_FN void siddon_slab(struct siddon_parts *s, const struct siddon_line *r, int i, const int n[3])
{
	const struct joseph_line *l = &r->l;
	double face = i - 0.5, a = siddon_limit(r->from - face, 0., 1.),
	       b = siddon_limit(r->to - face, 0., 1.);
	double p0, p1, q0, q1;
	double tp = siddon_cross(l->pos[0] + l->slope[0] * face, l->slope[0], a, b, n[l->p] + 1., &p0, &p1);
	double tq = siddon_cross(l->pos[1] + l->slope[1] * face, l->slope[1], a, b, n[l->q] + 1., &q0, &q1);
	int sooner = (tp < tq);

	s->w[0] = (sooner ? tp : tq) - a;
	s->w[1] = sooner ? tq - tp : tp - tq;
	s->w[2] = b - (sooner ? tq : tp);
	s->p[0] = (int)p0;
	s->q[0] = (int)q0;
	s->p[1] = (int)(sooner ? p1 : p0);
	s->q[1] = (int)(sooner ? q0 : q1);
	s->p[2] = (int)p1;
	s->q[2] = (int)q1;
}

/** Does the same as column_clip() in column.h, for the slabs of Siddon's method. */
DEVICE_FN int siddon_column_clip(struct column *c, const double s[3], const double d[3], double ds, double dd,
        int nx, int ny, int half)
{
	int m = (fabs(d[0]) >= fabs(d[1])) ? 0 : 1, n = m ? ny : nx;
	double lo = 1., hi = n;

	c->from = (half && d[m] > 0.) ? s[m] : -1.;
	c->to = (half && d[m] < 0.) ? s[m] : n + 2.;
	lo = (c->from - 0.5 > lo) ? c->from - 0.5 : lo;
	hi = (c->to + 0.5 < hi) ? c->to + 0.5 : hi;
	return column_between(c, s, d, ds, dd, nx, ny, lo, hi);
}

/** The part of a column's rays that is inside one slab and one line of voxels along z. The part begins at the
 * position `from` along the dominant axis [voxels]. */
struct siddon_stretch {
	int line;
	double from, length; /* length 0 means that there is no such part */
};

/** Computes the part of a column's rays that is inside one line of voxels of slab i. The rays may meet two
 * lines in this slab. If `upper` is not 0, the result is for the line with the larger number. In plane i, the
 * rays are at y0 + i dy across the dominant axis. Lines -1 and n are outside the box. */
DEVICE_FN struct siddon_stretch siddon_stretch(double y0, double dy, int i, int n, int upper)
{
	double face = i - 0.5, p0, p1,
	       cross = siddon_cross(y0 + face * dy + 1., dy, 0., 1., n + 1., &p0, &p1);
	int before = (p0 <= p1) ? !upper : upper;
	struct siddon_stretch s;

	s.line = (int)(before ? p0 : p1) - 1;
	s.from = face + (before ? 0. : cross);
	s.length = (upper && p0 == p1) ? 0. : before ? cross : 1. - cross;
	return s;
}

/** Positions of rows along z are integers, which makes results bit-identical on all instruction sets. The
 * unit of a single position is 2^-SIDDON_FINE voxels. The unit of a position in a vector is 2^-SIDDON_BITS
 * voxels, modulo SIDDON_WINDOW voxels. */
enum { SIDDON_FINE = 36, SIDDON_BITS = 27, SIDDON_WINDOW = 32 };

DEVICE_FN long siddon_fixed(double x)
{
	const double most = 1 << 24, unit = (double)(1L << SIDDON_FINE);

	return (long)floor(siddon_limit(x, -most, most) * unit);
}

/** Returns a shift along z for all rows of a column. The shift is needed if the ray of a row runs inside the
 * face between two slices. The shift keeps rounding errors from moving the ray to the other side of the
 * face. The argument `slack` must exceed the rounding errors. Returns slack, or -slack if the ray is
 * slightly below the face. Returns slack for rays perpendicular to z. Returns 0 if no ray runs in a face. */
DEVICE_FN double siddon_slack(const struct column *c, double slack)
{
	const double r = rint(-c->z[1] / c->step[1]);

	if (c->z[1] == 0. && c->step[1] == 0.) /* every ray is perpendicular to z */
		return slack;

	if (!(c->z[1] + r * c->step[1] == 0.))
		return 0.;

	const double z = c->z[0] + r * c->step[0] + 0.5, face = rint(z);

	return (fabs(z - face) < slack) ? ((z < face) ? -slack : slack) : 0.;
}

/**
 * Returns the length of a path inside the path's first voxel. A path is the part of a ray in a line of voxels
 * along z. All lengths are along the dominant axis. The path must end in the first voxel or in a neighbouring
 * voxel.
 * - `length`: the length of the path.
 * - `za`: the height of the path's start above a face, as an integer.
 * - `flip`: all bits are 1 if the ray rises, and 0 if the ray falls.
 * - `inv_rise`: the length in which the ray rises or falls by one unit of `za`, always positive.
 */
DEVICE_FN float siddon_begin(unsigned za, unsigned flip, float inv_rise, float length)
{
	const unsigned within = (1u << SIDDON_BITS) - 1;
	const float w = (float)(int)((za ^ flip) & within) * inv_rise;

	return (w < length) ? w : length;
}

#endif
