#ifndef CT_GEOMETRY_ORBIT_H
#define CT_GEOMETRY_ORBIT_H

#include "ct/geometry/geom.h"

/** A scan in which source and detector rotate about the z axis (doc/geometry.md). */
struct orbit {
	bool parallel;
	double sod, sdd;  // distances source to axis and source to detector [mm]; unused for a parallel beam
	double pitch[2];  // pitch of columns and rows [mm]; a negative pitch mirrors the detector
	double offset[2]; // shift of the detector to the right and up, seen from the source [mm on the
	                  // detector]
	double radius;    // radius of a curved detector [mm]; 0 means flat
	double helix;  // travel along z per counter-clockwise turn [mm]; the middle of the scan is at z = 0
	double tilt;   // tilt of the axis towards the source [degrees]
	double sphere; // largest latitude of sources on a sphere [degrees]; 0 means a circle
	double detector[3]; // roll, tilt and yaw of the detector, see geom_turn_detector() [degrees]
	bool fixed;         // tomosynthesis: the detector stays at its position of angle 0
	bool line;          // with `fixed`: the source moves along a line instead of an arc
};

/**
 * Creates the geometry for counter-clockwise scan angles `angle[views]` [degrees]. Sines and cosines of
 * multiples of 90 degrees are exact. On a sphere, the sine of the latitude decreases in equal steps. Golden
 * angles on a sphere give the Fibonacci lattice [1].
 *
 * [1] R. Swinbank, R. J. Purser, Fibonacci grids: a novel approach to global modelling, Quarterly Journal of
 * the Royal Meteorological Society 132, 2006.
 */
extern struct geom *orbit_geom(const struct orbit *o, long views, const double angle[], long cols, long rows);

/** Returns the angle of the shortest complete scan [degrees]. For a fan or cone beam, the result is 180
 * degrees plus twice the larger half fan angle. A half fan angle extends from the axis to one outer edge of
 * the detector. For a parallel beam, the result is 180 degrees. */
extern double orbit_short_arc(const struct orbit *o, long cols);

/** Rotates the detector of one view about the detector's centre. `angle` contains roll, tilt and yaw
 * [degrees], in the order of the rotations. Right and up are the directions of increasing columns and rows
 * before any rotation:
 * - Roll rotates about the detector normal, from the direction right to the direction up.
 * - Tilt rotates about the direction right, from the direction up towards the source.
 * - Yaw rotates about the axis "up". A positive yaw turns the axis "right" towards the source. */
extern void geom_turn_detector(struct geom *g, long view, const double angle[3]);

/** Computes the sine and the cosine of an angle in degrees. Multiples of 90 degrees give exact results. At
 * odd multiples of 45 degrees, sine and cosine have the same absolute value. */
extern void sincos_degrees(double angle, double *s, double *c);

#endif
