#ifndef LINOPS_XRAY_FBP_INTERNAL_H
#define LINOPS_XRAY_FBP_INTERNAL_H

#include "linops/xray/fbp.h"
#include "linops/xray/fbp_view.h"
#include "linops/xray/scan.h"

/** Shared by the filter and the back projection. */
struct fbp {
	const struct geom *g;
	struct scan *scan;
	struct fbp_view *view;
	long cols; // of filtered views
	long left; // of them, before the detector's first
	enum ramp_window window;
	struct ramp *ramp; // of the views seen last
	double bend;
	double *place;  // of the columns of `matrix`
	double *matrix; // cols x cols, for unevenly spaced columns
};

#endif
