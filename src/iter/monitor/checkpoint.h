#ifndef ITER_MONITOR_CHECKPOINT_H
#define ITER_MONITOR_CHECKPOINT_H

#include "iter/algorithm/algorithm.h"
#include "iter/monitor/fall.h"

/** Data of the driver for a run, besides its state. */
struct course {
	double begun;       // [s]
	double first, best; // objectives
	double gradient;    // at the start, or of the first step where the start knows none
	struct fall fall;   // of objectives
	void *last, *good;  // the x before, the best x; NULL: not kept
	struct iter_result res;
};

/**
 * The state of a run as a file: all numbers and vectors, so that a resumed run gives the same
 * bytes as an uninterrupted one. Written under a temporary name, flushed to disk, and then renamed
 * over the last one; a killed run leaves the last one complete. The checksum is verified first.
 * Reading: error() naming the file if it is not a checkpoint of this problem, algorithm and these
 * options.
 */
extern void checkpoint_write(const char *path, const struct run *r, const struct course *c);
extern void checkpoint_read(const char *path, struct run *r, struct course *c);

#endif
