/* Files that the words of a command line stand for. */

#include <sys/stat.h>

#include "check.h"

#include "misc/formats/names.h"
#include "misc/mem.h"

static void touch(const char *name)
{
	FILE *f = fopen(name, "w");

	if (!f || 0 != fclose(f))
		abort();
}

/* What the word stands for, sorted, as "path" or "path|inside", joined by blanks. */
static char *found(const char *word, bool *plain)
{
	struct named_file *list = NULL;
	struct str s = {0};
	const int n = names_expand(word, &list, 0, plain);

	names_sort(n, list);

	for (int i = 0; i < n; i++) {
		str_printf(&s, "%s%s%s%s", i ? " " : "", list[i].path, list[i].inside ? "|" : "",
		        list[i].inside ? list[i].inside : "");
		free(list[i].path);
		free(list[i].inside);
	}

	free(list);
	return s.data;
}

static void expect(const char *word, const char *want, bool is_plain)
{
	bool plain;
	char *got = found(word, &plain);

	check(!strcmp(got, want) && plain == is_plain, "%s: %s", word, got);
	free(got);
}

static void test_expand(void)
{
	static const char *const files[] = {"s1", "s2", "s10", "s007", "s01", "s", "s1x", "s-1", "t001.raw",
	        "t002.raw", "t1000.raw", "t01.raw", "t0003.raw", "t1.raw", "d/s3", "d/s4", "d/.hidden", "a:b",
	        "50%", "p%d", "h.h5", "in:h.h5", "q[1]", "u1.raw.gz", "u2.raw.gz"};

	mkdir("d", 0700);
	mkdir("d/folder", 0700);
	mkdir("empty", 0700);

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		touch(files[i]);

	expect("s1", "s1", true);
	expect("d", "d/s3 d/s4", false);
	expect("d/", "d/s3 d/s4", false);
	expect("s%d", "s1 s2 s10", false);
	expect("s%i", "s1 s2 s10", false);
	expect("s%1d", "s1 s2 s10", false);
	expect("s%2d", "s01 s10", false);
	expect("s%03d", "s007", false);
	expect("t%03d.raw", "t001.raw t002.raw t1000.raw", false);
	expect("t%d.raw", "t1.raw t1000.raw", false);
	expect("t%4d.raw", "t0003.raw t1000.raw", false);
	expect("./t%02d.raw", "./t01.raw ./t1000.raw", false);
	expect("d/s%d", "d/s3 d/s4", false);
	expect("u%d.raw.gz", "u1.raw.gz u2.raw.gz", false);
	expect("p%d", "p%d", true);
	expect("50%", "50%", true);
	expect("a:b", "a:b", true);
	expect("h.h5:/x/y", "h.h5|/x/y", false);
	expect("h.h5:x:y", "h.h5|x:y", false);
	expect("in:h.h5:x", "in:h.h5|x", false);
	expect("a:b:c", "a:b|c", false);
	expect("t00?.raw", "t001.raw t002.raw", false);
	expect("t*[13].raw", "t001.raw t01.raw t1.raw t0003.raw", false);
	expect("q[1]", "q[1]", true);
}

static const char *word;

static void expand(void)
{
	bool plain;

	found(word, &plain);
}

static void refuse(int status, const char *part, const char *text)
{
	word = text;
	check_ends(status, part, expand, text);
}

static void test_refused(void)
{
	refuse(1, "empty: no files in this folder", "empty");
	refuse(1, "x%d: no file has such a name", "x%d");
	refuse(1, "x*: no file has such a name", "x*");
	refuse(1, "nowhere/: the folder cannot be read", "nowhere/x%d");
	refuse(1, "nothing: cannot be read: No such file", "nothing");
	refuse(1, "h.h5:: cannot be read: No such file", "h.h5:");
	refuse(1, ":x: cannot be read: No such file", ":x");
	refuse(1, "s%19d: cannot be read", "s%19d");
	refuse(1, "s%x: cannot be read", "s%x");
	refuse(2, "two number patterns", "s%d%d");
	refuse(2, "a number pattern in the name of a folder", "f%d/x");
}

static void test_header(void)
{
	static const char *const pairs[][2] = {{"x.img", "x.hdr"}, {"x.img.gz", "x.hdr.gz"},
	        {"d/x.y.img", "d/x.y.hdr"}, {".img", NULL}, {"x.hdr", NULL}, {"x.gz", NULL}, {"img", NULL},
	        {"x.img.bz2", NULL}, {".img.gz", NULL}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char *name = names_header_of(pairs[i][0]);

		check(name && pairs[i][1] ? !strcmp(name, pairs[i][1]) : name == pairs[i][1],
		        "the header of %s", pairs[i][0]);
		free(name);
	}
}

/* ---- gaps ---- */

static struct named_file several[16];
static int count;

static void tell(void)
{
	names_tell_gaps(count, several);
	_exit(0);
}

/* The warning on names "a%d.tif" with these numbers, up to the first negative one; "" for none. */
static void gaps(const char *part, const char *format, const int numbers[])
{
	char text[2048];

	for (count = 0; numbers[count] >= 0; count++)
		several[count].path = mem_printf(format, numbers[count]);

	const int status = status_of(tell, text, sizeof text);
	const bool good = 0 == status && (*part ? NULL != strstr(text, part) : !*text);

	check(good, "gaps of %d names: %s%s", count, *part ? part : "none", good ? "" : text);

	for (int i = 0; i < count; i++)
		free(several[i].path);
}

static void test_gaps(void)
{
	gaps("", "a%d.tif", (const int[]){1, 2, 3, 4, -1});
	gaps("", "a%d.tif", (const int[]){0, 10, 20, 30, -1});
	gaps("a2.tif: the next file is a4.tif, and 1 numbers", "a%d.tif", (const int[]){1, 2, 4, 5, -1});
	gaps("a020.tif: the next file is a050.tif, and 2 numbers", "a%03d.tif",
	        (const int[]){0, 10, 20, 50, 60, -1});
	gaps("3 numbers are missing in total", "a%d.tif", (const int[]){1, 2, 3, 5, 6, 9, 10, -1});
	gaps("2 numbers are missing in total", "9-a%d.9", (const int[]){8, 9, 10, 12, 14, -1});
	gaps("", "a%d.tif", (const int[]){1, 2, 4, 6, 8, -1});
	gaps("", "a%d.tif", (const int[]){0, 2, 4, 7, 9, 11, -1});
	gaps("", "a%1$d-%1$d.tif", (const int[]){1, 2, 4, 5, -1});
	gaps("", "a%d.tif", (const int[]){5, 4, 3, 1, -1});
	gaps("", "a%d.tif", (const int[]){7, -1});
	gaps("", "a%d.tif", (const int[]){-1});
}

int main(void)
{
	char folder[SCRATCH];

	if (!mkdtemp(scratch_name(folder)) || 0 != chdir(folder))
		abort();

	test_expand();
	test_refused();
	test_header();
	test_gaps();

	char *clean = mem_printf("rm -r '%s'", folder);

	check(0 == chdir("/") && 0 == system(clean), "the folder is removed");
	free(clean);
	return checks_failed > 0;
}
