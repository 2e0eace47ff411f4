#ifndef MISC_RANKS_MODULE_H
#define MISC_RANKS_MODULE_H

#include <stddef.h>

/**
 * The functions of a module, mpi-openmpi.so or mpi-mpich.so: one source (misc/ranks/mpi/module.c), compiled
 * with the compiler of each MPI. The module is opened at run time, so that no other file is linked with MPI.
 * Functions that return int return 0, or -1 when MPI reports an error. A function that waits for other ranks
 * sleeps between its tests, since there may be more ranks than processors.
 */
struct ranks_run;
struct ranks_transfer;

struct ranks_module {
	int (*start)(void);        // MPI_Init
	void (*end)(void);         // MPI_Finalize; every rank calls it
	void (*abort)(int status); // ends all ranks
	int (*rank)(void);
	int (*count)(void);
	int (*barrier)(void);
	int (*broadcast)(void *data, size_t bytes); // from rank 0; at most 2 GiB
	int (*sum)(long *value, int n);             // of all ranks, into each
	int (*share)(void *data, const struct ranks_run *run, const long *start); // ranks_share()
	struct ranks_transfer *(*begin)(void *data, const struct ranks_run *give, const long *give_start,
	        const struct ranks_run *take, const long *take_start); // ranks_exchange_begin(); NULL: error
	int (*finish)(struct ranks_transfer *t);                       // ranks_exchange_end()
	int (*neighbours)(void); // ranks on this machine, with this one; every rank calls it
};

/** Type of the function RANKS_MODULE_SYMBOL, the only symbol that a module exports. */
typedef const struct ranks_module *ranks_module_fn(void);
#define RANKS_MODULE_SYMBOL "gantry_ranks_module"

#endif
