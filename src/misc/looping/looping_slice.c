/** The arrays of a loop in the process of a slice. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/cfl_io.h"
#include "misc/file/foreign.h"
#include "misc/file/mapping.h"
#include "misc/looping/looping.h"
#include "misc/looping/looping_internal.h"
#include "misc/options/opt_internal.h"

/* Where the elements of the first output are in the whole [elements]. */
static struct {
	bool known, one_piece;
	long first;
	long dims[DIMS], strs[DIMS];
} place;

bool looping_active(void)
{
	return looping.active;
}

long looping_jobs(void)
{
	return looping.active ? looping.jobs : 1;
}

long looping_element(long i)
{
	long at = place.first;

	if (!place.known)
		return i;

	if (place.one_piece)
		return at + i;

	for (int d = 0; d < DIMS && i > 0; d++) {
		at += i % place.dims[d] * place.strs[d];
		i /= place.dims[d];
	}

	return at;
}

const struct cfl *looping_input(const char *name)
{
	for (int i = 0; i < looping.inputs && looping.active; i++)
		if (0 == strcmp(looping.input[i]->name, name))
			return looping.input[i];

	return NULL;
}

void looping_cut(struct cfl *f)
{
	struct cfl_io *io = f->io;

	if (!looping.active)
		return;

	assert(io->data);

	for (int k = 0; k < looping.n; k++) {
		const struct looping_dim *l = &looping.dim[k];

		if (!looping_cuts(&f->hdr, k))
			continue;

		if (l->size != f->hdr.dims[l->d])
			error("%s has %ld elements along the loop dimension %s, expected %ld", f->name,
			        f->hdr.dims[l->d], l->name, l->size);

		io->data += (l->start + looping_position(looping.slice, k) * l->step) * io->strs[l->d];
		io->strs[l->d] = 0;
	}

	looping_cut_header(&f->hdr, looping.slice);
}

/* Asks the parent for the file of the whole; its elements begin at *offset. */
static int ask(const struct cfl *f, long *offset)
{
	struct looping_request r = {.slice = looping.slice, .name = (char *)f->name};
	struct str words = {0};
	struct hdr h;

	tool_needed(&r.bytes, &r.seconds);
	hdr_copy(&h, &f->hdr);
	r.header = hdr_format(&h, NULL);
	opt_words_save(&words);
	r.words = words.data;
	r.words_n = (long)words.len;
	looping_send_request(looping.parent, &r);

	int fd = looping_receive_file(looping.parent, offset);

	if (fd < 0)
		_exit(EXIT_FAILED); // the parent has said why

	hdr_free(&h);
	free(r.header);
	free(words.data);
	return fd;
}

/* Dims of the whole, whose steps along the looped dims the slice does not go. */
static void whole_dims(const struct hdr *h, long dims[DIMS])
{
	memcpy(dims, h->dims, sizeof h->dims);

	for (int k = 0; k < looping.n; k++)
		dims[looping.dim[k].d] = looping.dim[k].count;
}

static void remember_place(const struct cfl *f)
{
	long size = (long)dtype_size(f->hdr.type);

	place.known = true;
	place.one_piece = !f->io->scatter;
	place.first = f->io->first / size;
	memcpy(place.dims, f->hdr.dims, sizeof place.dims);

	for (int d = 0; d < DIMS; d++)
		place.strs[d] = f->io->strs[d] / size;
}

bool looping_create(struct cfl *f)
{
	struct cfl_io *io = f->io;
	size_t size = dtype_size(f->hdr.type);
	long dims[DIMS], plain[DIMS];

	if (!looping.active)
		return false;

	io->kind = IO_SLICE;
	io->target = mem_strdup(f->name);
	io->whole = ask(f, &io->offset);

	whole_dims(&f->hdr, dims);
	foreign_steps(dims, false, size, io->strs);
	foreign_steps(f->hdr.dims, false, size, plain);

	for (int k = 0; k < looping.n; k++) {
		io->first += looping_position(looping.slice, k) * io->strs[looping.dim[k].d];
		io->strs[looping.dim[k].d] = 0;
	}

	io->scatter = 0 != memcmp(plain, io->strs, sizeof plain);
	io->parts = looping.shared && !io->scatter;

	if (!place.known)
		remember_place(f);

	if (!io->scatter) {
		io->fd = io->whole;
		io->offset += io->first;
	}

	return true;
}

/* Where element i is in the file of the whole. */
static long place_of(const struct cfl *f, long i)
{
	long at = f->io->offset + f->io->first;

	for (int d = 0; d < DIMS && i > 0; d++) {
		at += i % f->hdr.dims[d] * f->io->strs[d];
		i /= f->hdr.dims[d];
	}

	return at;
}

/* Elements that are neighbours in the whole as well, or one by one. */
static void write_lines(const struct cfl *f)
{
	const struct cfl_io *io = f->io;
	const long size = (long)dtype_size(f->hdr.type), n = io->strs[0] == size ? f->hdr.dims[0] : 1;

	for (long i = 0; i < f->count; i += n)
		cfl_write_bytes(
		        io->whole, (const char *)io->data + i * size, n * size, place_of(f, i), io->target);
}

void looping_scatter(struct cfl *f)
{
	struct cfl_io *io = f->io;
	size_t size = dtype_size(f->hdr.type);
	long plain[DIMS];
	long end = io->offset + io->first + (long)size;

	for (int d = 0; d < DIMS; d++)
		end += (f->hdr.dims[d] - 1) * io->strs[d];

	if (looping.shared) {
		write_lines(f);
		close(io->whole);
		return;
	}

	unsigned char *whole = mapping_create(io->whole, (size_t)end, true, io->target);

	foreign_steps(f->hdr.dims, false, size, plain);
	foreign_copy(f->hdr.dims, io->strs, whole + io->offset + io->first, plain, io->data, size);
	mapping_free(whole);
	close(io->whole);
}
