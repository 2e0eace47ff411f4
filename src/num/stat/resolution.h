#ifndef NUM_STAT_RESOLUTION_H
#define NUM_STAT_RESOLUTION_H

#include "misc/file/cfl.h"

/** Modulation transfer function (MTF) of an image, measured at edges and wires. Positions and lengths are in
 * mm, with x along dim 0 and y along dim 1. All functions use the mean of some slices. An object that is not
 * found is an error(). */
struct plane {
	const char *name; // for messages
	long nx, ny;
	double dx, dy, x0, y0; // spacing > 0, and position of element (0, 0)
	double *v;             // [nx ny], owned
};

/** Computes the mean of n slices of a real array, `step` apart from `first` on. Higher dims are taken at
 * index 0. NaN and infinite values are an error(). */
extern void plane_mean(struct plane *p, struct cfl *f, long first, long step, long n);
extern void plane_free(struct plane *p);

struct mtf {
	long n;
	double *frequency; // [n] [1/mm], from 0 to 1 / pixel
	double *value;     // [n], 1 at frequency 0; owned, like `frequency`
	double half_width; // of the line or point spread function [mm]
	double found[3];   // centre x, y; or a point on the edge, and the angle to x [degrees]
};

/**
 * Computes the MTF from the edge of a disc centred near (x, y) [1]. The centroid of the disc gives the exact
 * centre. Values within `width` of the edge give the edge spread function, in bins of 1/8 pixel. The line
 * spread function is the derivative of the edge spread function, tapered by a Tukey window. The MTF is the
 * Fourier transform of the line spread function, corrected for bin width and finite difference.
 *
 * [1] S. Richard, D. B. Husarik, G. Yadava, S. N. Murphy, E. Samei, Towards task-based assessment of CT
 * performance: system and object MTF across different reconstruction algorithms, Medical Physics 39(7), 2012.
 */
extern void mtf_disc(struct mtf *m, const struct plane *p, double x, double y, double radius, double width);

/** Computes the MTF from a straight edge through the box by the slanted-edge method (ISO 12233). The edge
 * must not be parallel to rows or columns. Further steps are those of mtf_disc(). */
extern void mtf_edge(struct mtf *m, const struct plane *p, const double box[4], double width);

/** Computes the MTF from a wire or bead within `radius` of (x, y). The MTF is the Hankel transform of the
 * values minus the background. The background is the mean at distances of 0.8 to 1 times `radius` from the
 * centre. If `diameter` is not 0, the result is divided by the transform of a disc with this diameter. */
extern void mtf_wire(
        struct mtf *m, const struct plane *p, double x, double y, double radius, double diameter);

/** Returns the linearly interpolated frequency [1/mm] at which the MTF first falls below `level`. Returns NAN
 * if the MTF stays above `level`. */
extern double mtf_frequency(const struct mtf *m, double level);

extern void mtf_free(struct mtf *m);

#endif
