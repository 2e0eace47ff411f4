#ifndef MISC_RANKS_RANKS_H
#define MISC_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Ranks: several processes of one command that mpirun or srun has started (doc/cluster.md). MPI is opened at
 * run time, and only then.
 *
 * A command whose table says .by_parts runs on all ranks: each computes its part of the outputs, and rank 0
 * creates and commits them. Of all other commands, and where an array is a stream, rank 0 does all of the
 * work while the others wait for its end. Rank 0 alone writes messages; errors of another rank name it.
 */

/** Ranks of this command, 1 without a launcher; number of this one. */
extern int ranks_count(void);
extern int ranks_rank(void);

/** Whether this command computes its outputs in parts now; its ranks then call the functions below in the
 * same order. */
extern bool ranks_shared(void);

/** Joins the other ranks when a launcher has started several; else returns at once. Called by tool_init()
 * before anything is said. usage_error() where the launcher's MPI is missing or sees another number of ranks.
 */
extern void ranks_start(void);

/** Behind the command line: shared, or all of it by rank 0; ranks that have nothing to do do not return. */
extern void ranks_choose(bool by_parts);

/** Until all ranks have come here. */
extern void ranks_barrier(void);

/** data of rank 0 in every rank. */
extern void ranks_broadcast(void *data, size_t bytes);

/** Sums of all ranks in every rank. */
extern void ranks_sum(long value[], int n);

/** The part [*first, *end) of this rank of n things in blocks: ranks have the same number of blocks, but for
 * one. All of them when the command is not shared. */
extern void ranks_part(long n, long block, long *first, long *end);

/** The end of this rank, before its process ends: with the others when status is 0, else ends them. */
extern void ranks_end(int status);

/** The file of the module for an MPI (openmpi, mpich), for commands in that folder; malloc'd, NULL: not
 * built. */
extern char *ranks_module_path(const char *folder, const char *mpi);

/** In a process that a rank has forked: it is none. */
extern void ranks_forget(void);

/** Called before the message of an error is written: ranks but the first give rank 0, which meets most errors
 * as well, the time to say it. */
extern void ranks_before_error(void);

#endif
