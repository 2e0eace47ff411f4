/** The parent of a loop: the looped dims, the processes of the slices, and their messages. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl_io.h"
#include "misc/looping/looping.h"
#include "misc/looping/looping_internal.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"
#include "misc/signals.h"

/* A running process. */
struct worker {
	pid_t pid; // 0 = none
	long slice;
	int socket;
	int said[2]; // files of its standard output and error
};

/* What a slice has said; kept until those before it have been passed on. */
struct result {
	bool done;
	int status;    // as of waitpid()
	char *said[2]; // NULL where it said nothing
};

/* The slices of this rank; `twice`: those of another, which speaks for them, since there are more ranks than
 * slices. */
static struct {
	long first, end;
	bool twice;
} own;

static struct worker *workers;
static struct result *results;

/* ---- what to loop over ---- */

/* "DIM[=RANGE][,DIM[=RANGE]..]" */
static void parse(const char *text)
{
	char *rest = mem_strdup(text); // kept: names point into it
	unsigned long seen = 0;

	looping.text = text;

	for (char *word; (word = strsep(&rest, ","));) {
		char *name = strsep(&word, "=");

		if (looping.n >= DIMS)
			usage_error("--loop: more than %d dimensions in '%s'", (int)DIMS, text);

		struct looping_dim *l = &looping.dim[looping.n++];

		*l = (struct looping_dim){
		        .d = parse_dim(name, "--loop"), .name = name, .range = word, .size = 1};

		if (seen & 1UL << l->d)
			usage_error("--loop: dimension %s is given twice in '%s'", name, text);

		seen |= 1UL << l->d;
	}
}

/* A file other than an array would be overwritten by every slice. */
static void refuse_files(void)
{
	for (const struct opt *o = tool_current()->opts; OPT_KIND_END != o->kind; o++)
		if (OPT_KIND_OUTFILE == o->kind && *(const char **)o->ptr)
			usage_error("%s%s: every slice would overwrite this file (--loop supports only "
			            "arrays and text on standard output)",
			        o->flags & OPT_IS_ARG ? "" : "--", o->name);
}

static void open_inputs(void)
{
	const struct tool_word *words;
	int n = tool_words(&words);

	looping.input = mem_calloc((size_t)n + 1, sizeof *looping.input);

	for (int i = 0; i < n; i++) {
		if (WORD_ARRAY != words[i].kind || !words[i].text)
			continue;

		struct cfl *f = cfl_open(words[i].text);

		if (0 == strcmp(f->name, "-"))
			cfl_map(f); // all processes read it: it has to be a file

		looping.input[looping.inputs++] = f;
	}
}

static void find_size(struct looping_dim *l, int k)
{
	const struct cfl *longest = NULL;

	for (int i = 0; i < looping.inputs; i++) {
		const struct cfl *f = looping.input[i];

		if (!looping_cuts(&f->hdr, k))
			continue;

		if (longest && f->hdr.dims[l->d] != l->size)
			error("%s is %s and %s is %s: expected the same size along the loop dimension %s",
			        longest->name, hdr_shape(&longest->hdr), f->name, hdr_shape(&f->hdr),
			        l->name);

		l->size = f->hdr.dims[l->d];
		longest = f;
	}
}

static void find_slices(void)
{
	enum { UNBOUNDED = 1 << 30 };

	looping.slices = 1;

	for (int k = 0; k < looping.n; k++) {
		struct looping_dim *l = &looping.dim[k];

		find_size(l, k);

		if (0 == looping.inputs && !l->range)
			usage_error(
			        "--loop: '%s' without an input needs a range, e.g. %s=0:8", l->name, l->name);

		if (0 == looping.inputs)
			l->size = UNBOUNDED;

		parse_range(l->range ? l->range : ":", l->size, &l->start, &l->step, &l->count, "--loop");
		looping.slices = mul_checked(looping.slices, l->count, "--loop");
	}

	if (looping.slices >= UNBOUNDED)
		usage_error("--loop has %ld slices, expected fewer than 2^30", looping.slices);
}

/* ---- processes ---- */

static void kill_all(void)
{
	if (looping.active)
		return; // they are our brothers and sisters

	for (long w = 0; w < looping.jobs; w++)
		if (workers[w].pid > 0)
			kill(workers[w].pid, SIGKILL);

	for (long w = 0; w < looping.jobs; w++)
		if (workers[w].pid > 0)
			waitpid(workers[w].pid, NULL, 0);
}

static int text_file(void)
{
	int fd = memfd_create("said", MFD_CLOEXEC);

	if (fd < 0)
		error("cannot create a file in memory: %s", strerror(errno));

	return fd;
}

/* Makes this new process that of a slice. */
static void become_slice(const struct worker *me, int parent_socket, pid_t parent)
{
	char *where = looping_place(me->slice);

	prctl(PR_SET_PDEATHSIG, SIGKILL);

	if (getppid() != parent)
		_exit(EXIT_FAILED);

	looping.shared = ranks_shared();
	ranks_forget();
	tool_record_drop("loop"); // it is in the parent's words once there is an output
	file_temp_forget_all();
	cfl_forget_outputs();
	progress_forget();

	for (int i = 0; i < 2; i++) {
		dup2(me->said[i], i + 1);
		close(me->said[i]);
	}

	for (long w = 0; w < looping.jobs; w++)
		if (workers[w].pid > 0)
			close(workers[w].socket);

	close(me->socket);
	looping.active = true;
	looping.slice = me->slice;
	looping.parent = parent_socket;
	log_place = mem_printf("at %s: ", where);
	free(where);
}

/* Forks; returns true in the new process. */
static bool start(struct worker *w, long slice)
{
	pid_t parent = getpid();
	struct worker me = {.slice = slice, .said = {text_file(), text_file()}};
	int ends[2];

	if (0 != socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		error("cannot create a pair of sockets: %s", strerror(errno));

	me.socket = ends[0];
	fflush(stdout);
	signals_hold(); // a signal between would find our temporaries in both
	me.pid = fork();

	if (me.pid < 0)
		error("cannot start another process: %s", strerror(errno));

	if (0 == me.pid)
		become_slice(&me, ends[1], parent);
	else
		*w = me;

	signals_release();

	if (0 == me.pid)
		return true;

	close(ends[1]);
	return false;
}

/* All of a file in memory, NULL when it is empty; closes it. */
static char *take_text(int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *text = NULL;

	if (n > 0) {
		text = mem_calloc((size_t)n + 1, 1);

		if (pread(fd, text, (size_t)n, 0) != n)
			error("the output of a slice cannot be read: %s", strerror(errno));
	}

	close(fd);
	return text;
}

static void reap(struct worker *w)
{
	struct result *r = &results[w->slice];

	while (waitpid(w->pid, &r->status, 0) < 0 && EINTR == errno)
		;

	r->done = true;
	close(w->socket);

	for (int i = 0; i < 2; i++)
		r->said[i] = take_text(w->said[i]);

	w->pid = 0;
}

/* A slice wants an output, or has ended. */
static void attend(struct worker *w)
{
	struct looping_request r;
	long offset;

	if (!looping_receive_request(w->socket, &r)) {
		reap(w);
		return;
	}

	int fd = looping_output_file(looping_output(&r), &offset);

	looping_send_file(w->socket, fd, offset); // if it has died meanwhile, the next call will tell
	looping_request_free(&r);
}

/* ---- results ---- */

static _Noreturn void end_of_slice(long slice, int status)
{
	if (WIFEXITED(status))
		leave(WEXITSTATUS(status)); // it has said why

	char *where = looping_place(slice);

	error("at %s: the process was ended by signal %d (%s)", where, WTERMSIG(status),
	        strsignal(WTERMSIG(status)));
}

/* Each line after the mark. */
static void say_lines(const char *mark, const char *text)
{
	for (size_t n; *text; text += n) {
		n = strcspn(text, "\n");
		n += '\n' == text[n];
		fprintf(stderr, "%s%.*s", mark, (int)n, text);
	}
}

static void say(struct result *r)
{
	progress_wipe();

	if ((r->said[0] && EOF == fputs(r->said[0], stdout)) || 0 != fflush(stdout))
		error("standard output: %s", strerror(errno));

	if (r->said[1])
		say_lines(0 != r->status ? error_mark : "", r->said[1]);

	for (int i = 0; i < 2; i++) {
		free(r->said[i]);
		r->said[i] = NULL;
	}
}

/* Passes on what the next slices in order have said, or lets rank 0 do that later; ends at the first that has
 * failed. Returns how many are through. */
static long pass_on(long next)
{
	for (; next < own.end && results[next].done; next++) {
		struct result *r = &results[next];

		if (0 == ranks_rank() || 0 != r->status)
			say(r);

		if (0 != r->status || tool_plan()) // the plan of one slice is that of all
			end_of_slice(next, r->status);
	}

	return next;
}

/* What the slices of other ranks have said, from rank 0: number and place of the texts, then all of them. */
static void pass_on_others(void)
{
	const long texts = 2 * looping.slices;
	long *length = mem_calloc((size_t)texts + 1, sizeof *length), all = 0;

	if (!ranks_shared())
		return;

	for (long i = 0; i < texts && !own.twice; i++) {
		const struct result *r = &results[i / 2];

		length[i] = r->said[i % 2] ? (long)strlen(r->said[i % 2]) : 0;
	}

	ranks_sum(length, (int)texts);

	struct sharing_runs runs = sharing_runs_create();

	for (int k = 0; k < ranks_count(); k++) {
		long first, end, bytes = 0;

		ranks_part_of(k, looping.slices, 1, &first, &end);

		for (long i = 2 * first; i < 2 * end; i++)
			bytes += length[i];

		sharing_runs_add(&runs, (size_t)all, (size_t)bytes);
		runs.start[k + 1] = runs.n;
		all += bytes;
	}

	char *text = mem_calloc((size_t)all + 1, 1);

	all = 0;

	for (long i = 0; i < texts; all += length[i++])
		if (length[i] > 0 && results[i / 2].said[i % 2] && !own.twice)
			memcpy(text + all, results[i / 2].said[i % 2], (size_t)length[i]);

	ranks_share(text, runs.run, runs.start);
	all = 0;

	for (long i = 0; i < texts; all += length[i++])
		if (0 == ranks_rank() && (i / 2 < own.first || i / 2 >= own.end) && length[i] > 0)
			fwrite(text + all, 1, (size_t)length[i], i % 2 ? stderr : stdout);

	sharing_runs_free(&runs);
	free(text);
	free(length);
}

/* No slice after a failed one is of use; those before it may fail as well, and then they are the first. */
static void stop_after(long slice)
{
	for (long w = 0; w < looping.jobs; w++)
		if (workers[w].pid > 0 && workers[w].slice > slice)
			kill(workers[w].pid, SIGKILL);
}

/* Waits until some worker wants something, and gives it; returns the new number of slices worth starting. */
static long wait_for_workers(struct pollfd *fds, long stop)
{
	for (long w = 0; w < looping.jobs; w++)
		fds[w] = (struct pollfd){workers[w].pid > 0 ? workers[w].socket : -1, POLLIN, 0};

	if (poll(fds, (nfds_t)looping.jobs, -1) < 0) {
		if (EINTR == errno)
			return stop;

		error("waiting for the slices failed: %s", strerror(errno));
	}

	for (long w = 0; w < looping.jobs; w++) {
		long slice = workers[w].slice;

		if (0 == fds[w].revents)
			continue;

		attend(&workers[w]);

		if (results[slice].done && 0 != results[slice].status && slice < stop) {
			stop = slice;
			stop_after(slice);
		}
	}

	return stop;
}

/* Returns true in the processes of the slices, false in the parent when all is done. */
static bool looping_work(void)
{
	struct pollfd *fds = mem_calloc((size_t)looping.jobs, sizeof *fds);
	long next = own.first, through = own.first, stop = own.end;

	while (through < own.end) {
		for (long w = 0; w < looping.jobs; w++) {
			if (workers[w].pid > 0 || next >= stop)
				continue;

			if (start(&workers[w], next++)) {
				free(fds);
				return true;
			}
		}

		stop = wait_for_workers(fds, stop);
		through = pass_on(through);
		progress_update(through - own.first);
	}

	free(fds);
	return false;
}

/* What is to happen when the first array is opened or created. */
static struct {
	bool armed;
	long jobs;
	void (*enter)(void);
} plan;

static void not_started(void)
{
	if (plan.armed)
		warn("--loop had no effect: the command opened no array");
}

/* A new process has none of the threads but believes that they are there. */
static void expect_no_threads(void)
{
	struct stat st;

	if (ranks_count() > 1) // those of MPI: no slice calls that
		return;

	if (0 == stat("/proc/self/task", &st) && st.st_nlink > 3)
		error("this command cannot be looped: it started threads before it opened an array");
}

static void begin_loop(void)
{
	if (!plan.armed)
		return;

	plan.armed = false;
	expect_no_threads();
	open_inputs();
	find_slices();
	ranks_part(looping.slices, 1, &own.first, &own.end);
	own.twice = own.first == own.end;

	if (own.twice) {
		own.first = 0;
		own.end = 1;
	}

	looping.here = own.end - own.first;
	looping.jobs = plan.jobs < looping.here ? plan.jobs : looping.here;
	workers = mem_calloc((size_t)looping.jobs, sizeof *workers);
	results = mem_calloc((size_t)looping.slices, sizeof *results);
	on_exit_call(kill_all);

	char *what = mem_printf("looping over %s", looping.text);

	progress_start(what, looping.here);

	if (looping_work()) {
		free(what);
		plan.enter();
		return;
	}

	progress_end();
	free(what);
	pass_on_others();
	looping_outputs_close();
	leave(EXIT_DONE);
}

static const struct cfl_loop loop = {
        .start = begin_loop,
        .input = looping_input,
        .cut = looping_cut,
        .create = looping_create,
        .scatter = looping_scatter,
};

void looping_arm(const char *dims, long jobs, void (*enter)(void))
{
	parse(dims);
	refuse_files();
	plan.jobs = jobs;
	plan.enter = enter;
	plan.armed = true;
	cfl_loop = &loop;
	atexit(not_started); // an error has said enough
}
