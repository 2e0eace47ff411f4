/** The module of one MPI: compiled by mpicc.openmpi and by mpicc.mpich. */

#include <time.h>

#include <mpi.h>

#include "misc/ranks/module.h"

extern const struct ranks_module *gantry_ranks_module(void);

static int module_start(void)
{
	int level;

	if (MPI_SUCCESS != MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) ||
	        level < MPI_THREAD_FUNNELED)
		return -1;

	return (MPI_SUCCESS == MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)) ? 0 : -1;
}

static void module_end(void)
{
	MPI_Finalize();
}

static void module_abort(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
}

static int module_rank(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

static int module_count(void)
{
	int count;

	MPI_Comm_size(MPI_COMM_WORLD, &count);
	return count;
}

/** Waits with naps that grow to 5 ms: a rank that waits for another leaves it the processor. */
static int finish(int begun, MPI_Request *request)
{
	const long spins = 20, shortest = 50000, longest = 5000000; // [ns]
	long nap = shortest;
	int done = 0;

	if (MPI_SUCCESS != begun)
		return -1;

	for (long k = 0; !done; k++) {
		if (MPI_SUCCESS != MPI_Test(request, &done, MPI_STATUS_IGNORE))
			return -1;

		if (done || k < spins)
			continue;

		nanosleep(&(const struct timespec){.tv_nsec = nap}, NULL);
		nap = (nap < longest / 2) ? nap + nap / 8 : longest;
	}

	return 0;
}

static int module_barrier(void)
{
	MPI_Request request;

	return finish(MPI_Ibarrier(MPI_COMM_WORLD, &request), &request);
}

static int module_broadcast(void *data, size_t bytes)
{
	MPI_Request request;

	return finish(MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request), &request);
}

static int module_sum(long *value, int n)
{
	MPI_Request request;

	return finish(MPI_Iallreduce(MPI_IN_PLACE, value, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request),
	        &request);
}

const struct ranks_module *gantry_ranks_module(void)
{
	static const struct ranks_module module = {.start = module_start,
	        .end = module_end,
	        .abort = module_abort,
	        .rank = module_rank,
	        .count = module_count,
	        .barrier = module_barrier,
	        .broadcast = module_broadcast,
	        .sum = module_sum};

	return &module;
}
