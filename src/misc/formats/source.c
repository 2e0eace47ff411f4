#include "misc/formats/source.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/foreign.h"
#include "misc/formats/dicom/dicom.h"
#include "misc/mem.h"

#define X(name) &format_##name,
const struct format *const formats[] = {FORMATS(X) NULL};
#undef X

const char *part_name(enum part p)
{
	static const char *const names[PART_COUNT] = {"data", "flats", "darks"};

	return names[p];
}

unsigned char *source_head(const char *path, long max, long *n, long *size)
{
	int fd = file_open_regular(path, size);
	long want = *size < max ? *size : max;
	unsigned char *head = mem_alloc((size_t)want + 1);

	*n = file_read_at(fd, head, want, 0);
	close(fd);
	head[*n] = '\0';
	return head;
}

unsigned char *source_head_unpacked(const char *path, long max, long *n)
{
	long size;
	const int fd = file_open_regular(path, &size);
	gzFile f = gzdopen(fd, "rb");

	if (!f) {
		close(fd);
		error("%s: zlib cannot be initialised", path);
	}

	unsigned char *head = mem_alloc((size_t)max + 1);
	const int got = gzread(f, head, (unsigned)max);

	gzclose(f);

	if (got < 0)
		error("%s: the compressed file is damaged", path);

	*n = got;
	head[got] = '\0';
	return head;
}

const struct format *format_find(const char *path)
{
	long n, size;
	unsigned char *head = source_head(path, FORMAT_HEAD, &n, &size);

	// a DICOM file may begin like one of another format, for readers of that
	const struct format *found = dicom_marked(head, n) ? &format_dicom : NULL;

	for (int i = 0; formats[i] && !found; i++)
		if (formats[i]->probe(head, n, path))
			found = formats[i];

	free(head);
	return found;
}

struct source *source_create(const char *name)
{
	struct source *s = NEW(struct source);

	s->name = mem_strdup(name);
	s->angle = NAN;
	hdr_init(&s->h);
	return s;
}

void source_close(struct source *s)
{
	if (s->close)
		s->close(s);

	hdr_free(&s->h);
	free(s->name);
	free(s->series);
	free(s);
}

char *source_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	if ('/' == *name || !slash)
		return mem_strdup(name);

	return mem_printf("%.*s%s", (int)(slash + 1 - path), path, name);
}

bool source_is_list(const char *name)
{
	const char *percent = strchr(name, '%'), *blank = percent ? strchr(percent, ' ') : NULL;
	const bool list = 0 == strncmp(name, "LIST", 4) && ('\0' == name[4] || ' ' == name[4]);

	return list || (blank && isdigit((unsigned char)blank[1]));
}

/* ---- elements ---- */

struct packed {
	char *path;
	int fd;
	long offset, bytes; // of all elements, unpacked
	enum coding coding;
	long skip;           // unpacked bytes in front of the elements
	long at;             // where the next byte unpacked lies
	bool started, ended; // ended: zlib has seen the end of the stream
	bool told;           // of bytes behind the elements
	z_stream z;
	long next; // of the file
	unsigned char in[1 << 16];
	unsigned char *memory;
};

static void restart(struct source *s, struct packed *p)
{
	if (p->started)
		inflateEnd(&p->z);

	memset(&p->z, 0, sizeof p->z);
	p->next = p->offset;
	p->at = 0;
	p->started = true;
	p->ended = false;

	if (Z_OK != inflateInit2(&p->z, MAX_WBITS + 32))
		error("%s: zlib cannot be initialised", s->name);
}

static void refill(struct source *s, struct packed *p)
{
	long n = file_read_at(p->fd, p->in, sizeof p->in, p->next);

	if (n <= 0)
		error("%s: the compressed elements end after %ld of %ld bytes", s->name, p->at, p->bytes);

	p->next += n;
	p->z.next_in = p->in;
	p->z.avail_in = (unsigned)n;
}

static void inflate_some(struct source *s, struct packed *p, unsigned char *out, long n)
{
	while (n > 0) {
		unsigned want = n < (1L << 30) ? (unsigned)n : 1U << 30;

		if (0 == p->z.avail_in)
			refill(s, p);

		p->z.next_out = out;
		p->z.avail_out = want;

		int status = inflate(&p->z, Z_NO_FLUSH);
		long got = (long)(want - p->z.avail_out);

		out += got;
		n -= got;
		p->at += got;
		p->ended = Z_STREAM_END == status;

		if (Z_STREAM_END == status && n > 0) {
			// gzip files may be several, one behind the other
			if (0 == p->z.avail_in)
				refill(s, p);

			if (Z_OK != inflateReset(&p->z))
				error("%s: the compressed elements end after %ld of %ld bytes", s->name,
				        p->at, p->bytes);
		} else if (Z_OK != status && Z_STREAM_END != status && Z_BUF_ERROR != status) {
			error("%s: the compressed elements are damaged after %ld of %ld bytes%s%s", s->name,
			        p->at, p->bytes, p->z.msg ? ": " : "", p->z.msg ? p->z.msg : "");
		}
	}
}

static void warn_of_rest(struct source *s, struct packed *p, const char *what)
{
	if (!p->told)
		warn("%s: %s that follow the %ld bytes of elements are ignored", s->name, what, p->bytes);

	p->told = true;
}

/* Behind the last compressed byte: gzip pads with zeros, anything else is not the file that was written. */
static void check_rest(struct source *s, struct packed *p)
{
	do {
		for (unsigned i = 0; i < p->z.avail_in; i++)
			if (0 != p->z.next_in[i]) {
				warn_of_rest(s, p, "further bytes in the file");
				return;
			}

		const long n = file_read_at(p->fd, p->in, sizeof p->in, p->next);

		p->next += n > 0 ? n : 0;
		p->z.next_in = p->in;
		p->z.avail_in = n > 0 ? (unsigned)n : 0;
	} while (p->z.avail_in > 0);
}

/* Behind the last element: the checksum there tells what the elements do not. */
static void check_end(struct source *s, struct packed *p)
{
	unsigned char waste;

	for (int status = p->ended ? Z_STREAM_END : Z_OK; Z_STREAM_END != status;) {
		if (0 == p->z.avail_in)
			refill(s, p);

		p->z.next_out = &waste;
		p->z.avail_out = 1;
		status = inflate(&p->z, Z_NO_FLUSH);

		if (0 == p->z.avail_out) {
			warn_of_rest(s, p, "further compressed bytes");
			return;
		}

		if (Z_OK != status && Z_STREAM_END != status && Z_BUF_ERROR != status)
			error("%s: the compressed elements are damaged%s%s", s->name, p->z.msg ? ": " : "",
			        p->z.msg ? p->z.msg : "");
	}

	check_rest(s, p);
}

static void skip_to(struct source *s, struct packed *p, long at)
{
	if (!p->started || at < p->at)
		restart(s, p);

	unsigned char *waste = at > p->at ? mem_alloc(1 << 16) : NULL;

	while (p->at < at)
		inflate_some(s, p, waste, at - p->at < 1 << 16 ? at - p->at : 1 << 16);

	free(waste);
}

static void packed_read(struct source *s, long first, long n, void *out)
{
	struct packed *p = s->ctx;
	const long size = (long)dtype_size(s->h.type);
	const size_t unit = dtype_unit(s->h.type);

	if (p->memory) {
		memcpy(out, p->memory + first * size, (size_t)(n * size));
	} else if (CODING_PLAIN == p->coding) {
		if (file_read_at(p->fd, out, n * size, p->offset + first * size) != n * size)
			error("%s: changed while it was being read", s->name);
	} else {
		skip_to(s, p, p->skip + first * size);
		inflate_some(s, p, out, n * size);

		if ((first + n) * size == p->bytes)
			check_end(s, p);
	}

	if (s->h.big_endian)
		foreign_swap(out, n * (size / (long)unit), unit);
}

static void packed_close(struct source *s)
{
	struct packed *p = s->ctx;

	if (p->started)
		inflateEnd(&p->z);

	if (p->fd >= 0)
		close(p->fd);

	free(p->memory);
	free(p->path);
	free(p);
}

static struct packed *packed_create(struct source *s)
{
	struct packed *p = NEW(struct packed);

	p->fd = -1;
	p->bytes = hdr_bytes(&s->h, s->name);
	s->ctx = p;
	s->read = packed_read;
	s->close = packed_close;
	return p;
}

void source_from_file(struct source *s, const char *path, long offset, enum coding coding)
{
	long size;
	const long bytes = hdr_bytes(&s->h, s->name);
	int fd = file_open_regular(path, &size);

	if (offset < 0)
		offset = CODING_PLAIN == coding ? size - bytes : 0;

	if (offset < 0 || offset > size || (CODING_PLAIN == coding && size - offset < bytes)) {
		close(fd);
		error("%s contains %ld bytes of elements, expected %ld (%s, %s)", path,
		        offset < 0      ? size
		        : offset > size ? 0
		                        : size - offset,
		        bytes, dtype_name(s->h.type), hdr_shape(&s->h));
	}

	// deflate packs no more than 1032 bytes into one
	if (CODING_PLAIN != coding && bytes / 1032 > size - offset) {
		close(fd);
		error("%s contains %ld bytes of compressed elements, too few for %ld bytes (%s, %s)", path,
		        size - offset, bytes, dtype_name(s->h.type), hdr_shape(&s->h));
	}

	struct packed *p = packed_create(s);

	p->path = mem_strdup(path);
	p->fd = fd;
	p->offset = offset;
	p->coding = coding;
}

void source_expect_end(struct source *s)
{
	struct packed *p = s->ctx;
	struct stat st;

	if (CODING_PLAIN == p->coding && 0 == fstat(p->fd, &st) && st.st_size - p->offset > p->bytes)
		warn_of_rest(s, p, "further bytes in the file");
}

void source_from_file_behind(struct source *s, const char *path, long skip)
{
	source_from_file(s, path, 0, CODING_DEFLATE);
	((struct packed *)s->ctx)->skip = skip;
}

void source_from_memory(struct source *s, unsigned char *data)
{
	packed_create(s)->memory = data;
}

/* ---- header ---- */

void source_grid(struct source *s, int d, double spacing, double origin)
{
	if (!(spacing > 0. && spacing < INFINITY)) {
		warn("%s: spacing %g of dim %d is ignored, expected a finite length above 0 [mm]", s->name,
		        spacing, d);
		return;
	}

	s->h.spacing[d] = spacing;
	s->h.has_spacing = true;

	if (isfinite(origin)) {
		s->h.origin[d] = origin;
		s->h.has_origin = true;
	}
}

void source_no_spacing(struct hdr *h, int d)
{
	if (h->has_spacing)
		h->spacing[d] = NAN;
}

void source_tell_unknown(const struct hdr *h, const char *name)
{
	for (int d = 0; d < hdr_rank(h); d++)
		if (isnan(h->spacing[d]) && h->dims[d] > 1) {
			warn("%s: the spacing along dimension %d is unknown, so commands use 1 mm (give the "
			     "spacing with --spacing)",
			        name, d);
			return;
		}
}
