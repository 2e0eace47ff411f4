#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/pair.h"
#include "misc/temp.h"

static char *resolved(const char *name, const char *extension)
{
	char *path = mem_printf("%s%s", name, extension);
	char *real = temp_resolve(path);

	free(path);
	return real;
}

void pair_init(struct pair *p, const char *name)
{
	p->hdr = resolved(name, ".hdr");
	p->cfl = resolved(name, ".cfl");
	p->history = resolved(name, ".history");
}

void pair_free(struct pair *p)
{
	free(p->hdr);
	free(p->cfl);
	free(p->history);
}

/* The names that a commit gives first. */
static struct pair tilde(const struct pair *p)
{
	return (struct pair){
	        .hdr = mem_printf("%s~", p->hdr),
	        .cfl = mem_printf("%s~", p->cfl),
	        .history = mem_printf("%s~", p->history),
	};
}

static bool older(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* NAME.hdr~ exists and is a commit, not an editor's backup. */
static bool is_committed(const struct pair *p, const struct pair *new)
{
	struct stat now, old, data;

	if (0 != stat(new->hdr, &now))
		return false;

	if (0 != stat(p->hdr, &old) || 0 == stat(new->cfl, &data))
		return true;

	return !older(now.st_mtim, old.st_mtim) || !older(now.st_ctim, old.st_ctim);
}

static bool same_file(int fd, const char *path)
{
	struct stat a, b;

	return 0 == fstat(fd, &a) && 0 == stat(path, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void close_all(const struct pair_files *f)
{
	const int fds[] = {f->hdr, f->cfl, f->history[0], f->history[1]};

	for (int i = 0; i < 4; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int open_read(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* One try; false when the files changed while they were opened. Descriptors are -1 where a file is missing,
 * errno tells of the first. */
static bool try_open(const struct pair *p, const struct pair *new, struct pair_files *f)
{
	bool committed = is_committed(p, new);
	const char *hdr = committed ? new->hdr : p->hdr;
	const char *cfl = committed ? new->cfl : p->cfl;

	*f = (struct pair_files){.hdr = open_read(hdr), .cfl = -1, .history = {-1, -1}};

	int why = errno;

	if (f->hdr >= 0) {
		f->cfl = open_read(cfl);

		if (f->cfl < 0 && committed && ENOENT == errno) {
			cfl = p->cfl;
			f->cfl = open_read(cfl);
		}

		why = errno;
		f->history[0] = open_read(new->history);
		f->history[1] = open_read(p->history);
	}

	// NAME.hdr~ was there and got its final name before it was opened, whatever another writer does now.
	bool settled = f->hdr < 0 && committed && ENOENT == why;

	// In this order: a writer at its last step could slip between the other way round, its data read with
	// the old header.
	if (settled || committed != is_committed(p, new) || (f->hdr >= 0 && !same_file(f->hdr, hdr))) {
		close_all(f);
		return false;
	}

	f->hdr_path = mem_strdup(hdr);
	f->cfl_path = mem_strdup(cfl);
	errno = why;
	return true;
}

void pair_open(const struct pair *p, struct pair_files *f)
{
	struct pair new = tilde(p);
	int tries = 0;

	while (!try_open(p, &new, f)) {
		if (++tries > 1000)
			error("%s: changes faster than it can be read", p->hdr);

		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}

	if (f->hdr < 0)
		error("%s: cannot be read: %s", p->hdr, strerror(errno));

	if (f->cfl < 0)
		error("%s: cannot be read: %s", p->cfl, strerror(errno));

	pair_free(&new);
}

void pair_opened(struct pair_files *f)
{
	struct pair_files others = *f;

	others.cfl = -1;
	close_all(&others);
	free(f->hdr_path);
}

/* Step 3 or 4: what has been committed gets its final name; nothing to do when it is there already. */
static int settle(const char *new, const char *final)
{
	return 0 == rename(new, final) || ENOENT == errno ? 0 : errno;
}

static int settle_all(const struct pair *p, const struct pair *new)
{
	int why = settle(new->cfl, p->cfl);

	if (!why)
		why = settle(new->history, p->history);

	if (!why)
		why = settle(new->hdr, p->hdr);

	return why;
}

int replace_file(struct replacement *r, const char *target)
{
	if (0 != rename(r->temp, target))
		return errno;

	file_temp_forget(r->slot);
	free(r->temp);
	r->temp = NULL;
	return 0;
}

/* Steps 1 and 2. On failure the new names are taken away again. */
static int commit_new(
        const struct pair *new, struct replacement *hdr, struct replacement *cfl, struct replacement *history)
{
	// newer than the header it replaces, also when that was written while we worked
	utimensat(AT_FDCWD, hdr->temp, NULL, 0);

	int why = replace_file(cfl, new->cfl);

	if (!why && history->temp)
		why = replace_file(history, new->history);

	if (!why) {
		temp_sync_folder(new->cfl);
		why = replace_file(hdr, new->hdr);
	}

	if (why) {
		unlink(new->history);
		unlink(new->cfl);
		return why;
	}

	temp_sync_folder(new->hdr);
	return 0;
}

/* Waits until no other writer renames in the folder; a descriptor to close. Where the file system has no
 * locks, the order of the renames still protects against kills. */
static int lock_folder(const char *path)
{
	int folder = temp_folder_open(path);

	while (folder >= 0 && 0 != flock(folder, LOCK_EX) && EINTR == errno)
		;

	return folder;
}

int pair_commit(
        const struct pair *p, struct replacement *hdr, struct replacement *cfl, struct replacement *history)
{
	struct pair new = tilde(p);
	bool beside = NULL != history->temp;
	int folder = lock_folder(p->hdr);
	int why = 0;

	if (is_committed(p, &new)) {
		why = settle_all(p, &new);
	} else {
		unlink(new.hdr); // a backup would look like a commit beside our NAME.cfl~
		unlink(new.history);
	}

	if (!why)
		why = commit_new(&new, hdr, cfl, history);

	// from here on it is done: what is left to rename, readers and the next writer see through
	if (!why && 0 == settle_all(p, &new) && !beside)
		unlink(p->history);

	if (!why)
		temp_sync_folder(p->hdr);

	if (folder >= 0)
		close(folder);

	pair_free(&new);
	return why;
}
