#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/pair.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
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

/* The sections that header and history contain first. */
static struct pair tilde(const struct pair *p)
{
	return (struct pair){
	        .hdr = mem_printf("%s~", p->hdr),
	        .history = mem_printf("%s~", p->history),
	};
}

/* CRC-32 as in zlib: every language has it or says it in a few lines. */
static uint32_t crc32_of(const char *text, long n)
{
	uint32_t c = 0xffffffff;

	for (long i = 0; i < n; i++) {
		c ^= (unsigned char)text[i];

		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}

	return c ^ 0xffffffff;
}

void pair_tie(char tie[PAIR_TIE], const char *text, long n)
{
	snprintf(tie, PAIR_TIE, "%08x", (unsigned)crc32_of(text, n));
}

static char *tied(const struct pair *p, const char tie[PAIR_TIE])
{
	return mem_printf("%s~%s", p->cfl, tie);
}

/* The name of the data that belong to an open header before they get their own; NULL for what is no header.
 */
static char *tied_to(const struct pair *p, int fd, const char *path)
{
	struct stat st;
	char tie[PAIR_TIE];
	long n;

	if (0 != fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > PAIR_HEADER_MAX)
		return NULL;

	char *text = file_read_fd(fd, PAIR_HEADER_MAX, &n, path);

	pair_tie(tie, text, n);
	free(text);
	return tied(p, tie);
}

/* The data under that name beside the header at `path`; NULL where one of the two is missing; malloc'd. */
static char *data_of(const struct pair *p, const char *path)
{
	int fd = file_open(path);
	char *data = fd >= 0 ? tied_to(p, fd, path) : NULL;

	if (fd >= 0)
		close(fd);

	if (data && 0 == access(data, F_OK))
		return data;

	free(data);
	return NULL;
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

/* Opens a header and what may be its history. Data come after them: as long as these are found under their
 * names, no later commit has replaced the history. */
static void open_header(const struct pair *p, const struct pair *new, const char *path, struct pair_files *f)
{
	*f = (struct pair_files){.hdr = file_open(path), .cfl = -1, .history = {-1, -1}};

	if (f->hdr < 0)
		return;

	f->history[0] = file_open(new->history);
	f->history[1] = file_open(p->history);
}

/* Opens the data at `path` (malloc'd, or NULL), which are kept as those of f. */
static bool open_data(struct pair_files *f, char *path)
{
	f->cfl = path ? file_open(path) : -1;

	if (f->cfl < 0) {
		free(path);
		return false;
	}

	f->cfl_path = path;
	return true;
}

/* NAME.hdr~ and the data tied to it, when both exist. */
static bool open_committed(const struct pair *p, const struct pair *new, struct pair_files *f)
{
	open_header(p, new, new->hdr, f);

	if (f->hdr < 0)
		return false;

	if (open_data(f, tied_to(p, f->hdr, new->hdr))) {
		f->hdr_path = mem_strdup(new->hdr);
		return true;
	}

	close_all(f);
	return false;
}

/* NAME.hdr with NAME.cfl, or before the last rename with the data tied to it. Descriptors are -1 where a file
 * is missing, errno tells of the first. */
static void open_final(const struct pair *p, const struct pair *new, struct pair_files *f)
{
	open_header(p, new, p->hdr, f);

	if (f->hdr < 0)
		return;

	f->hdr_path = mem_strdup(p->hdr);

	if (open_data(f, mem_strdup(p->cfl)))
		return;

	int why = errno;

	if (ENOENT == why)
		open_data(f, tied_to(p, f->hdr, p->hdr));

	errno = why;
}

/* One try; false when the files changed while they were opened, or may have. */
static bool try_open(const struct pair *p, const struct pair *new, struct pair_files *f, bool last)
{
	bool whole = open_committed(p, new, f);
	int why = 0;

	if (!whole) {
		open_final(p, new, f);
		why = errno;

		// new data get their name after their header: if that is still the same, the data are its own
		whole = f->hdr < 0 || (same_file(f->hdr, p->hdr) && (f->cfl >= 0 || last));
	}

	if (!whole) {
		close_all(f);
		free(f->hdr_path);
		free(f->cfl_path);
	}

	errno = why;
	return whole;
}

/* Steps 3 to 6, or what is left of them. */
static int settle(const struct pair *p, const struct pair *new)
{
	char *data = data_of(p, new->hdr);
	bool committed = NULL != data;
	int why = 0;

	if (!committed && 0 != access(p->cfl, F_OK))
		data = data_of(p, p->hdr);

	if (committed && ((0 != unlink(p->cfl) && ENOENT != errno) ||
	                         (0 != rename(new->history, p->history) && ENOENT != errno) ||
	                         0 != rename(new->hdr, p->hdr)))
		why = errno;

	if (data && !why && 0 != rename(data, p->cfl))
		why = errno;

	free(data);
	return why;
}

/* Waits until no other writer renames in the folder, or with `now` tries it; a descriptor to close, -1 where
 * the file system has no locks: there, the order of the renames still protects against kills. */
static int lock_folder(const char *path, bool now)
{
	int folder = temp_folder_open(path), status = -1;

	while (folder >= 0 && 0 != (status = flock(folder, now ? LOCK_EX | LOCK_NB : LOCK_EX)) &&
	        EINTR == errno)
		;

	if (folder >= 0 && 0 != status) {
		close(folder);
		folder = -1;
	}

	return folder;
}

void pair_finish(const struct pair *p)
{
	struct pair new = tilde(p);

	if (0 == access(new.hdr, F_OK) || (0 != access(p->cfl, F_OK) && 0 == access(p->hdr, F_OK))) {
		int folder = lock_folder(p->hdr, true);

		// a folder that is not ours to change keeps what it has: readers see through
		if (folder >= 0) {
			settle(p, &new);
			close(folder);
		}
	}

	pair_free(&new);
}

void pair_open(const struct pair *p, struct pair_files *f)
{
	enum { PATIENCE = 20, TRIES = 1000 }; // for missing data, and for a writer without rest
	struct pair new = tilde(p);
	int tries = 0;

	while (!try_open(p, &new, f, tries > PATIENCE)) {
		if (++tries > TRIES)
			error("%s: keeps changing while it is read", p->hdr);

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

/* Steps 1 and 2. On failure the new names are removed. */
static int commit_new(const struct pair *new, const char *data, struct replacement *hdr,
        struct replacement *cfl, struct replacement *history)
{
	int why = history->there ? temp_replace(history, new->history) : 0;

	if (!why)
		why = temp_replace(hdr, new->hdr);

	if (!why) {
		if (tool_sync())
			temp_sync_folder(new->hdr);

		why = temp_replace(cfl, data);
	}

	if (why) {
		unlink(new->history);
		unlink(new->hdr);
		return why;
	}

	if (tool_sync())
		temp_sync_folder(data);

	return 0;
}

int pair_commit(const struct pair *p, const char tie[PAIR_TIE], struct replacement *hdr,
        struct replacement *cfl, struct replacement *history)
{
	struct pair new = tilde(p);
	char *data = tied(p, tie);
	bool beside = history->there;
	int folder = lock_folder(p->hdr, false);
	char *committed = data_of(p, new.hdr);
	int why = 0;

	// another command may have been faster
	if (tool_no_clobber() && (committed || 0 == access(p->hdr, F_OK) || 0 == access(p->cfl, F_OK)))
		why = EEXIST;

	if (!why)
		why = settle(p, &new);

	if (!why)
		why = commit_new(&new, data, hdr, cfl, history);

	// from here on it is done: what is left to rename, readers and the next writer see through
	if (!why && 0 == settle(p, &new) && !beside)
		unlink(p->history);

	if (!why && tool_sync())
		temp_sync_folder(p->hdr);

	if (folder >= 0)
		close(folder);

	free(committed);
	free(data);
	pair_free(&new);
	return why;
}
