#ifndef NUM_STAT_RESOLUTION_H
#define NUM_STAT_RESOLUTION_H

#include "misc/file/cfl.h"

/**
 * Modulation transfer function of an image, from edges and wires.
 *
 * Positions and lengths are in mm, x along dimension 0, y along 1. All functions use the mean of some slices,
 * and end with error() if the object is not found.
 */
struct plane {
	const char *name; // for messages
	long nx, ny;
	double dx, dy, x0, y0; // spacing > 0, and position of element (0, 0)
	double *v;             // [nx ny], owned
};

/** Mean of slices first + i step, 0 <= i < n of a real array; higher dims at index 0. error() if a
 * value is NaN or infinite. */
extern void plane_mean(struct plane *p, struct cfl *f, long first, long step, long n);
extern void plane_free(struct plane *p);

struct mtf {
	long n;
	double *frequency; // [n] [1/mm], from 0 to 1 / pixel
	double *value;     // [n], 1 at 0; owned as frequency is
	double half_width; // of the line or point spread that was used [mm]
	double found[3];   // disc, wire: centre x, y; edge: a point on it, and its angle to x [degrees]
};

/**
 * MTF from the edge of a disc with its centre near (x, y). The centre is found as the centroid of the disc,
 * with weights that increase from 0 outside to 1 inside. Values within `width` of the edge give the edge
 * spread function as a function of that distance, in bins of an eighth of a pixel. The derivative of that
 * function, tapered (Tukey, inner half flat), is the line spread function. The Fourier transform of the line
 * spread function is the MTF, which is corrected for the width of the bins and the finite difference.
 *
 * S. Richard, D. B. Husarik, G. Yadava, S. N. Murphy, E. Samei, Towards task-based assessment of CT
 * performance: system and object MTF across different reconstruction algorithms, Medical Physics 39(7), 2012.
 */
extern void mtf_disc(struct mtf *m, const struct plane *p, double x, double y, double radius, double width);

/** MTF from a straight edge through the box (slanted edge, ISO 12233). The edge must not be exactly along
 * rows or columns, where pixels have only few different distances from it. The further steps are as for a
 * disc. */
extern void mtf_edge(struct mtf *m, const struct plane *p, const double box[4], double width);

/** MTF from a wire or bead inside the circle: the Hankel transform of its values minus the background. The
 * background is the mean at distances of 0.8 R to R from the centre, where R is `radius`. The result is
 * divided by the transform of a uniform disc of `diameter` (0: no division). */
extern void mtf_wire(
        struct mtf *m, const struct plane *p, double x, double y, double radius, double diameter);

/** Frequency at which the MTF first falls below `level` [1/mm], linearly interpolated; NAN if there is none.
 */
extern double mtf_frequency(const struct mtf *m, double level);

extern void mtf_free(struct mtf *m);

#endif
