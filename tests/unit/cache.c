/* The cache of compiled kernels: what is written is read, what is damaged is not, and is gone. */

#include <dirent.h>

#include "check.h"
#include "misc/mem.h"
#include "num/device/cache.h"

static const char data[] = "a kernel, with a \0 in it";

static bool reads(const char *key)
{
	size_t bytes = 0;
	char *got = cache_read(key, &bytes);
	const bool good = NULL != got && sizeof data == bytes && 0 == memcmp(got, data, bytes);

	free(got);

	return good;
}

/* Changes the only file there: its byte `at`, or its length where that is below 0. */
static void damage(const char *folder, long at)
{
	DIR *d = opendir(folder);

	for (const struct dirent *e; NULL != (e = readdir(d));) {
		if ('.' == e->d_name[0])
			continue;

		char *path = mem_printf("%s/%s", folder, e->d_name);
		FILE *f = fopen(path, "r+b");

		if (at < 0) {
			check(0 == ftruncate(fileno(f), 90), "cut");
		} else {
			fseek(f, at, SEEK_SET);
			fputc('#', f);
		}

		fclose(f);
		free(path);
	}

	closedir(d);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room);
	double bytes;

	if (NULL == mkdtemp(folder))
		return 1;

	setenv("GANTRY_CACHE", folder, 1);
	check(!reads("key"), "nothing is there at first");
	cache_write("key", data, sizeof data);
	check(reads("key") && !reads("another key"), "what is written is read, by its key alone");
	check(1 == cache_count(&bytes) && bytes > sizeof data, "it is one entry");

	for (int i = 0; i < 3; i++) {
		static const long places[] = {85, 3, -1}; // in the data, in the head, the length

		cache_write("key", data, sizeof data);
		damage(folder, places[i]);
		check(!reads("key") && 0 == cache_count(&bytes), "a damaged entry is none, and removed (%d)",
		        i);
	}

	cache_write("key", data, sizeof data);
	cache_write("key", data, sizeof data);
	cache_write("second", data, 0);
	check(2 == cache_clear() && 0 == cache_count(&bytes), "all are removed");
	rmdir(folder);
	setenv("GANTRY_CACHE", "/proc/none", 1);
	cache_write("key", data, sizeof data);
	check(!reads("key"), "a folder that cannot be made is no error");

	return checks_failed > 0;
}
