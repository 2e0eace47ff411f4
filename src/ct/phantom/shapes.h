#ifndef CT_PHANTOM_SHAPES_H
#define CT_PHANTOM_SHAPES_H

#include <stdbool.h>

#include "ct/geometry/geom.h"

/**
 * An object is a list of ellipsoids, boxes and elliptic cylinders. Values of overlapping shapes are added.
 * The functions sample an object on a grid, or compute exact line integrals.
 */
enum shape_kind { SHAPE_ELLIPSOID, SHAPE_BOX, SHAPE_CYLINDER };

struct shape {
	enum shape_kind kind;
	double value;       // value inside the shape [1/mm]
	double centre[3];   // [mm]
	double half[3];     // half axes along frame[0..2] [mm]; the axis of a cylinder is frame[2]
	double frame[3][3]; // frame[i]: unit vector of axis i of the shape
};

struct shapes {
	long n;
	struct shape *shape;
};

/** Appends a shape to the object. `angle` holds phi, theta and psi [rad]. The shape is rotated about its
 * centre by the matrix Rz(phi) Rx(theta) Rz(psi). All elements of `half` must be positive. Release the
 * object by shapes_free(). */
extern void shapes_add(struct shapes *o, enum shape_kind kind, double value, const double centre[3],
        const double half[3], const double angle[3]);
/** Frees all shapes of the object. The object is empty afterwards. */
extern void shapes_free(struct shapes *o);

/** Finds the part of the line p + t d inside a shape. Sets t[0] and t[1] to the values of t at the entry
 * point and at the exit point. Returns false if the line misses the shape. */
extern bool shape_chord(const struct shape *s, const double p[3], const double d[3], double t[2]);

/** Returns the line integral of the object along p + t d. The result has the unit of `value` times mm. With
 * `half_line`, only points with t >= 0 count. */
extern double shapes_integral(const struct shapes *o, const double p[3], const double d[3], bool half_line);

/** Samples one row of voxels along x, at grid indices j and k. `out` has grid->size[0] elements. Each voxel
 * is the mean over oversample^3 regularly spaced points in the voxel. With oversample = 1, a voxel gets
 * the value at the voxel's centre. Published phantoms are usually sampled at voxel centres. Along a
 * dimension of size 1, only the centre is sampled. */
extern void shapes_row(
        const struct shapes *o, const struct grid *grid, long oversample, long j, long k, double *out);

/** Computes the exact line integrals of all pixels of one view. `out` has cols * rows elements. */
extern void shapes_view(const struct shapes *o, const struct geom *g, long view, double *out);

#endif
