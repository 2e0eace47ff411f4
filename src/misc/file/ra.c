/**
 * The raw array file, .ra [1]: 64-bit numbers (magic, flags, kind of element, its bytes, bytes of all, dims),
 * then the elements in column-major order. Bytes after the elements are a note for people and are ignored.
 *
 * [1] D. S. Smith, "RawArray", https://github.com/davidssmith/ra
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/container.h"
#include "misc/mem.h"

enum { MAGIC, FLAGS, KIND, BYTES, SIZE, NDIMS, FIXED };
enum { BIG_ENDIAN_DATA = 1 };
enum kind { USER, INT, UINT, FLOAT, COMPLEX };

static const uint64_t magic_number = 0x7961727261776172; // "rawarray"

static const struct {
	unsigned char kind, bytes; // 0, 0: not in this format
} elements[DT_COUNT] = {
        [DT_INT8] = {INT, 1},
        [DT_INT16] = {INT, 2},
        [DT_INT32] = {INT, 4},
        [DT_INT64] = {INT, 8},
        [DT_UINT8] = {UINT, 1},
        [DT_UINT16] = {UINT, 2},
        [DT_UINT32] = {UINT, 4},
        [DT_UINT64] = {UINT, 8},
        [DT_FLOAT16] = {FLOAT, 2},
        [DT_FLOAT32] = {FLOAT, 4},
        [DT_FLOAT64] = {FLOAT, 8},
        [DT_COMPLEX32] = {COMPLEX, 4},
        [DT_COMPLEX64] = {COMPLEX, 8},
        [DT_COMPLEX128] = {COMPLEX, 16},
};

static enum dtype element_type(uint64_t kind, uint64_t bytes, const char *name)
{
	for (int t = 0; t < DT_COUNT; t++)
		if (elements[t].bytes && elements[t].kind == kind && elements[t].bytes == bytes)
			return (enum dtype)t;

	error("%s has elements of type code %lu with %lu bytes, expected integers, floats or complex "
	      "numbers",
	        name, (unsigned long)kind, (unsigned long)bytes);
}

static void ra_read(struct hdr *h, int fd, long size, long *offset, bool *c_order, const char *name)
{
	uint64_t head[FIXED];

	if (sizeof head != pread(fd, head, sizeof head, 0) || head[MAGIC] != magic_number)
		error("%s: not a .ra file", name);

	if (head[FLAGS] & ~(uint64_t)BIG_ENDIAN_DATA)
		error("%s has the flags %#lx, expected only bit 0 (compressed files are not read)", name,
		        (unsigned long)head[FLAGS]);

	if (head[NDIMS] > (uint64_t)(size / 8))
		error("%s: a header of %lu dimensions does not fit into a file of %ld bytes", name,
		        (unsigned long)head[NDIMS], size);

	hdr_init(h);
	h->type = element_type(head[KIND], head[BYTES], name);
	h->big_endian = head[FLAGS] & BIG_ENDIAN_DATA;
	*c_order = false;
	*offset = (long)(8 * (FIXED + head[NDIMS]));

	for (uint64_t d = 0; d < head[NDIMS]; d++) {
		uint64_t n;

		if (sizeof n != pread(fd, &n, sizeof n, (off_t)(8 * (FIXED + d))))
			error("%s ends inside its header", name);

		if (n < 1 || n > INT64_MAX || (d >= DIMS && 1 != n))
			error("%s has size %lu along dimension %lu, expected at least 1 (and exactly 1 "
			      "beyond the first 16 dimensions)",
			        name, (unsigned long)n, (unsigned long)d);

		if (d < DIMS)
			h->dims[d] = (long)n;
	}

	long bytes = hdr_bytes(h, name);

	if (head[SIZE] != (uint64_t)bytes || size - *offset < bytes)
		error("%s contains %ld bytes of elements and the header says %lu, expected %ld (%s, %s)",
		        name, size - *offset, (unsigned long)head[SIZE], bytes, dtype_name(h->type),
		        hdr_shape(h));
}

static char *ra_format(const struct hdr *h, long *length, const char *name)
{
	if (!elements[h->type].bytes)
		error("%s: the .ra format has no type %s (convert the array with gantry cast)", name,
		        dtype_name(h->type));

	int rank = hdr_rank(h);

	*length = 8 * (FIXED + rank);

	uint64_t *head = mem_alloc((size_t)*length);

	head[MAGIC] = magic_number;
	head[FLAGS] = 0;
	head[KIND] = elements[h->type].kind;
	head[BYTES] = elements[h->type].bytes;
	head[SIZE] = (uint64_t)hdr_bytes(h, name);
	head[NDIMS] = (uint64_t)rank;

	for (int d = 0; d < rank; d++)
		head[FIXED + d] = (uint64_t)h->dims[d];

	return (char *)head;
}

const struct container container_ra = {".ra", ra_read, ra_format};
