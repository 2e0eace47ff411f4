#ifndef MISC_PROGRESS_H
#define MISC_PROGRESS_H

/**
 * A progress bar with the time left on standard error: only when that is a terminal, not under -q, and only
 * once the work has taken more than a second. One at a time; nested starts are ignored.
 */

extern void progress_start(const char *what, long total);

/** The same for `total` iterations that consist of projections: progress_projection() counts them and moves
 * the bar within an iteration. `guess` is the number of projections per iteration until the first one is
 * complete. */
extern void progress_start_iterations(const char *what, long total, long guess);

/** A forward or back projection has ended. */
extern void progress_projection(void);

/** `done` of `total`; cheap, may be called by any thread (concurrent calls are skipped). */
extern void progress_update(long done);

/** Adds n to what is done; atomic. */
extern void progress_add(long n);

/** Wipes the bar: the work is done. */
extern void progress_end(void);

/** In a new process: the bar belongs to its parent. */
extern void progress_forget(void);

/** Clears the bar until the next update, so that a message is not mixed with it. */
extern void progress_wipe(void);

/** Monotonic clock [s]. */
extern double now(void) __asm__("gantry_now");

#endif
