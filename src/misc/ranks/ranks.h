#ifndef MISC_RANKS_RANKS_H
#define MISC_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Ranks are the processes of one command that mpirun or srun has started (doc/cluster.md).
 *
 * If a command sets `by_parts` in struct tool, every rank computes a part of the outputs. Rank 0 creates and
 * commits the outputs. For other commands and for streams, rank 0 does all of the work, and the other ranks
 * wait. Only rank 0 prints messages. Errors of other ranks name the rank.
 */

/** These functions return the number of ranks and the number of this rank. Without a launcher there is 1
 * rank. */
extern int ranks_count(void);
extern int ranks_rank(void);

/** Returns whether the ranks now compute parts of the outputs. All ranks must call the functions below in
 * the same order. */
extern bool ranks_shared(void);

/** Joins the other ranks if a launcher has started several processes. The function tool_init() calls
 * ranks_start() before any message. A missing MPI or a wrong number of ranks is a usage_error(). */
extern void ranks_start(void);

/** Starts the work after the command line has been read. If `by_parts` is true, the ranks share the work.
 * Otherwise rank 0 does all of the work. Ranks without work do not return. */
extern void ranks_choose(bool by_parts);

/** The function ranks_recipe() is called before a recipe, and ranks_line_end() after each line. All ranks
 * run every line. If the work of a line is not shared, every rank does all of the work. Rank 0 writes the
 * files. */
extern void ranks_recipe(void);
extern void ranks_line_end(void);

/** Stops sharing, as if `by_parts` were false. Call this function before the first output. */
extern void ranks_alone(void);

/** Waits until all ranks have called this function. */
extern void ranks_barrier(void);

/** Copies the data of rank 0 to every rank. */
extern void ranks_broadcast(void *data, size_t bytes);

/** Replaces the values in every rank by the sums over all ranks. */
extern void ranks_sum(long value[], int n);

/** Returns the decision of rank 0 in all ranks. Use this function if a decision depends on time or
 * randomness. */
extern bool ranks_decide(bool here);

/** Part of an array: `bytes` bytes from byte `first` on. */
struct ranks_run {
	size_t first, bytes;
};

/** Completes an array for which every rank has memory. Rank k has computed runs run[start[k]] to
 * run[start[k + 1] - 1]. After the call, every rank has the elements of all runs. Every rank passes the
 * same runs. Each rank sends and receives about as many bytes as the array has. */
extern void ranks_share(void *data, const struct ranks_run run[], const long start[]);

/** Exchanges parts of an array between ranks. To rank k, this rank sends runs `give[give_start[k]]` to
 * `give[give_start[k + 1] - 1]`. From rank k, this rank receives runs `take[take_start[k]]` to
 * `take[take_start[k + 1] - 1]`. Sent and received runs of two ranks must match. */
extern void ranks_exchange(void *data, const struct ranks_run give[], const long give_start[],
        const struct ranks_run take[], const long take_start[]);

/** These functions split the work of ranks_exchange() into two calls. Between the two calls, do not change
 * sent runs or use received runs. If the work is not shared, ranks_exchange_begin() returns NULL. */
struct ranks_transfer;
extern struct ranks_transfer *ranks_exchange_begin(void *data, const struct ranks_run give[],
        const long give_start[], const struct ranks_run take[], const long take_start[]);
extern void ranks_exchange_end(struct ranks_transfer *t);

/** Number of array bytes that this rank has sent, and number of exchanges. */
struct ranks_traffic {
	long bytes, exchanges;
};
extern struct ranks_traffic ranks_traffic(void);

/** Returns the number of ranks on this machine. The result is 1 if only rank 0 computes. */
extern int ranks_here(void);

/** These functions return the part [*first, *end) of n items that this rank or rank k computes. A part
 * consists of whole blocks of `block` items. Two ranks differ by at most one block. If the work is not
 * shared, the part is all items. */
extern void ranks_part(long n, long block, long *first, long *end);
extern void ranks_part_of(int k, long n, long block, long *first, long *end);

/** Returns the path of the module for an MPI (openmpi, mpich), or NULL if the module is missing. The caller
 * frees the path. The module is in `folder`, the folder of the commands, or in `folder`/../lib. */
extern char *ranks_module_path(const char *folder, const char *mpi);

/** Tells `gantry --ranks` that this rank creates temporary files in a folder ("" or a path that ends with /).
 * If the rank is killed, the launcher removes them. Does nothing for other launchers. */
extern void ranks_note_folder(const char *folder);

/** A process forked by a rank calls this function. The new process is not a rank. */
extern void ranks_forget(void);

#endif
