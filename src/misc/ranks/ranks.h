#ifndef MISC_RANKS_RANKS_H
#define MISC_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Ranks: several processes of one command that mpirun or srun has started (doc/cluster.md). MPI is opened at
 * run time, only if needed.
 *
 * A command with .by_parts in its table runs on all ranks: each rank computes its part of the outputs, and
 * rank 0 creates and commits the outputs. For all other commands, and if an array is a stream, rank 0 does
 * all of the work while the other ranks wait. Only rank 0 writes messages; error messages of other ranks name
 * the rank.
 */

/** Number of ranks of this command (1 without a launcher), and the number of this rank. */
extern int ranks_count(void);
extern int ranks_rank(void);

/** Whether this command now computes its outputs in parts; its ranks then call the functions below in the
 * same order. */
extern bool ranks_shared(void);

/** Joins the other ranks if a launcher has started several processes; else returns at once. Called by
 * tool_init() before any message. usage_error() if the launcher's MPI is missing or sees another number of
 * ranks.
 */
extern void ranks_start(void);

/** Called when the command line is parsed. With `by_parts` the ranks share the work, else rank 0 does all of
 * it. Ranks without work do not return. */
extern void ranks_choose(bool by_parts);

/** Called before the lines of a recipe: all ranks run every line. If the work of a line is not shared, every
 * rank does all of the work, and rank 0 writes the files. Call ranks_line_end() after each line. */
extern void ranks_recipe(void);
extern void ranks_line_end(void);

/** Stops sharing: rank 0 does all of the work, as for a command without .by_parts. Must be called before the
 * first output. */
extern void ranks_alone(void);

/** Waits until all ranks have called this function. */
extern void ranks_barrier(void);

/** Copies the data of rank 0 to every rank. */
extern void ranks_broadcast(void *data, size_t bytes);

/** Replaces the values by the sums over all ranks, in every rank. */
extern void ranks_sum(long value[], int n);

/** Returns the decision of rank 0 in all ranks: for decisions that depend on time or randomness. */
extern bool ranks_decide(bool here);

/** A run of elements of an array: `bytes` bytes from byte `first` on. */
struct ranks_run {
	size_t first, bytes;
};

/** Completes an array for which every rank has memory. Rank k has computed run[start[k]] .. run[start[k + 1]
 * - 1]; afterwards every rank has the elements of all runs. Every rank passes all runs. Parts are passed on
 * from rank to rank: each rank sends and receives about as many bytes as the array has. */
extern void ranks_share(void *data, const struct ranks_run run[], const long start[]);

/** Exchanges parts of an array between ranks. For each other rank k, sends runs give[give_start[k]] to
 * give[give_start[k + 1] - 1] and receives runs take[take_start[k]] to take[take_start[k + 1] - 1]. The runs
 * that rank k sends to this rank must match the runs that this rank takes from rank k. */
extern void ranks_exchange(void *data, const struct ranks_run give[], const long give_start[],
        const struct ranks_run take[], const long take_start[]);

/** ranks_exchange() in two calls, between which the rank may compute. Until ranks_exchange_end(), the runs
 * that are sent must not change and the runs that are received must not be used. Returns NULL if the work is
 * not shared. */
struct ranks_transfer;
extern struct ranks_transfer *ranks_exchange_begin(void *data, const struct ranks_run give[],
        const long give_start[], const struct ranks_run take[], const long take_start[]);
extern void ranks_exchange_end(struct ranks_transfer *t);

/** The number of bytes of arrays that this rank has sent, and the number of exchanges. */
struct ranks_traffic {
	long bytes, exchanges;
};
extern struct ranks_traffic ranks_traffic(void);

/** Number of ranks of this command that run on this machine and share its memory; 1 if the work is not
 * shared. */
extern int ranks_here(void);

/** The part [*first, *end) of n items for this rank, or for rank k. The items are divided into blocks of
 * `block` items. The numbers of blocks of any two ranks differ by at most one. If the work is not shared, the
 * part is all items. */
extern void ranks_part(long n, long block, long *first, long *end);
extern void ranks_part_of(int k, long n, long block, long *first, long *end);

/** The path (malloc'd) of the module for an MPI (openmpi, mpich), or NULL if it was not built. The module is
 * in the folder of the commands, `folder`, or in `folder`/../lib. */
extern char *ranks_module_path(const char *folder, const char *mpi);

/** Called in a process forked by a rank, which is then no longer a rank. */
extern void ranks_forget(void);

#endif
