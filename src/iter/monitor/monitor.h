#ifndef ITER_MONITOR_MONITOR_H
#define ITER_MONITOR_MONITOR_H

#include "misc/dtype.h"
#include "misc/file/hdr.h"

/**
 * Reports the progress of an iterative algorithm. A progress bar on a terminal shows the residual. With -v,
 * one line per iteration is printed. A log file is written during the run. The log file is CSV with these
 * columns:
 *
 *     channel,time,iteration,residual,objective,gradient,step,seconds[,nrmse]
 *
 * - residual: |A x - y|_W after the iteration
 * - objective: f(x) after the iteration
 * - gradient: the norm of the gradient at the start of the step
 * - step: the length of the step
 * - seconds: the time since the start
 * - nrmse: |x - reference| / |reference|, if a reference is given
 *
 * Iteration 0 is the starting point. Unknown values are empty in CSV and null in JSON. If the file name ends
 * in .jsonl, .ndjson or .json, the log has one JSON object per iteration. The names of the columns are the
 * keys of the object.
 */
struct monitor;
struct mask;

/** Creates a monitor for `problems` problems, each with at most `iterations` iterations. `log` is the path of
 * the log file, or NULL. */
extern struct monitor *monitor_create(long iterations, long problems, const char *log);

/** Requests that the iterate is written to a file every `every` iterations. Call this function before
 * monitor_begin(). `pattern` is the file name, in which numbers replace {iteration}, {channel} and {time}.
 * The file has the header h. Voxels outside the mask are 0 in the file; NULL means no mask. The caller keeps
 * `pattern`, h and the mask. Iterates with an infinite objective are not written. */
extern void monitor_save(
        struct monitor *m, long every, const char *pattern, const struct hdr *h, const struct mask *mask);

/** Checks the pattern of monitor_save(). The pattern "-" is a usage_error(), and so is an unknown name in
 * braces. The message names `option`. */
extern void monitor_check_pattern(const char *pattern, const char *option);

/** Begins the problem with the given channel and time. Every iterate is compared with `reference`, an array
 * of n elements of type `rtype`. The caller keeps `reference`. NULL means no comparison. */
extern void monitor_begin(
        struct monitor *m, long channel, long time, enum dtype rtype, long n, const void *reference);

/** Values of one iteration. NAN means unknown. */
struct monitor_state {
	long iteration;
	double residual, objective;
	double gradient, step;
	double excess; // estimate of (objective - minimum) / objective, for the progress bar
};

/** Reports the values `s` and the iterate x (n elements) of an iteration. `type` is a real or complex compute
 * type. If m is NULL, the function does nothing. */
extern void monitor_step(
        struct monitor *m, const struct monitor_state *s, enum dtype type, long n, const void *x);

/** Removes the progress bar, commits the log file and frees m. */
extern void monitor_close(struct monitor *m);

#endif
