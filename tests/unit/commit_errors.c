/*
 * The commit when the system refuses: each rename fails once, flushing fails, space cannot be reserved.
 * Before the commit's second rename the old array stays and the command fails with a sentence; after it the
 * new array counts and the next writer tidies up.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "check.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"

/* These take the place of the C library's for the whole program. */
static int rename_fails_at, renames;
static int linkat_fails_at, linkats;
static int fallocate_fails_with;
static int pwrite_interrupted;
static char
        calls[200]; // what was flushed (f: file, d: folder) and renamed (~: to such a name, r: to another)

static void note(char c)
{
	const size_t n = strlen(calls);

	if (n + 1 < sizeof calls)
		calls[n] = c;
}

int rename(const char *old, const char *new)
{
	if (++renames == rename_fails_at) {
		errno = EIO;
		return -1;
	}

	if (0 == access(old, F_OK))
		note(strchr(new, '~') ? '~' : 'r');

	return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
	if (++linkats == linkat_fails_at) {
		errno = EIO;
		return -1;
	}

	return (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
	if (fallocate_fails_with) {
		errno = fallocate_fails_with;
		return -1;
	}

	return (int)syscall(SYS_fallocate, fd, mode, offset, length);
}

int fsync(int fd)
{
	struct stat st;

	note(0 == fstat(fd, &st) && S_ISDIR(st.st_mode) ? 'd' : 'f');
	return (int)syscall(SYS_fsync, fd);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	if (pwrite_interrupted > 0) {
		pwrite_interrupted--;
		errno = EINTR;
		return -1;
	}

	return syscall(SYS_pwrite64, fd, data, n, at);
}

static void write_array(const char *name, long n)
{
	struct hdr h;

	hdr_init(&h);
	h.dims[0] = n;
	h.type = DT_INT64;

	struct cfl *f = cfl_create(name, &h);
	long *data = cfl_map_out(f);

	for (long i = 0; i < n; i++)
		data[i] = n;

	cfl_close(f);
	hdr_free(&h);
}

/* The size that the whole array agrees on. */
static long size_of(const char *name)
{
	struct cfl *f = cfl_open(name);
	const long *data = cfl_map(f);
	long n = f->count;

	for (long i = 0; i < f->count; i++)
		if (data[i] != f->count)
			n = -1;

	cfl_close(f);
	return n;
}

static int leftovers(void)
{
	DIR *d = opendir(".");
	int n = 0;

	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += strchr(e->d_name, '~') || strstr(e->d_name, ".tmp");

	closedir(d);
	return n;
}

static void write_seven(void)
{
	write_array("x", 7);
	_exit(0);
}

static void test_renames(void)
{
	char text[1000];

	for (int n = 1; n <= 5; n++) {
		write_array("x", 5);
		renames = 0;
		rename_fails_at = n;

		int status = status_of(write_seven, text, sizeof text);

		rename_fails_at = 0;

		if (n <= 2) {
			check(1 == status && strstr(text, "x: the complete file cannot be renamed to this "
			                                  "name: Input/output error"),
			        "rename %d fails before the commit: a sentence", n);
			check(5 == size_of("x") && 0 == leftovers(), "the old array stays, and nothing else");
		} else {
			check(0 == status && 7 == size_of("x"),
			        "rename %d fails after the commit: the new array counts", n);
		}

		write_array("x", 6);
		check(6 == size_of("x") && 0 == leftovers(), "the next writer finds order or makes it");
	}
}

/* The same for files without names: a first link tries whether the folder has them, once. */
static void test_links(void)
{
	char text[1000];

	// a folder without such files, whatever its system says when it opens one
	linkat_fails_at = 1;
	check(0 == status_of(write_seven, text, sizeof text) && 7 == size_of("x") && 0 == leftovers(),
	        "where files cannot get their names later they have them from the start");
	linkat_fails_at = 0;

	for (int n = 1; n <= 3; n++) {
		write_array("x", 5);
		linkats = 0;
		linkat_fails_at = n;

		int status = status_of(write_seven, text, sizeof text);

		linkat_fails_at = 0;

		if (n <= 2) {
			check(1 == status && strstr(text, "x: the complete file cannot be renamed to this "
			                                  "name: Input/output error"),
			        "link %d fails before the commit: a sentence", n);
			check(5 == size_of("x") && 0 == leftovers(), "the old array stays, and nothing else");
		} else {
			check(0 == status && 7 == size_of("x"), "there are two of them");
		}
	}
}

static void write_too_much(void)
{
	struct hdr h;

	hdr_init(&h);
	h.dims[0] = 1L << 55;
	cfl_create("x", &h);
}

static void test_reserving(void)
{
	write_array("x", 5);
	fallocate_fails_with = EOPNOTSUPP;
	write_array("x", 700);
	check(700 == size_of("x"), "a file system that cannot reserve");
	check_ends(1, "more are needed)", write_too_much, "its free space is looked at");
	fallocate_fails_with = ENOSPC;
	check_ends(1, "x.cfl: needs 56 bytes", write_seven, "a full disk");
	fallocate_fails_with = EDQUOT;
	check_ends(1, "x.cfl: needs 56 bytes", write_seven, "a full quota");
	fallocate_fails_with = EFBIG;
	check_ends(1, "largest file", write_seven, "a file too large");
	fallocate_fails_with = EIO;
	check_ends(1, "cannot reserve 56 bytes: Input/output error", write_seven, "anything else");
	fallocate_fails_with = 0;
	check(700 == size_of("x") && 0 == leftovers(), "the old array stays, and nothing else");
}

/* Each step is on the disk before the next one that counts on it: data and header, then the header under its
 * first name, then the commit, then the end. */
static void test_flushing(void)
{
	write_array("x", 5);
	memset(calls, 0, sizeof calls);
	write_array("x", 7);
	check(0 == strcmp(calls, "~~rr"), "without --sync nothing is flushed (%s)", calls);

	const struct opt opts[] = {OPT_END};
	const struct tool tool = {.name = "unit", .about = "A test", .opts = opts};
	char *words[] = {"unit", "--sync", NULL};

	tool_init(&tool, 2, words);
	memset(calls, 0, sizeof calls);
	write_array("x", 5);
	check(0 == strcmp(calls, "ff~d~drrd"), "with --sync files and folder are flushed in order (%s)",
	        calls);
	check(5 == size_of("x"), "and the array is there");
}

static void test_interrupted(void)
{
	struct hdr h;
	const float data[3] = {1.f, 2.f, 3.f};

	hdr_init(&h);
	h.dims[0] = 3;

	struct cfl *f = cfl_create("y", &h);

	pwrite_interrupted = 2;
	cfl_put(f, 0, 3, data);
	cfl_close(f);
	f = cfl_open("y");
	check(0 == pwrite_interrupted && 0 == memcmp(cfl_map(f), data, sizeof data),
	        "writing goes on after an interruption");
	cfl_close(f);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room), clean[SCRATCH + 10];

	if (!mkdtemp(folder) || 0 != chdir(folder))
		return 2;

	test_links();
	setenv("GANTRY_TMPFILE", "0", 1);
	test_renames();
	test_reserving();
	test_interrupted();
	test_flushing();
	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 2;

	return checks_failed > 0;
}
