/** Temporary files: a list the signal handlers can walk, unique names, spools, reserved space. */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/parse.h"
#include "misc/signals.h"
#include "misc/temp.h"

/* Entries are only added, and used again once free (path NULL), so that a handler can walk the list at any
 * moment. */
struct temp {
	struct temp *next;
	_Atomic(char *) path;
	int slot;
};

static _Atomic(struct temp *) temps;

static struct temp *free_temp(void)
{
	static int slots;

	for (struct temp *t = temps; t; t = t->next)
		if (!t->path)
			return t;

	struct temp *t = NEW(struct temp);

	t->slot = slots++;
	t->next = temps;
	temps = t;
	return t;
}

static int temp_register(const char *path)
{
	static bool registered;
	struct temp *t = free_temp();

	if (!registered)
		on_exit_call(file_temp_remove_all);

	registered = true;
	t->path = mem_strdup(path);
	return t->slot;
}

void file_temp_forget(int slot)
{
	for (struct temp *t = temps; t; t = t->next)
		if (t->slot == slot)
			free(atomic_exchange(&t->path, NULL)); // by whoever takes it: here or a handler
}

void file_temp_forget_all(void)
{
	for (struct temp *t = temps; t; t = t->next)
		free(atomic_exchange(&t->path, NULL));
}

void file_temp_remove_all(void)
{
	for (struct temp *t = temps; t; t = t->next) {
		char *path = atomic_exchange(&t->path, NULL);

		if (path)
			unlink(path);
	}
}

static unsigned long random_number(void)
{
	static unsigned long count;
	unsigned long r = 0;

	if (sizeof r != getrandom(&r, sizeof r, GRND_NONBLOCK))
		r = (unsigned long)getpid() << 32 | (uintptr_t)&r >> 4;

	return r + count++;
}

int temp_create(const char *target, char **path, int *slot)
{
	const char *slash = strrchr(target, '/');
	int length = slash ? (int)(slash + 1 - target) : 0;
	struct stat old;

	// what others may not read stays so
	mode_t mode = 0 == stat(target, &old) ? old.st_mode & 0666 : 0666;

	for (int i = 0; i < 100; i++) {
		*path = mem_printf("%.*s.gantry-%016lx.tmp", length, target, random_number());

		signals_hold();
		int fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		int why = errno;

		if (fd >= 0)
			*slot = temp_register(*path);

		signals_release();

		if (fd >= 0)
			return fd;

		free(*path);

		if (EEXIST != why)
			error("%s: cannot be created: %s", target, strerror(why));
	}

	error("%s: no free temporary name in its folder", target);
}

char *temp_resolve(const char *path)
{
	enum { MAX_LINKS = 40 };
	char link[4096];
	char *now = mem_strdup(path);

	for (int i = 0; i < MAX_LINKS; i++) {
		ssize_t n = readlink(now, link, sizeof link - 1);

		if (n < 0)
			return now;

		link[n] = '\0';

		const char *slash = strrchr(now, '/');
		int length = slash && '/' != link[0] ? (int)(slash + 1 - now) : 0;
		char *next = mem_printf("%.*s%s", length, now, link);

		free(now);
		now = next;
	}

	error("%s: more than %d symbolic links in a row", path, MAX_LINKS);
}

void temp_check_target(const char *target)
{
	struct stat st;

	if (0 != stat(target, &st))
		return; // created; a missing folder shows with the temporary file

	if (!S_ISREG(st.st_mode))
		error("%s: %s, expected an ordinary file or nothing", target,
		        S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");

	if (0 != access(target, W_OK))
		error("%s: is not replaced: %s", target, strerror(errno));
}

void temp_sync(int fd, const char *path)
{
	if (0 != fsync(fd))
		error("%s: cannot be flushed to the disk: %s", path, strerror(errno));
}

int temp_folder_open(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? mem_printf("%.*s", (int)(slash + 1 - path), path) : mem_strdup(".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(folder);
	return fd;
}

void temp_sync_folder(const char *path)
{
	int fd = temp_folder_open(path);

	if (fd < 0)
		return;

	fsync(fd);
	close(fd);
}

const char *file_tmpdir(void)
{
	const char *names[] = {"GANTRY_TMPDIR", "TMPDIR"};

	for (int i = 0; i < 2; i++) {
		const char *dir = getenv(names[i]);

		if (dir && *dir)
			return dir;
	}

	return "/tmp";
}

int file_spool(long bytes)
{
	int slot;
	char *path;
	char *target = mem_printf("%s/spool", file_tmpdir());
	int fd = temp_create(target, &path, &slot);

	signals_hold();
	unlink(path);
	file_temp_forget(slot);
	signals_release();

	char *what = mem_printf("temporary file in %s", file_tmpdir());

	file_reserve(fd, bytes, what);
	free(what);
	free(path);
	free(target);
	return fd;
}

static _Noreturn void disk_full(int fd, long bytes, const char *path)
{
	struct statvfs fs;

	if (0 != fstatvfs(fd, &fs))
		error("%s: needs %s, but the disk is full", path, human_bytes((double)bytes));

	double room = (double)fs.f_bavail * (double)fs.f_frsize;

	error("%s: needs %s, but only %s are free on that disk (%s more)", path, human_bytes((double)bytes),
	        human_bytes(room), human_bytes((double)bytes > room ? (double)bytes - room : 0));
}

/* Where the file system cannot reserve: at least compare with the free space. */
static void reserve_by_size(int fd, long bytes, const char *path)
{
	struct statvfs fs;

	if (0 == fstatvfs(fd, &fs) && (double)bytes > (double)fs.f_bavail * (double)fs.f_frsize)
		disk_full(fd, bytes, path);

	if (0 != ftruncate(fd, bytes))
		error("%s: cannot be made %s long: %s", path, human_bytes((double)bytes), strerror(errno));
}

void file_reserve(int fd, long bytes, const char *path)
{
	int status;

	do {
		status = fallocate(fd, 0, 0, bytes);
	} while (0 != status && EINTR == errno);

	if (0 == status)
		return;

	switch (errno) {
	case EOPNOTSUPP:
	case ENOSYS:
		reserve_by_size(fd, bytes, path);
		return;
	case ENOSPC:
	case EDQUOT:
		// what was reserved before the disk was full counts as free again
		if (0 != ftruncate(fd, 0))
			error("%s: the disk is full", path);

		disk_full(fd, bytes, path);
	case EFBIG:
		error("%s: needs %s, which is over the largest file allowed here", path,
		        human_bytes((double)bytes));
	default:
		error("%s: cannot reserve %s: %s", path, human_bytes((double)bytes), strerror(errno));
	}
}
