#include "num/device/device_files.h"

#include <string.h>

static void read_file(void *file, long at, long n, void *buffer)
{
	struct cfl *f = file;
	const long size = (long)dtype_size(f->hdr.type);
	const void *p = cfl_block(f, at / size, n / size, buffer);

	if (p != buffer)
		memcpy(buffer, p, (size_t)n);
}

static void read_stream(void *file, long at, long n, void *buffer)
{
	struct cfl *f = file;

	(void)at;
	memcpy(buffer, cfl_next(f, n / (long)dtype_size(f->hdr.type)), (size_t)n);
}

static void write_file(void *file, long at, long n, void *buffer)
{
	struct cfl *f = file;
	const long size = (long)dtype_size(f->hdr.type);

	cfl_put(f, at / size, n / size, buffer);
}

static void write_stream(void *file, long at, long n, void *buffer)
{
	struct cfl *f = file;

	(void)at;
	memcpy(cfl_slab(f, n / (long)dtype_size(f->hdr.type)), buffer, (size_t)n);
}

static struct device_part part_of(struct cfl *f, long first, long n)
{
	const long size = (long)dtype_size(f->hdr.type);

	return (struct device_part){.width = (size_t)(n * size), .rows = 1, .file = f, .at = first * size};
}

struct device_part device_part_in(struct cfl *f, long first, long n)
{
	struct device_part p = part_of(f, first, n);

	p.in_order = !cfl_is_mapped(f);
	p.move = p.in_order ? read_stream : read_file;

	return p;
}

struct device_part device_part_out(struct cfl *f, long first, long n)
{
	struct device_part p = part_of(f, first, n);

	p.in_order = !cfl_takes_put(f);
	p.move = p.in_order ? write_stream : write_file;

	return p;
}
