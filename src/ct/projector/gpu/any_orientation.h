#ifndef CT_PROJECTOR_GPU_ANY_ORIENTATION_H
#define CT_PROJECTOR_GPU_ANY_ORIENTATION_H

#include "ct/projector/model/joseph.h"

/**
 * Joseph's method for any flat detector, plane by plane. The code is valid C and CUDA C.
 *
 * Let (x, r) be the column and row of a pixel, counted from the detector's centre. Planes of voxels are
 * perpendicular to the dominant axis of a ray. The ray of pixel (x, r) meets a plane at position (Y / W, Z /
 * W), counted in lines and slices. Y, Z and W are linear functions of x and r. So the rays of one detector
 * column meet the plane on a straight line. The pixels that see one slice of the plane are on a straight
 * line of the detector.
 *
 * A frame is an order of the axes: (x, y, z), (x, z, y) or (y, z, x). Planes and lines are counted along
 * axes 0 and 1 of a frame. Slices are counted along axis 2 of a frame. Axis 2 of a frame is contiguous in
 * memory. A ray is traced in a frame in which axis 2 is not the dominant axis of the ray.
 */
struct any_orientation_view {
	double s[3]; /* source; parallel beam: the detector's centre */
	double d[3]; /* from the source to the detector's centre; parallel beam: direction of the beam */
	double u[3], v[3]; /* to the next column, and to the next row upwards in slices */
	double to[3][3];   /* the rows map a point to components along u, v, d */
	int lo[2], hi[2];  /* columns [lo, hi) with rays of dominant axis 0 and 1 in this frame */
	int down;          /* 1 if rows of the file count downwards, else 0 */
	int first;         /* first row of the call, counted upwards */
};

/** Data that all views share, in one frame. */
struct any_orientation_scan {
	double spacing[3];  /* [mm] */
	double middle[2];   /* column and row of the detector's centre */
	int parallel, fast; /* fast: the axis of the volume (0: x, 1: y, 2: z) that is axis 2 */
};

/** The coefficients of 1, x and r in Y, Z and W for one plane. The top of this file defines Y, Z and W. */
struct any_orientation_plane {
	double y[3], z[3], w[3];
};

/** Sets e to the direction of the ray of pixel (x, r). */
DEVICE_FN void any_orientation_direction(double e[3], const struct any_orientation_scan *g,
        const struct any_orientation_view *w, double x, double r)
{
	int i;

	for (i = 0; i < 3; i++) /* the order of additions is the same in all projectors */
		e[i] = g->parallel ? w->d[i] : (w->d[i] + x * w->u[i]) + r * w->v[i];
}

/** Returns the axis of the frame that is the dominant axis of direction e. */
DEVICE_FN int any_orientation_axis(const struct any_orientation_scan *g, const double e[3])
{
	if (g->fast == 2)
		return joseph_axis(e[0], e[1], e[2]);

	if (g->fast == 1)
		return (3 - joseph_axis(e[0], e[2], e[1])) % 3;

	return (joseph_axis(e[2], e[0], e[1]) + 2) % 3;
}

/** Returns whether `axis` may be the dominant axis of a ray in a range of pixels. The range is columns
 * x[0]..x[1] and rows r[0]..r[1]. All rays of the range must run in the same direction along the axis. */
DEVICE_FN int any_orientation_touches(const struct any_orientation_scan *g,
        const struct any_orientation_view *w, int axis, const double x[2], const double r[2])
{
	double most[4] = {-1., -1., -1., -1.};
	int c;

	for (c = 0; c < 4; c++) {
		double e[3], a, b;

		any_orientation_direction(e, g, w, x[c & 1], r[c >> 1]);
		a = fabs(axis ? e[1] : e[0]) * (1. + 1e-9);
		b = axis ? e[0] : e[1];
		most[0] = fmax(most[0], a - b);
		most[1] = fmax(most[1], a + b);
		most[2] = fmax(most[2], a - e[2]);
		most[3] = fmax(most[3], a + e[2]);
	}

	return most[0] >= 0. && most[1] >= 0. && most[2] >= 0. && most[3] >= 0.;
}

/** Returns the path length between two planes of `axis` [mm]. */
DEVICE_FN double any_orientation_length(const struct any_orientation_scan *g, const double e[3], int axis)
{
	const double x = e[0] * g->spacing[0], y = e[1] * g->spacing[1], z = e[2] * g->spacing[2];

	return sqrt(x * x + y * y + z * z) / fabs(axis ? e[1] : e[0]);
}

/** Projects a point onto the detector and sets *x and *r. The point (px, py, pz) is relative to w->s. */
DEVICE_FN void any_orientation_pixel(const struct any_orientation_scan *g,
        const struct any_orientation_view *w, double px, double py, double pz, double *x, double *r)
{
	const double a = w->to[0][0] * px + w->to[0][1] * py + w->to[0][2] * pz,
	             b = w->to[1][0] * px + w->to[1][1] * py + w->to[1][2] * pz,
	             c = w->to[2][0] * px + w->to[2][1] * py + w->to[2][2] * pz,
	             f = g->parallel ? 1. : 1. / c;

	*x = a * f;
	*r = b * f;
}

/** Sets *p to the coefficients for plane i of `axis`. */
DEVICE_FN void any_orientation_plane(struct any_orientation_plane *p, const struct any_orientation_scan *g,
        const struct any_orientation_view *w, int axis, double i)
{
	const double da = axis ? w->d[1] : w->d[0], db = axis ? w->d[0] : w->d[1];
	const double ua = axis ? w->u[1] : w->u[0], ub = axis ? w->u[0] : w->u[1];
	const double va = axis ? w->v[1] : w->v[0], vb = axis ? w->v[0] : w->v[1];
	const double sa = axis ? w->s[1] : w->s[0], sb = axis ? w->s[0] : w->s[1];
	const double t = i - sa;

	if (g->parallel) {
		const double y = db / da, z = w->d[2] / da;

		p->w[0] = 1.;
		p->w[1] = p->w[2] = 0.;
		p->y[0] = sb + t * y;
		p->y[1] = ub - ua * y;
		p->y[2] = vb - va * y;
		p->z[0] = w->s[2] + t * z;
		p->z[1] = w->u[2] - ua * z;
		p->z[2] = w->v[2] - va * z;
		return;
	}

	p->w[0] = da;
	p->w[1] = ua;
	p->w[2] = va;
	p->y[0] = sb * da + t * db;
	p->y[1] = sb * ua + t * ub;
	p->y[2] = sb * va + t * vb;
	p->z[0] = w->s[2] * da + t * w->d[2];
	p->z[1] = w->s[2] * ua + t * w->u[2];
	p->z[2] = w->s[2] * va + t * w->v[2];
}

/**
 * Describes the rays near one point of a plane. The point is at line j and slice k, and its projection is the
 * pixel (x, r). In column `x + xi`, the ray in row `r + climb * xi` meets slice k at line `j + y`. The
 * distance y is `across * xi / (1 + bend * xi)`.
 *
 * - From row to row, the position changes by `s = rise / (1 + bend * xi)` slices.
 * - From slice to slice, the position changes by `lean - near * y` lines.
 * - The ray through slice `k + h` is further by `h / ((1 - near * h) * s)` rows.
 *
 * The precision of float32 suffices within tens of voxels around the point.
 */
struct any_orientation_anchor {
	int column, row; /* integer part of the point's projection */
	float x, r;      /* fractional part of the point's projection */
	float across, across_low;
	float climb, bend, rise, inv_rise, inv_rise_low, near, lean;
};

/** Sets *o for the point at line j and slice k of plane i. Returns 0 if `axis` cannot be the dominant axis
 * of rays at the point. If the result is 0, *o is not set. */
DEVICE_FN int any_orientation_anchor(struct any_orientation_anchor *o, const struct any_orientation_scan *g,
        const struct any_orientation_view *w, int axis, double i, double j, double k)
{
	struct any_orientation_plane p;
	double x, r, a1, a2, b1, b2, ww, y, across, iw, ib;
	const double y0 = j - (axis ? w->s[0] : w->s[1]), t = i - (axis ? w->s[1] : w->s[0]);

	if (!g->parallel && !(fabs(y0) <= 4. * fabs(t) && fabs(k - w->s[2]) <= 4. * fabs(t)))
		return 0;

	any_orientation_plane(&p, g, w, axis, i);
	any_orientation_pixel(g, w, axis ? y0 : t, axis ? t : y0, k - w->s[2], &x, &r);
	a1 = p.y[1] - j * p.w[1];
	a2 = p.y[2] - j * p.w[2];
	b1 = p.z[1] - k * p.w[1];
	b2 = p.z[2] - k * p.w[2];
	ww = p.w[0] + x * p.w[1] + r * p.w[2];
	ib = 1. / b2;
	iw = 1. / ww;
	across = (a1 - a2 * b1 * ib) * iw;
	x += g->middle[0];
	r += g->middle[1];
	y = floor(x);
	o->column = (int)y;
	o->x = (float)(x - y);
	y = floor(r);
	o->row = (int)y;
	o->r = (float)(r - y);
	o->across = (float)across;
	o->across_low = (float)(across - (double)o->across);
	o->climb = (float)(-b1 * ib);
	o->bend = (float)((p.w[1] - p.w[2] * b1 * ib) * iw);
	o->rise = (float)(b2 * iw);
	o->inv_rise = (float)(ww * ib);
	o->inv_rise_low = (float)(ww * ib - (double)o->inv_rise);
	o->near = (float)(p.w[2] * ib);
	o->lean = (float)(a2 * ib);
	return 1;
}

#endif
