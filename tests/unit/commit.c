/*
 * The commit protocol against kills: a child that replaces an array is stopped before and after every system
 * call it makes between cfl_create() and the end of cfl_close(), and killed there. Whatever the moment, a
 * reader then sees the whole old array or the whole new one, and finishes what was begun; so does the next
 * writer. Of the files of each such state every selection, copied elsewhere in whatever order, is the old
 * array, the new one or an error, never a header with data of the other one. A reader that runs all the time
 * while writers replace an array sees whole arrays too.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <time.h>

#include "check.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/file/history.h"
#include "misc/file/pair.h"
#include "misc/mem.h"

/* Array number v: everything about it depends on v, also whether its history stands beside it. */
static void set_header(struct hdr *h, int v)
{
	hdr_init(h);
	h->dims[0] = 100 + v;
	h->dims[1] = 3;
	h->type = DT_INT32;

	struct str s = {0};

	do
		str_printf(&s, "%016x: version %d\n", v, v);
	while (v % 2 && s.len < 70000);

	h->history = s.data;
}

static void fill(int *data, long n, int v)
{
	for (long i = 0; i < n; i++)
		data[i] = 1000 * v + (int)(i % 1000);
}

static void write_arrays(int outputs, const char *const names[], int v)
{
	struct cfl *f[2];
	struct hdr h;

	set_header(&h, v);

	for (int i = 0; i < outputs; i++) {
		f[i] = cfl_create(names[i], &h);
		fill(cfl_map_out(f[i]), f[i]->count, v);
	}

	for (int i = 0; i < outputs; i++)
		cfl_close(f[i]);

	hdr_free(&h);
}

/* The number of the array of this name; -1 when its parts do not match. A history that is not there
 * (NULL) is one where `copied`. */
static int version_seen(const char *name, bool copied)
{
	struct cfl *f = cfl_open(name);
	int v = (int)f->hdr.dims[0] - 100;
	const int *data = cfl_map(f);
	bool good = 3 == f->hdr.dims[1] && DT_INT32 == f->hdr.type;
	struct hdr expected;

	set_header(&expected, v);

	if (!strstr(name, ".npy"))
		good = good && (f->hdr.history ? 0 == strcmp(expected.history, f->hdr.history) : copied);

	for (long i = 0; i < f->count; i++)
		good = good && data[i] == 1000 * v + (int)(i % 1000);

	hdr_free(&expected);
	cfl_close(f);
	return good ? v : -1;
}

static int version_of(const char *name)
{
	return version_seen(name, false);
}

/* Entries of the current folder that are no files of finished arrays. */
static int leftovers(void)
{
	DIR *d = opendir(".");
	int n = 0;

	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += strchr(e->d_name, '~') || (strstr(e->d_name, ".tmp"));

	closedir(d);
	return n;
}

static void clear_folder(void)
{
	DIR *d = opendir(".");

	for (struct dirent *e = readdir(d); e; e = readdir(d))
		unlink(e->d_name);

	closedir(d);
}

static int in_child(void (*fn)(void))
{
	int status;

	fflush(stdout);
	pid_t pid = fork();

	if (0 == pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(98);

		fn();
		_exit(0);
	}

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static struct {
	int outputs;
	const char *names[2];
	int version;
} job;

static void write_job(void)
{
	cfl_install_signals();
	write_arrays(job.outputs, job.names, job.version);
}

static void read_job(void)
{
	int v = version_of(job.names[0]);

	_exit(v >= 0 && v < 99 ? v : 99);
}

/* Entries of the current folder that a finished commit has no use for; temporaries of a killed process may
 * stay. */
static int unsettled(void)
{
	DIR *d = opendir(".");
	int n = 0;

	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += NULL != strchr(e->d_name, '~');

	closedir(d);
	return n;
}

/* The files of the array x, in the current folder: names (malloc'd) in list, their number. */
static int files_of_x(char *list[8])
{
	DIR *d = opendir(".");
	int n = 0;

	for (struct dirent *e = readdir(d); e && n < 8; e = readdir(d))
		if (0 == strncmp(e->d_name, "x.", 2))
			list[n++] = mem_strdup(e->d_name);

	closedir(d);
	return n;
}

static void copy_file(const char *from, const char *folder)
{
	char to[300];
	size_t n;
	const void *data = file_map(from, &n);

	snprintf(to, sizeof to, "%s/%s", folder, from);

	FILE *f = fopen(to, "wb");

	if (!f || 1 != fwrite(data, n, 1, f) || 0 != fclose(f))
		abort();

	file_unmap(data);
}

static void read_copy(void)
{
	int v = version_seen("x", true);

	_exit(v >= 0 && v < 98 ? v : 99);
}

/* Copies a selection of the files into the folder `copy`, the last ones first where `backwards`, and reads
 * there: the version, 1 for an error, 99 for a mixture. `locked`: the reader cannot finish the commit. */
static int read_selection(int n, char *list[8], unsigned selection, bool backwards, bool locked)
{
	if (0 != mkdir("copy", 0777))
		abort();

	for (int i = 0; i < n; i++) {
		int k = backwards ? n - 1 - i : i;

		if (selection & 1u << k)
			copy_file(list[k], "copy");
	}

	int folder = open("copy", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (locked)
		flock(folder, LOCK_EX);

	if (0 != chdir("copy"))
		abort();

	int v = in_child(read_copy);

	clear_folder();
	close(folder);

	if (0 != chdir("..") || 0 != rmdir("copy"))
		abort();

	return v;
}

/* Of all selections of the files of x: how many are neither `old` nor `new` nor an error, or differ between a
 * reader that finishes the commit and one that cannot; all files together must be one of the two. */
static int mixtures(int old, int new, int *tried)
{
	char *list[8];
	const int n = files_of_x(list);
	int wrong = 0;

	for (unsigned s = 1; s < 1u << n; s++, (*tried)++) {
		const bool all = s + 1 == 1u << n;
		const int v = read_selection(n, list, s, s & 1, true);
		const int w = read_selection(n, list, s, !(s & 1), false);

		wrong += v != w || (v != old && v != new && (all || 1 != v));
	}

	for (int i = 0; i < n; i++)
		free(list[i]);

	return wrong;
}

/* The names in the current folder as one text, to tell states apart. */
static void names_of_state(char text[1000])
{
	char *list[8];
	const int n = files_of_x(list);
	struct stat st;

	*text = '\0';

	for (int i = 0; i < n; i++) {
		const size_t at = strlen(text);

		stat(list[i], &st);
		snprintf(text + at, 1000 - at, "%s %lu\n", list[i], (unsigned long)st.st_ino);
		free(list[i]);
	}
}

/* Runs the job and kills it at its n-th stop at a system call. False when it ended before. */
static bool kill_at(int n, bool *traced)
{
	int status;

	fflush(stdout);
	pid_t pid = fork();

	if (0 == pid) {
		cfl_install_signals();

		if (0 != ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);

		raise(SIGSTOP);
		write_arrays(job.outputs, job.names, job.version);
		_exit(0);
	}

	waitpid(pid, &status, 0);
	*traced = WIFSTOPPED(status);

	for (int i = 0; WIFSTOPPED(status) && i < n; i++) {
		if (0 != ptrace(PTRACE_SYSCALL, pid, NULL, NULL))
			break;

		waitpid(pid, &status, 0);
	}

	if (!WIFSTOPPED(status))
		return false;

	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return true;
}

/* The version under a name, where there may be none: -2. */
static int version_or_none(const char *name)
{
	const char *saved = job.names[0];

	job.names[0] = name;
	int v = in_child(read_job);
	job.names[0] = saved;
	return 1 == v ? -2 : 99 == v ? -1 : v;
}

/* Replaces version `old` (-2: nothing there) by `new`, killed at every system call. */
static void test_kills(const char *what, int outputs, const char *a, const char *b, int old, int new)
{
	int stops = 0, saw_old = 0, saw_new = 0, wrong = 0, unfinished = 0, split = 0, mixed = 0, copies = 0;
	bool killed = true, traced = true;
	char state[1000], before[1000] = "";
	const bool copied = old >= 0 && 1 == outputs && 0 == strcmp(a, "x");

	clear_folder();
	job.outputs = outputs;
	job.names[0] = a;
	job.names[1] = b;
	job.version = old;

	if (old >= 0)
		in_child(write_job);

	for (int n = 1; killed && traced; n++) {
		job.version = new;
		killed = kill_at(n, &traced);
		stops += killed;

		names_of_state(state);

		if (copied && 0 != strcmp(state, before))
			mixed += mixtures(old, new, &copies);

		strcpy(before, state);

		// a reader finds one of them
		int v = old < 0 ? version_or_none(a) : version_of(a);
		int w = outputs > 1 ? version_of(b) : v;

		saw_old += v == old;
		saw_new += v == new;
		wrong += (v != old && v != new) || (w != old && w != new);
		split += v != w;
		unfinished += v == new &&w == new && 0 != unsettled();

		// so does a writer, and leaves it in order: the old one for the next round
		job.version = old < 0 ? 3 : old;
		unfinished += 0 != in_child(write_job) || job.version != version_of(a) ||
		              (b && job.version != version_of(b)) || 0 != unsettled();

		if (old < 0)
			clear_folder();
	}

	if (!traced) {
		printf("ok %s # skip: this system does not allow ptrace\n", what);
		return;
	}

	check(0 == wrong,
	        "%s: killed at %d stops, %d times the old array, %d times the new one, %d times neither",
	        what, stops, saw_old, saw_new, wrong);
	check(saw_old > 5 && saw_new > 1 && stops > 30, "%s: both were seen", what);
	check(0 == unfinished, "%s: the reader and the next writer finish cleanly", what);

	if (copied)
		check(0 == mixed && copies > 30, "%s: of %d copies of some of the files, %d were mixed", what,
		        copies, mixed);

	if (outputs > 1)
		check(split < stops / 3, "%s: two outputs differ only inside the commit (%d stops)", what,
		        split);
}

/* Reads all the time while two children write one name. */
static void write_many(void)
{
	for (int i = 0; i < 80; i++)
		write_arrays(1, job.names, 2 + (i + job.version) % 6);
}

static void test_concurrent(const char *name)
{
	pid_t writers[2];
	int seen = 0, wrong = 0, alive = 2, failed = 0;
	unsigned versions = 0;

	clear_folder();
	job.names[0] = name;
	write_arrays(1, job.names, 2);
	fflush(stdout);

	for (int i = 0; i < 2; i++) {
		writers[i] = fork();

		if (0 == writers[i]) {
			job.version = i;
			write_many();
			_exit(0);
		}
	}

	while (alive > 0) {
		int v = version_of(name), status;

		seen++;
		wrong += v < 2 || v > 7;
		versions |= v >= 0 ? 1u << v : 0;

		while (alive > 0 && waitpid(-1, &status, WNOHANG) > 0) {
			failed += !WIFEXITED(status) || 0 != WEXITSTATUS(status);
			alive--;
		}
	}

	check(0 == wrong && 0 == failed,
	        "%s: %d reads beside two writers, none mixed (%d wrong, %d writers failed)", name, seen,
	        wrong, failed);
	check(versions & (versions - 1), "%s: more than one version was seen", name);
	check(0 == leftovers(), "%s: nothing is left behind", name);
}

static void put(const char *path, const char *from)
{
	char command[200];

	snprintf(command, sizeof command, "cp %s %s", from, path);
	check(0 == system(command), "%s", command);
}

/* Renames the array "new" to what a commit of it under the name x has done after `step` (misc/file/pair.h).
 */
static void half_commit(int step)
{
	char tie[PAIR_TIE], data[40];
	char *text = file_read_text("new.hdr");

	pair_tie(tie, text, (long)strlen(text));
	snprintf(data, sizeof data, "x.cfl~%s", tie);
	free(text);

	if (step >= 1 && 0 == access("new.history", F_OK))
		rename("new.history", "x.history~");

	bool good = 0 == rename("new.hdr", "x.hdr~") && (step < 2 || 0 == rename("new.cfl", data)) &&
	            (step < 3 || 0 == unlink("x.cfl"));

	if (step >= 4)
		rename("x.history~", "x.history");

	good = good && (step < 5 || 0 == rename("x.hdr~", "x.hdr"));
	check(good && (step < 6 || 0 == rename(data, "x.cfl")), "# a commit stops after step %d", step);
}

/* States that a kill leaves, made by hand: what a reader takes, what a writer makes of them. */
static void test_states(void)
{
	char command[] = "touch x.hdr; sleep 0.01; touch x.cfl";

	for (int step = 1; step <= 6; step++) {
		clear_folder();
		write_arrays(1, (const char *[]){"new"}, 5);
		write_arrays(1, (const char *[]){"x"}, 4);
		half_commit(step);

		if (2 == step)
			check(0 == system(command), "and the old files are touched");

		int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		flock(folder, LOCK_EX);
		check(version_of("x") == (step < 2 ? 4 : 5), "a reader that may not write sees one array");
		close(folder);
		check(version_of("x") == (step < 2 ? 4 : 5), "and so does one that may");
		check(step < 2 || 0 == unsettled(), "which finishes the commit");
		write_arrays(1, (const char *[]){"x"}, 6);
		unlink("new.cfl");
		check(6 == version_of("x") && 0 == leftovers(), "a writer finishes");
		check(0 != access("x.history", F_OK), "a history that nobody needs is removed");
	}

	// an editor's backup: the old header moved away, a new one written; the data of a lost commit
	for (int newer = 0; newer < 2; newer++) {
		write_arrays(1, (const char *[]){"x"}, 6);
		check(0 == rename("x.hdr", "x.hdr~"), "an editor makes a backup");
		put("x.hdr", "x.hdr~");
		check(0 == system("printf '# Unit\\nkeV\\n' >> x.hdr"), "and edits the header");

		if (newer)
			check(0 == system("cp x.cfl x.cfl~01234567; touch -d tomorrow x.hdr~"),
			        "beside data of a commit that never was");

		struct cfl *f = cfl_open("x");
		check(0 == strcmp(f->hdr.unit, "keV"), "the backup of an edited header is ignored");
		cfl_close(f);
		check(0 == access("x.hdr~", F_OK), "and kept");
		unlink("x.cfl~01234567");
		write_arrays(1, (const char *[]){"x"}, 3);
		check(3 == version_of("x") && 0 == leftovers(), "a writer is not misled by it");
	}

	check(0 == unlink("x.cfl") && 1 == in_child(read_copy), "missing data are an error");
}

static void end_by_signal(void)
{
	struct hdr h;

	cfl_install_signals();
	set_header(&h, 3);

	struct cfl *f = cfl_create("x", &h);

	fill(cfl_map_out(f), f->count, 3);
	check(leftovers() > 0, "# temporaries exist");
	raise(SIGTERM);
}

static void end_by_error(void)
{
	struct hdr h;

	set_header(&h, 3);
	cfl_create("x", &h);
	cfl_open("missing");
}

static void test_ends(void)
{
	char text[200];

	clear_folder();
	write_arrays(1, (const char *[]){"x"}, 4);
	check(-1 == status_of(end_by_signal, text, sizeof text) && 0 == leftovers() && 4 == version_of("x"),
	        "SIGTERM ends the process as a signal, without temporaries");
	check(1 == status_of(end_by_error, text, sizeof text) && 0 == leftovers() && 4 == version_of("x"),
	        "an error leaves no temporaries");
}

static void test_links(void)
{
	clear_folder();
	check(0 == mkdir("d", 0777) || EEXIST == errno, "a folder");
	check(0 == symlink("d/real.hdr", "l.hdr") && 0 == symlink("d/real.cfl", "l.cfl"), "dangling links");
	write_arrays(1, (const char *[]){"l"}, 4);
	check(4 == version_of("d/real") && 4 == version_of("l"), "an output goes where its links point");
	write_arrays(1, (const char *[]){"l"}, 6);

	struct stat st;

	check(6 == version_of("d/real") && 0 == lstat("l.hdr", &st) && S_ISLNK(st.st_mode),
	        "and they stay links");
	check(0 == chmod("d/real.cfl", 0600) && 0 == chmod("d/real.hdr", 0600), "private files");
	write_arrays(1, (const char *[]){"l"}, 2);
	check(0 == stat("l.cfl", &st) && 0600 == (st.st_mode & 0777) && 0 == stat("l.hdr", &st) &&
	                0600 == (st.st_mode & 0777),
	        "a private file stays private");
	check(0 == system("rm -r d"), "clean up");
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room);

	if (!mkdtemp(folder) || 0 != chdir(folder))
		return 2;

	test_states();
	test_links();

	setenv("GANTRY_TMPFILE", "0", 1);
	test_ends();

	if (!short_tests()) {
		test_kills("replace a pair, with names", 1, "x", NULL, 4, 6);
		unsetenv("GANTRY_TMPFILE");
		test_kills("replace a pair", 1, "x", NULL, 4, 6);
		test_kills("replace a pair with long histories", 1, "x", NULL, 5, 7);
		test_kills("replace a long history by a short one", 1, "x", NULL, 5, 6);
		test_kills("a new pair", 1, "x", NULL, -2, 6);
		test_kills("replace two pairs", 2, "x", "y", 4, 6);
	}

	setenv("GANTRY_TMPFILE", "0", 1);
	test_kills("replace a .npy, with names", 1, "x.npy", NULL, 4, 6);
	unsetenv("GANTRY_TMPFILE");
	test_kills("replace a .npy", 1, "x.npy", NULL, 4, 6);
	check(leftovers() < 2, "writers of files without names leave nothing (%d)", leftovers());
	test_concurrent("x");
	test_concurrent("x.npy");
	clear_folder();

	if (0 != chdir("/") || 0 != rmdir(folder))
		return 2;

	return checks_failed > 0;
}
