#ifndef MISC_PLOT_TICKS_H
#define MISC_PLOT_TICKS_H

/** Chooses ticks for an axis from `lo` to `hi`, where `lo < hi`. The distance between ticks is 1, 2 or 5
 * times a power of ten. Returns the number of ticks, which is at most `most`. Sets *first to the first tick
 * and *step to the distance. */
extern int ticks(double lo, double hi, int most, double *first, double *step);

#endif
