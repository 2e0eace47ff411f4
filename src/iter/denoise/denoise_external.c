/* External programs as denoisers. */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iter/denoise/denoisers.h"

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/hdr.h"
#include "misc/mem.h"
#include "misc/ranks/ranks.h"
#include "misc/signals.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"

extern char **environ;

struct external {
	enum dtype type;
	long n;
	char *command;
	int words;
	char **word; // as typed, split; NULL ends them
	double sigma;
	struct hdr hdr; // of {in}
};

/** The folder in use, for the end of a command that failed. */
static char folder[4096];

static const char *const names[] = {"in.hdr", "in.cfl", "out.hdr", "out.cfl", "out.history"};

static void remove_folder(void)
{
	if ('\0' == folder[0])
		return;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[sizeof folder + 32];

		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}

	rmdir(folder);
	folder[0] = '\0';
}

static void create_folder(void)
{
	static bool registered = false;

	if (!registered)
		on_exit_call(remove_folder);

	registered = true;

	if ((int)sizeof folder <=
	                snprintf(folder, sizeof folder, "%s/gantry-denoiser.XXXXXX", file_tmpdir()) ||
	        NULL == mkdtemp(folder)) {
		folder[0] = '\0';
		error("%s: cannot create a folder for the denoiser: %s", file_tmpdir(), strerror(errno));
	}
}

static void path_of(char path[sizeof folder + 32], const char *name)
{
	snprintf(path, sizeof folder + 32, "%s/%s", folder, name);
}

/* ---- the command line ---- */

/** One character of a word, unquoted; returns how many of text it took. */
static size_t take(struct str *s, const char *text, char *quote)
{
	if (*quote == *text || ('\0' == *quote && ('\'' == *text || '"' == *text))) {
		*quote = (*quote == *text) ? '\0' : *text;
		return 1;
	}

	const bool escaped = '\\' == *text && '\'' != *quote && '\0' != text[1];

	str_addn(s, text + escaped, 1);

	return escaped ? 2 : 1;
}

static void split(struct external *e)
{
	const char *p = e->command;

	for (;;) {
		struct str s = {0};
		char quote = '\0';

		p += strspn(p, " \t\n");

		if ('\0' == *p)
			break;

		while ('\0' != *p && ('\0' != quote || NULL == strchr(" \t\n", *p)))
			p += take(&s, p, &quote);

		if ('\0' != quote)
			error("denoiser %s: unbalanced %c", e->command, quote);

		e->word = mem_realloc(e->word, sizeof(char *) * (size_t)(e->words + 2));
		e->word[e->words++] = (NULL == s.data) ? mem_strdup("") : s.data;
		e->word[e->words] = NULL;
	}
}

static bool mentions(const struct external *e, const char *what)
{
	for (int i = 0; i < e->words; i++)
		if (NULL != strstr(e->word[i], what))
			return true;

	return false;
}

/** The word with {in}, {out} and {sigma} filled in. */
static char *fill(const char *word, double sigma)
{
	struct str s = {0};

	str_add(&s, "");

	while ('\0' != *word) {
		if (0 == strncmp(word, "{in}", 4)) {
			str_printf(&s, "%s/in", folder);
			word += 4;
		} else if (0 == strncmp(word, "{out}", 5)) {
			str_printf(&s, "%s/out", folder);
			word += 5;
		} else if (0 == strncmp(word, "{sigma}", 7)) {
			str_printf(&s, "%.9g", sigma);
			word += 7;
		} else {
			str_addn(&s, word++, 1);
		}
	}

	return s.data;
}

/* ---- running it ---- */

/** The program that runs; signals that would end us end it, so that we can tell of it and clean up. */
static volatile sig_atomic_t running;

static void pass_on(int signal)
{
	if (0 < running)
		kill((pid_t)running, signal);
}

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

enum { ENDING = sizeof ending / sizeof *ending };

/** Its standard output joins ours for talk: our own may carry an array. */
static int spawn(pid_t *pid, char *argv[])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t ignored, none;

	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE); // by us, not by it
	sigaddset(&ignored, SIGXFSZ);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &ignored);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);

	const int bad = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);

	return bad;
}

/** Runs it to its end: its status; or *bad, why it cannot be started. */
static int run_to_end(char *argv[], int *bad)
{
	struct sigaction forward = {.sa_handler = pass_on}, before[ENDING];
	pid_t pid = 0;
	int status = 0;

	signals_hold();
	*bad = spawn(&pid, argv);
	running = (0 == *bad) ? (sig_atomic_t)pid : 0;

	for (int i = 0; i < ENDING; i++) {
		sigaction(ending[i], &forward, &before[i]);

		if (SIG_IGN == before[i].sa_handler)
			sigaction(ending[i], &before[i], NULL);
	}

	signals_release();

	while (0 == *bad && waitpid(pid, &status, 0) < 0 && EINTR == errno)
		;

	running = 0;

	for (int i = 0; i < ENDING; i++)
		sigaction(ending[i], &before[i], NULL);

	return status;
}

static void denoise_external_run(const struct external *e, double sigma)
{
	char **argv = mem_calloc((size_t)e->words + 1, sizeof *argv);
	int bad;

	for (int i = 0; i < e->words; i++)
		argv[i] = fill(e->word[i], sigma);

	const int status = run_to_end(argv, &bad);

	if (0 != bad)
		error("denoiser %s: cannot start %s: %s", e->command, argv[0], strerror(bad));

	if (WIFSIGNALED(status))
		error("denoiser %s: ended by signal %d (%s)", e->command, WTERMSIG(status),
		        strsignal(WTERMSIG(status)));

	if (0 != WEXITSTATUS(status))
		error("denoiser %s: exit status %d, expected 0", e->command, WEXITSTATUS(status));

	for (int i = 0; i < e->words; i++)
		free(argv[i]);

	free(argv);
}

/* ---- its arrays ---- */

static void write_file(const char *name, const void *data, size_t bytes)
{
	char path[sizeof folder + 32];

	path_of(path, name);

	FILE *f = fopen(path, "wb");
	const bool written = NULL != f && bytes == fwrite(data, 1, bytes, f);

	if (NULL == f || 0 != fclose(f) || !written)
		error("%s: cannot be written: %s", path, strerror(errno));
}

static void expect_file(const struct external *e, const char *name, char path[sizeof folder + 32])
{
	path_of(path, name);

	if (0 != access(path, R_OK))
		error("denoiser %s: did not write {out}.%s", e->command, strrchr(name, '.') + 1);
}

static void read_result(const struct external *e, void *dst)
{
	char path[sizeof folder + 32];
	struct hdr h;
	size_t bytes;

	expect_file(e, "out.hdr", path);

	char *text = file_read_text(path);

	hdr_init(&h);
	hdr_parse(&h, text, strlen(text), "the denoiser's result");
	free(text);

	if (0 != memcmp(h.dims, e->hdr.dims, sizeof h.dims))
		error("denoiser %s: the result is %s, expected %s", e->command, hdr_shape(&h),
		        hdr_shape(&e->hdr));

	if (h.big_endian)
		error("denoiser %s: the result is big endian, expected little endian", e->command);

	expect_file(e, "out.cfl", path);

	const void *data = file_map(path, &bytes);

	if ((long)bytes != hdr_bytes(&h, "the denoiser's result"))
		error("denoiser %s: the result has %zu bytes of data, expected %ld for %s of type %s",
		        e->command, bytes, hdr_bytes(&h, "the denoiser's result"), hdr_shape(&h),
		        dtype_name(h.type));

	const long lost = convert(e->type, dst, h.type, data, e->n, NARROW_SATURATE);

	if (0 < lost)
		error("denoiser %s: %ld of %ld elements of the %s result do not fit into %s", e->command,
		        lost, e->n, dtype_name(h.type), dtype_name(e->type));

	file_unmap(data);
	hdr_free(&h);

	const long bad = vec_count_nonfinite(e->type, e->n, dst);

	if (0 < bad)
		error("denoiser %s: %ld of %ld elements of the result are NaN or infinite", e->command, bad,
		        e->n);
}

static void prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct external *e = self;
	const size_t bytes = (size_t)e->n * dtype_size(e->type);

	if (ranks_shared() && ranks_rank() > 0) { // the program runs once
		ranks_broadcast(dst, bytes);
		return;
	}

	char *text = hdr_format(&e->hdr, NULL);

	create_folder();
	write_file("in.hdr", text, strlen(text));
	write_file("in.cfl", src, bytes);
	free(text);
	denoise_external_run(e, e->sigma * sqrt(gamma));
	read_result(e, dst);
	remove_folder();
	ranks_broadcast(dst, bytes);
}

static void destroy(void *self)
{
	struct external *e = self;

	for (int i = 0; i < e->words; i++)
		free(e->word[i]);

	free(e->word);
	free(e->command);
	hdr_free(&e->hdr);
	free(e);
}

struct functional *functional_external_create(
        enum dtype type, int D, const long dims[], const char *command, double sigma, const struct hdr *grid)
{
	static const struct functional_ops ops = {.name = "external", .prox = prox, .destroy = destroy};

	struct external *e = NEW(struct external);
	struct functional *g = functional_create(&ops, e, type, D, dims);

	e->type = type;
	e->n = functional_size(g);
	e->sigma = sigma;
	e->command = mem_strdup(command);
	hdr_init(&e->hdr);

	if (NULL != grid)
		hdr_copy(&e->hdr, grid);

	hdr_set_dims(&e->hdr, DIMS, functional_dims(g));
	e->hdr.type = type;
	split(e);

	if (!mentions(e, "{in}") || !mentions(e, "{out}"))
		error("denoiser %s: the command must contain {in} and {out} (the arrays to read and to "
		      "write)",
		        command);

	return g;
}
