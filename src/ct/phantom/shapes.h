#ifndef CT_PHANTOM_SHAPES_H
#define CT_PHANTOM_SHAPES_H

#include <stdbool.h>

#include "ct/geometry/geom.h"

/**
 * Objects composed of ellipsoids, boxes and elliptic cylinders; where shapes overlap, their values are added.
 * Objects are sampled on a grid, or projected by exact line integrals. Every shape is convex, so the part of
 * a line inside a shape is one interval.
 */
enum shape_kind { SHAPE_ELLIPSOID, SHAPE_BOX, SHAPE_CYLINDER };

struct shape {
	enum shape_kind kind;
	double value;       // added inside the shape [1/mm]
	double centre[3];   // [mm]
	double half[3];     // half axes along the shape's own axes; a cylinder's own z is its axis [mm]
	double frame[3][3]; // frame[i]: unit vector of the shape's own axis i
};

struct shapes {
	long n;
	struct shape *shape;
};

/** Appends a shape. angle: phi, theta, psi [rad]. The shape is turned by psi about z, then by theta about x,
 * then by phi about z, all about its centre. half must be positive. */
extern void shapes_add(struct shapes *o, enum shape_kind kind, double value, const double centre[3],
        const double half[3], const double angle[3]);
extern void shapes_free(struct shapes *o);

/** The parameters t[0] <= t[1] between which the line p + t d is inside the shape; false if the line misses
 * it. */
extern bool shape_chord(const struct shape *s, const double p[3], const double d[3], double t[2]);

/** Integral along the line p + t d [value * mm]; for a half-line only t >= 0. */
extern double shapes_integral(const struct shapes *o, const double p[3], const double d[3], bool half_line);

/** Samples row (j, k) of the object on a grid: out[i], i < grid->size[0]. Each voxel is the mean over a
 * regular pattern of oversample^3 points, centred in the voxel. oversample = 1: the value at the centre of
 * the voxel, as usual for published phantoms. Along a dim of size 1, only the middle is sampled. */
extern void shapes_row(
        const struct shapes *o, const struct grid *grid, long oversample, long j, long k, double *out);

/** Computes the exact line integrals of one view, out[cols * rows], multi-threaded. */
extern void shapes_view(const struct shapes *o, const struct geom *g, long view, double *out);

#endif
