/** The files behind the name of an array. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl_io.h"
#include "misc/file/history.h"
#include "misc/mem.h"

const struct cfl_loop *cfl_loop;

static bool ends_with(const char *name, const char *extension)
{
	size_t n = strlen(name), m = strlen(extension);

	return n > m && 0 == strcmp(name + n - m, extension);
}

int cfl_kind(const char *name, const struct container **c, char **stem)
{
	const struct container *const all[] = {&container_npy, &container_ra};

	if (!*name)
		usage_error("the name of an array is empty");

	if (0 == strcmp(name, "-"))
		return IO_STREAM;

	if (resident_is_name(name))
		return IO_MEMORY;

	for (int i = 0; i < 2; i++) {
		*c = all[i];

		if (ends_with(name, all[i]->extension))
			return IO_CONTAINER;
	}

	bool extension = ends_with(name, ".cfl") || ends_with(name, ".hdr");

	*stem = mem_strdup(name);

	if (extension)
		(*stem)[strlen(name) - 4] = '\0';

	return IO_PAIR;
}

static int open_pair(const char *stem, struct hdr *h, char **data_path)
{
	struct pair p;
	struct pair_files f;
	long length;

	pair_init(&p, stem);
	pair_finish(&p);

	if (0 != access(p.hdr, F_OK) && 0 == access(stem, F_OK) && 0 != access(p.cfl, F_OK))
		error("%s: %s.hdr not found (gantry import reads other formats)", stem, stem);

	pair_open(&p, &f);

	char *text = file_read_fd(f.hdr, PAIR_HEADER_MAX, &length, f.hdr_path);

	hdr_parse(h, text, (size_t)length, f.hdr_path);
	history_load(h, f.history, p.history);

	long bytes = hdr_bytes(h, f.hdr_path);
	long size = file_size(f.cfl, f.cfl_path);

	if (size != bytes)
		error("%s has %ld bytes, expected %ld according to %s (%s, %s)", f.cfl_path, size, bytes,
		        f.hdr_path, dtype_name(h->type), hdr_shape(h));

	free(text);
	pair_opened(&f);
	pair_free(&p);
	*data_path = f.cfl_path;
	return f.cfl;
}

int cfl_open_file(const char *name, struct hdr *h, long *offset, bool *c_order, char **data_path)
{
	const struct container *c = NULL;
	char *stem = NULL;

	*offset = 0;
	*c_order = false;

	if (IO_PAIR == cfl_kind(name, &c, &stem)) {
		int fd = open_pair(stem, h, data_path);

		free(stem);
		return fd;
	}

	long size;
	int fd = file_open_regular(name, &size);

	c->read(h, fd, size, offset, c_order, name);
	*data_path = mem_strdup(name);
	return fd;
}

void *cfl_buffer(struct cfl *f, long n)
{
	long bytes = mul_checked(n, (long)dtype_size(f->hdr.type), f->name);

	if (bytes > f->io->room) {
		free(f->io->buffer);
		f->io->buffer = mem_alloc((size_t)bytes);
		f->io->room = bytes;
	}

	return f->io->buffer;
}
