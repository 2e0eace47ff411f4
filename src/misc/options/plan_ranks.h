#ifndef MISC_OPTIONS_PLAN_RANKS_H
#define MISC_OPTIONS_PLAN_RANKS_H

#include <stdbool.h>

/**
 * `gantry plan [--ranks N [--node-gpus G] [--network BYTES/s:LATENCY]] COMMAND ..`: `gantry` reads these
 * options and starts COMMAND with --plan. COMMAND gets their values from plan_ranks().
 */
struct plan_ranks {
	long ranks;              // 0: the plan is that of one process
	long gpus;               // of a node, one for each rank; 0: ranks compute on processors
	double network, latency; // of a rank [bytes/s, s]; 0: not given
};

/** Reads the options that follow "plan" and stores their values for the command. Returns the command's words,
 * with --plan as the first option. usage_error() for bad options. */
extern char **plan_ranks_words(int argc, char *argv[]);

/** The stored values. */
extern struct plan_ranks plan_ranks(void);

/** What the plan of a command says about a rank. */
struct plan_of_rank {
	double share;          // of the time of one process
	double seconds;        // of the command, if they do not depend on this machine; else 0
	double bytes, allowed; // private memory that a rank needs and may use
};

/** Must be called before the outputs are created; without effect if the plan is that of one process. */
extern void plan_ranks_set(const struct plan_of_rank *r);

/** Sets the plan of a command whose work consists of `all` equal parts, without communication between ranks.
 * Each rank needs the private memory given to tool_needs(). */
extern void plan_ranks_parts(long all);

/** The speed of a rank relative to one process: less than 1 if ranks share the processors of this machine. */
extern double plan_ranks_speed(void);

/** The private memory that each rank of this plan may use, if ranks compute on processors [bytes]. */
extern double plan_ranks_memory(void);

/** usage_error() if the user gave `--ranks` and the command has not called plan_ranks_set(). */
extern void plan_ranks_expect(void);

/** Prints memory and time of a rank, if the user gave `--ranks`. `seconds` is the time of one process [s], or
 * <= 0 if unknown. */
extern void plan_ranks_print(double seconds);

#endif
