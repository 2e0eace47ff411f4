#ifndef CT_GEOMETRY_ORBIT_H
#define CT_GEOMETRY_ORBIT_H

#include "ct/geometry/geom.h"

/** A scan in which source and detector turn about the z axis (doc/geometry.md). */
struct orbit {
	bool parallel;
	double sod, sdd;  // source to axis, source to detector [mm]; not used when parallel
	double pitch[2];  // of columns and rows [mm], negative mirrors
	double offset[2]; // of the detector centre to the right and up, seen from the source [mm on the
	                  // detector]
	double radius;    // of a curved detector [mm], 0 = flat
	double helix; // travel along z per turn of 360 degrees counter-clockwise [mm], the middle of the scan
	              // at z = 0
	double tilt;  // of the axis towards the source [degrees]
	double sphere;      // source points over the sphere up to this latitude [degrees], 0 = a circle
	double detector[3]; // roll, tilt and yaw of the detector, as in geom_turn_detector() [degrees]
	bool fixed;         // tomosynthesis: the detector stays where it is at angle 0
	bool line;          // and the source moves along a line instead of an arc
};

/** The geometry with these scan angles [degrees, counter-clockwise]. Sines and cosines are exact at quarter
 * turns. On a sphere, the sines of the latitudes are equally spaced over the views, from the highest to the
 * lowest. Golden angles then give the Fibonacci lattice [1]. */
extern struct geom *orbit_geom(const struct orbit *o, long views, const double angle[], long cols, long rows);

/** The shortest scan of a fan or cone beam [degrees]: 180 plus twice the largest angle in the fan between the
 * ray through the axis and the outer edge of a column. */
extern double orbit_short_arc(const struct orbit *o, long cols);

/** Turns the detector of one view about its centre. Right and up are the directions of increasing columns and
 * rows. Three rotations [degrees] follow each other. Roll is about the normal: right moves up
 * (counter-clockwise seen from the source, unless a pitch is negative). Tilt is about the direction right: up
 * moves towards the source. Yaw is about the direction up: right moves towards the source. Tilt and yaw use
 * the directions right and up before any rotation. */
extern void geom_turn_detector(struct geom *g, long view, const double angle[3]);

/** Sine and cosine of an angle in degrees: exact at multiples of 90; at odd multiples of 45 both have the
 * same absolute value. */
extern void sincos_degrees(double angle, double *s, double *c);

#endif
