#ifndef MISC_PROGRESS_H
#define MISC_PROGRESS_H

#include <stdbool.h>

/**
 * A progress bar with the remaining time on standard error. The bar is shown only on a terminal, not under
 * -q, and only if the work takes more than a second. There is one bar at a time; nested starts are ignored.
 */

extern void progress_start(const char *what, long total);

/** Like progress_start() for `total` iterations that consist of projections: progress_projection() counts
 * projections and advances the bar within an iteration. `guess` is the assumed number of projections per
 * iteration until the first iteration is complete. */
extern void progress_start_iterations(const char *what, long total, long guess);

/** If set, this function is called instead of drawing the bar, by one thread at a time. `part` is the
 * completed fraction (0 < part <= 1) of the work that began at time `start` (now()). `whole` is true if no
 * iteration is in progress. */
extern void (*progress_watch)(double start, double part, bool whole);

/** Called when a forward or back projection has ended. */
extern void progress_projection(void);

/** Reports that `done` of `total` is complete. The call is cheap. Any thread may call this function; a call
 * during another call does not redraw the bar. */
extern void progress_update(long done);

/** Adds n to the completed work; atomic. */
extern void progress_add(long n);

/** Removes the bar at the end of the work. */
extern void progress_end(void);

/** Called in a new process, which must not draw the bar: the bar belongs to the parent process. */
extern void progress_forget(void);

/** Clears the bar until the next update, so that a message is not mixed with it. */
extern void progress_wipe(void);

/** Monotonic clock [s]. */
extern double now(void) __asm__("gantry_now");

#endif
