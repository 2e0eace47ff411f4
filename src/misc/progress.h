#ifndef MISC_PROGRESS_H
#define MISC_PROGRESS_H

#include <stdbool.h>

/**
 * Shows a progress bar with the remaining time on standard error. The bar needs a terminal and is not
 * shown with -q. Work of less than a second shows no bar. While a bar is active, another progress_start()
 * is ignored.
 */

extern void progress_start(const char *what, long total);

/** Like progress_start(), for `total` iterations that consist of projections. Calls of
 * progress_projection() advance the bar within an iteration. `guess` is the expected number of projections
 * in the first iteration. */
extern void progress_start_iterations(const char *what, long total, long guess);

/** If not NULL, progress_watch() is called instead of drawing the bar. The function is called by one thread
 * at a time. `start` is the value of now() when the work began. `part` is the completed fraction of the work.
 * `whole` is true if no iteration is in progress. */
extern void (*progress_watch)(double start, double part, bool whole);

/** Counts a completed forward or back projection. */
extern void progress_projection(void);

/** Reports that `done` of `total` is complete. The call is cheap. Any thread may call this function. */
extern void progress_update(long done);

/** Adds n to the completed work. Any thread may call this function. */
extern void progress_add(long n);

/** Removes the bar at the end of the work. */
extern void progress_end(void);

/** Call this function in a new process, which then draws no bar. */
extern void progress_forget(void);

/** Clears the bar before a message. The next update draws the bar again. */
extern void progress_wipe(void);

/** Returns the time of a monotonic clock [s]. */
extern double now(void) __asm__("gantry_now");

#endif
