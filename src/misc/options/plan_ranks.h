#ifndef MISC_OPTIONS_PLAN_RANKS_H
#define MISC_OPTIONS_PLAN_RANKS_H

#include <stdbool.h>

/**
 * The command `gantry plan` predicts memory and time of another command:
 *
 *   gantry plan [--ranks N [--node-gpus G] [--network BYTES/s:LATENCY]] COMMAND ..
 *
 * The program `gantry` starts COMMAND with --plan. COMMAND reads the options with plan_ranks().
 */
struct plan_ranks {
	long ranks;              // number of ranks; 0 means one process
	long gpus;               // GPUs of a node, one for each rank; 0 means that ranks use CPUs
	double network, latency; // of each rank [bytes/s, s]; 0 means not given
};

/** Reads and stores the options after "plan". Returns the words of the command with --plan inserted. Bad
 * options are a usage_error(). */
extern char **plan_ranks_words(int argc, char *argv[]);

/** Returns the stored values. */
extern struct plan_ranks plan_ranks(void);

/** Predicted cost of one rank. */
struct plan_of_rank {
	double share;          // fraction of the time of one process
	double seconds;        // time of the command, or 0 if the time depends on this machine
	double bytes, allowed; // private memory that a rank needs and may use [bytes]
};

/** Sets the plan of one rank. Call this function before the outputs are created. */
extern void plan_ranks_set(const struct plan_of_rank *r);

/** Sets the plan of a command that divides `all` equal parts among the ranks. The ranks do not communicate.
 * Each rank needs the private memory given to tool_needs(). */
extern void plan_ranks_parts(long all);

/** Returns the speed of a rank relative to one process. A speed below 1 means that ranks compete for
 * processors. */
extern double plan_ranks_speed(void);

/** Returns the private memory [bytes] that each rank may use if ranks compute on CPUs. */
extern double plan_ranks_memory(void);

/** Calls usage_error() if the user gave `--ranks` but the command has not called plan_ranks_set(). */
extern void plan_ranks_expect(void);

/** Prints memory and time of a rank if the user gave `--ranks`. `seconds` is the time of one process. If
 * `seconds` <= 0, the time is unknown. */
extern void plan_ranks_print(double seconds);

#endif
