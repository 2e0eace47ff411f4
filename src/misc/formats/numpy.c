/** NumPy: .npy through the array reader, and the members of .npz archives. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/container.h"
#include "misc/file/foreign.h"
#include "misc/formats/source.h"
#include "misc/formats/zip.h"
#include "misc/mem.h"

/* ---- .npy ---- */

struct npy {
	const unsigned char *map, *data;
	long strs[DIMS];
	bool in_order;
};

static bool npy_probe(const unsigned char *head, long n, const char *path)
{
	(void)path;
	return n >= 6 && 0 == memcmp(head, "\x93NUMPY", 6);
}

/* Planes of an array whose last index is the fastest. */
static void read_strided(struct source *s, const unsigned char *data, const long strs[DIMS], long first,
        long n, unsigned char *out)
{
	const size_t size = dtype_size(s->h.type);
	const long plane = s->h.dims[0] * s->h.dims[1];
	long dims[DIMS], ostrs[DIMS];

	for (int d = 0; d < DIMS; d++)
		dims[d] = d < 2 ? s->h.dims[d] : 1;

	foreign_steps(dims, false, size, ostrs);

	for (; n > 0; n -= plane, first += plane, out += plane * (long)size) {
		long rest = first / plane, from = 0;

		for (int d = 2; d < DIMS; d++) {
			from += rest % s->h.dims[d] * strs[d];
			rest /= s->h.dims[d];
		}

		foreign_copy(dims, ostrs, out, strs, data + from, size);
	}
}

static void npy_read(struct source *s, long first, long n, void *out)
{
	struct npy *f = s->ctx;
	const size_t size = dtype_size(s->h.type), unit = dtype_unit(s->h.type);

	if (f->in_order)
		memcpy(out, f->data + first * (long)size, (size_t)n * size);
	else
		read_strided(s, f->data, f->strs, first, n, out);

	if (s->h.big_endian)
		foreign_swap(out, n * (long)(size / unit), unit);
}

static void npy_close(struct source *s)
{
	struct npy *f = s->ctx;

	file_unmap(f->map);
	free(f);
}

/* Elements that lie in `path` from `offset` on, mapped. */
static void attach(struct source *s, const char *path, long offset, bool c_order)
{
	const long want = hdr_bytes(&s->h, s->name);
	size_t bytes;
	const unsigned char *map = file_map(path, &bytes);

	if ((long)bytes - offset < want) {
		file_unmap(map);
		error("%s: changed while it was being read", s->name);
	}

	struct npy *f = NEW(struct npy);

	f->map = map;
	f->data = f->map + offset;
	f->in_order = !c_order;
	foreign_steps(s->h.dims, c_order, dtype_size(s->h.type), f->strs);
	s->ctx = f;
	s->read = npy_read;
	s->close = npy_close;
}

static struct source *npy_open(const char *path, const char *inside, enum part part)
{
	if (inside)
		error("%s: a .npy file contains no named arrays, but the name %s is given", path, inside);

	if (PART_DATA != part)
		return NULL;

	struct source *s = source_create(path);
	long offset;
	bool c_order;
	long size;
	int fd = file_open_regular(path, &size);

	container_npy.read(&s->h, fd, size, &offset, &c_order, path);
	close(fd);
	attach(s, path, offset, c_order);
	return s;
}

const struct format format_npy = {"NumPy", false, false, npy_probe, npy_open};

/* ---- .npz ---- */

static bool npz_probe(const unsigned char *head, long n, const char *path)
{
	(void)path;
	return n >= 4 && (0 == memcmp(head, "PK\3\4", 4) || 0 == memcmp(head, "PK\5\6", 4));
}

static bool is_member(const char *member, const char *wanted)
{
	const size_t n = strlen(wanted);

	return 0 == strcmp(member, wanted) ||
	       (0 == strncmp(member, wanted, n) && 0 == strcmp(member + n, ".npy"));
}

static const struct zip_member *choose(
        const char *path, const char *inside, const struct zip_member *m, long n)
{
	const struct zip_member *found = NULL;
	struct str names = {0};
	long arrays = 0;

	for (long i = 0; i < n; i++) {
		const char *dot = strrchr(m[i].name, '.');

		if (!dot || 0 != strcmp(dot, ".npy"))
			continue;

		if (arrays++ < 12)
			str_printf(&names, "%s%s:%.*s", arrays > 1 ? ", " : "", path, (int)(dot - m[i].name),
			        m[i].name);

		if (inside ? is_member(m[i].name, inside) : !found)
			found = &m[i];
	}

	if (0 == arrays)
		error("%s is a zip archive of %ld files, but contains no .npy file", path, n);

	if (!found)
		error("%s: no array %s in the archive, expected one of %s", path, inside, names.data);

	if (!inside && arrays > 1)
		error("%s contains %ld arrays: choose one of %s%s", path, arrays, names.data,
		        arrays > 12 ? ", ..." : "");

	free(names.data);
	return found;
}

/* The header of a .npy file that begins with these bytes; its length. */
static long parse_member(
        struct hdr *h, const unsigned char *head, long n, long size, bool *c_order, const char *name)
{
	int fd = memfd_create("npy", MFD_CLOEXEC);
	long offset;

	if (fd < 0 || n != pwrite(fd, head, (size_t)n, 0))
		error("%s: out of memory for the header", name);

	container_npy.read(h, fd, size, &offset, c_order, name);
	close(fd);
	return offset;
}

/* Packed: through memory, turned round where the last index is the fastest. */
static void unpack(struct source *s, const char *path, const struct zip_member *m, long offset, bool c_order)
{
	const size_t size = dtype_size(s->h.type);
	long got, istrs[DIMS], ostrs[DIMS];
	unsigned char *whole = zip_read(path, m, m->bytes, &got);

	if (got != m->bytes)
		error("%s: only %ld of %ld bytes can be read", s->name, got, m->bytes);

	if (c_order) {
		unsigned char *turned = mem_alloc((size_t)hdr_bytes(&s->h, s->name));

		foreign_steps(s->h.dims, true, size, istrs);
		foreign_steps(s->h.dims, false, size, ostrs);
		foreign_copy(s->h.dims, ostrs, turned, istrs, whole + offset, size);
		free(whole);
		whole = turned;
	} else {
		memmove(whole, whole + offset, (size_t)(got - offset));
	}

	source_from_memory(s, whole);
}

static struct source *npz_open(const char *path, const char *inside, enum part part)
{
	if (PART_DATA != part)
		return NULL;

	long n, got;
	struct zip_member *all = zip_list(path, &n);
	const struct zip_member *m = choose(path, inside, all, n);
	char *name = mem_printf("%s:%s", path, m->name);
	struct source *s = source_create(name);
	bool c_order;
	unsigned char *head = zip_read(path, m, 1 << 16, &got);
	long offset = parse_member(&s->h, head, got, m->bytes, &c_order, name);

	free(head);

	if (zip_is_stored(m))
		attach(s, path, m->offset + offset, c_order);
	else
		unpack(s, path, m, offset, c_order);

	free(name);
	zip_free(all, n);
	return s;
}

const struct format format_npz = {"NumPy archive", false, false, npz_probe, npz_open};
