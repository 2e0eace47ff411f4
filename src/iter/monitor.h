#ifndef ITER_MONITOR_H
#define ITER_MONITOR_H

#include "misc/dtype.h"

/**
 * Watches an iteration: a progress bar with the residual on a terminal, a line per iteration under -v, and a
 * CSV file, written as the work goes:
 *
 *     channel,time,iteration,residual,objective,gradient,step,seconds[,nrmse]
 *
 * residual |A x - y|_W and objective f(x) are those after the iteration; iteration 0 is the starting point.
 * gradient is the norm of the gradient where the step began, step its length, seconds since the start. nrmse
 * = |x - reference| / |reference| where a reference was given. Unknown values are empty.
 */
struct monitor;

/** problems: how many will be solved, each of at most `iterations`. log: path of the CSV file or NULL. */
extern struct monitor *monitor_create(long iterations, long problems, const char *log);

/** Begins a problem. reference: NULL or n elements of rtype (kept by the caller) to compare every iterate
 * with. */
extern void monitor_begin(
        struct monitor *m, long channel, long time, enum dtype rtype, long n, const void *reference);

struct monitor_state {
	long iteration;
	double residual, objective;
	double gradient, step; // NAN = unknown
};

/** After iteration s->iteration; x: the iterate, of a real or complex compute type. m may be NULL. */
extern void monitor_step(
        struct monitor *m, const struct monitor_state *s, enum dtype type, long n, const void *x);

/** Wipes the bar and commits the log. */
extern void monitor_close(struct monitor *m);

#endif
