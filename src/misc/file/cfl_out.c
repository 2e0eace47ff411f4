/** Arrays as outputs: temporaries with reserved space, all committed when the last one is closed. */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/checksum.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl_io.h"
#include "misc/file/history.h"
#include "misc/file/mapping.h"
#include "misc/file/stream.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"
#include "misc/options/trial.h"
#include "misc/ranks/ranks.h"
#include "misc/signals.h"
#include "misc/temp.h"

static struct cfl *outputs; // created and not yet committed, oldest first

void cfl_forget_outputs(void)
{
	outputs = NULL;
}

/* Under --plan: prints the plan and ends the command, or makes the output as a trial. */
static void print_plan(const struct cfl *f)
{
	const struct hdr *h = &f->hdr;
	const bool file = IO_PAIR == f->io->kind || IO_CONTAINER == f->io->kind;
	char *text = mem_printf("%s, %s, %s", f->name, hdr_shape(h), dtype_name(h->type));

	if (!trial_discards_output() &&
	        (!tool_may_try() || !file || stream_is_read() || cfl_loop || leave_instead))
		tool_print_plan(text, f->io->bytes);

	trial_start(text, f->io->bytes);
	free(text);
}

/* The file of an output, of that many bytes: a trial reserves what it may write, where the disk has it. */
static void reserve(int fd, long bytes, const char *target)
{
	const long part = 1L << 30;

	if (!trial_is_on()) {
		file_reserve(fd, bytes, target);
		return;
	}

	if (0 != fallocate(fd, 0, 0, min_long(bytes, part)))
		verbose("%s: no space reserved: %s", target, strerror(errno));

	if (0 != ftruncate(fd, bytes))
		error("%s: cannot be written: %s", target, strerror(errno));
}

static void write_file(int fd, const char *text, size_t length, const char *path)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && EINTR == errno)
			continue;

		if (n < 0)
			error("%s: cannot be written: %s", path, strerror(errno));

		text += n;
		length -= (size_t)n;
	}

	if (tool_sync())
		temp_sync(fd, path);
}

static void write_temp(struct replacement *r, const char *target, const char *text)
{
	temp_create(r, target, false);
	write_file(r->fd, text, strlen(text), target);
}

/* The text of the header; *beside: the history stands in a file of its own. */
static char *header_text(const struct hdr *h, bool *beside)
{
	char *text = hdr_format(h, beside);

	if (*beside) {
		struct hdr pointer = *h;

		free(text);
		pointer.history = history_pointer(h->history);
		text = hdr_format(&pointer, NULL);
		free(pointer.history);
	}

	return text;
}

/* The header, and the history beside it when it is long, are complete now; written now, the disk cannot be
 * full for them later. */
static void write_header(struct cfl_io *io, const struct hdr *h)
{
	bool apart;
	char *text = header_text(h, &apart);

	if (apart)
		write_temp(&io->history, io->pair.history, h->history);

	pair_tie(io->tie, text, (long)strlen(text));
	write_temp(&io->hdr, io->pair.hdr, text);
	free(text);
}

/* The header once more, with the checksum of the elements. */
static void add_checksum(struct cfl *f)
{
	struct cfl_io *io = f->io;
	char data[HASH_TEXT];
	bool apart;
	char *text = header_text(&f->hdr, &apart);
	void *elements = mapping_create(io->fd, (size_t)io->bytes, false, io->target);

	hash_text(data, elements, (size_t)io->bytes);
	mapping_free(elements);
	checksum_make(f->hdr.checksum, text, data);
	free(text);
	text = header_text(&f->hdr, &apart);
	pair_tie(io->tie, text, (long)strlen(text));

	if (0 != ftruncate(io->hdr.fd, 0) || 0 != lseek(io->hdr.fd, 0, SEEK_SET))
		error("%s: cannot be written: %s", io->pair.hdr, strerror(errno));

	write_file(io->hdr.fd, text, strlen(text), io->pair.hdr);
	free(text);
}

/* Whether two paths name one file: the same last component in the same folder, however that is spelled. */
static bool same_target(const char *a, const char *b)
{
	const char *ends[] = {strrchr(a, '/'), strrchr(b, '/')};
	struct stat s, t;

	if (0 == strcmp(a, b))
		return true;

	if (0 != strcmp(ends[0] ? ends[0] + 1 : a, ends[1] ? ends[1] + 1 : b))
		return false;

	int folders[] = {temp_folder_open(a), temp_folder_open(b)};
	bool same = folders[0] >= 0 && folders[1] >= 0 && 0 == fstat(folders[0], &s) &&
	            0 == fstat(folders[1], &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;

	for (int i = 0; i < 2; i++)
		if (folders[i] >= 0)
			close(folders[i]);

	return same;
}

static void refuse_twice(const struct cfl *f)
{
	for (const struct cfl *g = outputs; g; g = g->io->next)
		if (g->io->target && same_target(g->io->target, f->io->target))
			usage_error("%s is given as the name of more than one output", f->name);
}

/* The file that rank 0 has created, opened by the others. */
static void share_file(struct cfl_io *io)
{
	char path[PATH_MAX] = "";

	if (0 == ranks_rank())
		snprintf(path, sizeof path, "%s", io->cfl.temp);

	ranks_broadcast(path, sizeof path);

	if (0 < ranks_rank()) {
		io->watched = temp_watch(path);
		io->fd = open(path, O_RDWR | O_CLOEXEC);
	}

	if (io->fd < 0)
		error("%s was created by rank 0, but cannot be opened here: %s (ranks need a shared file "
		      "system)",
		        io->target, strerror(errno));

	ranks_barrier(); // from here on it may get its name
}

static void create_file(struct cfl *f, const struct container *c, const char *stem)
{
	struct cfl_io *io = f->io;
	char *head = NULL;
	long length = 0;

	if (IO_PAIR == io->kind) {
		pair_init(&io->pair, stem);
		io->target = mem_strdup(io->pair.cfl);
		temp_check_target(io->pair.hdr);
	} else {
		head = c->format(&f->hdr, &length, f->name);
		io->target = temp_resolve(f->name);
	}

	refuse_twice(f);
	temp_check_target(io->target);
	io->offset = length;

	if (0 == ranks_rank()) {
		temp_create(&io->cfl, io->target, ranks_shared());
		io->fd = io->cfl.fd;
		reserve(io->fd, add_checked(length, io->bytes, f->name), io->target);

		if (length > 0)
			write_file(io->fd, head, (size_t)length, io->target);

		if (IO_PAIR == io->kind)
			write_header(io, &f->hdr);
	}

	if (ranks_shared())
		share_file(io);

	free(head);
}

static void copy_strings(struct hdr *dst, const struct hdr *src)
{
	hdr_copy(dst, src);
	dst->history = src->history ? mem_strdup(src->history) : NULL;
}

/* A folder, or a device: its name with .cfl behind it would be an odd file, often a hidden one. */
static void refuse_name(const char *name)
{
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	struct stat st;

	if (0 == *last || 0 == strcmp(last, ".") || 0 == strcmp(last, ".."))
		error("%s is a folder, expected a file", name);

	if (0 == stat(name, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) || S_ISFIFO(st.st_mode)))
		error("%s is a device or a pipe, expected the name of a file (- writes to standard output)",
		        name);

	if (strlen(last) > NAME_MAX - strlen(".cfl~12345678")) // the longest that is put behind a name
		error("%s: the name has %ld bytes, expected at most %ld", name, (long)strlen(last),
		        (long)(NAME_MAX - strlen(".cfl~12345678")));
}

void cfl_refuse_existing(const char *name)
{
	const struct container *c = NULL;
	char *stem = NULL;
	const int kind = cfl_kind(name, &c, &stem);
	struct pair p;

	if (IO_CONTAINER == kind)
		file_refuse_existing(name);

	if (IO_PAIR == kind) {
		pair_init(&p, stem);
		pair_finish(&p);
		file_refuse_existing(p.hdr);
		file_refuse_existing(p.cfl);
		pair_free(&p);
	}

	free(stem);
}

static void create_resident(struct cfl *f)
{
	f->io->target = mem_strdup(f->name);
	refuse_twice(f);
	f->io->resident = resident_create(f->name, f->io->bytes);
	f->io->data = resident_address(f->io->resident);
}

static void create(struct cfl *f)
{
	struct cfl_io *io = f->io;
	const struct container *c = NULL;
	char *stem = NULL;

	io->kind = cfl_kind(f->name, &c, &stem);

	if (IO_PAIR == io->kind || IO_CONTAINER == io->kind)
		refuse_name(f->name);

	if (tool_no_clobber())
		cfl_refuse_existing(f->name);

	if (tool_plan())
		print_plan(f);

	history_output(&f->hdr, f->name);

	if (IO_STREAM == io->kind)
		stream_create(&f->hdr);
	else if (IO_MEMORY == io->kind)
		create_resident(f);
	else
		create_file(f, c, stem);

	free(stem);
}

struct cfl *cfl_create(const char *name, const struct hdr *h)
{
	if (cfl_loop)
		cfl_loop->start();

	struct cfl *f = NEW(struct cfl);
	struct cfl_io *io = f->io = NEW(struct cfl_io);

	f->name = mem_strdup(name);
	copy_strings(&f->hdr, h);
	f->count = hdr_count(h, name);
	io->output = true;
	io->fd = io->watched = -1;
	io->bytes = hdr_bytes(h, name);

	if (!cfl_loop || !cfl_loop->create(f))
		create(f);

	struct cfl **last = &outputs;

	while (*last)
		last = &(*last)->io->next;

	*last = f;
	return f;
}

static void map_output(struct cfl *f)
{
	struct cfl_io *io = f->io;

	if (io->resident)
		resident_host(io->resident, true);

	if (io->map || io->resident)
		return;

	if (IO_STREAM == io->kind || io->scatter) {
		io->fd = file_spool(io->bytes);
		io->data = io->map = mapping_create(io->fd, (size_t)io->bytes, true, "temporary file");
		return;
	}

	const size_t length = (size_t)(io->offset + io->bytes);

	if (io->parts)
		io->map = mapping_create_own(io->fd, length, io->target);
	else if (0 < ranks_rank())
		io->map = mapping_create_own(-1, length, io->target);
	else
		io->map = mapping_create(io->fd, length, true, io->target);

	io->data = io->map + io->offset;
}

void *cfl_map_out(struct cfl *f)
{
	assert(f->io->output && 0 == f->io->done);
	map_output(f);
	return f->io->data;
}

static void send_pending(struct cfl *f)
{
	if (f->io->pending > 0)
		stream_write(f->io->slab, f->io->pending * (long)dtype_size(f->hdr.type));

	f->io->pending = 0;
}

void *cfl_slab(struct cfl *f, long n)
{
	struct cfl_io *io = f->io;
	long first = io->done;

	assert(io->output && n >= 0 && n <= f->count - first);
	io->done += n;

	if (IO_STREAM != io->kind) {
		map_output(f);
		return io->data + first * (long)dtype_size(f->hdr.type);
	}

	assert(!io->map);
	send_pending(f);
	io->pending = n;
	io->slab = (n > 0) ? stream_room(n * (long)dtype_size(f->hdr.type)) : NULL;

	if (!io->slab)
		io->slab = cfl_buffer(f, n);

	return io->slab;
}

void *cfl_slab_at(struct cfl *f, long first, long n)
{
	if (!f->io->parts)
		return cfl_slab(f, n);

	assert(first >= 0 && n >= 0 && n <= f->count - first);
	return (char *)cfl_map_out(f) + first * (long)dtype_size(f->hdr.type);
}

bool cfl_takes_put(const struct cfl *f)
{
	return IO_STREAM != f->io->kind && !f->io->scatter;
}

void cfl_write_bytes(int fd, const char *data, long bytes, long at, const char *target)
{
	while (bytes > 0) {
		const ssize_t n = pwrite(fd, data, (size_t)bytes, at);

		if (n < 0 && EINTR == errno)
			continue;

		if (n < 0)
			error("%s: cannot be written: %s", target, strerror(errno));

		data += n;
		at += n;
		bytes -= n;
	}
}

/* Elements from memory to their place in the file. */
static void write_elements(struct cfl_io *io, const char *data, long at, long bytes)
{
	cfl_write_bytes(io->fd, data, bytes, io->offset + at, io->target);
}

void cfl_put(struct cfl *f, long first, long n, const void *data)
{
	struct cfl_io *io = f->io;
	const long size = (long)dtype_size(f->hdr.type);

	assert(io->output && !io->map && cfl_takes_put(f));
	assert(first >= 0 && n >= 0 && n <= f->count - first);

	if (io->resident) {
		memcpy((char *)resident_host(io->resident, true) + first * size, data, (size_t)(n * size));
		cfl_share_note(io, first * size, n * size);
	} else if (io->fd >= 0) // else rank 0 alone writes it
		write_elements(io, data, first * size, n * size);

	__atomic_fetch_add(&io->done, n, __ATOMIC_RELAXED);
}

void cfl_in_parts(struct cfl *f)
{
	assert(f->io->output && (!f->io->map || !ranks_shared()));
	f->io->parts = f->io->parts || ranks_shared();
}

void cfl_write_through(struct cfl *f, long first, long n)
{
	struct cfl_io *io = f->io;
	const long size = (long)dtype_size(f->hdr.type), page = sysconf(_SC_PAGESIZE),
	           at = io->offset + first * size, end = at + n * size;

	assert(first >= 0 && n >= 0 && n <= f->count - first);
	io->through = io->parts && io->map && io->fd >= 0 && n > 0 && ranks_here() == ranks_count() &&
	              0 == at % page && (first + n == f->count || 0 == end % page);

	if (io->through)
		mapping_write_through(io->map + at, (size_t)(end - at), io->fd, at, io->target);
}

void cfl_write_own(struct cfl *f, long first, long n)
{
	struct cfl_io *io = f->io;
	const long size = (long)dtype_size(f->hdr.type);

	assert(first >= 0 && n >= 0 && n <= f->count - first);

	if (io->parts && io->resident)
		cfl_share_note(io, first * size, n * size);
	else if (io->parts && io->map && !io->through)
		write_elements(io, (const char *)io->data + first * size, first * size, n * size);
}

/* The elements are complete: into the file, or down the pipe. */
static void finish_data(struct cfl *f)
{
	struct cfl_io *io = f->io;
	const bool first = 0 == ranks_rank();

	if (IO_STREAM == io->kind) {
		if (io->map)
			stream_write(io->data, io->bytes);
		else
			send_pending(f);
	} else if (IO_MEMORY != io->kind) {
		if (io->scatter)
			cfl_loop->scatter(f);
		else if (IO_SLICE == io->kind && io->parts && io->map)
			write_elements(io, (const char *)io->data, 0, io->bytes);

		if (tool_sync() && io->fd >= 0)
			temp_sync(io->fd, io->target);

		if (first && IO_PAIR == io->kind && checksum_wanted())
			add_checksum(f);
	}

	if (io->map)
		mapping_free(io->map);

	// the file itself is open until it has its name
	if (io->fd >= 0 && !io->cfl.there)
		close(io->fd);

	io->map = NULL;
	io->fd = -1;
}

static const char exists[] = "it exists (--no-clobber; another command wrote it meanwhile)";

static int commit(struct cfl *f)
{
	struct cfl_io *io = f->io;

	if (IO_MEMORY == io->kind)
		resident_commit(io->resident, &f->hdr);

	if (0 < ranks_rank()) {
		if (io->watched >= 0)
			file_temp_forget(io->watched);

		return 0;
	}

	if (IO_PAIR == io->kind)
		return pair_commit(&io->pair, io->tie, &io->hdr, &io->cfl, &io->history);

	if (IO_CONTAINER != io->kind)
		return 0;

	return tool_no_clobber() ? temp_place(&io->cfl, io->target) : temp_replace(&io->cfl, io->target);
}

static void free_output(struct cfl *f)
{
	struct cfl_io *io = f->io;

	if (IO_PAIR == io->kind)
		pair_free(&io->pair);

	temp_close(&io->hdr);
	temp_close(&io->cfl);
	temp_close(&io->history);
	hdr_free(&f->hdr);
	free(io->target);
	free(io->buffer);
	free(io);
	free((char *)f->name);
	free(f);
}

void cfl_close_alone(struct cfl *f)
{
	struct cfl **at = &outputs;

	assert(f->io->output && IO_STREAM != f->io->kind && IO_SLICE != f->io->kind);
	finish_data(f);

	signals_hold();

	const int why = trial_is_on() ? 0 : commit(f);

	signals_release();

	if (why)
		error("%s: the complete file cannot be renamed to this name: %s", f->name,
		        EEXIST == why ? exists : strerror(why));

	while (*at != f)
		at = &(*at)->io->next;

	*at = f->io->next;
	free_output(f);
}

static void commit_all(void)
{
	struct cfl *failed = NULL;
	int why = 0;

	// first what can still fail: an input that broke off, a pipe that nobody reads
	stream_finish();
	ranks_barrier(); // all parts have been written

	for (struct cfl *f = outputs; f && ranks_shared(); f = f->io->next)
		if (f->io->resident)
			cfl_share_gather(f->io);

	for (struct cfl *f = outputs; f; f = f->io->next)
		finish_data(f);

	if (trial_is_on())
		trial_complete();

	signals_hold();

	for (struct cfl *f = outputs; f && !why; f = f->io->next) {
		why = commit(f);
		failed = f;
	}

	signals_release();

	if (why)
		error("%s: the complete file cannot be renamed to this name: %s", failed->name,
		        EEXIST == why ? exists : strerror(why));

	while (outputs) {
		struct cfl *f = outputs;

		outputs = f->io->next;
		free_output(f);
	}
}

void cfl_abandon_outputs(void)
{
	while (outputs) {
		struct cfl *f = outputs;

		outputs = f->io->next;

		if (f->io->map)
			mapping_free(f->io->map);

		if (f->io->fd >= 0 && !f->io->cfl.there)
			close(f->io->fd);

		if (f->io->resident)
			resident_release(f->io->resident);

		free_output(f);
	}
}

void cfl_close_output(struct cfl *f)
{
	struct cfl_io *io = f->io;

	if (!io->map && !io->resident && 0 == io->done && !ranks_shared())
		map_output(f); // never touched: zeros

	assert(0 == io->done || f->count == io->done || ranks_shared());
	io->ready = true;

	for (const struct cfl *g = outputs; g; g = g->io->next)
		if (!g->io->ready)
			return;

	commit_all();
}
