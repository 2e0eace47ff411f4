/** Writes pages of mapped files to the disk and releases their memory. */

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "misc/file/cfl_io.h"

/** A range of bytes in the file and where it is mapped. */
struct pages {
	unsigned char *start;
	off_t at;
	size_t bytes;
};

/** Whole pages that the elements touch (outer), or that they fill; false when there are none. */
static bool find(struct pages *p, const struct cfl *f, long first, long n, bool outer)
{
	const struct cfl_io *io = f->io;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = dtype_size(f->hdr.type);

	if (!io->map || n <= 0)
		return false;

	const size_t from = (size_t)(io->data - io->map) + (size_t)first * size, to = from + (size_t)n * size;
	const size_t lo = (outer ? from : from + page - 1) / page * page,
	             hi = (outer ? to + page - 1 : to) / page * page;

	if (lo >= hi)
		return false;

	*p = (struct pages){io->map + lo, (off_t)lo, hi - lo};
	return true;
}

/** The file is its own: not a spool, whose descriptor is closed, nor a slice of the whole. */
static bool has_file(const struct cfl *f)
{
	return f->io->fd >= 0 && !f->io->borrowed && (IO_PAIR == f->io->kind || IO_CONTAINER == f->io->kind);
}

void cfl_will_write(struct cfl *f, long first, long n)
{
	struct pages p;

	if (!f->io->output || !has_file(f) || !find(&p, f, first, n, true))
		return;

	madvise(p.start, p.bytes, MADV_RANDOM); // pages one by one: large folios contain neighbours
	madvise(p.start, p.bytes, MADV_POPULATE_WRITE);
}

void cfl_write_out(struct cfl *f, long first, long n)
{
	struct pages p;

	cfl_write_own(f, first, n);

	if (f->io->output && has_file(f) && find(&p, f, first, n, true))
		sync_file_range(f->io->fd, p.at, (off_t)p.bytes, SYNC_FILE_RANGE_WRITE);
}

void cfl_release(struct cfl *f, long first, long n)
{
	struct pages p;

	// pages shared with neighbours may still be needed
	if (!find(&p, f, first, n, false))
		return;

	madvise(p.start, p.bytes, MADV_DONTNEED);

	if (!has_file(f))
		return;

	if (f->io->output)
		sync_file_range(f->io->fd, p.at, (off_t)p.bytes,
		        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);

	posix_fadvise(f->io->fd, p.at, (off_t)p.bytes, POSIX_FADV_DONTNEED);
}
