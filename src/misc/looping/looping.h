#ifndef MISC_LOOPING_LOOPING_H
#define MISC_LOOPING_LOOPING_H

#include <stdbool.h>

/**
 * Runs one command line for every index along some dims of its inputs, several indices at a time
 * (doc/looping.md).
 *
 * The process that opens the first array becomes the parent. This process opens the inputs and forks a
 * process for every index (a "slice"). In the process of a slice, the command continues as usual. cfl_open()
 * then returns the slice of each input that is longer than 1 along the looped dims, and cfl_create() returns
 * the slice of the whole output. The parent creates the whole array when the first slice requests it, checks
 * that all slices request the same, and commits it when all have succeeded.
 */

/** Called by tool_init() to prepare the loop. `dims` is "DIM[=START:STOP[:STEP]][,DIM..]"; `jobs` slices are
 * processed at a time. The process of a slice first calls enter(). */
extern void looping_arm(const char *dims, long jobs, void (*enter)(void));

/** The program `gantry` calls these functions. looping_is_option() returns whether a word before the command
 * is an option of loops (-l, -p or their long names). looping_words() converts "-l DIMS -p N TOOL words" to
 * the words "TOOL --loop=DIMS --jobs=N words", ended by NULL (malloc'd). */
extern bool looping_is_option(const char *word);
extern char **looping_words(int argc, char *argv[]);

/** Whether the calling process was forked for a slice of a loop. */
extern bool looping_active(void);

/** The number of processes that share the machine: 1 outside of a loop. */
extern long looping_jobs(void);

/** The index (dim 0 fastest) that element i of the first output of this slice has in the whole output;
 * outside of a loop, i itself. Random numbers drawn with this index do not depend on how the work is divided.
 */
extern long looping_element(long i);

#endif
