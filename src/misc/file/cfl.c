/** Arrays as inputs. */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl_io.h"
#include "misc/file/foreign.h"
#include "misc/file/history.h"
#include "misc/file/mapping.h"
#include "misc/file/stream.h"
#include "misc/mem.h"
#include "misc/options/opt.h"

/* Counts the elements, and finds out whether they lie in order. */
static void measure(struct cfl *f)
{
	long plain[DIMS];

	f->count = hdr_count(&f->hdr, f->name);
	f->io->bytes = hdr_bytes(&f->hdr, f->name);
	foreign_steps(f->hdr.dims, false, dtype_size(f->hdr.type), plain);
	f->io->in_order = 0 == memcmp(plain, f->io->strs, sizeof plain);
}

static struct cfl *inputs; // open: a command may end before it closes them, and they are not lost then

static void forget_input(const struct cfl *f)
{
	struct cfl **p = &inputs;

	while (*p != f)
		p = &(*p)->io->next;

	*p = f->io->next;
}

static struct cfl *open_input(const char *name)
{
	struct cfl *f = NEW(struct cfl);
	const struct container *c;
	char *stem = NULL;
	char *data_path = NULL;
	bool c_order = false;

	f->io = NEW(struct cfl_io);
	f->name = mem_strdup(name);
	f->io->kind = cfl_kind(name, &c, &stem);
	f->io->fd = -1;
	free(stem);

	if (IO_STREAM == f->io->kind) {
		stream_open(&f->hdr);
		f->io->data = stream_map(&f->io->map);
	} else if (IO_MEMORY == f->io->kind) {
		f->io->resident = resident_open(name, &f->hdr);
		f->io->data = resident_address(f->io->resident);
	} else {
		long offset;
		int fd = cfl_open_file(name, &f->hdr, &offset, &c_order, &data_path);

		f->io->map =
		        mapping_create(fd, (size_t)(offset + hdr_bytes(&f->hdr, name)), false, data_path);
		f->io->data = f->io->map + offset;
		f->io->fd = fd;
	}

	foreign_steps(f->hdr.dims, c_order, dtype_size(f->hdr.type), f->io->strs);
	history_input(name, &f->hdr, data_path);
	free(data_path);
	return f;
}

/* Another reader of an open file. */
static struct cfl *share(const struct cfl *whole)
{
	struct cfl *f = NEW(struct cfl);

	f->io = NEW(struct cfl_io);
	f->name = mem_strdup(whole->name);
	hdr_copy(&f->hdr, &whole->hdr);
	f->hdr.big_endian = whole->hdr.big_endian;
	*f->io = *whole->io;
	f->io->borrowed = true;

	if (f->io->fd >= 0)
		f->io->fd = fcntl(f->io->fd, F_DUPFD_CLOEXEC, 0);

	return f;
}

struct cfl *cfl_open(const char *name)
{
	if (cfl_loop)
		cfl_loop->start();

	const struct cfl *whole = cfl_loop ? cfl_loop->input(name) : NULL;
	struct cfl *f = whole ? share(whole) : open_input(name);

	if (cfl_loop)
		cfl_loop->cut(f);

	measure(f);
	f->io->next = inputs;
	inputs = f;
	return f;
}

static long units(const struct cfl *f, long n)
{
	return n * (long)(dtype_size(f->hdr.type) / dtype_unit(f->hdr.type));
}

static void to_native(const struct cfl *f, void *data, long n)
{
	if (f->hdr.big_endian)
		foreign_swap(data, units(f, n), dtype_unit(f->hdr.type));
}

/* An array in memory may have its elements on a device: to be called before they are read here. */
static void bring(const struct cfl *f)
{
	if (f->io->resident)
		resident_host(f->io->resident, false);
}

/* The mapping can be handed out as it is. */
static bool is_native(const struct cfl *f)
{
	size_t unit = dtype_unit(f->hdr.type);

	return f->io->data && f->io->in_order && 0 == (size_t)f->io->data % unit &&
	       !(f->hdr.big_endian && unit > 1);
}

bool cfl_is_mapped(const struct cfl *f)
{
	return is_native(f);
}

/* From now on the elements are not to be read from the file. */
static void forget_file(struct cfl_io *io)
{
	if (io->fd >= 0)
		close(io->fd);

	io->fd = -1;
}

static void unmap(struct cfl_io *io)
{
	if (io->map && !io->borrowed)
		mapping_free(io->map);

	io->map = NULL;
	io->borrowed = false;
}

/* A native copy of everything in an unlinked file. */
static void spool(struct cfl *f)
{
	struct cfl_io *io = f->io;
	int fd = file_spool(io->bytes);
	unsigned char *copy = mapping_create(fd, (size_t)io->bytes, true, "temporary file");
	long plain[DIMS];

	foreign_steps(f->hdr.dims, false, dtype_size(f->hdr.type), plain);
	close(fd);

	if (!io->data)
		stream_read(copy, io->bytes);
	else
		foreign_copy(f->hdr.dims, plain, copy, io->strs, io->data, dtype_size(f->hdr.type));

	to_native(f, copy, f->count);

	unmap(io);
	forget_file(io);
	io->map = io->data = copy;
	memcpy(io->strs, plain, sizeof plain);
	io->in_order = true;
	f->hdr.big_endian = false;
}

const void *cfl_map(struct cfl *f)
{
	assert(!f->io->output);

	bring(f);

	if (!is_native(f)) {
		assert(0 == f->io->done);
		spool(f);
	}

	return f->io->data;
}

/* The elements can be read where they are. */
static bool is_in_place(const struct cfl *f)
{
	return f->io->data && 0 == (size_t)f->io->data % dtype_unit(f->hdr.type);
}

void cfl_raw_layout(const struct cfl *f, long strs[DIMS], bool *swapped)
{
	if (is_in_place(f))
		memcpy(strs, f->io->strs, sizeof f->io->strs);
	else
		foreign_steps(f->hdr.dims, false, dtype_size(f->hdr.type), strs);

	*swapped = is_in_place(f) && f->hdr.big_endian && dtype_unit(f->hdr.type) > 1;
}

const void *cfl_raw(struct cfl *f, long strs[DIMS], bool *swapped)
{
	assert(!f->io->output && 0 == f->io->done);
	bring(f);

	if (!is_in_place(f))
		spool(f);

	cfl_raw_layout(f, strs, swapped);

	return f->io->data;
}

const void *cfl_block(struct cfl *f, long first, long n, void *buffer)
{
	struct cfl_io *io = f->io;
	long size = (long)dtype_size(f->hdr.type);
	const unsigned char *data = io->data + first * size;

	assert(cfl_is_mapped(f) && first >= 0 && n >= 0 && n <= f->count - first);

	if (io->fd < 0) {
		bring(f);
		return data;
	}

	for (long have = 0; have < n * size;) {
		ssize_t r = pread(
		        io->fd, (char *)buffer + have, (size_t)(n * size - have), data - io->map + have);

		if (r < 0 && EINTR == errno)
			continue;

		if (r <= 0)
			error("%s: cannot be read: %s", f->name,
			        r < 0 ? strerror(errno) : "it became shorter");

		have += r;
	}

	return buffer;
}

void *cfl_on_device(struct cfl *f, const struct resident_device *d, bool write)
{
	assert(write == f->io->output);

	return f->io->resident ? resident_device(f->io->resident, d, write) : NULL;
}

const void *cfl_next(struct cfl *f, long n)
{
	struct cfl_io *io = f->io;
	long size = (long)dtype_size(f->hdr.type);
	long first = io->done;

	assert(!io->output && n >= 0 && n <= f->count - first);

	bring(f);

	if (!io->in_order)
		spool(f);

	io->done += n;

	if (is_native(f))
		return io->data + first * size;

	const void *there = (io->data || f->hdr.big_endian || 0 == n) ? NULL : stream_peek(n * size);

	if (there)
		return there;

	void *buffer = cfl_buffer(f, n);

	if (io->data)
		memcpy(buffer, io->data + first * size, (size_t)(n * size));
	else if (n > 0)
		stream_read(buffer, n * size);

	to_native(f, buffer, n);
	return buffer;
}

static void advise(struct cfl *f, long first, long n, int advice)
{
	size_t size = dtype_size(f->hdr.type);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!f->io->data || IO_MEMORY == f->io->kind || n <= 0)
		return;

	size_t from = (size_t)(f->io->data + (size_t)first * size);
	size_t to = from + (size_t)n * size;

	// whole pages only: those shared with neighbours may still be needed
	from = MADV_WILLNEED == advice ? from / page * page : (from + page - 1) / page * page;
	to = MADV_WILLNEED == advice ? to : to / page * page;

	if (from < to)
		madvise((void *)from, to - from, advice);
}

void cfl_will_need(struct cfl *f, long first, long n)
{
	advise(f, first, n, MADV_WILLNEED);
}

void cfl_done_with(struct cfl *f, long first, long n)
{
	advise(f, first, n, MADV_DONTNEED);
}

static void close_input(struct cfl *f)
{
	forget_input(f);
	forget_file(f->io);
	unmap(f->io);

	if (f->io->resident)
		resident_release(f->io->resident);

	hdr_free(&f->hdr);
	free(f->io->buffer);
	free(f->io);
	free((char *)f->name);
	free(f);
}

void cfl_close(struct cfl *f)
{
	if (f->io->output) {
		cfl_close_output(f);
		return;
	}

	if (IO_STREAM == f->io->kind)
		stream_finish();

	close_input(f);
}

void cfl_end_command(void)
{
	while (inputs)
		close_input(inputs);

	cfl_abandon_outputs();
}

void cfl_expect(const struct cfl *f, unsigned allowed, const char *advice)
{
	enum quantity q = f->hdr.quantity;

	if (Q_UNKNOWN == q || (allowed & 1u << q))
		return;

	struct str list = {0};

	for (int i = Q_UNKNOWN + 1; i <= Q_GEOMETRY; i++)
		if (allowed & 1u << i)
			str_printf(&list, "%s%s", list.len ? " or " : "", quantity_name((enum quantity)i));

	if (tool_force())
		warn("%s contains %s, expected %s", f->name, quantity_name(q), list.data);
	else
		error("%s contains %s, expected %s%s%s (--force continues)", f->name, quantity_name(q),
		        list.data, advice ? ": " : "", advice ? advice : "");

	free(list.data);
}

void cfl_same_dims(const struct cfl *a, const struct cfl *b, int D)
{
	for (int d = 0; d < D; d++)
		if (a->hdr.dims[d] != b->hdr.dims[d])
			error("%s is %s, but %s is %s: expected the same size along dim %d", a->name,
			        hdr_shape(&a->hdr), b->name, hdr_shape(&b->hdr), d);
}

void cfl_warn_spacing(const struct cfl *a, const struct cfl *b)
{
	for (int d = 0; d < DIMS; d++)
		if (a->hdr.spacing[d] != b->hdr.spacing[d] && (a->hdr.dims[d] > 1 || b->hdr.dims[d] > 1))
			warn("the spacing along dimension %d is %g mm in %s and %g mm in %s: the first is "
			     "used",
			        d, a->hdr.spacing[d], a->name, b->hdr.spacing[d], b->name);
}

void cfl_expect_real(const struct cfl *f)
{
	if (dtype_is_complex(f->hdr.type))
		error("%s contains complex data (%s), expected real data", f->name, dtype_name(f->hdr.type));
}
