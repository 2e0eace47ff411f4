#ifndef LINOPS_XRAY_FBP_INTERNAL_H
#define LINOPS_XRAY_FBP_INTERNAL_H

#include "linops/xray/fbp.h"
#include "linops/xray/fbp_view.h"

/** Shared by the filter and the back projection. */
struct fbp {
	const struct geom *g;
	struct scan *scan;
	struct fbp_view *view;
	long cols; // of filtered views
	long left; // of them, before the detector's first
	struct ramp_filter filter;
	struct ramp *ramp; // of the views seen last
	double bend;
	double *kernel; // of `matrix`: cols values
	double *place;  // of the columns of `matrix`
	double *matrix; // cols x cols, for unevenly spaced columns
};

#endif
