/** The launcher of this process, the module of its MPI, and the division of work. */

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/program.h"
#include "misc/progress.h"
#include "misc/ranks/launch.h"
#include "misc/ranks/module.h"
#include "misc/ranks/ranks.h"

struct launcher {
	const char *mpi; // NULL: none
	long ranks, rank;
};

static const struct ranks_module *module; // NULL: one process
static int rank, count = 1, neighbours = 1;
static bool shared, chosen, recipe, launched; // launched: by `gantry --ranks`
static struct ranks_traffic traffic;
static char place[32]; // "rank 3: "

static struct {
	double begun;  // of the work, by now() [s]
	double start;  // spent in starting MPI [s]
	double within; // spent in calls of MPI: sending, receiving and waiting [s]
} spent;

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

/** mpirun of Open MPI also sets the variables of PMIx, so its own come first. */
static struct launcher find_launcher(void)
{
	if (getenv("OMPI_COMM_WORLD_SIZE"))
		return (struct launcher){
		        "openmpi", number("OMPI_COMM_WORLD_SIZE"), number("OMPI_COMM_WORLD_RANK")};
	if (getenv("PMI_SIZE"))
		return (struct launcher){"mpich", number("PMI_SIZE"), number("PMI_RANK")};
	if (getenv("PMIX_RANK") && getenv("PMIX_NAMESPACE"))
		return (struct launcher){"openmpi", number("SLURM_NTASKS"), number("PMIX_RANK")};
	if (getenv("SLURM_STEP_ID") && number("SLURM_STEP_NUM_TASKS") > 1)
		usage_error("srun started %ld tasks without MPI support (use srun --mpi=pmix or "
		            "--mpi=pmi2)",
		        number("SLURM_STEP_NUM_TASKS"));
	return (struct launcher){NULL, 1, 0};
}

char *ranks_module_path(const char *folder, const char *mpi)
{
	static const char *const folders[] = {"", "/../lib"}; // of an installation, of a build

	for (int i = 0; i < 2; i++) {
		char *path = mem_printf("%s%s/mpi-%s.so", folder, folders[i], mpi);

		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

static void *open_module(const char *mpi)
{
	char *path = ranks_module_path(program_folder(), mpi);
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	free(path);
	return library;
}

/** So that programs which this rank starts do not take themselves for ranks. */
static void forget_launcher(void)
{
	static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "HYDI_", "MPI_LOCAL"};

	for (int i = 0; environ[i];) {
		char name[256];
		bool drop = false;

		snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
		for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++)
			drop = drop || !strncmp(name, prefixes[k], strlen(prefixes[k]));
		if (!drop || unsetenv(name))
			i++;
	}
}

/** The launcher reads what a rank writes from pipes or terminals, and may drop it once the ranks are ended.
 */
static void let_messages_pass(void)
{
	enum { NAPS = 50 };
	bool waiting = true;

	for (int i = 0; i < NAPS && waiting; i++) {
		nanosleep(&(const struct timespec){.tv_nsec = 10000000}, NULL);
		waiting = false;
		for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
			int left = 0;

			if (ioctl(fd, isatty(fd) ? TIOCOUTQ : FIONREAD, &left) == 0)
				waiting = waiting || left > 0;
		}
	}
}

void ranks_note_folder(const char *folder)
{
	if (launched && !strchr(folder, '\n'))
		dprintf(STDERR_FILENO, "%c%c%s\n", RANKS_NOTE, RANKS_NOTE_FOLDER, folder);
}

/** Ranks but the first give rank 0, which meets most errors as well, the time to say it. */
static void ranks_before_error(void)
{
	static bool waited;

	if (rank > 0 && !waited)
		nanosleep(&(const struct timespec){.tv_nsec = 500000000}, NULL);
	waited = true;
}

/** Numbers of a rank that rank 0 tells: bytes sent; times [us]. */
enum { SENT, START, ALL, WITHIN, PROCESSOR, NUMBERS };

/** [s] of processor time of this process. */
static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** What arrays have been sent: least and most of a rank, and all. */
static void tell_traffic(const long *numbers)
{
	long least = numbers[SENT], most = least, all = 0;

	for (int k = 0; k < count; k++) {
		const long sent = numbers[k * NUMBERS + SENT];

		all += sent;
		least = min_long(least, sent);
		most = max_long(most, sent);
	}
	verbose("%d ranks: %ld to %ld bytes sent by each, %ld in all, in %ld exchanges", count, least, most,
	        all, traffic.exchanges);
	for (int k = 0; k < count; k++)
		verbose("rank %d: %ld bytes sent", k, numbers[k * NUMBERS + SENT]);
}

/** Where the time of each rank went. */
static void tell_times(const long *numbers)
{
	for (int k = 0; k < count; k++) {
		const long *n = numbers + (long)k * NUMBERS;

		verbose("rank %d: %.3f s to start MPI, then %.3f s, of which %.3f s in MPI; %.3f s of "
		        "processor time",
		        k, 1e-6 * (double)n[START], 1e-6 * (double)n[ALL], 1e-6 * (double)n[WITHIN],
		        1e-6 * (double)n[PROCESSOR]);
	}
}

/** The ranks meet in a sum of their numbers, at the end of their work; not 0: failed. */
static int meet(const struct ranks_module *m)
{
	long *numbers = mem_calloc((size_t)count * NUMBERS, sizeof *numbers),
	     *own = numbers + (long)rank * NUMBERS;

	own[SENT] = traffic.bytes;
	own[START] = lround(1e6 * spent.start);
	own[ALL] = lround(1e6 * (now() - spent.begun));
	own[WITHIN] = lround(1e6 * spent.within);
	own[PROCESSOR] = lround(1e6 * processor_time());

	const int failed = m->sum(numbers, count * NUMBERS);

	if (!failed && traffic.exchanges > 0)
		tell_traffic(numbers);
	if (!failed)
		tell_times(numbers);
	free(numbers);

	return failed;
}

/** The end of this rank, before its process ends: with the others when status is 0, else ends them. */
static void ranks_end(int status)
{
	const struct ranks_module *m = module;

	if (!m)
		return;

	module = NULL; // once
	const bool alone = chosen && !shared && !recipe;
	if (status != EXIT_DONE) {
		ranks_before_error(); // most often all have met it
		if (launched)
			dprintf(STDERR_FILENO, "%s\n", error_mark);
		let_messages_pass();
	}
	if (!alone && status != EXIT_DONE)
		m->abort(status);
	else if (alone ? m->broadcast(&status, sizeof status) : shared ? meet(m) : m->barrier())
		m->abort(EXIT_FAILED);
	m->end();
}

/** Error messages become notes for the launcher. */
static void set_mark(long number)
{
	static char mark[32];

	snprintf(mark, sizeof mark, "%c%c%ld ", RANKS_NOTE, RANKS_NOTE_ERROR, number);
	error_mark = mark;
}

void ranks_start(void)
{
	const struct launcher launcher = find_launcher();

	if (module || launcher.ranks < 2)
		return;

	launched = getenv(RANKS_LAUNCHER);
	if (launched)
		set_mark(launcher.rank);

	void *library = open_module(launcher.mpi);
	ranks_module_fn *table = library ? (ranks_module_fn *)dlsym(library, RANKS_MODULE_SYMBOL) : NULL;

	if (!table)
		usage_error("%ld ranks were started by the launcher of %s, but this installation has no "
		            "module for that MPI (install MPI development files and build with MPI=1)",
		        launcher.ranks, launcher.mpi);

	const double begun = now();

	if (table()->start())
		error("MPI (%s) cannot be initialised", launcher.mpi);
	spent.begun = now();
	spent.start = spent.begun - begun;
	if (table()->count() != launcher.ranks) {
		const int seen = table()->count();

		table()->end();
		usage_error("the launcher started %ld ranks, but MPI (%s) sees %d: was mpirun of another "
		            "MPI used?",
		        launcher.ranks, launcher.mpi, seen);
	}

	module = table();
	before_error = ranks_before_error;
	before_end = ranks_end;
	forget_launcher();
	rank = module->rank();
	count = module->count();
	if (rank > 0) {
		snprintf(place, sizeof place, "rank %d: ", rank);
		log_place = place;
	}
}

/** The ranks that wait while rank 0 works. */
static _Noreturn void follow(void)
{
	int status = EXIT_FAILED;

	if (module->broadcast(&status, sizeof status))
		status = EXIT_FAILED;
	module->end();
	_exit(status);
}

void ranks_recipe(void)
{
	recipe = shared;
}

void ranks_line_end(void)
{
	if (recipe && module->barrier())
		error("MPI: a rank cannot be reached");
	shared = recipe;
}

void ranks_choose(bool by_parts)
{
	if (recipe)
		shared = shared && by_parts;
	if (!module || chosen)
		return;

	chosen = true;
	shared = by_parts;
	if (rank > 0 && !shared)
		follow();
	if (shared)
		neighbours = module->neighbours();
	if (rank > 0 && !freopen("/dev/null", "w", stdout)) // rank 0 talks
		error("/dev/null cannot be opened");
}

void ranks_alone(void)
{
	if (!shared)
		return;

	shared = false;
	if (rank > 0 && !recipe)
		follow();
}

int ranks_count(void)
{
	return count;
}

int ranks_rank(void)
{
	return rank;
}

bool ranks_shared(void)
{
	return shared;
}

/** The end of a call of MPI that began at `begun`. */
static void check(int failed, double begun)
{
	if (failed)
		error("MPI: a rank cannot be reached");

	spent.within += now() - begun;
}

void ranks_barrier(void)
{
	const double begun = now();

	if (shared)
		check(module->barrier(), begun);
}

void ranks_broadcast(void *data, size_t bytes)
{
	const size_t most = 1u << 30;

	for (size_t at = 0; shared && at < bytes; at += most) {
		const double begun = now();

		check(module->broadcast((char *)data + at, bytes - at < most ? bytes - at : most), begun);
	}
}

void ranks_sum(long value[], int n)
{
	const double begun = now();

	if (shared)
		check(module->sum(value, n), begun);
}

bool ranks_decide(bool here)
{
	char yes = here;

	ranks_broadcast(&yes, sizeof yes);
	return yes;
}

/** Of runs [from, to). */
static long bytes_of(const struct ranks_run run[], long from, long to)
{
	long bytes = 0;

	for (long i = from; i < to; i++)
		bytes += (long)run[i].bytes;
	return bytes;
}

void ranks_share(void *data, const struct ranks_run run[], const long start[])
{
	if (!shared)
		return;

	const double begun = now();

	check(module->share(data, run, start), begun);
	traffic.bytes += bytes_of(run, 0, start[count]); // all but the part that comes last, the next rank's
	traffic.bytes -= bytes_of(run, start[(rank + 1) % count], start[(rank + 1) % count + 1]);
	traffic.exchanges++;
}

struct ranks_transfer *ranks_exchange_begin(void *data, const struct ranks_run give[],
        const long give_start[], const struct ranks_run take[], const long take_start[])
{
	if (!shared)
		return NULL;

	const double begun = now();
	struct ranks_transfer *t = module->begin(data, give, give_start, take, take_start);

	check(NULL == t, begun);
	traffic.bytes += bytes_of(give, 0, give_start[count]);
	traffic.exchanges++;
	return t;
}

void ranks_exchange_end(struct ranks_transfer *t)
{
	const double begun = now();

	if (t)
		check(module->finish(t), begun);
}

void ranks_exchange(void *data, const struct ranks_run give[], const long give_start[],
        const struct ranks_run take[], const long take_start[])
{
	ranks_exchange_end(ranks_exchange_begin(data, give, give_start, take, take_start));
}

struct ranks_traffic ranks_traffic(void)
{
	return traffic;
}

int ranks_here(void)
{
	return (shared || recipe) ? neighbours : 1;
}

void ranks_part_of(int k, long n, long block, long *first, long *end)
{
	const long blocks = (n + block - 1) / block, parts = shared ? count : 1;

	*first = min_long(n, blocks / parts * block * k + min_long(k, blocks % parts) * block);
	*end = min_long(n, *first + (blocks / parts + (k < blocks % parts)) * block);
}

void ranks_part(long n, long block, long *first, long *end)
{
	ranks_part_of(shared ? rank : 0, n, block, first, end);
}

void ranks_forget(void)
{
	module = NULL;
	shared = launched = false;
	error_mark = "";
	rank = 0;
	count = 1;
}
