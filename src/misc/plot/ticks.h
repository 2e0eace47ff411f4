#ifndef MISC_PLOT_TICKS_H
#define MISC_PLOT_TICKS_H

/** Ticks of an axis from lo to hi (lo < hi): multiples of 1, 2 or 5 times a power of ten, at most `most` of
 * them. Sets *first to the first tick and *step to the distance between ticks. Returns the number of ticks.
 */
extern int ticks(double lo, double hi, int most, double *first, double *step);

#endif
