#ifndef MISC_PLOT_PLOT_H
#define MISC_PLOT_PLOT_H

#include <stdbool.h>

/**
 * A plot shows curves with axes, a grid and a legend on a canvas (misc/plot/canvas.h).
 */
struct plot_curve {
	const char *label; // in the legend; NULL means no entry
	long n;
	const double *x,
	        *y; // a point that cannot be drawn interrupts the curve
	bool steps; // draws y[i] from x[i] to x[i + 1]; the last y is not used
	bool dots;  // also draws a disc at each point; ignored with steps
};

struct plot {
	int width, height;         // [pixels]
	const char *title;         // NULL means no title
	const char *xname, *yname; // with units
	bool xlog, ylog;
	double xlim[2], ylim[2]; // NAN means the range of the curves
	int n;
	const struct plot_curve *curve;
	double mark[2]; // marks this point with a ring; NAN means no mark
};

enum { PLOT_WIDTH = 800, PLOT_HEIGHT = 500 };

/** Returns a plot of PLOT_WIDTH x PLOT_HEIGHT pixels without curves. All limits and the mark are NAN. */
extern struct plot plot_default(void);

/** Writes the plot to NAME.png or NAME.svg. Other names are a usage_error(). Calls error() if no point can
 * be drawn. NaN, infinity, and values <= 0 on a logarithmic axis cannot be drawn. */
extern void plot_write(const struct plot *p, const char *path);

#endif
