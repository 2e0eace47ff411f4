#ifndef CT_PROJECTOR_MODEL_COLUMN_H
#define CT_PROJECTOR_MODEL_COLUMN_H

#include "ct/projector/model/joseph.h"

/**
 * Joseph's method along the rays of one detector column that is parallel to z (parallel beam, fan, circular
 * and helical cone, flat or curved): C and CUDA C.
 *
 * All rays of such a column have the same path in x and y. In a plane of the dominant axis, all rays have the
 * same position across this axis, and their heights are equally spaced: z = start + row * step. For each
 * plane, A interpolates between two lines of voxels along z and then resamples along z. A' applies the
 * transposed resampling and adds the result to the two lines. The box is that of joseph.h.
 */
struct column {
	int m, p;         /* dominant axis and the other one: 0, 1 */
	int first, count; /* planes along m */
	double pos;       /* position along p in plane 0 */
	double slope;     /* per plane */
	double from, to;  /* the part that counts, along m */
	double away[2];   /* ray parameter in plane i: away[0] + i * away[1] */
	double z[2];      /* position of row 0 along z at parameter t: z[0] + t * z[1] */
	double step[2];   /* from row to row: step[0] + t * step[1] */
	double rise[2];   /* slope along z per plane of row r: rise[0] + r * rise[1] */
};

/** Sets the path of a column whose row 0 has the ray s + t d; from row to row, s and d change along z by ds
 * and dd. Does not set the range of planes. The dominant axis is x or y. */
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

/** Like column_aim(), and also clips to planes [lo, hi] of a box of nx x ny voxels. Returns the number of
 * planes. */
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

/** Like column_between(), for the planes that Joseph's method uses; half: only t >= 0 counts. */
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

/** Length of the ray of row r between successive planes [mm], for voxels of this spacing [mm]. */
DEVICE_FN double column_length(const struct column *c, double r, const double spacing[3])
{
	double a = spacing[c->m], b = c->slope * spacing[c->p],
	       h = (c->rise[0] + r * c->rise[1]) * spacing[2];

	return sqrt(a * a + b * b + h * h);
}

#endif
