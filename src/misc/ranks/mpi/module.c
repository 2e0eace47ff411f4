/** The module of one MPI: compiled by mpicc.openmpi and by mpicc.mpich. */

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <mpi.h>

#include "misc/ranks/module.h"
#include "misc/ranks/ranks.h"

extern const struct ranks_module *gantry_ranks_module(void);

static bool all_here(void)
{
	static const char *const names[][2] = {{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
	        {"MPI_LOCALNRANKS", "PMI_SIZE"}}; // of Open MPI, of MPICH

	for (int i = 0; i < 2; i++) {
		const char *here = getenv(names[i][0]), *all = getenv(names[i][1]);

		if (here && all)
			return !strcmp(here, all);
	}
	return false;
}

/** MPI_Init(). If all ranks are on this machine, Open MPI and UCX (of MPICH) need not look for networks, nor
 * hwloc (of both) for devices with its plugins, which load the libraries of X11 and OpenCL. This saves 0.2 s
 * with Open MPI and 0.02 s with MPICH. Programs that this rank starts do not get these settings. */
static int initialise(void)
{
	static const char *const settings[][2] = {{"OMPI_MCA_pml", "ob1"}, {"UCX_TLS", "self,sm"},
	        {"HWLOC_PLUGINS_PATH", "/dev/null"}, {"HWLOC_COMPONENTS", "-linuxio"}};
	enum { SETTINGS = sizeof settings / sizeof settings[0] };
	bool set[SETTINGS];
	int level;

	for (int i = 0; i < SETTINGS; i++) {
		set[i] = all_here() && !getenv(settings[i][0]);
		if (set[i])
			setenv(settings[i][0], settings[i][1], 1);
	}

	const int failed = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);

	for (int i = 0; i < SETTINGS; i++)
		if (set[i])
			unsetenv(settings[i][0]);

	return (MPI_SUCCESS == failed && level >= MPI_THREAD_FUNNELED) ? 0 : -1;
}

/** Open MPI sends short messages to its launcher. By default, the kernel delays those of MPI_Finalize by
 * 40 ms. */
static void send_at_once(void)
{
	const int descriptors = 256, on = 1;

	for (int fd = 0; fd < descriptors; fd++)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // fails if fd is not for TCP
}

static int module_start(void)
{
	if (initialise())
		return -1;

	send_at_once();
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

/** The runs of a rank as one MPI type; pieces, whose lengths are int. */
static int type_of(const struct ranks_run *run, long n, MPI_Datatype *type)
{
	const size_t most = 1u << 30;
	size_t pieces = 0, at = 0;

	for (long i = 0; i < n; i++)
		pieces += (run[i].bytes + most - 1) / most;

	int *length = malloc((pieces + 1) * sizeof *length);
	MPI_Aint *place = malloc((pieces + 1) * sizeof *place);

	if (!length || !place || pieces > INT_MAX) {
		free(length);
		free(place);
		return -1;
	}

	for (long i = 0; i < n; i++)
		for (size_t done = 0; done < run[i].bytes; done += most, at++) {
			const size_t left = run[i].bytes - done;

			place[at] = (MPI_Aint)(run[i].first + done);
			length[at] = (int)(left < most ? left : most);
		}

	int failed = MPI_SUCCESS != MPI_Type_create_hindexed((int)pieces, length, place, MPI_BYTE, type) ||
	             MPI_SUCCESS != MPI_Type_commit(type);

	free(length);
	free(place);
	return failed ? -1 : 0;
}

/** All directions of a step. Data move while they are asked for: naps stay short. */
static int finish_all(int n, MPI_Request request[])
{
	const long spins = 200, shortest = 20000, longest = 200000; // [ns]
	MPI_Status *status = malloc((size_t)n * sizeof *status);
	long nap = shortest;
	int done = 0, failed = NULL == status;

	for (long k = 0; !done && !failed; k++) {
		failed = MPI_SUCCESS != MPI_Testall(n, request, &done, status);

		if (done || k < spins)
			continue;

		nanosleep(&(const struct timespec){.tv_nsec = nap}, NULL);
		nap += (nap < longest) ? nap / 16 : 0;
	}

	free(status);

	return failed ? -1 : 0;
}

/** Long naps while a rank is late, short ones while data move. In step s a rank sends the part of the s-th
 * rank before it to the next, and gets that of one further. */
static int module_share(void *data, const struct ranks_run *run, const long *start)
{
	const int ranks = module_count(), me = module_rank(), next = (me + 1) % ranks,
	          before = (me + ranks - 1) % ranks, tag = 1;
	int failed = module_barrier();

	for (int s = 0; s + 1 < ranks && !failed; s++) {
		const int out = (me - s + ranks) % ranks, in = (me - s - 1 + ranks) % ranks;
		MPI_Datatype give, take;
		MPI_Request request[2];

		if (type_of(run + start[out], start[out + 1] - start[out], &give) ||
		        type_of(run + start[in], start[in + 1] - start[in], &take))
			return -1;

		failed = MPI_SUCCESS != MPI_Irecv(data, 1, take, before, tag, MPI_COMM_WORLD, request) ||
		         MPI_SUCCESS != MPI_Isend(data, 1, give, next, tag, MPI_COMM_WORLD, request + 1) ||
		         finish_all(2, request);
		MPI_Type_free(&give);
		MPI_Type_free(&take);
	}

	return failed ? -1 : 0;
}

/** Messages for n runs: one for each where the runs are long, since MPI copies contiguous data directly; else
 * one for all. Both sides count the same. */
static long messages(const struct ranks_run *run, long n)
{
	const size_t longer = 32 << 10;
	size_t all = 0;

	for (long i = 0; i < n; i++)
		all += run[i].bytes;

	return (n > 1 && all / (size_t)n < longer) ? 1 : n;
}

/** Begins to send (or receive) n runs as one message. */
static int begin_message(
        void *data, const struct ranks_run *run, long n, int other, bool send, MPI_Request *request)
{
	const int tag = 2;
	MPI_Datatype type;

	if (type_of(run, n, &type))
		return -1;

	const int failed =
	        MPI_SUCCESS != (send ? MPI_Isend(data, 1, type, other, tag, MPI_COMM_WORLD, request)
	                             : MPI_Irecv(data, 1, type, other, tag, MPI_COMM_WORLD, request));

	MPI_Type_free(&type);
	return failed ? -1 : 0;
}

struct ranks_transfer {
	int n;
	MPI_Request request[];
};

/** Begins to send (or receive) the n runs for one other rank. */
static int begin_runs(
        struct ranks_transfer *t, void *data, const struct ranks_run *run, long n, int other, bool send)
{
	const long parts = messages(run, n), each = parts > 0 ? n / parts : 0;

	for (long i = 0; i < parts; i++)
		if (begin_message(data, run + i * each, each, other, send, &t->request[t->n++]))
			return -1;

	return 0;
}

static struct ranks_transfer *module_begin(void *data, const struct ranks_run *give, const long *give_start,
        const struct ranks_run *take, const long *take_start)
{
	const int ranks = module_count();
	const size_t most = (size_t)(give_start[ranks] + take_start[ranks]);
	struct ranks_transfer *t = malloc(sizeof *t + most * sizeof *t->request);
	int failed = NULL == t || most > INT_MAX;

	if (!failed)
		t->n = 0;

	for (int k = 0; k < ranks && !failed; k++)
		failed =
		        begin_runs(
		                t, data, take + take_start[k], take_start[k + 1] - take_start[k], k, false) ||
		        begin_runs(t, data, give + give_start[k], give_start[k + 1] - give_start[k], k, true);

	if (failed)
		free(t);

	return failed ? NULL : t;
}

static int module_finish(struct ranks_transfer *t)
{
	const int failed = finish_all(t->n, t->request);

	free(t);
	return failed;
}

static int module_neighbours(void)
{
	MPI_Comm here;
	int n = 1;

	if (MPI_SUCCESS != MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here))
		return 1;

	MPI_Comm_size(here, &n);
	MPI_Comm_free(&here);
	return n;
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
	        .sum = module_sum,
	        .share = module_share,
	        .begin = module_begin,
	        .finish = module_finish,
	        .neighbours = module_neighbours};

	return &module;
}
