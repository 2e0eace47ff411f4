#ifndef MISC_LOOPING_LOOPING_H
#define MISC_LOOPING_LOOPING_H

#include <stdbool.h>

/**
 * One command line for every index of some dims of its inputs, several at a time (doc/looping.md).
 *
 * The process that opens the first array becomes the parent. It opens the inputs and forks a process for
 * every index (a "slice"). In those the command continues as usual, but cfl_open() returns their slice of
 * every input longer than 1 along the looped dims, and the output of cfl_create() is their slice of the
 * whole. The parent creates the whole array when the first slice requests it, checks that all slices request
 * the same, and commits it when all have succeeded.
 */

/** For tool_init(): `dims` is "DIM[=START:STOP[:STEP]][,DIM..]", `jobs` the number of slices processed at a
 * time; enter() is called first in the processes of the slices. */
extern void looping_arm(const char *dims, long jobs, void (*enter)(void));

/** For the front command: whether a word before the command is an option of loops (-l, -p or their long
 * names); and from "-l DIMS -p N TOOL words" the words "TOOL --loop=DIMS --jobs=N words", ended by NULL
 * (malloc'd). */
extern bool looping_is_option(const char *word);
extern char **looping_words(int argc, char *argv[]);

/** Whether this is the process of a slice. */
extern bool looping_active(void);

/** How many processes share the machine: 1 outside of a loop. */
extern long looping_jobs(void);

/** The index in the whole, dim 0 fastest, of element i of this slice's first output; i outside of a loop.
 * Random numbers drawn by it do not depend on how the work was divided. */
extern long looping_element(long i);

#endif
