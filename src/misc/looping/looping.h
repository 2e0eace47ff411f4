#ifndef MISC_LOOPING_LOOPING_H
#define MISC_LOOPING_LOOPING_H

#include <stdbool.h>

/**
 * One command line over every index of some dims of its inputs, several at a time (doc/looping.md).
 *
 * The process that comes to open the first array becomes the parent. It opens the inputs and forks a process
 * for every index (a "slice"); in those the command goes on as always, but cfl_open() shows them their slice
 * of every input that is longer than 1 along the looped dims, and what they write into the output of
 * cfl_create() lands in their slice of the whole. The parent creates the whole when the first slice asks for
 * it, demands that all slices say the same of it, and commits it when all have succeeded.
 */

/** For tool_init(): `dims` is "DIM[=START:STOP[:STEP]][,DIM..]", `jobs` how many slices are worked on at a
 * time; enter() is called first in the processes of the slices. */
extern void looping_arm(const char *dims, long jobs, void (*enter)(void));

/** For the front command: whether a word before the command is an option of loops, -l, -p or their long
 * names; and of "-l DIMS -p N TOOL words" the words "TOOL --loop=DIMS --jobs=N words", NULL behind them
 * (malloc'd). */
extern bool looping_is_option(const char *word);
extern char **looping_words(int argc, char *argv[]);

/** Whether this is the process of a slice. */
extern bool looping_active(void);

/** How many processes share the machine: 1 outside of a loop. */
extern long looping_jobs(void);

/** The number, dim 0 fastest, that element i of this slice's output (the first it created) has in the whole;
 * i outside of a loop. What is drawn by it does not depend on how the work was cut. */
extern long looping_element(long i);

#endif
