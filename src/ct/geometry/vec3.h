#ifndef CT_GEOMETRY_VEC3_H
#define CT_GEOMETRY_VEC3_H

#include <math.h>

/** These functions compute with vectors of three float64 components. */
static inline double dot3(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double norm3(const double a[3])
{
	return sqrt(dot3(a, a));
}

static inline void cross3(double out[3], const double a[3], const double b[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void scale3(double out[3], double f, const double a[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = f * a[i];
}

static inline void sub3(double out[3], const double a[3], const double b[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = a[i] - b[i];
}

#endif
