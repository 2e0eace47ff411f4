/** Zip archives after PKWARE's APPNOTE.TXT 6.3: sections 4.3.7 (local header), 4.3.12 (central directory),
 * 4.3.14 to 4.3.16 (its end), 4.5.3 (sizes of 64 bits). */

#include "misc/formats/zip.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

enum {
	LOCAL = 0x04034b50,
	CENTRAL = 0x02014b50,
	END = 0x06054b50,
	END64 = 0x06064b50,
	LOCATOR64 = 0x07064b50,
	LOCAL_BYTES = 30,
	CENTRAL_BYTES = 46,
	END_BYTES = 22,
	LOCATOR_BYTES = 20,
	END64_BYTES = 56,
	EXTRA64 = 1,
	STORED = 0,
	DEFLATED = 8,
	VERSION64 = 45
};

static const long members_max = 1 << 20;

static uint64_t get(const unsigned char *p, int bytes)
{
	uint64_t v = 0;

	for (int i = bytes - 1; i >= 0; i--)
		v = v << 8 | p[i];

	return v;
}

/* The archive, mapped while it is listed. */
struct archive {
	const unsigned char *p;
	uint64_t size;
	uint64_t directory, count;
};

/* NULL, or what is wrong. */
static const char *find_directory(struct archive *a)
{
	if (a->size < END_BYTES)
		return "is too short for a zip archive";

	uint64_t at = a->size - END_BYTES, lowest = a->size > 65557 ? a->size - 65557 : 0;

	while (END != get(a->p + at, 4)) {
		if (at == lowest)
			return "has no directory at its end: the archive is truncated or damaged";

		at--;
	}

	a->count = get(a->p + at + 10, 2);
	a->directory = get(a->p + at + 16, 4);

	if (at < LOCATOR_BYTES || LOCATOR64 != get(a->p + at - LOCATOR_BYTES, 4))
		return NULL;

	uint64_t end64 = get(a->p + at - LOCATOR_BYTES + 8, 8);

	if (a->size < END64_BYTES || end64 > a->size - END64_BYTES || END64 != get(a->p + end64, 4))
		return "its directory is damaged";

	a->count = get(a->p + end64 + 32, 8);
	a->directory = get(a->p + end64 + 48, 8);
	return NULL;
}

/* Sizes and offset that do not fit into 32 bits stand in an extra field, in this order, where needed. */
static void widen(const unsigned char *extra, uint64_t n, uint64_t v[3])
{
	for (uint64_t i = 0; i + 4 <= n;) {
		const uint64_t id = get(extra + i, 2), m = get(extra + i + 2, 2);
		uint64_t at = i + 4;

		if (m > n - at)
			return;

		for (int k = 0; EXTRA64 == id && k < 3; k++)
			if (UINT32_MAX == v[k] && at + 8 <= i + 4 + m) {
				v[k] = get(extra + at, 8);
				at += 8;
			}

		i += 4 + m;
	}
}

/* One entry of the directory at *at; moves it on. */
static const char *read_entry(const struct archive *a, uint64_t *at, struct zip_member *m)
{
	if (*at > a->size || a->size - *at < CENTRAL_BYTES || CENTRAL != get(a->p + *at, 4))
		return "its directory is damaged";

	const unsigned char *e = a->p + *at;
	const uint64_t name = get(e + 28, 2), extra = get(e + 30, 2), comment = get(e + 32, 2);
	uint64_t v[3] = {get(e + 24, 4), get(e + 20, 4), get(e + 42, 4)};

	if (a->size - *at < CENTRAL_BYTES + name + extra + comment)
		return "its directory is damaged";

	if (get(e + 8, 2) & 1)
		return "is encrypted";

	widen(e + CENTRAL_BYTES + name, extra, v);
	*at += CENTRAL_BYTES + name + extra + comment;

	if (v[2] > a->size || a->size - v[2] < LOCAL_BYTES || LOCAL != get(a->p + v[2], 4))
		return "a file in it is not where the directory says";

	const uint64_t data = v[2] + LOCAL_BYTES + get(a->p + v[2] + 26, 2) + get(a->p + v[2] + 28, 2);

	if (data > a->size || v[1] > a->size - data)
		return "a file in it is truncated";

	if (v[0] > INT64_MAX / 2 || v[0] / 1032 > v[1])
		return "the size of a file in it cannot be right";

	m->method = (int)get(e + 10, 2);
	m->crc = (unsigned)get(e + 16, 4);

	if (STORED == m->method && v[0] != v[1])
		return "its directory is damaged";

	m->offset = (long)data;
	m->packed = (long)v[1];
	m->bytes = (long)v[0];
	m->name = mem_printf("%.*s", (int)name, (const char *)e + CENTRAL_BYTES);
	return NULL;
}

struct zip_member *zip_list(const char *path, long *n)
{
	size_t bytes;
	struct archive a = {.p = file_map(path, &bytes)};
	struct zip_member *all = NULL;
	uint64_t at;

	a.size = bytes;

	const char *why = find_directory(&a);

	if (!why && (a.count > members_max || a.directory > a.size || a.count > a.size / CENTRAL_BYTES))
		why = "its directory is damaged";

	*n = 0;
	at = a.directory;
	all = mem_calloc(why || !a.count ? 1 : a.count, sizeof *all);

	for (; !why && (uint64_t)*n < a.count; ++*n)
		why = read_entry(&a, &at, &all[*n]);

	file_unmap(a.p);

	if (why)
		error("%s: %s", path, why);

	return all;
}

void zip_free(struct zip_member *m, long n)
{
	for (long i = 0; i < n; i++)
		free(m[i].name);

	free(m);
}

bool zip_is_stored(const struct zip_member *m)
{
	return STORED == m->method;
}

/* Returns what came out. */
static long unpack(const unsigned char *in, long packed, unsigned char *out, long want, bool *good)
{
	z_stream z = {0};
	long done = 0, fed = 0;
	int status = inflateInit2(&z, -MAX_WBITS);

	while (Z_OK == status && done < want) {
		if (0 == z.avail_in) {
			z.avail_in = packed - fed < 1L << 30 ? (unsigned)(packed - fed) : 1U << 30;
			z.next_in = (unsigned char *)in + fed;
			fed += z.avail_in;
		}

		const unsigned room = want - done < 1L << 30 ? (unsigned)(want - done) : 1U << 30;

		z.next_out = out + done;
		z.avail_out = room;
		status = inflate(&z, Z_NO_FLUSH);
		done += room - z.avail_out;
	}

	*good = Z_OK == status || Z_STREAM_END == status;
	inflateEnd(&z);
	return done;
}

unsigned char *zip_read(const char *path, const struct zip_member *m, long max, long *got)
{
	if (STORED != m->method && DEFLATED != m->method)
		error("%s: %s is packed by method %d, expected stored or deflated", path, m->name, m->method);

	size_t bytes;
	const unsigned char *p = file_map(path, &bytes);
	const long want = m->bytes < max ? m->bytes : max;

	if ((long)bytes < m->offset + m->packed) {
		file_unmap(p);
		error("%s: changed while it was being read", path);
	}

	unsigned char *out = mem_alloc((size_t)want + 1);
	bool good = true;

	if (STORED == m->method)
		memcpy(out, p + m->offset, (size_t)(*got = want));
	else
		*got = unpack(p + m->offset, m->packed, out, want, &good);

	file_unmap(p);

	if (!good || *got != want)
		error("%s: %s is damaged", path, m->name);

	if (want == m->bytes && crc32_z(0, out, (size_t)want) != m->crc)
		error("%s: %s is damaged: its checksum does not match", path, m->name);

	return out;
}

/* ---- writing ---- */

static void put(struct str *s, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		const char c = (char)(v >> 8 * i);

		str_addn(s, &c, 1);
	}
}

enum { DAY = 33 }; // 1 January 1980

unsigned char *zip_begin(const char *name, long bytes, long *length)
{
	struct str s = {0};

	put(&s, LOCAL, 4);
	put(&s, VERSION64, 2);
	put(&s, 0, 2);
	put(&s, STORED, 2);
	put(&s, 0, 2);
	put(&s, DAY, 2);
	put(&s, 0, 4);
	put(&s, UINT32_MAX, 4);
	put(&s, UINT32_MAX, 4);
	put(&s, strlen(name), 2);
	put(&s, 20, 2);
	str_add(&s, name);
	put(&s, EXTRA64, 2);
	put(&s, 16, 2);
	put(&s, (uint64_t)bytes, 8);
	put(&s, (uint64_t)bytes, 8);
	*length = (long)s.len;
	return (unsigned char *)s.data;
}

unsigned char *zip_end(const char *name, long bytes, unsigned crc, long *length)
{
	struct str s = {0};
	const uint64_t directory = LOCAL_BYTES + strlen(name) + 20 + (uint64_t)bytes;

	put(&s, CENTRAL, 4);
	put(&s, VERSION64, 2);
	put(&s, VERSION64, 2);
	put(&s, 0, 2);
	put(&s, STORED, 2);
	put(&s, 0, 2);
	put(&s, DAY, 2);
	put(&s, crc, 4);
	put(&s, UINT32_MAX, 4);
	put(&s, UINT32_MAX, 4);
	put(&s, strlen(name), 2);
	put(&s, 20, 2);
	put(&s, 0, 2); // comment
	put(&s, 0, 2); // disk
	put(&s, 0, 2);
	put(&s, 0, 4);
	put(&s, 0, 4); // the local header is the first thing in the file
	str_add(&s, name);
	put(&s, EXTRA64, 2);
	put(&s, 16, 2);
	put(&s, (uint64_t)bytes, 8);
	put(&s, (uint64_t)bytes, 8);

	const uint64_t end = directory + s.len;

	put(&s, END64, 4);
	put(&s, END64_BYTES - 12, 8);
	put(&s, VERSION64, 2);
	put(&s, VERSION64, 2);
	put(&s, 0, 4);
	put(&s, 0, 4);
	put(&s, 1, 8);
	put(&s, 1, 8);
	put(&s, end - directory, 8);
	put(&s, directory, 8);
	put(&s, LOCATOR64, 4);
	put(&s, 0, 4);
	put(&s, end, 8);
	put(&s, 1, 4);
	put(&s, END, 4);
	put(&s, 0, 4);
	put(&s, 1, 2);
	put(&s, 1, 2);
	put(&s, end - directory, 4);
	put(&s, UINT32_MAX, 4);
	put(&s, 0, 2);
	*length = (long)s.len;
	return (unsigned char *)s.data;
}
