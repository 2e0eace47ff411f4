/**
 * NIfTI-1 and NIfTI-2 [1], plain or gzipped, one file or a .hdr/.img pair; read and written.
 *
 * Coordinates of NIfTI increase to the right, the front and the head; Gantry's, like those of DICOM and ITK,
 * to the left, the back and the head: x and y change sign. The affine of the file (sform, else qform) becomes
 * spacing, "# Origin" (centre of the first element) and "# Direction".
 *
 * [1] nifti1.h and nifti2.h, https://nifti.nimh.nih.gov: offsets below are those of the fields there.
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <zlib.h>

#include "misc/error.h"
#include "misc/file/foreign.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/embed.h"
#include "misc/formats/names.h"
#include "misc/formats/source.h"
#include "misc/formats/target.h"
#include "misc/mem.h"

enum {
	BYTES1 = 348,
	BYTES2 = 540,
	RANK = 7,
	HEAD = 1 << 20,
	COMMENT = 6,
	UNIT_MM = 2,
	UNIT_S = 8,
	SCANNER = 1
};

static const struct {
	int code;
	enum dtype type;
} types[] = {{2, DT_UINT8}, {4, DT_INT16}, {8, DT_INT32}, {16, DT_FLOAT32}, {32, DT_COMPLEX64},
        {64, DT_FLOAT64}, {256, DT_INT8}, {512, DT_UINT16}, {768, DT_UINT32}, {1024, DT_INT64},
        {1280, DT_UINT64}, {1792, DT_COMPLEX128}, {2, DT_BOOL}};

/* The fields that matter, of either version. */
struct fields {
	bool second, swapped, pair;
	long dim[RANK + 1];
	int type;
	double pixdim[RANK + 1], offset, slope, intercept;
	int units, qform, sform;
	double quaternion[3], qoffset[3], affine[3][4];
};

struct bytes {
	const unsigned char *p;
	bool swapped;
};

static void take(const struct bytes *b, long at, void *out, size_t n)
{
	memcpy(out, b->p + at, n);

	if (b->swapped)
		foreign_swap(out, 1, n);
}

#define TAKE(name, type)                                                                                     \
	static type name(const struct bytes *b, long at)                                                     \
	{                                                                                                    \
		type v;                                                                                      \
		take(b, at, &v, sizeof v);                                                                   \
		return v;                                                                                    \
	}
TAKE(i16, int16_t)
TAKE(i32, int32_t)
TAKE(i64, int64_t)
TAKE(f32, float)
TAKE(f64, double)

/* A float that somebody typed in few digits, as those digits say. */
static double typed(float v)
{
	char text[32];

	snprintf(text, sizeof text, "%.7g", (double)v);

	const double d = strtod(text, NULL);

	return (float)d == v ? d : (double)v;
}

static void parse1(const struct bytes *b, struct fields *f)
{
	for (int i = 0; i <= RANK; i++) {
		f->dim[i] = i16(b, 40 + 2 * i);
		f->pixdim[i] = typed(f32(b, 76 + 4 * i));
	}

	f->type = i16(b, 70);
	f->offset = (double)f32(b, 108);
	f->slope = typed(f32(b, 112));
	f->intercept = typed(f32(b, 116));
	f->units = b->p[123];
	f->qform = i16(b, 252);
	f->sform = i16(b, 254);
	f->pair = 0 == memcmp(b->p + 344, "ni1", 4);

	for (int i = 0; i < 3; i++) {
		f->quaternion[i] = (double)f32(b, 256 + 4 * i);
		f->qoffset[i] = (double)f32(b, 268 + 4 * i);

		for (int k = 0; k < 4; k++)
			f->affine[i][k] = typed(f32(b, 280 + 16 * i + 4 * k));
	}
}

static void parse2(const struct bytes *b, struct fields *f)
{
	for (int i = 0; i <= RANK; i++) {
		f->dim[i] = i64(b, 16 + 8 * i);
		f->pixdim[i] = f64(b, 104 + 8 * i);
	}

	f->type = i16(b, 12);
	f->offset = (double)i64(b, 168);
	f->slope = f64(b, 176);
	f->intercept = f64(b, 184);
	f->units = i32(b, 500);
	f->qform = i32(b, 344);
	f->sform = i32(b, 348);
	f->pair = 0 == memcmp(b->p + 4, "ni2", 4);

	for (int i = 0; i < 3; i++) {
		f->quaternion[i] = f64(b, 352 + 8 * i);
		f->qoffset[i] = f64(b, 376 + 8 * i);

		for (int k = 0; k < 4; k++)
			f->affine[i][k] = f64(b, 400 + 32 * i + 8 * k);
	}
}

/* 1 or 2, negative for the other byte order, 0 = no NIfTI. */
static int version(const unsigned char *p, long n)
{
	struct bytes native = {p, false}, swapped = {p, true};

	if (n >= BYTES1 && (0 == memcmp(p + 344, "n+1", 4) || 0 == memcmp(p + 344, "ni1", 4)))
		return BYTES1 == i32(&native, 0) ? 1 : BYTES1 == i32(&swapped, 0) ? -1 : 0;

	if (n >= BYTES2 &&
	        (0 == memcmp(p + 4, "n+2\0\r\n\032\n", 8) || 0 == memcmp(p + 4, "ni2\0\r\n\032\n", 8)))
		return BYTES2 == i32(&native, 0) ? 2 : BYTES2 == i32(&swapped, 0) ? -2 : 0;

	return 0;
}

/* The header of elements in a file of their own (malloc'd), or NULL. */
static char *header_of(const char *path)
{
	char *name = names_header_of(path);
	struct stat st;

	if (name && 0 == stat(name, &st) && S_ISREG(st.st_mode)) {
		long n;
		unsigned char *head = source_head_unpacked(name, BYTES2, &n);
		const bool good = 0 != version(head, n);

		free(head);

		if (good)
			return name;
	}

	free(name);
	return NULL;
}

static bool nifti_probe(const unsigned char *head, long n, const char *path)
{
	unsigned char out[BYTES2];
	z_stream z = {.next_in = (unsigned char *)head,
	        .avail_in = (unsigned)n,
	        .next_out = out,
	        .avail_out = sizeof out};

	if (0 != version(head, n))
		return true;

	char *header = header_of(path);

	free(header);

	if (header)
		return true;

	if (n < 2 || 0x1f != head[0] || 0x8b != head[1] || Z_OK != inflateInit2(&z, MAX_WBITS + 16))
		return false;

	// gzip files may be several, one behind the other
	while (Z_STREAM_END == inflate(&z, Z_SYNC_FLUSH) && z.avail_in > 0 && z.avail_out > 0)
		inflateReset(&z);

	inflateEnd(&z);
	return 0 != version(out, (long)(sizeof out - z.avail_out));
}

/* ---- reading ---- */

/* Columns of the rotation that a unit quaternion (a, b, c, d) stands for, the last one turned by qfac; the
 * formulas of method 2 in [1]. A square of a below 1e-7 is the rounding of b, c and d: half a turn. */
static void from_quaternion(struct fields *f)
{
	double b = f->quaternion[0], c = f->quaternion[1], d = f->quaternion[2];
	const double rest = b * b + c * c + d * d, q = f->pixdim[0] < 0. ? -1. : 1.;
	double a = sqrt(fmax(0., 1. - rest));

	if (1. - rest < 1e-7) {
		const double unit = 1. / sqrt(rest);

		a = 0.;
		b *= unit;
		c *= unit;
		d *= unit;
	}

	const double r[3][3] = {
	        {a * a + b * b - c * c - d * d, 2. * (b * c - a * d), q * 2. * (b * d + a * c)},
	        {2. * (b * c + a * d), a * a + c * c - b * b - d * d, q * 2. * (c * d - a * b)},
	        {2. * (b * d - a * c), 2. * (c * d + a * b), q * (a * a + d * d - c * c - b * b)}};

	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++)
			f->affine[i][k] = r[i][k] * f->pixdim[k + 1];

		f->affine[i][3] = f->qoffset[i];
	}
}

static bool has_affine(const struct fields *f)
{
	return f->sform > 0 || f->qform > 0;
}

/* Distances beyond the volume: of times in seconds, of others as they are. Those that the file does not say
 * are unknown. */
static void set_times(struct source *s, const struct fields *f)
{
	const double second = 16 == (f->units & 56) ? 1e-3 : 24 == (f->units & 56) ? 1e-6 : 1.;

	for (int d = 3; d < f->dim[0]; d++)
		if (f->pixdim[d + 1] > 0. && f->pixdim[d + 1] < INFINITY)
			source_grid(s, d, f->pixdim[d + 1] * (3 == d ? second : 1.), NAN);

	for (int d = has_affine(f) ? 3 : 0; d < f->dim[0]; d++)
		if (!(f->pixdim[d + 1] > 0.) && f->dim[d + 1] > 1)
			source_no_spacing(&s->h, d);
}

static void set_grid(struct source *s, struct fields *f)
{
	const int unit = f->units & 7;
	const double mm = 1 == unit ? 1e3 : 3 == unit ? 1e-3 : 1.;
	double cosines[3][3];

	if (f->sform <= 0 && f->qform > 0)
		from_quaternion(f);

	if (!has_affine(f)) {
		for (int d = 0; d < 3; d++)
			if (f->pixdim[d + 1] > 0.)
				source_grid(s, d, f->pixdim[d + 1] * mm, NAN);

		return;
	}

	for (int d = 0; d < 3; d++) {
		double n = 0.;

		for (int i = 0; i < 3; i++)
			n += f->affine[i][d] * f->affine[i][d];

		n = sqrt(n);

		// the size that the file says has no rounding of the directions in it
		const double said = fabs(f->pixdim[d + 1]);

		source_grid(s, d, (fabs(n - said) <= 1e-6 * said ? said : n) * mm,
		        f->affine[d][3] * mm * (d < 2 ? -1. : 1.));

		for (int i = 0; i < 3; i++)
			cosines[d][i] = f->affine[i][d] / n * (i < 2 ? -1. : 1.);
	}

	hdr_set_direction(&s->h, cosines);
}

static void set_shape(struct source *s, const struct fields *f, const char *path)
{
	const int n = sizeof types / sizeof *types;
	int t = 0;

	while (t < n && types[t].code != f->type)
		t++;

	if (t == n)
		error("%s has NIfTI elements of type %d, expected integers, floats or complex numbers", path,
		        f->type);

	if (f->dim[0] < 1 || f->dim[0] > RANK)
		error("%s has %ld dimensions, expected 1 to %d", path, f->dim[0], RANK);

	for (int d = 0; d < f->dim[0]; d++) {
		if (f->dim[d + 1] < 1)
			error("%s has size %ld along dimension %d, expected at least one", path,
			        f->dim[d + 1], d);

		s->h.dims[d] = f->dim[d + 1];
	}

	s->h.type = types[t].type;
	s->h.big_endian = f->swapped;
}

/* Our header among the extensions between `at` and the elements. */
static void read_extensions(
        struct source *s, const struct fields *f, const struct bytes *b, long at, long end, const char *path)
{
	if (at + 4 > end || 0 == b->p[at])
		return;

	for (at += 4; at + 8 <= end;) {
		const long size = i32(b, at), code = i32(b, at + 4);

		if (size < 16 || size > end - at)
			return;

		char *text = mem_printf("%.*s", (int)(size - 8), (const char *)b->p + at + 8);

		if (COMMENT == code && embed_find(text))
			embed_apply(&s->h, embed_find(text), path,
			        (struct said){
			                .dims = 3, .direction = has_affine(f), .rescale = 0. != f->slope});

		free(text);
		at += size;
	}
}

static struct source *open_header(const char *path)
{
	long n;
	struct fields f = {0};
	struct source *s = source_create(path);
	struct bytes b = {.p = source_head_unpacked(path, HEAD, &n)};
	const int v = version(b.p, n);

	b.swapped = f.swapped = v < 0;
	f.second = 2 == abs(v);

	if (0 == v)
		error("%s: not a NIfTI file, or truncated", path);

	(f.second ? parse2 : parse1)(&b, &f);
	set_shape(s, &f, path);
	set_grid(s, &f);
	set_times(s, &f);

	const long bytes = f.second ? BYTES2 : BYTES1;

	if (!(f.offset >= 0. && f.offset < 1e15) || (!f.pair && f.offset < (double)bytes))
		error("%s: the elements begin at byte %g, expected byte %ld or later", path, f.offset,
		        f.pair ? 0 : bytes);

	const long offset = (long)f.offset, end = f.pair || offset > n ? n : offset;

	read_extensions(s, &f, &b, bytes, end, path);
	s->rescale[0] = 0. == f.slope ? 1. : f.slope; // 0 says that there is none
	s->rescale[1] = 0. == f.slope ? 0. : f.intercept;
	s->has_rescale = isfinite(s->rescale[0]) && isfinite(s->rescale[1]);
	free((void *)b.p);

	char *data = NULL;

	if (f.pair) {
		const size_t len = strlen(path), gz = len > 3 && 0 == strcmp(path + len - 3, ".gz") ? 3 : 0;
		const bool hdr = len - gz > 4 && 0 == strncmp(path + len - gz - 4, ".hdr", 4);

		data = mem_printf("%.*s.img%s", (int)(len - gz - (hdr ? 4 : 0)), path, path + len - gz);
	}

	const char *where = data ? data : path;
	long m, size;
	unsigned char *head = source_head(where, 2, &m, &size);
	const bool packed = 2 == m && 0x1f == head[0] && 0x8b == head[1];

	free(head);

	if (packed)
		source_from_file_behind(s, where, offset);
	else
		source_from_file(s, where, offset, CODING_PLAIN);
	source_expect_end(s);

	free(data);
	return s;
}

static struct source *nifti_open(const char *path, const char *inside, enum part part)
{
	if (inside)
		error("%s: a NIfTI file contains no named arrays, but the name %s is given", path, inside);

	if (PART_DATA != part)
		return NULL;

	char *header = header_of(path);
	struct source *s = open_header(header ? header : path);

	free(header);
	return s;
}

const struct format format_nifti = {"NIfTI", false, false, nifti_probe, nifti_open};

/* ---- writing ---- */

static void put(unsigned char *p, long at, const void *v, size_t n)
{
	memcpy(p + at, v, n);
}

#define PUT(name, type)                                                                                      \
	static void name(unsigned char *p, long at, double v)                                                \
	{                                                                                                    \
		const type x = (type)v;                                                                      \
		put(p, at, &x, sizeof x);                                                                    \
	}
PUT(put_i16, int16_t)
PUT(put_i32, int32_t)
PUT(put_i64, int64_t)
PUT(put_f32, float)
PUT(put_f64, double)

static int type_code(enum dtype t)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == t)
			return types[i].code;

	return 0;
}

static void affine_of(const struct hdr *h, double affine[3][4])
{
	double c[3][3];

	hdr_direction(h, c);

	for (int i = 0; i < 3; i++) {
		const double sign = i < 2 ? -1. : 1.;

		for (int d = 0; d < 3; d++)
			affine[i][d] = sign * c[d][i] * h->spacing[d];

		affine[i][3] = sign * hdr_origin(h, i);
	}
}

static void fill_rescale(unsigned char *p, const struct hdr *h, bool second)
{
	double v[2] = {1., 0.};

	hdr_rescale(h, v);

	for (int i = 0; i < 2; i++)
		(second ? put_f64 : put_f32)(p, second ? 176 + 8 * i : 112 + 4 * i, v[i]);
}

static void fill(unsigned char *p, const struct hdr *h, bool second, long offset)
{
	void (*small)(unsigned char *, long, double) = second ? put_i32 : put_i16;
	void (*size)(unsigned char *, long, double) = second ? put_i64 : put_i16;
	void (*real)(unsigned char *, long, double) = second ? put_f64 : put_f32;
	const int r = second ? 8 : 4, n = second ? 8 : 2, rank = hdr_rank(h);
	const bool grid = h->has_spacing || h->has_origin;
	double affine[3][4];

	put_i32(p, 0, second ? BYTES2 : BYTES1);
	put(p, second ? 4 : 344, second ? "n+2\0\r\n\032\n" : "n+1", second ? 8 : 4);
	put_i16(p, second ? 12 : 70, type_code(h->type));
	put_i16(p, second ? 14 : 72, 8. * (double)dtype_size(h->type));
	size(p, second ? 16 : 40, rank);
	real(p, second ? 104 : 76, 1.);

	for (int d = 0; d < RANK; d++) {
		size(p, (second ? 16 : 40) + n * (d + 1), (double)h->dims[d]);
		real(p, (second ? 104 : 76) + r * (d + 1), h->spacing[d]);
	}

	if (second)
		put_i64(p, 168, (double)offset);
	else
		put_f32(p, 108, (double)offset);

	fill_rescale(p, h, second);

	if (second)
		put_i32(p, 500, rank > 3 ? UNIT_MM | UNIT_S : UNIT_MM);
	else
		p[123] = rank > 3 ? UNIT_MM | UNIT_S : UNIT_MM;

	if (!grid)
		return;

	affine_of(h, affine);
	small(p, second ? 348 : 254, SCANNER);

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 4; k++)
			real(p, (second ? 400 : 280) + r * (4 * i + k), affine[i][k]);
}

void target_nifti(struct target *t)
{
	bool second = false;
	char *text = embed_text(&t->h);
	const size_t n = strlen(text);

	for (int d = 0; d < RANK; d++)
		second |= t->h.dims[d] > INT16_MAX;

	const long bytes = second ? BYTES2 : BYTES1;
	const long extension = (long)(8 + n + 15) / 16 * 16, offset = (bytes + 4 + extension + 15) / 16 * 16;
	unsigned char *head = mem_calloc(1, (size_t)offset);

	fill(head, &t->h, second, offset);
	head[bytes] = 1;
	put_i32(head, bytes + 4, (double)extension);
	put_i32(head, bytes + 8, COMMENT);
	memcpy(head + bytes + 12, text, n);
	target_plain(t, head, offset,
	        strlen(t->path) > 3 && 0 == strcasecmp(t->path + strlen(t->path) - 3, ".gz") ? PACK_GZIP_ALL
	                                                                                     : PACK_NONE);
	free(head);
	free(text);
}
