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

static char *tilde(const char *path)
{
	return mem_printf("%s~", path);
}

static bool older(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* NAME.hdr~ exists and is a commit, not an editor's backup. */
static bool is_committed(const char *hdr_new, const char *hdr, const char *cfl_new)
{
	struct stat new, old, data;

	if (0 != stat(hdr_new, &new))
		return false;

	if (0 != stat(hdr, &old) || 0 == stat(cfl_new, &data))
		return true;

	return !older(new.st_mtim, old.st_mtim) || !older(new.st_ctim, old.st_ctim);
}

static bool same_file(int fd, const char *path)
{
	struct stat a, b;

	return 0 == fstat(fd, &a) && 0 == stat(path, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* One try; false when the files changed while they were opened. Descriptors are -1 where a file is missing.
 */
static bool try_open(const struct pair *p, const char *hdr_new, const char *cfl_new, struct pair_files *f)
{
	bool committed = is_committed(hdr_new, p->hdr, cfl_new);
	const char *hdr = committed ? hdr_new : p->hdr;
	const char *cfl = committed ? cfl_new : p->cfl;

	*f = (struct pair_files){.hdr = open(hdr, O_RDONLY | O_CLOEXEC), .cfl = -1};

	if (f->hdr < 0) {
		int why = errno;
		bool settled = !committed && !is_committed(hdr_new, p->hdr, cfl_new);

		errno = why;
		return settled;
	}

	f->cfl = open(cfl, O_RDONLY | O_CLOEXEC);

	if (f->cfl < 0 && committed && ENOENT == errno) {
		cfl = p->cfl;
		f->cfl = open(cfl, O_RDONLY | O_CLOEXEC);
	}

	int why = errno;

	if (!same_file(f->hdr, hdr) || committed != is_committed(hdr_new, p->hdr, cfl_new)) {
		close(f->hdr);

		if (f->cfl >= 0)
			close(f->cfl);

		return false;
	}

	f->hdr_path = mem_strdup(hdr);
	f->cfl_path = mem_strdup(cfl);
	errno = why;
	return true;
}

void pair_open(const struct pair *p, struct pair_files *f)
{
	char *hdr_new = tilde(p->hdr);
	char *cfl_new = tilde(p->cfl);
	int tries = 0;

	while (!try_open(p, hdr_new, cfl_new, f)) {
		if (++tries > 1000)
			error("%s: changes faster than it can be read", p->hdr);

		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}

	if (f->hdr < 0)
		error("%s: cannot be read: %s", p->hdr, strerror(errno));

	if (f->cfl < 0)
		error("%s: cannot be read: %s", p->cfl, strerror(errno));

	free(hdr_new);
	free(cfl_new);
}

/* Step 3 or 4: what has been committed gets its final name; nothing to do when it is there already. */
static int settle(const char *new, const char *final)
{
	return 0 == rename(new, final) || ENOENT == errno ? 0 : errno;
}

static int settle_all(const struct pair *p, const char *hdr_new, const char *cfl_new, const char *history_new)
{
	int why = settle(cfl_new, p->cfl);

	if (!why)
		why = settle(history_new, p->history);

	if (!why)
		why = settle(hdr_new, p->hdr);

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
static int commit_new(const char *hdr_new, const char *cfl_new, const char *history_new,
        struct replacement *hdr, struct replacement *cfl, struct replacement *history)
{
	// newer than the header it replaces, also when that was written while we worked
	utimensat(AT_FDCWD, hdr->temp, NULL, 0);

	int why = replace_file(cfl, cfl_new);

	if (!why && history->temp)
		why = replace_file(history, history_new);

	if (!why) {
		temp_sync_folder(cfl_new);
		why = replace_file(hdr, hdr_new);
	}

	if (why) {
		unlink(history_new);
		unlink(cfl_new);
		return why;
	}

	temp_sync_folder(hdr_new);
	return 0;
}

int pair_commit(
        const struct pair *p, struct replacement *hdr, struct replacement *cfl, struct replacement *history)
{
	char *hdr_new = tilde(p->hdr);
	char *cfl_new = tilde(p->cfl);
	char *history_new = tilde(p->history);
	bool beside = NULL != history->temp;
	int folder = temp_folder_open(p->hdr);
	int why = 0;

	// file systems without locks: the order of the renames still protects against kills
	while (folder >= 0 && 0 != flock(folder, LOCK_EX) && EINTR == errno)
		;

	if (is_committed(hdr_new, p->hdr, cfl_new)) {
		why = settle_all(p, hdr_new, cfl_new, history_new);
	} else {
		unlink(hdr_new); // a backup would look like a commit beside our NAME.cfl~
		unlink(history_new);
	}

	if (!why)
		why = commit_new(hdr_new, cfl_new, history_new, hdr, cfl, history);

	// from here on it is done: what is left to rename, readers and the next writer see through
	if (!why && 0 == settle_all(p, hdr_new, cfl_new, history_new) && !beside)
		unlink(p->history);

	if (!why)
		temp_sync_folder(p->hdr);

	if (folder >= 0)
		close(folder);

	free(hdr_new);
	free(cfl_new);
	free(history_new);
	return why;
}
