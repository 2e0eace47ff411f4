#ifndef MISC_LOOPING_LOOPING_H
#define MISC_LOOPING_LOOPING_H

#include <stdbool.h>

/**
 * Runs one command line for every index along some dims of the inputs (doc/looping.md). Several indices can
 * be processed at the same time.
 *
 * The process that opens the first array becomes the parent. The parent opens the inputs and forks a process
 * for every index (a "slice"). In the process of a slice, cfl_open() returns one slice of each looped input.
 * Likewise, cfl_create() returns one slice of the whole output. The parent creates the whole output when the
 * first slice requests the output. All slices must request equal outputs. The parent commits the output when
 * all slices have succeeded.
 */

/** Prepares the loop; called by tool_init(). `dims` is "DIM[=START:STOP[:STEP]][,DIM..]". At most `jobs`
 * slices run at the same time. The process of a slice first calls enter(). */
extern void looping_arm(const char *dims, long jobs, void (*enter)(void));

/**
 * These functions are for the program `gantry`:
 *
 * - looping_is_option(): returns whether a word is an option of loops (-l, -p, --loop or --jobs).
 * - looping_words(): converts "-l DIMS -p N TOOL words" to "TOOL --loop=DIMS --jobs=N words". The result is
 *   malloc'd and ends with NULL.
 */
extern bool looping_is_option(const char *word);
extern char **looping_words(int argc, char *argv[]);

/** Returns whether this process was forked for a slice. */
extern bool looping_active(void);

/** Returns the number of slices processed at the same time, or 1 outside of a loop. */
extern long looping_jobs(void);

/** For element i in a slice of the first output, returns the index in the whole output. Dim 0 varies fastest.
 * Outside of a loop, returns i. Random numbers computed from this index are the same with and without a loop.
 */
extern long looping_element(long i);

#endif
