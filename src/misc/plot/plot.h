#ifndef MISC_PLOT_PLOT_H
#define MISC_PLOT_PLOT_H

#include <stdbool.h>

/**
 * Curves over axes with ticks, a grid and a legend, drawn on a canvas (misc/plot/canvas.h).
 */
struct plot_curve {
	const char *label; // in the legend; NULL: none
	long n;
	const double *x,
	        *y; // points that are NaN or infinite, or not above 0 on a logarithmic axis, break the line
	bool steps; // y[i] holds from x[i] to x[i + 1]; the last one for nothing
	bool dots;  // a disc at each point as well
};

struct plot {
	int width, height;         // [pixels]
	const char *title;         // NULL: none
	const char *xname, *yname; // with units
	bool xlog, ylog;
	double xlim[2], ylim[2]; // NAN: from the curves
	int n;
	const struct plot_curve *curve;
	double mark[2]; // a point that is ringed; NAN: none
};

enum { PLOT_WIDTH = 800, PLOT_HEIGHT = 500 };

/** A plot of PLOT_WIDTH x PLOT_HEIGHT pixels without curves; limits and mark are NAN. */
extern struct plot plot_default(void);

/** Writes the plot to a file whose name ends in .png or .svg; usage_error() for other names. error() if no
 * point of any curve can be drawn. */
extern void plot_write(const struct plot *p, const char *path);

#endif
