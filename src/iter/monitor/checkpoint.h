#ifndef ITER_MONITOR_CHECKPOINT_H
#define ITER_MONITOR_CHECKPOINT_H

#include "iter/algorithm/algorithm.h"
#include "iter/monitor/fall.h"

/** State of algorithm_solve() in addition to struct run. */
struct course {
	double begun;       // start time [s]
	double first, best; // objective at the start, and the smallest objective so far
	double gradient;    // norm at the start; if unknown there, norm at the first step
	struct fall fall;   // samples of the objective
	void *last, *good;  // previous x and best x; NULL means not kept
	struct iter_result res;
};

/** Writes the state of a run to a file. A run resumed from this file gives a bit-identical result. If the
 * program is killed during the call, the previous checkpoint remains complete. */
extern void checkpoint_write(const char *path, const struct run *r, const struct course *c);

/** Reads the state of a run from a file. A damaged file is an error(). A checkpoint with another problem,
 * algorithm or options is also an error(). The message names the file. */
extern void checkpoint_read(const char *path, struct run *r, struct course *c);

#endif
