#ifndef MISC_RANKS_MODULE_H
#define MISC_RANKS_MODULE_H

#include <stddef.h>

/**
 * The modules mpi-openmpi.so and mpi-mpich.so contain all calls of MPI. A module is opened at run time,
 * and no other file is linked with MPI. The source is misc/ranks/mpi/module.c. Functions of type int
 * return -1 if MPI reports an error.
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
	int (*sum)(long *value, int n);             // every rank gets the sums over all ranks
	int (*share)(void *data, const struct ranks_run *run, const long *start); // ranks_share()
	struct ranks_transfer *(*begin)(void *data, const struct ranks_run *give, const long *give_start,
	        const struct ranks_run *take, const long *take_start); // ranks_exchange_begin(), or NULL
	int (*finish)(struct ranks_transfer *t);                       // ranks_exchange_end()
	int (*neighbours)(void); // number of ranks on this machine; every rank calls it
};

/** Type of the function RANKS_MODULE_SYMBOL, the only symbol that a module exports. */
typedef const struct ranks_module *ranks_module_fn(void);
#define RANKS_MODULE_SYMBOL "gantry_ranks_module"

#endif
