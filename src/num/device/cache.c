/* The user's cache folder, and compiled kernels in it. */

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/file.h"
#include "misc/hash.h"
#include "misc/mem.h"
#include "num/device/cache.h"

char *cache_folder(void)
{
	const char *own = getenv("GANTRY_CACHE"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (NULL != own && *own)
		return mem_strdup(own);

	if (NULL != shared && *shared)
		return mem_printf("%s/gantry", shared);

	return (NULL != home && *home) ? mem_printf("%s/.cache/gantry", home) : NULL;
}

/** Makes the folder and those above it. */
static bool make_folder(char *path)
{
	for (char *p = strchr(path + 1, '/'); NULL != p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(path, 0755);
		*p = '/';
	}

	mkdir(path, 0755);

	return 0 == access(path, W_OK | X_OK);
}

char *cache_path(const char *name)
{
	char *path = cache_folder(), *full = NULL;

	if (NULL != path && make_folder(path))
		full = mem_printf("%s/%s", path, name);

	free(path);

	return full;
}

/* ---- compiled kernels: a line with the length and the fingerprint of what follows ---- */

static const char kernel_prefix[] = "kernel-", head_format[] = "GANTRY-KERNEL 1 %zu %32s";

/** Bytes of the first line, its end included. */
enum { HEAD = 80 };

static char *kernel_path(const char *key)
{
	char hash[HASH_TEXT], name[sizeof kernel_prefix + HASH_TEXT];

	hash_text(hash, key, strlen(key));
	snprintf(name, sizeof name, "%s%s", kernel_prefix, hash);

	return cache_path(name);
}

static void write_head(char head[HEAD + 1], const void *data, size_t bytes)
{
	char hash[HASH_TEXT];

	hash_text(hash, data, bytes);
	snprintf(head, HEAD + 1, "GANTRY-KERNEL 1 %zu %s", bytes, hash);
	memset(head + strlen(head), ' ', HEAD - strlen(head));
	head[HEAD - 1] = '\n';
	head[HEAD] = '\0';
}

/** What stands behind the head, if that is right. */
static void *read_kernel(FILE *f, size_t *bytes)
{
	char head[HEAD + 1] = "", want[HEAD + 1], hash[HASH_TEXT];
	char *data = NULL;

	if (HEAD != fread(head, 1, HEAD, f) || 2 != sscanf(head, head_format, bytes, hash) || *bytes >> 32)
		return NULL;

	data = mem_alloc(*bytes + 1);

	if (*bytes == fread(data, 1, *bytes, f) && EOF == fgetc(f)) {
		write_head(want, data, *bytes);

		if (0 == memcmp(head, want, HEAD))
			return data;
	}

	free(data);

	return NULL;
}

void *cache_read(const char *key, size_t *bytes)
{
	char *path = kernel_path(key);
	const int fd = (NULL == path) ? -1 : file_open(path);
	FILE *f = (fd < 0) ? NULL : fdopen(fd, "rb");
	void *data = (NULL == f) ? NULL : read_kernel(f, bytes);

	if (NULL != f)
		fclose(f);

	if (NULL != f && NULL == data)
		unlink(path);

	free(path);

	return data;
}

void cache_write(const char *key, const void *data, size_t bytes)
{
	char *path = kernel_path(key);

	if (NULL == path)
		return;

	char *temp = mem_printf("%s.XXXXXX", path), head[HEAD + 1];
	const int fd = mkstemp(temp);
	FILE *f = (fd < 0) ? NULL : fdopen(fd, "wb");

	if (NULL != f) {
		write_head(head, data, bytes);

		bool good = HEAD == fwrite(head, 1, HEAD, f) && bytes == fwrite(data, 1, bytes, f);

		if (0 != fclose(f) || !good || 0 != rename(temp, path))
			unlink(temp);
	}

	free(temp);
	free(path);
}

static bool begins(const char *name, const char *with)
{
	return 0 == strncmp(name, with, strlen(with));
}

/** Goes through the folder's files; `remove`: without them in the end. */
static long each_file(bool remove, double *bytes)
{
	char *path = cache_folder();
	DIR *d = (NULL == path) ? NULL : opendir(path);
	long n = 0;

	for (const struct dirent *e = NULL; NULL != d && NULL != (e = readdir(d));) {
		struct stat st;
		const bool kernel = begins(e->d_name, kernel_prefix);

		if (!kernel && !(remove && begins(e->d_name, "selftest")))
			continue;

		if (0 != fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;

		if (remove && 0 != unlinkat(dirfd(d), e->d_name, 0))
			continue;

		n++;
		*bytes += (double)st.st_size;
	}

	if (NULL != d)
		closedir(d);

	free(path);

	return n;
}

long cache_count(double *bytes)
{
	*bytes = 0;

	return each_file(false, bytes);
}

long cache_clear(void)
{
	double bytes = 0;

	return each_file(true, &bytes);
}
