#ifndef MISC_RANKS_RANKS_H
#define MISC_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Ranks: several processes of one command that mpirun or srun has started (doc/cluster.md). MPI is opened at
 * run time, only if needed.
 *
 * A command whose table says .by_parts runs on all ranks: each computes its part of the outputs, and rank 0
 * creates and commits them. For all other commands, and if an array is a stream, rank 0 does all of the work
 * while the others wait for its end. Only rank 0 writes messages; errors of another rank name it.
 */

/** Ranks of this command, 1 without a launcher; number of this one. */
extern int ranks_count(void);
extern int ranks_rank(void);

/** Whether this command now computes its outputs in parts; its ranks then call the functions below in the
 * same order. */
extern bool ranks_shared(void);

/** Joins the other ranks if a launcher has started several; else returns at once. Called by tool_init()
 * before any message. usage_error() if the launcher's MPI is missing or sees another number of ranks.
 */
extern void ranks_start(void);

/** After the command line: shared work, or all of it by rank 0; ranks without work do not return. */
extern void ranks_choose(bool by_parts);

/** The commands that follow are lines of a recipe, which all ranks run: those that are not shared are done by
 * each of them, and rank 0 writes their files. Behind each line ranks_line_end(). */
extern void ranks_recipe(void);
extern void ranks_line_end(void);

/** The requested work is not shared after all: as without .by_parts. Call it before the first output.
 */
extern void ranks_alone(void);

/** Waits until all ranks have called it. */
extern void ranks_barrier(void);

/** data of rank 0 in every rank. */
extern void ranks_broadcast(void *data, size_t bytes);

/** Sums of all ranks in every rank. */
extern void ranks_sum(long value[], int n);

/** A decision of rank 0 for all ranks: where time or randomness is involved. */
extern bool ranks_decide(bool here);

/** Elements of an array, `bytes` from byte `first` on. */
struct ranks_run {
	size_t first, bytes;
};

/** An array that all ranks hold, of which rank k has computed run[start[k]] .. run[start[k + 1] - 1]:
 * afterwards all ranks have all of these. Every rank knows all runs. Parts are passed from rank to rank, so
 * that each sends and receives an array's bytes once, except its own. */
extern void ranks_share(void *data, const struct ranks_run run[], const long start[]);

/** Of an array that every rank holds, or holds parts of: sends run give[give_start[k]] .. to each other rank
 * k, and receives take[take_start[k]] .. from it. What a rank gives to another is what that takes from it. */
extern void ranks_exchange(void *data, const struct ranks_run give[], const long give_start[],
        const struct ranks_run take[], const long take_start[]);

/** Bytes of arrays that this rank has sent, and in how many exchanges. */
struct ranks_traffic {
	long bytes, exchanges;
};
extern struct ranks_traffic ranks_traffic(void);

/** Ranks of this command that share the memory of this machine, 1 if the work is not shared. */
extern int ranks_here(void);

/** The part [*first, *end) of this rank, and of rank k, of n items in blocks: the numbers of blocks of ranks
 * differ by at most one. All items if the command is not shared. */
extern void ranks_part(long n, long block, long *first, long *end);
extern void ranks_part_of(int k, long n, long block, long *first, long *end);

/** The file of the module for an MPI (openmpi, mpich), for commands in that folder; malloc'd, NULL: not
 * built. */
extern char *ranks_module_path(const char *folder, const char *mpi);

/** In a process forked by a rank: it is not a rank. */
extern void ranks_forget(void);

#endif
