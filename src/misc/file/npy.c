/**
 * NumPy's .npy, versions 1 to 3 [1].
 *
 * [1] "NEP 1: A simple file format for NumPy arrays"; numpy.lib.format
 */

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/container.h"
#include "misc/mem.h"

static const char magic[] = "\x93NUMPY";

enum { MAGIC = 6, HEADER_MAX = 1 << 20, ALIGN = 64 };

static const char *const descr[DT_COUNT] = {
        [DT_BOOL] = "b1",
        [DT_INT8] = "i1",
        [DT_INT16] = "i2",
        [DT_INT32] = "i4",
        [DT_INT64] = "i8",
        [DT_UINT8] = "u1",
        [DT_UINT16] = "u2",
        [DT_UINT32] = "u4",
        [DT_UINT64] = "u8",
        [DT_FLOAT16] = "f2",
        [DT_FLOAT32] = "f4",
        [DT_FLOAT64] = "f8",
        [DT_COMPLEX64] = "c8",
        [DT_COMPLEX128] = "c16",
};

/* A cursor in the Python literal that is the header. */
struct literal {
	const char *p;
	const char *name; // of the file
};

static _Noreturn void malformed(const struct literal *l)
{
	error("%s: malformed .npy header at '%.40s'", l->name, l->p);
}

static bool accept(struct literal *l, const char *token)
{
	l->p += strspn(l->p, " \t\n");

	if (0 != strncmp(l->p, token, strlen(token)))
		return false;

	l->p += strlen(token);
	return true;
}

static void expect(struct literal *l, const char *token)
{
	if (!accept(l, token))
		malformed(l);
}

static void string(struct literal *l, char text[32])
{
	const char *quote = accept(l, "'") ? "'" : "\"";

	if ('"' == *quote)
		expect(l, quote);

	size_t n = strcspn(l->p, quote);

	if (n >= 32 || !l->p[n])
		malformed(l);

	memcpy(text, l->p, n);
	text[n] = '\0';
	l->p += n + 1;
}

static void set_type(struct hdr *h, struct literal *l)
{
	char text[32];

	l->p += strspn(l->p, " ");

	if ('[' == *l->p)
		error("%s has elements of a structured type, expected numbers", l->name);

	string(l, text);

	for (int t = 0; t < DT_COUNT; t++) {
		if (!text[0] || !strchr("<>|=", text[0]) || !descr[t] || 0 != strcmp(text + 1, descr[t]))
			continue;

		h->type = (enum dtype)t;
		h->big_endian = '>' == text[0];
		return;
	}

	error("%s has elements of NumPy type '%s', expected bool, integers, floats or complex numbers of 1 "
	      "to 16 bytes",
	        l->name, text);
}

static void set_dims(struct hdr *h, struct literal *l)
{
	int n = 0;

	expect(l, "(");

	while (!accept(l, ")")) {
		char *end;

		errno = 0;
		long size = strtol(l->p, &end, 10);

		if (end == l->p || errno)
			malformed(l);

		if (size < 1 || (n >= DIMS && 1 != size))
			error("%s has size %ld along axis %d, expected at least 1 (and exactly 1 beyond the "
			      "first 16 axes)",
			        l->name, size, n);

		if (n < DIMS)
			h->dims[n] = size;

		n++;
		l->p = end;
		accept(l, "L"); // Python 2
		if (!accept(l, ","))
			l->p += strspn(l->p, " ");
	}
}

static void parse_literal(struct hdr *h, struct literal *l, bool *c_order)
{
	enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
	unsigned seen = 0;

	expect(l, "{");

	while (!accept(l, "}")) {
		char key[32];

		string(l, key);
		expect(l, ":");

		if (0 == strcmp(key, "descr")) {
			set_type(h, l);
			seen |= DESCR;
		} else if (0 == strcmp(key, "fortran_order")) {
			*c_order = accept(l, "False");
			if (!*c_order)
				expect(l, "True");
			seen |= ORDER;
		} else if (0 == strcmp(key, "shape")) {
			set_dims(h, l);
			seen |= SHAPE;
		} else {
			malformed(l);
		}

		accept(l, ",");
	}

	if (ALL != seen)
		error("%s: the .npy header lacks descr, fortran_order or shape", l->name);
}

static void npy_read(struct hdr *h, int fd, long size, long *offset, bool *c_order, const char *name)
{
	unsigned char start[12] = {0};
	ssize_t n = pread(fd, start, sizeof start, 0);

	if (n < 10 || 0 != memcmp(start, magic, MAGIC) || start[6] < 1 || start[6] > 3)
		error("%s: not a .npy file of version 1, 2 or 3", name);

	long first = 1 == start[6] ? 10 : 12;
	long length = start[8] | start[9] << 8;

	if (12 == first)
		length |= (long)start[10] << 16 | (long)start[11] << 24;

	if (length > HEADER_MAX || first + length > size)
		error("%s: the header needs %ld bytes, but the file has %ld", name, length, size);

	char *text = mem_calloc((size_t)length + 1, 1);
	struct literal l = {.p = text, .name = name};

	if (pread(fd, text, (size_t)length, first) != length)
		error("%s: cannot be read: %s", name, strerror(errno));

	hdr_init(h);
	parse_literal(h, &l, c_order);
	free(text);

	*offset = first + length;
	long bytes = hdr_bytes(h, name);

	if (size - *offset != bytes)
		error("%s contains %ld bytes of elements, expected %ld (%s, %s)", name, size - *offset, bytes,
		        dtype_name(h->type), hdr_shape(h));
}

static char *npy_format(const struct hdr *h, long *length, const char *name)
{
	struct str s = {0};

	if (!descr[h->type])
		error("%s: NumPy has no type %s (convert the array with gantry cast)", name,
		        dtype_name(h->type));

	str_printf(&s, "{'descr': '%s%s', 'fortran_order': True, 'shape': (",
	        1 == dtype_size(h->type) ? "|" : "<", descr[h->type]);

	for (int d = 0; d < hdr_rank(h); d++)
		str_printf(&s, "%ld, ", h->dims[d]);

	str_add(&s, "), }");

	long padded = (10 + (long)s.len + 1 + ALIGN - 1) / ALIGN * ALIGN;
	char *text = mem_realloc(NULL, (size_t)padded);
	uint16_t rest = (uint16_t)(padded - 10);

	memset(text, ' ', (size_t)padded);
	memcpy(text, magic, MAGIC);
	text[6] = 1;
	text[7] = 0;
	text[8] = (char)(rest & 255);
	text[9] = (char)(rest >> 8);
	memcpy(text + 10, s.data, s.len);
	text[padded - 1] = '\n';
	*length = padded;
	free(s.data);
	return text;
}

const struct container container_npy = {".npy", npy_read, npy_format};
