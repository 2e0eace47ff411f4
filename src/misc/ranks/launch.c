/** Starts mpirun, forwards the output of the ranks, and translates their exit statuses. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/ranks/launch.h"
#include "misc/ranks/ranks.h"
#include "misc/temp.h"

/** The first that is installed is used. MPICH starts faster. */
static const char *const mpis[] = {"mpich", "openmpi"};
enum { MPIS = sizeof mpis / sizeof mpis[0] };

static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDINGS = sizeof endings / sizeof endings[0], PATIENCE = 4 }; // [s]

static volatile pid_t launched; // mpirun, which ends by the first of these signals
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
		error("--ranks: mpirun.openmpi and mpirun.mpich not found (Debian: install openmpi-bin or "
		      "mpich)");
	if (wanted && *wanted)
		error("GANTRY_MPI: no module for '%s' is installed (modules can be built for openmpi and "
		      "mpich)",
		        wanted);
	error("--ranks: this installation has no MPI module (install libopenmpi-dev or libmpich-dev "
	      "and build with MPI=1)");
}

/** Settings of Open MPI by its environment variables: more ranks than processors, which then yield while they
 * wait. Plugins of hwloc, which both MPIs use, would load the libraries of X11 and OpenCL. */
static void prepare_environment(void)
{
	setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
	setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0); // processes of --loop call no MPI
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
	setenv("HWLOC_COMPONENTS", "-linuxio", 0); // nor look for devices
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

/** Whether a line is of the call stacks that MPICH and UCX print when a rank is gone. */
static bool is_trace(const char *line)
{
	char *path; // behind the number of a frame

	strtol(line, &path, 10);
	return strncmp(line, "gantry", 6) &&
	       ((strstr(line, ")...") && strstr(line, ".: ")) ||
	               (path != line && !strncmp(path, "  /", 3) && strstr(path, ") [0x")));
}

/** What the ranks have noted. Most errors occur in several ranks: only one of these is passed on, that of the
 * lowest rank. */
struct messages {
	int fd;
	bool ended;    // a rank has ended by itself with a status other than 0
	long speaker;  // the lowest rank with an error message; -1: none
	char *held;    // its message, passed on at the end; that of rank 0 is at once
	char **folder; // of temporaries: "" or a path that ends with /
	size_t folders;
};

static void take_error(struct messages *m, const char *text)
{
	char *message;
	const long rank = strtol(text, &message, 10);

	m->ended = true;
	message += message[0] == ' ';
	if (message[0] == '\n' || (m->speaker >= 0 && rank > m->speaker))
		return;
	if (rank == 0) {
		fputs(message, stderr);
		message = "";
	}
	char *all = mem_printf("%s%s", (rank == m->speaker && m->held) ? m->held : "", message);

	free(m->held);
	m->held = all;
	m->speaker = rank;
}

static void take_folder(struct messages *m, char *name)
{
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < m->folders; i++)
		if (!strcmp(m->folder[i], name))
			return;
	m->folder = mem_realloc(m->folder, (m->folders + 1) * sizeof *m->folder);
	m->folder[m->folders++] = mem_strdup(name);
}

/** The note in a line, or NULL. Text of a program that a rank has started may precede it. */
static char *find_note(char *line)
{
	char *note = strchr(line, RANKS_NOTE);

	return note && (note[1] == RANKS_NOTE_ERROR || note[1] == RANKS_NOTE_FOLDER) ? note : NULL;
}

/** Passes lines on, except notes. */
static void *pass_messages(void *ctx)
{
	struct messages *m = ctx;
	FILE *said = fdopen(m->fd, "r");
	char *line = NULL;
	size_t room = 0;
	bool inside = false;

	while (said && getline(&line, &room, said) >= 0) {
		char *note = find_note(line);

		if (note)
			fprintf(stderr, "%.*s", (int)(note - line), line);
		if (note && note[1] == RANKS_NOTE_ERROR)
			take_error(m, note + 2);
		else if (note)
			take_folder(m, note + 2);
		else if (!is_banner(line, &inside) && !is_trace(line) && strcmp(line, "\n"))
			fputs(line, stderr);
	}
	if (m->held)
		fputs(m->held, stderr);
	free(m->held);
	free(line);
	if (said)
		fclose(said);
	return NULL;
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

/** SIGTERM, once: at a second signal mpirun of Open MPI leaves its ranks to themselves, and at SIGINT that of
 * MPICH prints messages. */
static void hand_on(int number)
{
	if (handed_on || launched <= 0)
		return;
	handed_on = number;
	kill(launched, SIGTERM);
	alarm(PATIENCE);
}

/** mpirun of MPICH may ignore a signal before its ranks have started. */
static void give_up(int number)
{
	(void)number;
	if (handed_on && launched > 0)
		kill(launched, SIGKILL);
}

/** Whether mpirun or a descendant of it has started the process: these have inherited the mark. */
static bool is_marked(long pid, const char *mark)
{
	char *path = mem_printf("/proc/%ld/environ", pid), *entry = NULL;
	FILE *list = fopen(path, "r");
	size_t room = 0;
	bool found = false;

	while (list && !found && getdelim(&entry, &room, '\0', list) >= 0)
		found = !strcmp(entry, mark);
	free(entry);
	free(path);
	if (list)
		fclose(list);
	return found;
}

/** Kills processes that mpirun has left, of which this process is the parent now; returns whether there were
 * any. */
static bool end_orphans(const char *mark)
{
	char *path = mem_printf("/proc/self/task/%ld/children", (long)getpid());
	FILE *list = fopen(path, "r");
	bool any = false;

	for (long pid; list && fscanf(list, "%ld", &pid) == 1;)
		if (is_marked(pid, mark)) {
			any = true;
			kill((pid_t)pid, SIGKILL);
			waitpid((pid_t)pid, NULL, 0);
		}
	free(path);
	if (list)
		fclose(list);
	return any;
}

/** Whether a process only starts ranks and forwards their output. */
static bool is_forwarder(long pid)
{
	char *path = mem_printf("/proc/%ld/comm", pid), name[32] = "";
	FILE *f = fopen(path, "r");

	if (f && !fgets(name, sizeof name, f))
		name[0] = '\0';
	free(path);
	if (f)
		fclose(f);
	return pid == launched || !strcmp(name, "hydra_pmi_proxy\n");
}

/** Sends a signal to the ranks and the processes that they have started, also to those that are started
 * meanwhile. mpirun stays as it is: it must be able to end the ranks if this process is killed. */
static void signal_ranks(const char *mark, int number)
{
	for (int last = -1, n = 0; n > last;) {
		DIR *all = opendir("/proc");

		last = n;
		n = 0;
		for (struct dirent *e = all ? readdir(all) : NULL; e; e = readdir(all)) {
			const long pid = isdigit((unsigned char)*e->d_name) ? strtol(e->d_name, NULL, 10) : 0;

			if (pid > 0 && is_marked(pid, mark) && !is_forwarder(pid) &&
			        !kill((pid_t)pid, number))
				n++;
		}
		if (all)
			closedir(all);
	}
}

/** A process that lets the ranks continue if this one is killed while they are stopped: mpirun can end them
 * only then. The process ends when the pipe is closed. Returns its number. */
static pid_t watch_over(const char *mark, const int alive[2])
{
	const pid_t child = fork();
	char any;

	if (child)
		return child;
	setpgid(0, 0);
	close(alive[1]);
	if (read(alive[0], &any, 1) == 0)
		signal_ranks(mark, SIGCONT);
	_exit(EXIT_DONE);
}

/** Stops the ranks, then this process, until it is continued. */
static void stop_all(const char *mark, const sigset_t *stop)
{
	int alive[2];

	if (pipe2(alive, O_CLOEXEC))
		return;

	const pid_t child = watch_over(mark, alive);

	signal_ranks(mark, SIGSTOP);
	pthread_sigmask(SIG_UNBLOCK, stop, NULL);
	raise(SIGTSTP); // stops here, unless there is no shell that could continue it
	pthread_sigmask(SIG_BLOCK, stop, NULL);
	signal_ranks(mark, SIGCONT);
	close(alive[0]);
	close(alive[1]);
	if (child > 0)
		waitpid(child, NULL, 0);
}

/** Ctrl-Z does not reach the ranks, which are in other process groups. They stop before the command does, and
 * continue after it. */
static void *stop_and_continue(void *ctx)
{
	sigset_t stop;
	int number;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	while (!sigwait(&stop, &number))
		stop_all(ctx, &stop);
	return NULL;
}

/** Leaves SIGTSTP to a thread, unless the parent ignores it. */
static void watch_stops(char *mark)
{
	struct sigaction old;
	sigset_t stop;
	pthread_t thread;

	if (sigaction(SIGTSTP, NULL, &old) || old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	if (pthread_create(&thread, NULL, stop_and_continue, mark) || pthread_detach(thread))
		error("--ranks: cannot create a thread: %s", strerror(errno));
}

/** Holds the signals back until mpirun has started; what the parent ignores stays ignored. */
static void hold_signals(sigset_t *before)
{
	struct sigaction old, new = {.sa_handler = hand_on, .sa_flags = SA_RESTART};

	sigemptyset(&new.sa_mask);
	for (int i = 0; i < ENDINGS; i++)
		sigaddset(&new.sa_mask, endings[i]);
	sigaddset(&new.sa_mask, SIGALRM);
	sigprocmask(SIG_BLOCK, &new.sa_mask, before);
	for (int i = 0; i < ENDINGS; i++)
		if (!sigaction(endings[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(endings[i], &new, NULL);
	new.sa_handler = give_up;
	sigaction(SIGALRM, &new, NULL);
	signal(SIGCHLD, SIG_DFL); // else mpirun could not be waited for
}

/** Of the child: becomes mpirun in a process group of its own, which Ctrl-C does not reach, which must not
 * read from the terminal, and which ends with its parent. Returns an error number. */
static int become(const char *launcher, char *const words[], const int said[2], const int out[2],
        pid_t parent, const sigset_t *before)
{
	const int none = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(said[1], STDERR_FILENO) < 0 ||
	        dup2(out[1], STDOUT_FILENO) < 0)
		return errno;
	for (int i = 0; i < 2; i++) {
		close(said[i]);
		close(out[i]);
	}
	sigprocmask(SIG_SETMASK, before, NULL);
	execve(launcher, words, environ);
	return errno;
}

/** Starts mpirun. Returns 0, or an error number. */
static int start(pid_t *child, const char *launcher, char *const words[], const int said[2], const int out[2])
{
	const pid_t parent = getpid();
	int failed[2], why = 0; // a pipe that a successful exec closes
	sigset_t before;

	if (pipe2(failed, O_CLOEXEC))
		return errno;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	hold_signals(&before);
	*child = fork();
	if (!*child) {
		why = become(launcher, words, said, out, parent, &before);
		_exit(write(failed[1], &why, sizeof why) == sizeof why ? EXIT_FAILED : 128);
	}
	if (*child < 0)
		why = errno;
	close(failed[1]);
	if (*child > 0 && read(failed[0], &why, sizeof why) != sizeof why)
		why = 0;
	close(failed[0]);
	launched = why ? 0 : *child;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return why;
}

int ranks_launch(long n, char *const words[], const char *folder)
{
	const char *mpi;
	int pipe_ends[2], output[2], status, count = 0;
	pthread_t passing[2];

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

	char *mark = mem_printf(RANKS_LAUNCHER "=%ld", (long)getpid());

	putenv(mark);
	if (pipe(pipe_ends) || pipe(output))
		error("--ranks: cannot create a pipe: %s", strerror(errno));

	pid_t child = 0;

	fflush(NULL);

	const int why = start(&child, launcher, all, pipe_ends, output);

	if (why)
		error("%s: cannot be started: %s", launcher, strerror(why));
	close(pipe_ends[1]);
	close(output[1]);
	watch_stops(mark);
	struct messages messages = {.fd = pipe_ends[0], .speaker = -1};

	if (pthread_create(&passing[0], NULL, pass_output, output) ||
	        pthread_create(&passing[1], NULL, pass_messages, &messages))
		error("--ranks: cannot create a thread: %s", strerror(errno));

	siginfo_t info;

	while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR) {
	}
	while (end_orphans(mark)) {
	}
	pthread_join(passing[0], NULL);
	pthread_join(passing[1], NULL);
	alarm(0);
	launched = 0; // before its number may be another process's
	if (waitpid(child, &status, 0) != child)
		error("--ranks: the status of %s is unknown: %s", launcher, strerror(errno));

	for (int i = 0; i < 3; i++)
		free(all[i]);
	free(all);

	const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

	for (size_t i = 0; i < messages.folders; i++) {
		if (handed_on || code != EXIT_DONE)
			temp_remove_orphans(messages.folder[i]);
		free(messages.folder[i]);
	}
	free(messages.folder);
	// MPICH's mpirun may exit with 0 when a signal ends it before its ranks have started
	if (handed_on && (code == EXIT_DONE || !messages.ended))
		error("the ranks were ended by a signal (%s)", strsignal(handed_on));
	if (code != EXIT_DONE && !messages.ended)
		error("a rank was ended without a message, by a signal or by the system (mpirun.%s returned "
		      "status %d)",
		        mpi, code);
	return (code == EXIT_DONE || code == EXIT_USAGE) ? code : EXIT_FAILED;
}
