/* Ordinary files: numbers, texts, replacing a file whole. */

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include "check.h"
#include "misc/file.h"
#include "misc/mem.h"

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || EOF == fputs(text, f) || 0 != fclose(f))
		check(false, "cannot write %s", path);
}

static bool holds(const char *path, const char *text)
{
	char *found = file_read_text(path);
	bool same = 0 == strcmp(found, text);

	free(found);
	return same;
}

static void test_numbers(void)
{
	long n;

	put("n", "# angles\n1 2.5,-3e2\r\n\n  4\t5# five\n.5");

	double *x = file_read_numbers("n", &n);
	const double expected[] = {1, 2.5, -300, 4, 5, .5};

	check(6 == n && 0 == memcmp(x, expected, sizeof expected),
	        "numbers, commas, comments, CR-LF, no last line end");
	free(x);
	put("n", "# nothing\n");
	free(file_read_numbers("n", &n));
	check(0 == n, "no numbers");
}

static void read_bad(void)
{
	long n;

	file_read_numbers("bad", &n);
}

static void test_bad_numbers(void)
{
	static const char *const texts[] = {
	        "1\n2\nx3\n", "1\n2\n3x\n", "1\n2\nnan\n", "1\n2\n1e999\n", "1\n2\n3;4\n"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		put("bad", texts[i]);
		check_ends(1, "bad: line 3 contains", read_bad, "the line is named");
	}

	unlink("bad");
	check_ends(1, "bad: cannot be read: No such file", read_bad, "a missing file");
	mkdir("bad", 0777);
	check_ends(1, "bad is a folder", read_bad, "a folder");
	rmdir("bad");
}

static void test_map(void)
{
	size_t bytes;

	put("m", "hello");

	const char *p = file_map("m", &bytes);

	check(5 == bytes && 0 == memcmp(p, "hello", 5), "a mapped file");
	file_unmap(p);
	put("m", "");
	p = file_map("m", &bytes);
	check(0 == bytes && p, "an empty file");
	file_unmap(p);
}

static void fail_before_commit(void)
{
	struct file_out *f = file_create("out");

	fputs("half", file_stream(f));
	file_read_text("missing");
}

static void test_replace(void)
{
	put("out", "old");

	struct file_out *f = file_create("out");

	fputs("new", file_stream(f));
	check(holds("out", "old"), "the old file stays until the commit");
	file_commit(f);
	check(holds("out", "new"), "then the new one is there");
	check_ends(1, "missing", fail_before_commit, "an error in between");
	check(holds("out", "new") && 0 != system("ls .gantry-*.tmp >/dev/null 2>&1"),
	        "leaves the old file and no temporaries");
	check(0 == symlink("out", "link"), "a link");
	f = file_create("link");
	fputs("through", file_stream(f));
	file_commit(f);

	struct stat st;

	check(holds("out", "through") && 0 == lstat("link", &st) && S_ISLNK(st.st_mode),
	        "is written through");
	f = file_create("/dev/null");
	fputs("x", file_stream(f));
	file_commit(f);
	check(0 == stat("/dev/null", &st) && S_ISCHR(st.st_mode), "a device is written, not replaced");
}

static void full_device(void)
{
	struct file_out *f = file_create("/dev/full");

	fputs("x", file_stream(f));
	file_commit(f);
}

static void no_folder(void)
{
	file_create("nowhere/x");
}

static void spool_too_large(void)
{
	file_spool(1L << 60);
}

static void test_full(void)
{
	check_ends(1, "/dev/full: cannot be written: No space left", full_device, "a full disk");
	check_ends(1, "nowhere/x: cannot be created: No such file", no_folder, "no such folder");
	check_ends(1, "temporary file in t: needs", spool_too_large, "a spool of 2^60 bytes");

	int fd = file_spool(12345);
	struct stat st;

	check(0 == fstat(fd, &st) && 12345 == st.st_size && 0 == st.st_nlink,
	        "a spool has its size and no name");
	close(fd);
	check(0 == rmdir("t"), "and leaves nothing");
}

static void test_tmpdir(void)
{
	unsetenv("GANTRY_TMPDIR");
	unsetenv("TMPDIR");
	check(0 == strcmp(file_tmpdir(), "/tmp"), "/tmp by default");
	setenv("TMPDIR", "a", 1);
	check(0 == strcmp(file_tmpdir(), "a"), "TMPDIR");
	setenv("GANTRY_TMPDIR", "t", 1);
	check(0 == strcmp(file_tmpdir(), "t"), "GANTRY_TMPDIR before TMPDIR");
	mkdir("t", 0777);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room), clean[SCRATCH + 10];

	if (!mkdtemp(folder) || 0 != chdir(folder))
		return 2;

	test_numbers();
	test_bad_numbers();
	test_map();
	test_replace();
	test_tmpdir();
	test_full();
	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 2;

	return checks_failed > 0;
}
