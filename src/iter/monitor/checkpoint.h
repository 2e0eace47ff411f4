#ifndef ITER_MONITOR_CHECKPOINT_H
#define ITER_MONITOR_CHECKPOINT_H

#include "iter/algorithm/algorithm.h"
#include "iter/monitor/fall.h"

/** What the driver knows of a run beside its state. */
struct course {
	double begun;       // [s]
	double first, best; // objectives
	double gradient;    // at the start, or of the first step where the start knows none
	struct fall fall;   // of objectives
	void *last, *good;  // the x before, the best x; NULL: not kept
	struct iter_result res;
};

/**
 * The state of a run as a file: every number and vector, so that a run that goes on from there gives the same
 * bytes as one that was never interrupted. Written under a temporary name; a run that is killed leaves the
 * last one whole, and it is on the disk before it takes the place of the one before. The checksum of all of
 * it is read first. Reading: error() naming the file where it is no checkpoint of this problem, algorithm and
 * these options.
 */
extern void checkpoint_write(const char *path, const struct run *r, const struct course *c);
extern void checkpoint_read(const char *path, struct run *r, struct course *c);

#endif
