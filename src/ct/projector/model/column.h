#ifndef CT_PROJECTOR_MODEL_COLUMN_H
#define CT_PROJECTOR_MODEL_COLUMN_H

#include "ct/projector/model/joseph.h"

/**
 * Joseph's method along the rays of one detector column that is parallel to z. The beam may be a parallel,
 * fan, circular cone or helical cone beam. The detector may be flat or curved. The code is C and CUDA C.
 *
 * All rays of a detector column have the same path in x and y. In one plane of the dominant axis, the
 * heights of these rays are equally spaced:
 *
 *     z = start + row * step
 *
 * Coordinates are those of joseph.h: voxel centres are at 1..n along each axis. A plane contains all voxel
 * centres with the same index along the dominant axis.
 */
struct column {
	int m, p;         /* dominant axis and the other axis, each 0 or 1 */
	int first, count; /* first plane and number of planes along m */
	double pos;       /* position along p in plane 0 */
	double slope;     /* change of the position per plane */
	double from, to;  /* ends of the rays along m, in planes */
	double away[2];   /* ray parameter in plane i: away[0] + i * away[1] */
	double z[2];      /* position of row 0 along z at parameter t: z[0] + t * z[1] */
	double step[2];   /* from row to row: step[0] + t * step[1] */
	double rise[2];   /* slope along z per plane of row r: rise[0] + r * rise[1] */
};

/** Sets the path of a column. The ray of row 0 is `s + t d`. From each row to the next, the z components of s
 * and d change by ds and dd. The dominant axis is x or y. The members `first`, `count`, `from` and `to` are
 * not set. */
DEVICE_FN void column_aim(struct column *c, const double s[3], const double d[3], double ds, double dd)
{
	int m = (fabs(d[0]) >= fabs(d[1])) ? 0 : 1, p = 1 - m;
	double inv = 1. / d[m];

	c->m = m;
	c->p = p;
	c->slope = d[p] * inv;
	c->pos = s[p] - s[m] * c->slope;
	c->away[0] = -s[m] * inv;
	c->away[1] = inv;
	c->z[0] = s[2];
	c->z[1] = d[2];
	c->step[0] = ds;
	c->step[1] = dd;
	c->rise[0] = d[2] * inv;
	c->rise[1] = dd * inv;
}

/** Does the same as column_aim(), and clips the column to `nx` x `ny` voxels and planes [lo, hi]. Returns the
 * number of planes. */
DEVICE_FN int column_between(struct column *c, const double s[3], const double d[3], double ds, double dd,
        int nx, int ny, double lo, double hi)
{
	column_aim(c, s, d, ds, dd);
	joseph_narrow(&lo, &hi, c->pos, d[c->m] / d[c->p], (c->p ? ny : nx) + 1.);

	if (!(lo <= hi))
		return c->count = 0;

	c->first = (int)lo;
	c->first += (c->first < lo);
	c->count = (int)hi - c->first + 1;
	return c->count;
}

/** Does the same as column_between(), for the planes that Joseph's method uses. If `half` is not 0, the rays
 * start at s. If `half` is 0, the rays extend to both sides of s. */
DEVICE_FN int column_clip(struct column *c, const double s[3], const double d[3], double ds, double dd,
        int nx, int ny, int half)
{
	int m = (fabs(d[0]) >= fabs(d[1])) ? 0 : 1;
	double lo = 1., hi = m ? ny : nx;

	if (half && d[m] > 0.)
		lo = (s[m] > lo) ? s[m] : lo;
	else if (half)
		hi = (s[m] < hi) ? s[m] : hi;

	c->from = lo;
	c->to = hi;
	return column_between(c, s, d, ds, dd, nx, ny, lo, hi);
}

/** Returns the length of the ray of row r between successive planes [mm]. The voxels have size `spacing`
 * [mm]. */
DEVICE_FN double column_length(const struct column *c, double r, const double spacing[3])
{
	double a = spacing[c->m], b = c->slope * spacing[c->p],
	       h = (c->rise[0] + r * c->rise[1]) * spacing[2];

	return sqrt(a * a + b * b + h * h);
}

#endif
