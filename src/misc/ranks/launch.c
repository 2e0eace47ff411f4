/** Starts mpirun, forwards the output of the ranks, and translates their exit statuses. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/ranks/launch.h"
#include "misc/ranks/ranks.h"

static const char *const mpis[] = {"openmpi", "mpich"};
enum { MPIS = sizeof mpis / sizeof mpis[0] };

static volatile pid_t launched; // mpirun, for the signals handed on to it
static volatile sig_atomic_t handed_on;

static bool has_module(const char *folder, const char *mpi)
{
	char *path = ranks_module_path(folder, mpi);
	const bool found = path;

	free(path);
	return found;
}

/** The program on PATH; malloc'd, or NULL. */
static char *find_program(const char *name)
{
	char *all = mem_strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin"), *rest = all, *part;

	while ((part = strsep(&rest, ":"))) {
		char *path = mem_printf("%s/%s", *part ? part : ".", name);

		if (!access(path, X_OK)) {
			free(all);
			return path;
		}
		free(path);
	}
	free(all);
	return NULL;
}

static char *find_launcher(const char *folder, const char **mpi)
{
	const char *wanted = getenv("GANTRY_MPI");
	bool any = false;

	for (int i = 0; i < MPIS; i++) {
		char *name = mem_printf("mpirun.%s", mpis[i]), *path = NULL;

		if ((!wanted || !*wanted || !strcmp(wanted, mpis[i])) && has_module(folder, mpis[i])) {
			any = true;
			path = find_program(name);
		}
		free(name);
		*mpi = mpis[i];
		if (path)
			return path;
	}
	if (any)
		error("--ranks: mpirun.openmpi and mpirun.mpich not found (Debian: openmpi-bin, mpich)");
	if (wanted && *wanted)
		error("GANTRY_MPI: this installation has no module for '%s' (valid: openmpi or mpich, if "
		      "built with it)",
		        wanted);
	error("--ranks: this installation has no MPI module (install libopenmpi-dev or libmpich-dev "
	      "and build with MPI=1)");
}

/** Settings of Open MPI by its environment variables: more ranks than processors, which then yield while they
 * wait. */
static void prepare_environment(void)
{
	setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
	setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0); // processes of --loop call no MPI
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	setenv("OMP_WAIT_POLICY", "passive", 0);
}

/** Whether a line is the launcher's: its banners are blocks between lines of dashes (Open MPI) or begin with
 * = (MPICH). */
static bool is_banner(const char *line, bool *inside)
{
	static const char *const starts[] = {"===", "=  ", "YOUR APPLICATION TERMINATED",
	        "This typically refers to a problem", "Please see the FAQ", "Abort(",
	        "application called MPI_Abort", "[proxy:", "[mpiexec@", "mpirun", "Authorization"};

	if (!strncmp(line, "----------", 10)) {
		*inside = !*inside;
		return true;
	}
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
		if (!strncmp(line, starts[i], strlen(starts[i])))
			return true;
	return *inside || (line[0] == '[' && strchr(line, ':') && strchr(line, ']')); // [host:process] ..
}

/** Passes lines on; returns whether there was one. */
static bool pass_messages(int fd)
{
	FILE *said = fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	bool inside = false, any = false;

	while (said && getline(&line, &room, said) >= 0) {
		if (is_banner(line, &inside) || !strcmp(line, "\n"))
			continue;
		fputs(line, stderr);
		any = true;
	}
	free(line);
	if (said)
		fclose(said);
	return any;
}

/** Passes standard output on, up to the banner that MPICH prints there about a rank that was killed. */
static void *pass_output(void *ctx)
{
	static const char banner[] = "\n====================================";
	FILE *from = fdopen(*(int *)ctx, "r");
	char *line = NULL;
	size_t room = 0;
	bool empty = false, ended = false; // an empty line waits for the next

	for (ssize_t n; from && (n = getline(&line, &room, from)) >= 0;) {
		ended = ended || (empty && !strncmp(line, banner + 1, strlen(banner + 1)));
		if (empty && !ended)
			putchar('\n');
		empty = n == 1 && line[0] == '\n';
		if (!ended && !empty)
			fwrite(line, 1, (size_t)n, stdout);
		if (!ended && fflush(stdout))
			break;
	}
	if (empty && !ended)
		putchar('\n');
	fflush(stdout);
	free(line);
	if (from)
		fclose(from);
	return NULL;
}

static void hand_on(int number)
{
	handed_on = number;
	if (launched > 0)
		kill(launched, number);
}

static void hand_signals_on(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		sigaction(numbers[i],
		        &(const struct sigaction){.sa_handler = hand_on, .sa_flags = SA_RESTART}, NULL);
}

int ranks_launch(long n, char *const words[], const char *folder)
{
	const char *mpi;
	int pipe_ends[2], output[2], status, count = 0;
	pthread_t passing;

	if (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK"))
		usage_error("--ranks: this process is already a rank, started by mpirun or srun");

	char *launcher = find_launcher(folder, &mpi), *number = mem_printf("%ld", n);

	while (words[count])
		count++;

	char **all = mem_calloc((size_t)count + 4, sizeof *all);

	all[0] = launcher;
	all[1] = mem_strdup("-n");
	all[2] = number;
	memcpy(all + 3, words, (size_t)count * sizeof *all);
	prepare_environment();

	if (pipe(pipe_ends) || pipe(output))
		error("--ranks: cannot create a pipe: %s", strerror(errno));

	posix_spawn_file_actions_t actions;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
	for (int i = 0; i < 2; i++) {
		posix_spawn_file_actions_addclose(&actions, pipe_ends[i]);
		posix_spawn_file_actions_addclose(&actions, output[i]);
	}
	fflush(NULL);
	hand_signals_on();

	const int why = posix_spawn(&child, launcher, &actions, NULL, all, environ);

	if (why)
		error("%s: cannot be started: %s", launcher, strerror(why));
	launched = child;
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_ends[1]);
	close(output[1]);
	if (pthread_create(&passing, NULL, pass_output, output))
		error("--ranks: cannot create a thread: %s", strerror(errno));

	const bool said = pass_messages(pipe_ends[0]);

	pthread_join(passing, NULL);

	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	for (int i = 0; i < 3; i++)
		free(all[i]);
	free(all);

	const int code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;

	// MPICH's mpirun may exit with 0 when a signal ends it before its ranks have started
	if (handed_on && (code == EXIT_DONE || !said))
		error("the ranks were ended by a signal (%s)", strsignal(handed_on));
	if (code > EXIT_USAGE && !said)
		error("a rank was ended without a message (by signal or by the system; mpirun.%s: status %d)",
		        mpi, code);
	return (code == EXIT_DONE || code == EXIT_USAGE) ? code : EXIT_FAILED;
}
