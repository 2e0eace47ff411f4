/** Temporary files: a list for signal handlers, unique names, spools, reserved space. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/hash.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"
#include "misc/ranks/ranks.h"
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

	if (!registered) {
		on_exit_call(file_temp_remove_all);
		signals_on_end(file_temp_remove_all);
	}

	registered = true;
	t->path = mem_strdup(path);
	return t->slot;
}

int temp_watch(const char *path)
{
	return temp_register(path);
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

/* "FOLDER/" of a path, or "". */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return mem_printf("%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

/* This start of this machine: locks of others may not be visible here. 0: unknown. */
static unsigned machine(void)
{
	static unsigned number;
	char text[37] = "";
	FILE *f = 0 == number ? fopen("/proc/sys/kernel/random/boot_id", "re") : NULL;

	if (f && fgets(text, sizeof text, f) && sizeof text - 1 == strlen(text))
		number = (unsigned)hash_number(text, sizeof text - 1);
	if (f)
		fclose(f);

	return number;
}

/* The lock of an owner. It belongs to the open file, not to the process, and is none that libraries take. */
static int own(int fd, int how)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int status;

	do {
		status = fcntl(fd, how, &lock);
	} while (0 != status && EINTR == errno);

	return status;
}

/* Removes a temporary that nobody owns. */
static bool remove_orphan(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return false;

	bool orphan =
	        0 == fstat(fd, &st) && S_ISREG(st.st_mode) && 0 == own(fd, F_OFD_SETLK) && 0 == unlink(path);

	close(fd);
	return orphan;
}

void temp_remove_orphans(const char *folder)
{
	DIR *d = opendir(*folder ? folder : ".");
	char *mine = mem_printf(".gantry-%08x", machine());

	for (struct dirent *e = (d && 0 != machine()) ? readdir(d) : NULL; e; e = readdir(d)) {
		const size_t n = strlen(e->d_name);

		if (28 != n || 0 != strncmp(e->d_name, mine, strlen(mine)) ||
		        0 != strcmp(e->d_name + n - 4, ".tmp"))
			continue;

		char *path = mem_printf("%s%s", folder, e->d_name);

		remove_orphan(path);
		free(path);
	}

	if (d)
		closedir(d);

	free(mine);
}

static char *temp_name(const char *folder, unsigned number)
{
	return mem_printf("%s.gantry-%08x%08x.tmp", folder, machine(), number);
}

/* Gives an unnamed file a name, when nothing has it. */
static int link_to(int fd, const char *path)
{
	char self[40];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int open_unnamed(const char *folder, mode_t mode)
{
	return open(*folder ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/* Whether files of the folder can come into being without a name and get one later; tried out. */
static bool takes_unnamed(const char *folder)
{
	static char *last;
	static bool answer;
	const char *asked = getenv("GANTRY_TMPFILE");

	if (asked && 0 == strcmp(asked, "0"))
		return false;

	if (last && 0 == strcmp(last, folder))
		return answer;

	int fd = open_unnamed(folder, 0600);
	char *name =
	        temp_name(folder, 0); // always the same: a kill before it is removed leaves one, not many

	answer = fd >= 0 &&
	         (0 == link_to(fd, name) || (EEXIST == errno && 0 == unlink(name) && 0 == link_to(fd, name)));

	if (answer)
		unlink(name);

	if (fd >= 0)
		close(fd);

	free(name);
	free(last);
	last = mem_strdup(folder);
	return answer;
}

/* A new file with a name of its own, owned; -1 with errno. */
static int open_named(struct replacement *r, const char *folder, mode_t mode)
{
	struct stat st;

	r->temp = temp_name(folder, (unsigned)random_number());

	int fd = open(r->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	int why = errno;

	if (fd >= 0) {
		own(fd, F_OFD_SETLKW);

		// between the two, another command may have taken it for an orphan
		if (0 != fstat(fd, &st) || st.st_nlink > 0) {
			r->slot = temp_register(r->temp);
			return fd;
		}

		close(fd);
		why = EEXIST;
	}

	free(r->temp);
	r->temp = NULL;
	errno = why;
	return -1;
}

void temp_create(struct replacement *r, const char *target, bool named)
{
	static char *cleaned;
	struct stat old;
	char *folder = folder_of(target);
	int why = 0;

	// what others may not read stays so
	mode_t mode = 0 == stat(target, &old) ? old.st_mode & 0666 : 0666;

	*r = (struct replacement){.fd = -1, .slot = -1};
	ranks_note_folder(folder);

	if (!named && takes_unnamed(folder))
		r->fd = open_unnamed(folder, mode);

	if (r->fd >= 0) {
		own(r->fd, F_OFD_SETLK);
	} else if (!cleaned || 0 != strcmp(cleaned, folder)) {
		temp_remove_orphans(folder);
		free(cleaned);
		cleaned = mem_strdup(folder);
	}

	for (int i = 0; r->fd < 0 && i < 100; i++) {
		signals_hold();
		r->fd = open_named(r, folder, mode);
		why = errno;
		signals_release();

		if (r->fd < 0 && EEXIST != why)
			error("%s: cannot be created: %s", target, strerror(why));
	}

	if (r->fd < 0)
		error("%s: no free temporary name in its folder", target);

	r->there = true;
	free(folder);
}

/* Over a file that exists, by way of a name that belongs to the target: if the command is killed between the
 * two steps, the next one with this target finds it. */
static int replace_existing(int fd, const char *target)
{
	char *folder = folder_of(target);
	char *name = temp_name(folder, (unsigned)hash_number(target, strlen(target)));
	int why = 0 == link_to(fd, name) ? 0 : errno;

	for (int i = 0; EEXIST == why && i < 100; i++) {
		if (!remove_orphan(name)) {
			free(name);
			name = temp_name(folder, (unsigned)random_number());
		}

		why = 0 == link_to(fd, name) ? 0 : errno;
	}

	if (!why && 0 != rename(name, target)) {
		why = errno;
		unlink(name);
	}

	free(name);
	free(folder);
	return why;
}

static void has_its_name(struct replacement *r)
{
	file_temp_forget(r->slot);
	free(r->temp);
	r->temp = NULL;
}

int temp_place(struct replacement *r, const char *target)
{
	if (!r->temp)
		return 0 == link_to(r->fd, target) ? 0 : errno;

	int status = renameat2(AT_FDCWD, r->temp, AT_FDCWD, target, RENAME_NOREPLACE);

	if (0 != status && EINVAL == errno) { // a file system that has links instead
		status = link(r->temp, target);

		if (0 == status)
			unlink(r->temp);
	}

	if (0 != status)
		return errno;

	has_its_name(r);
	return 0;
}

int temp_replace(struct replacement *r, const char *target)
{
	if (!r->temp) {
		int why = 0 == link_to(r->fd, target) ? 0 : errno;

		return EEXIST == why ? replace_existing(r->fd, target) : why;
	}

	if (0 != rename(r->temp, target))
		return errno;

	has_its_name(r);
	return 0;
}

void temp_close(struct replacement *r)
{
	if (r->there)
		close(r->fd);

	free(r->temp);
	*r = (struct replacement){0};
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
		error("%s is %s, expected an ordinary file or no file", target,
		        S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");

	// another command may be replacing it right now
	if (0 != access(target, W_OK) && ENOENT != errno)
		error("%s: cannot be replaced: %s", target, strerror(errno));
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
	struct replacement r;
	char *target = mem_printf("%s/spool", file_tmpdir());

	temp_create(&r, target, false);
	signals_hold();

	if (r.temp) {
		unlink(r.temp);
		file_temp_forget(r.slot);
	}

	signals_release();

	char *what = mem_printf("temporary file in %s", file_tmpdir());

	file_reserve(r.fd, bytes, what);
	free(what);
	free(r.temp);
	free(target);
	return r.fd;
}

static _Noreturn void disk_full(int fd, long bytes, const char *path)
{
	struct statvfs fs;

	if (0 != fstatvfs(fd, &fs))
		error("%s: needs %s, but the disk is full", path, human_bytes((double)bytes));

	double room = (double)fs.f_bavail * (double)fs.f_frsize;

	error("%s: needs %s, but only %s are free on its disk (%s more are needed)", path,
	        human_bytes((double)bytes), human_bytes(room),
	        human_bytes((double)bytes > room ? (double)bytes - room : 0));
}

/* Where the file system cannot reserve: at least compare with the free space. */
static void reserve_by_size(int fd, long bytes, const char *path)
{
	struct statvfs fs;

	if (0 == fstatvfs(fd, &fs) && (double)bytes > (double)fs.f_bavail * (double)fs.f_frsize)
		disk_full(fd, bytes, path);

	if (0 != ftruncate(fd, bytes))
		error("%s: cannot be extended to %s: %s", path, human_bytes((double)bytes), strerror(errno));
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
		error("%s: needs %s, but the largest file allowed here is smaller", path,
		        human_bytes((double)bytes));
	default:
		error("%s: cannot reserve %s: %s", path, human_bytes((double)bytes), strerror(errno));
	}
}
