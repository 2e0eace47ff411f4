#include "misc/formats/names.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/natural.h"

int names_add(struct named_file **list, int n, struct named_file file)
{
	if (0 == (n & (n - 1))) // full at powers of two
		*list = mem_realloc(*list, (size_t)(n ? 2 * n : 1) * sizeof **list);

	(*list)[n] = file;
	return n + 1;
}

static int add(struct named_file **list, int n, char *path, char *inside)
{
	return names_add(list, n, (struct named_file){path, inside});
}

static bool is_folder(const char *path)
{
	struct stat st;

	return 0 == stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_there(const char *path)
{
	struct stat st;

	return 0 == stat(path, &st);
}

static bool is_regular(const char *path)
{
	struct stat st;

	return 0 == stat(path, &st) && S_ISREG(st.st_mode);
}

/* %d, %4d, %04d, %i */
static const char *conversion(const char *p, int *digits)
{
	const char *q = p + 1;
	long width = 0;

	for (; *q >= '0' && *q <= '9' && width < 100; q++)
		width = 10 * width + (*q - '0');

	if (width > 18 || ('d' != *q && 'i' != *q))
		return NULL;

	*digits = width > 1 ? (int)width : 1;
	return q + 1;
}

bool names_pattern(const char *name, int *before, int *digits, const char **after)
{
	bool found = false;

	for (const char *p = strchr(name, '%'); p; p = strchr(p + 1, '%')) {
		int width;
		const char *end = conversion(p, &width);

		if (!end)
			continue;

		if (found)
			usage_error("%s contains two number patterns, expected one", name);

		found = true;
		*before = (int)(p - name);
		*digits = width;
		*after = end;
	}

	return found;
}

static int add_folder(const char *folder, struct named_file **list, int n)
{
	DIR *d = opendir(folder);
	const int first = n;

	if (!d)
		error("%s: the folder cannot be read: %s", folder, strerror(errno));

	for (const struct dirent *e; (e = readdir(d));) {
		char *path =
		        mem_printf("%s%s%s", folder, '/' == folder[strlen(folder) - 1] ? "" : "/", e->d_name);

		if ('.' != e->d_name[0] && is_regular(path))
			n = add(list, n, path, NULL);
		else
			free(path);
	}

	closedir(d);

	if (n == first)
		error("%s: no files in this folder", folder);

	return n;
}

static int add_pattern(
        const char *word, int before, int digits, const char *after, struct named_file **list, int n)
{
	const char *slash = before > 0 ? memrchr(word, '/', (size_t)before) : NULL;
	char *folder = slash ? mem_printf("%.*s", (int)(slash + 1 - word), word) : mem_strdup(".");
	const char *start = slash ? slash + 1 : word;
	const size_t lead = (size_t)(before - (int)(start - word));
	const int first = n;

	if (strchr(after, '/'))
		usage_error("%s has a number pattern in the name of a folder, expected it in the name of "
		            "the file",
		        word);

	DIR *d = opendir(folder);

	if (!d)
		error("%s: the folder cannot be read: %s", folder, strerror(errno));

	for (const struct dirent *e; (e = readdir(d));) {
		if (0 != strncmp(e->d_name, start, lead))
			continue;

		const size_t m = strspn(e->d_name + lead, "0123456789");

		// wider numbers only where they do not begin with a zero: 007 is no %d
		if (m < (size_t)digits || (m > (size_t)digits && '0' == e->d_name[lead]) ||
		        0 != strcmp(e->d_name + lead + m, after))
			continue;

		n = add(list, n, mem_printf("%.*s%s", slash ? (int)(slash + 1 - word) : 0, word, e->d_name),
		        NULL);
	}

	closedir(d);
	free(folder);

	if (n == first)
		error("%s: no file has such a name", word);

	return n;
}

static int add_glob(const char *word, struct named_file **list, int n)
{
	glob_t g;

	if (0 != glob(word, 0, NULL, &g))
		error("%s: no file has such a name", word);

	for (size_t i = 0; i < g.gl_pathc; i++)
		n = add(list, n, mem_strdup(g.gl_pathv[i]), NULL);

	globfree(&g);
	return n;
}

int names_expand(const char *word, struct named_file **list, int n, bool *plain)
{
	int before, digits;
	const char *after;

	*plain = false;

	if (is_folder(word))
		return add_folder(word, list, n);

	*plain = is_there(word);

	if (*plain)
		return add(list, n, mem_strdup(word), NULL);

	for (const char *colon = strrchr(word, ':'); colon && colon > word;
	        colon = memrchr(word, ':', (size_t)(colon - word))) {
		char *path = mem_printf("%.*s", (int)(colon - word), word);

		if (is_regular(path) && colon[1])
			return add(list, n, path, mem_strdup(colon + 1));

		free(path);
	}

	if (names_pattern(word, &before, &digits, &after))
		return add_pattern(word, before, digits, after, list, n);

	if (strpbrk(word, "*?["))
		return add_glob(word, list, n);

	error("%s: cannot be read: %s", word, strerror(ENOENT));
}

char *names_header_of(const char *path)
{
	const size_t n = strlen(path), gz = n > 3 && 0 == strcmp(path + n - 3, ".gz") ? 3 : 0;

	if (n - gz <= 4 || 0 != strncmp(path + n - gz - 4, ".img", 4))
		return NULL;

	return mem_printf("%.*s.hdr%s", (int)(n - gz - 4), path, path + n - gz);
}

static int compare(const void *a, const void *b)
{
	const struct named_file *p = a, *q = b;
	const int c = natural_compare(p->path, q->path);

	return c || !p->inside || !q->inside ? c : natural_compare(p->inside, q->inside);
}

void names_sort(int n, struct named_file list[])
{
	qsort(list, (size_t)n, sizeof *list, compare);
}

/* The numbers in which two names differ: false when they differ in more, or the second one is not larger. */
static bool numbers_of(const char *a, const char *b, long *x, long *y)
{
	const char *const digits = "0123456789";
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;

	while (i > 0 && strchr(digits, a[i - 1]))
		i--;

	const size_t n = strspn(a + i, digits), m = strspn(b + i, digits);

	if (0 == n || 0 == m || n > 18 || m > 18 || 0 != strcmp(a + i + n, b + i + m))
		return false;

	*x = strtol(a + i, NULL, 10);
	*y = strtol(b + i, NULL, 10);
	return *y > *x;
}

void names_tell_gaps(int n, const struct named_file list[])
{
	long x, y, least = 0, missing = 0, usual = 0;
	int at = 0;

	for (int k = 1; k < n; k++) {
		if (!numbers_of(list[k - 1].path, list[k].path, &x, &y))
			return;

		least = 1 == k || y - x < least ? y - x : least;
	}

	for (int k = 1; k < n; k++) {
		numbers_of(list[k - 1].path, list[k].path, &x, &y);

		if ((y - x) % least)
			return;

		usual += y - x == least;
		missing += (y - x) / least - 1;
		at = 0 == at && y - x > least ? k : at;
	}

	if (missing > 0 && 2 * usual >= n - 1)
		warn("%s: the next file is %s, and %ld numbers are missing in total: is the stack complete?",
		        list[at - 1].path, list[at].path, missing);
}
