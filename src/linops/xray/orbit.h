#ifndef LINOPS_XRAY_ORBIT_H
#define LINOPS_XRAY_ORBIT_H

#include "linops/xray/geom.h"

/** A scan in which source and detector turn about the z axis as one body (doc/geometry.md). */
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
};

/** The geometry with these scan angles [degrees, counter-clockwise]. Sines and cosines are exact at quarter
 * turns. */
extern struct geom *orbit_geom(const struct orbit *o, long views, const double angle[], long cols, long rows);

/** Sine and cosine of an angle in degrees: exact at multiples of 90, equal in size at odd multiples of 45. */
extern void sincos_degrees(double angle, double *s, double *c);

#endif
