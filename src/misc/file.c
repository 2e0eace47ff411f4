/** Reads and replaces ordinary files as a whole. */

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/mapping.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/trial.h"
#include "misc/ranks/ranks.h"
#include "misc/signals.h"
#include "misc/temp.h"

long file_size(int fd, const char *path)
{
	struct stat st;

	if (0 != fstat(fd, &st))
		error("%s: cannot be read: %s", path, strerror(errno));

	if (!S_ISREG(st.st_mode))
		error("%s is %s, expected an ordinary file", path,
		        S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");

	return (long)st.st_size;
}

int file_open(const char *path)
{
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

int file_open_regular(const char *path, long *size)
{
	int fd = file_open(path);

	if (fd < 0)
		error("%s: cannot be read: %s", path, strerror(errno));

	*size = file_size(fd, path);
	return fd;
}

long file_read_at(int fd, void *out, long n, long at)
{
	long got = 0;

	while (got < n) {
		ssize_t m = pread(fd, (char *)out + got, (size_t)(n - got), at + got);

		if (m < 0 && EINTR == errno)
			continue;

		if (m <= 0)
			break;

		got += m;
	}

	return got;
}

long file_probe(const char *path, void *head, long n)
{
	struct stat st;
	int fd = file_open(path);

	if (fd < 0)
		return 0;

	long got = (0 == fstat(fd, &st) && S_ISREG(st.st_mode)) ? file_read_at(fd, head, n, 0) : 0;

	close(fd);
	return got;
}

static const char empty[1] = "";

const void *file_map(const char *path, size_t *bytes)
{
	long size;
	int fd = file_open_regular(path, &size);
	const void *p = size > 0 ? mapping_create(fd, (size_t)size, false, path) : empty;

	*bytes = (size_t)size;
	close(fd);
	return p;
}

void file_unmap(const void *p)
{
	if (p != empty)
		mapping_free(p);
}

char *file_read_fd(int fd, long max, long *bytes, const char *path)
{
	long size = file_size(fd, path);

	if (size > max)
		error("%s has %ld bytes, expected at most %ld", path, size, max);

	char *text = mem_realloc(NULL, (size_t)size + 1);

	for (*bytes = 0; *bytes < size;) {
		ssize_t n = pread(fd, text + *bytes, (size_t)(size - *bytes), *bytes);

		if (n < 0 && EINTR == errno)
			continue;

		if (n <= 0)
			error("%s: cannot be read: %s", path, n < 0 ? strerror(errno) : "it became shorter");

		*bytes += n;
	}

	text[size] = '\0';
	return text;
}

/* After a read that failed: a writer of the pipe is waited for; anything else is an error. */
static void wait_for_writer(int fd, const char *path)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (EAGAIN != errno && EINTR != errno)
		error("%s: cannot be read: %s", path, strerror(errno));

	poll(&p, 1, -1);
}

/* The text of a pipe to its end. One that nobody has opened for writing may still be: that takes a moment
 * when both ends are started together, but it is not waited for any longer. */
static char *read_pipe(int fd, long *bytes, const char *path)
{
	enum { MOMENT = 100, PAUSE = 10000000, MOST = 1 << 30 }; // of 10 ms each; [ns]; [bytes]
	char part[4096];
	struct str s = {0};
	bool written = false;

	str_add(&s, "");

	for (int looks = 0; s.len < MOST;) {
		ssize_t n = read(fd, part, sizeof part);

		if (n > 0)
			str_addn(&s, part, (size_t)n);
		else if (n < 0)
			wait_for_writer(fd, path);
		else if (written)
			break;
		else if (++looks > MOMENT)
			error("%s is a pipe that no program writes to", path);
		else
			nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);

		written = written || 0 != n;
	}

	if (s.len >= MOST)
		error("%s: the pipe contains %s or more, expected a shorter text", path, human_bytes(MOST));

	*bytes = (long)s.len;
	return s.data;
}

char *file_read_text(const char *path)
{
	struct stat st;
	long bytes;
	int fd = file_open(path);

	if (fd < 0)
		error("%s: cannot be read: %s", path, strerror(errno));

	bool pipe = 0 == fstat(fd, &st) && S_ISFIFO(st.st_mode);
	char *text = pipe ? read_pipe(fd, &bytes, path) : file_read_fd(fd, LONG_MAX - 1, &bytes, path);

	close(fd);

	if ((long)strlen(text) != bytes)
		error("%s contains a zero byte, expected text", path);

	return text;
}

double *file_read_numbers(const char *path, long *n)
{
	char *text = file_read_text(path);
	double *numbers = NULL;
	long line = 1, room = 0;

	*n = 0;

	for (char *p = text; *p;) {
		if ('\n' == *p)
			line++;

		if ('#' == *p) {
			p += strcspn(p, "\n");
			continue;
		}

		if (isspace((unsigned char)*p) || ',' == *p) {
			p++;
			continue;
		}

		char *end;
		double x = strtod(p, &end);

		if (end == p || !isfinite(x) || (*end && !strchr(" \t\r\n\f\v,#", *end)))
			error("%s: line %ld contains '%.*s', expected finite numbers", path, line,
			        (int)strcspn(p, " \t\r\n,#"), p);

		if (*n == room)
			numbers = mem_realloc(
			        numbers, (size_t)(room = room ? 2 * room : 256) * sizeof *numbers);

		numbers[(*n)++] = x;
		p = end;
	}

	free(text);
	return numbers;
}

struct file_out {
	char *name;             // as typed
	char *target;           // links resolved
	struct replacement new; // none: written in place (standard output, a device)
	FILE *stream;
	bool dropped; // rank 0 writes it, or a trial may not
	bool state;   // replaced whatever --no-clobber says
};

static bool is_special(const char *path)
{
	struct stat st;

	return 0 == stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A device, or a pipe that somebody reads or is about to. */
static FILE *open_special(const char *path)
{
	enum { MOMENT = 100, PAUSE = 10000000 }; // of 10 ms each; [ns]
	int fd;

	for (int looks = 0;; looks++) {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

		if (fd >= 0 || ENXIO != errno || looks == MOMENT)
			break;

		nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
	}

	if (fd < 0 && ENXIO == errno)
		error("%s is a pipe that no program reads", path);

	if (fd >= 0)
		fcntl(fd, F_SETFL, 0); // from here on writing waits for the reader

	return fd < 0 ? NULL : fdopen(fd, "wb");
}

/* A text or a picture under the name of half an array would destroy the array. */
static void refuse_array_half(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot && (!strcmp(dot, ".cfl") || !strcmp(dot, ".hdr")))
		error("%s: only arrays have names that end in %s, expected another name", path, dot);
}

static struct file_out *create(const char *path, bool named)
{
	refuse_array_half(path);

	struct file_out *f = NEW(struct file_out);

	f->name = mem_strdup(path);
	f->dropped = ranks_rank() > 0 || (trial_is_on() && is_special(path));

	if (f->dropped) {
		f->stream = fopen("/dev/null", "wb");
	} else if (0 == strcmp(path, "-")) {
		f->stream = stdout;
	} else if (is_special(path)) {
		f->stream = open_special(path);
	} else {
		f->target = temp_resolve(path);
		temp_check_target(f->target);
		temp_create(&f->new, f->target, named);
		f->stream = fdopen(f->new.fd, "wb");
	}

	if (!f->stream)
		error("%s: cannot be written: %s", path, strerror(errno));

	return f;
}

void file_refuse_existing(const char *path)
{
	if (0 != strcmp(path, "-") && 0 == access(path, F_OK) && !is_special(path))
		error("%s exists, and --no-clobber is set (choose another name or remove the file)", path);
}

struct file_out *file_create(const char *path)
{
	if (tool_no_clobber())
		file_refuse_existing(path);

	return create(path, false);
}

struct file_out *file_create_named(const char *path)
{
	if (tool_no_clobber())
		file_refuse_existing(path);

	return create(path, true);
}

struct file_out *file_create_state(const char *path)
{
	struct file_out *f = create(path, false);

	f->state = true;
	return f;
}

void *file_stream(struct file_out *f)
{
	return f->stream;
}

/* A file system with delayed allocation then needs no allocation when the file is renamed, which would wait
 * for the disk. */
void file_out_reserve(struct file_out *f, long bytes)
{
	if (f->new.there && !trial_is_on() && bytes > 0)
		file_reserve(f->new.fd, bytes, f->name);
}

const char *file_out_path(const struct file_out *f)
{
	return f->dropped ? "/dev/null" : f->new.temp ? f->new.temp : f->name;
}

/* Libraries lose errno: whether the file could grow says it again. */
static int reason(const struct file_out *f, int why)
{
	enum { MORE = 1 << 20 }; // [bytes]
	struct stat st;
	const int fd = fileno(f->stream);

	if (ENOSPC == why || EDQUOT == why || EFBIG == why || EIO == why || EROFS == why)
		return why;

	if (0 == fstat(fd, &st) && S_ISREG(st.st_mode) && 0 != fallocate(fd, 0, st.st_size, MORE) &&
	        (ENOSPC == errno || EDQUOT == errno || EFBIG == errno))
		return errno;

	return why;
}

void file_failed(struct file_out *f, const char *detail)
{
	const int why = reason(f, errno);
	const bool said = detail && *detail;

	if (stdout == f->stream && (EPIPE == why || reader_has_ended()))
		end_without_reader();

	error("%s: cannot be written: %s%s%s%s", f->name, why ? strerror(why) : "output error",
	        said ? " (" : "", said ? detail : "", said ? ")" : "");
}

static void commit(struct file_out *f, bool sync)
{
	errno = 0;

	if (0 != fflush(f->stream) || ferror(f->stream))
		file_failed(f, NULL);

	if (f->new.there && !trial_is_on()) {
		if (sync)
			temp_sync(fileno(f->stream), f->name);

		signals_hold();

		int why = tool_no_clobber() && !f->state ? temp_place(&f->new, f->target)
		                                         : temp_replace(&f->new, f->target);

		signals_release();

		if (why)
			error("%s: the complete file cannot be renamed to this name: %s", f->name,
			        strerror(why));

		if (sync)
			temp_sync_folder(f->target);
	}

	if (f->stream != stdout && 0 != fclose(f->stream))
		error("%s: cannot be written: %s", f->name, strerror(errno));

	free(f->name);
	free(f->target);
	free(f);
}

void file_commit(struct file_out *f)
{
	commit(f, tool_sync());
}

void file_commit_synced(struct file_out *f)
{
	commit(f, true);
}
