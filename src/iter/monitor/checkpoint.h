#ifndef ITER_MONITOR_CHECKPOINT_H
#define ITER_MONITOR_CHECKPOINT_H

#include "iter/algorithm/algorithm.h"
#include "iter/monitor/fall.h"

/** Data that algorithm_solve() keeps for a run, in addition to struct run. */
struct course {
	double begun;       // [s]
	double first, best; // objectives
	double gradient;    // at the start, or of the first step if unknown at the start
	struct fall fall;   // of objectives
	void *last, *good;  // the previous x, the best x; NULL: not kept
	struct iter_result res;
};

/**
 * The state of a run as a file: all numbers and vectors, so that the result of a resumed run is bit-identical
 * to that of an uninterrupted one. The file is written under a temporary name, flushed to disk and then
 * renamed, so that a killed run leaves the previous checkpoint complete. checkpoint_read() verifies the
 * checksum first; error() naming the file unless it is a checkpoint of this problem and algorithm with these
 * options.
 */
extern void checkpoint_write(const char *path, const struct run *r, const struct course *c);
extern void checkpoint_read(const char *path, struct run *r, struct course *c);

#endif
