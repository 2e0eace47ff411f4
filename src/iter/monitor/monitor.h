#ifndef ITER_MONITOR_MONITOR_H
#define ITER_MONITOR_MONITOR_H

#include "misc/dtype.h"
#include "misc/file/hdr.h"

/**
 * Monitors an iteration: a progress bar with the residual on a terminal, a line per iteration with -v, and a
 * log that is written during the run. The log is CSV with these columns:
 *
 *     channel,time,iteration,residual,objective,gradient,step,seconds[,nrmse]
 *
 * If its name ends in .jsonl, .ndjson or .json, the log has JSON lines instead: one object per iteration with
 * these names. residual |A x - y|_W and objective f(x) are those after the iteration; iteration 0 is the
 * starting point. gradient is the norm of the gradient at the start of the step, step the length of the step,
 * seconds the time since the start. nrmse = |x - reference| / |reference| if a reference was given. Unknown
 * values are empty, or null.
 */
struct monitor;

/** problems: number of problems to solve, each of at most `iterations`. log: path or NULL. */
extern struct monitor *monitor_create(long iterations, long problems, const char *log);

/** Every `every` iterations the iterate is written as an array with header h (kept by the caller). The
 * array's name is `pattern` with numbers for {iteration}, {channel} and {time}. An iterate with NaN or
 * infinite elements is not written. Called before monitor_begin(). */
extern void monitor_save(struct monitor *m, long every, const char *pattern, const struct hdr *h);

/** usage_error() naming `option` if the pattern is not a file name or contains unknown names in braces. */
extern void monitor_check_pattern(const char *pattern, const char *option);

/** Begins a problem. reference: NULL or n elements of rtype (kept by the caller) to which every iterate is
 * compared. */
extern void monitor_begin(
        struct monitor *m, long channel, long time, enum dtype rtype, long n, const void *reference);

struct monitor_state {
	long iteration;
	double residual, objective;
	double gradient, step; // NAN = unknown
	double excess; // excess of the objective over its minimum as a fraction, for the progress bar; NAN =
	               // unknown
};

/** Called after iteration s->iteration; x: the iterate, of a real or complex compute type. m may be NULL. */
extern void monitor_step(
        struct monitor *m, const struct monitor_state *s, enum dtype type, long n, const void *x);

/** Clears the bar and commits the log. */
extern void monitor_close(struct monitor *m);

#endif
