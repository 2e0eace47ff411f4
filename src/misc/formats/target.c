#include "misc/formats/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <zlib.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/container.h"
#include "misc/file/foreign.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/zip.h"
#include "misc/mem.h"

#define BIT(t) (1U << (t))
#define INTEGERS                                                                                             \
	(BIT(DT_INT8) | BIT(DT_INT16) | BIT(DT_INT32) | BIT(DT_UINT8) | BIT(DT_UINT16) | BIT(DT_UINT32))
#define LONGS   (BIT(DT_INT64) | BIT(DT_UINT64))
#define FLOATS  (BIT(DT_FLOAT32) | BIT(DT_FLOAT64))
#define COMPLEX (BIT(DT_COMPLEX64) | BIT(DT_COMPLEX128))

static const struct target_kind kinds[] = {
        {"TIFF", ".tif", BIT(DT_BOOL) | INTEGERS | LONGS | BIT(DT_FLOAT16) | FLOATS | COMPLEX, DIMS,
                KEEPS_GRID | KEEPS_REST, true, target_tiff},
        {"TIFF", ".tiff", BIT(DT_BOOL) | INTEGERS | LONGS | BIT(DT_FLOAT16) | FLOATS | COMPLEX, DIMS,
                KEEPS_GRID | KEEPS_REST, true, target_tiff},
        {"OME-TIFF", ".ome.tif", BIT(DT_BOOL) | INTEGERS | FLOATS | COMPLEX, 5, KEEPS_GRID | KEEPS_REST, true,
                target_ome_tiff},
        {"OME-TIFF", ".ome.tiff", BIT(DT_BOOL) | INTEGERS | FLOATS | COMPLEX, 5, KEEPS_GRID | KEEPS_REST,
                true, target_ome_tiff},
        {"PNG", ".png", BIT(DT_BOOL) | BIT(DT_UINT8) | BIT(DT_UINT16), 2, KEEPS_GRID | KEEPS_REST, true,
                target_png},
        {"HDF5", ".h5", BIT(DT_BOOL) | INTEGERS | LONGS | BIT(DT_FLOAT16) | FLOATS | COMPLEX, DIMS,
                KEEPS_GRID | KEEPS_REST, true, target_hdf5},
        {"HDF5", ".hdf5", BIT(DT_BOOL) | INTEGERS | LONGS | BIT(DT_FLOAT16) | FLOATS | COMPLEX, DIMS,
                KEEPS_GRID | KEEPS_REST, true, target_hdf5},
        {"NeXus", ".nxs", BIT(DT_BOOL) | INTEGERS | LONGS | BIT(DT_FLOAT16) | FLOATS | COMPLEX, DIMS,
                KEEPS_GRID | KEEPS_REST, true, target_hdf5},
        {"MATLAB 7.3", ".mat", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS | COMPLEX, DIMS,
                KEEPS_GRID | KEEPS_REST, true, target_matlab},
        {"NIfTI", ".nii", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS | COMPLEX, 7, KEEPS_GRID | KEEPS_REST,
                false, target_nifti},
        {"NIfTI", ".nii.gz", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS | COMPLEX, 7, KEEPS_GRID | KEEPS_REST,
                true, target_nifti},
        {"MetaImage", ".mha", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS, DIMS, KEEPS_GRID | KEEPS_REST, true,
                target_metaimage},
        {"MetaImage", ".mhd", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS, DIMS, KEEPS_GRID | KEEPS_REST, true,
                target_metaimage},
        {"NRRD", ".nrrd", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS, DIMS, KEEPS_GRID | KEEPS_REST, true,
                target_nrrd},
        {"NRRD", ".nhdr", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS, DIMS, KEEPS_GRID | KEEPS_REST, true,
                target_nrrd},
        {"EDF", ".edf", BIT(DT_BOOL) | INTEGERS | LONGS | FLOATS, 3, KEEPS_GRID | KEEPS_REST, false,
                target_edf},
        {"DICOM", ".dcm", BIT(DT_BOOL) | BIT(DT_INT8) | BIT(DT_UINT8) | BIT(DT_INT16) | BIT(DT_UINT16), 2,
                KEEPS_GRID | KEEPS_REST, false, target_dicom},
        {"NumPy", ".npy", BIT(DT_BOOL) | INTEGERS | LONGS | BIT(DT_FLOAT16) | FLOATS | COMPLEX, DIMS, 0,
                false, target_npy},
        {"NumPy", ".npz", BIT(DT_BOOL) | INTEGERS | LONGS | BIT(DT_FLOAT16) | FLOATS | COMPLEX, DIMS, 0,
                false, target_npz},
        {"raw", ".raw", ~0U, DIMS, 0, false, target_raw},
        {"raw", ".bin", ~0U, DIMS, 0, false, target_raw},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct target_kind *target_kind(const char *path)
{
	const struct target_kind *best = NULL;
	const size_t n = strlen(path);

	for (int i = 0; i < KINDS; i++) {
		const size_t m = strlen(kinds[i].extension);

		if (n > m && 0 == strcasecmp(path + n - m, kinds[i].extension) &&
		        (!best || m > strlen(best->extension)))
			best = &kinds[i];
	}

	return best;
}

char *target_extensions(void)
{
	struct str s = {0};

	for (int i = 0; i < KINDS; i++)
		str_printf(&s, "%s%s", i ? " " : "", kinds[i].extension);

	return s.data;
}

bool target_has_names(const struct target_kind *k)
{
	return target_hdf5 == k->create || target_matlab == k->create || target_npz == k->create;
}

static void refuse_type(const struct target_kind *k, const struct hdr *h, const char *path)
{
	struct str s = {0};

	for (int t = 0; t < DT_COUNT; t++)
		if (k->types & BIT(t))
			str_printf(&s, "%s%s", s.len ? ", " : "", dtype_name((enum dtype)t));

	error("%s: %s files support %s, found %s (convert with gantry cast --type)", path, k->name, s.data,
	        dtype_name(h->type));
}

void target_check(const struct target_kind *k, const struct hdr *h, const char *path)
{
	struct str lost = {0};

	if (!(k->types & BIT(h->type)))
		refuse_type(k, h, path);

	if (hdr_rank(h) > k->rank)
		error("%s: %s files support at most %d dimensions, found %s%s", path, k->name, k->rank,
		        hdr_shape(h),
		        2 == k->rank
		                ? " (a name with a number pattern, as slice_%04d, writes a file per slice)"
		                : "");

	if (!(k->keeps & KEEPS_GRID)) {
		str_add(&lost, h->has_spacing ? "spacing, " : "");
		str_add(&lost, h->has_origin ? "origin, " : "");
	}

	if (!(k->keeps & KEEPS_REST)) {
		str_add(&lost, Q_UNKNOWN != h->quantity ? "quantity, " : "");
		str_add(&lost, h->unit[0] ? "unit, " : "");
	}

	double v[2];

	if (target_nifti != k->create && target_dicom != k->create && hdr_rescale(h, v))
		warn("%s: %s files cannot record 'true value = stored * %g + %g', so values are kept as "
		     "stored (first use gantry import --rescale)",
		        path, k->name, v[0], v[1]);

	if (lost.len)
		warn("%s: %s files cannot store %.*s", path, k->name, (int)lost.len - 2, lost.data);

	free(lost.data);
}

struct target *target_create(
        const struct target_kind *k, const char *path, const struct hdr *h, const struct target_opts *o)
{
	struct target *t = NEW(struct target);

	t->path = path;
	t->o = o;
	hdr_init(&t->h);
	hdr_copy(&t->h, h);
	k->create(t);
	return t;
}

void target_finish(struct target *t)
{
	t->finish(t);
	hdr_free(&t->h);
	free(t);
}

char *target_other_name(const char *path, const char *own, const char *extension)
{
	return mem_printf("%.*s%s", (int)(strlen(path) - strlen(own)), path, extension);
}

/* ---- a header, then the elements ---- */

struct plain {
	struct file_out *data, *header; // the same, or the header apart
	bool packed;
	long packed_bytes, size_at; // where the header says them; 0 = nowhere
	z_stream z;
	unsigned char out[1 << 16];
	// .npz
	char *member;
	long bytes;
	unsigned crc;
};

static void put(struct file_out *f, const void *p, size_t n)
{
	errno = 0;

	if (n > 0 && n != fwrite(p, 1, n, file_stream(f)))
		file_failed(f, NULL);
}

static void pack(struct plain *p, const void *data, long n, int flush)
{
	const unsigned char *in = data;

	do {
		const unsigned m = n < 1L << 30 ? (unsigned)n : 1U << 30;

		p->z.next_in = (unsigned char *)in;
		p->z.avail_in = m;
		in += m;
		n -= m;

		do {
			p->z.next_out = p->out;
			p->z.avail_out = sizeof p->out;
			deflate(&p->z, n > 0 ? Z_NO_FLUSH : flush);
			put(p->data, p->out, sizeof p->out - p->z.avail_out);
			p->packed_bytes += (long)(sizeof p->out - p->z.avail_out);
		} while (0 == p->z.avail_out);
	} while (n > 0);
}

static void plain_bytes(struct plain *p, const void *data, long bytes)
{
	if (p->member)
		for (long at = 0; at < bytes; at += 1L << 30)
			p->crc = (unsigned)crc32(p->crc, (const unsigned char *)data + at,
			        (unsigned)(bytes - at < 1L << 30 ? bytes - at : 1L << 30));

	p->bytes += bytes;

	if (p->packed)
		pack(p, data, bytes, Z_NO_FLUSH);
	else
		put(p->data, data, (size_t)bytes);
}

static void plain_write(struct target *t, const void *data, long n)
{
	plain_bytes(t->ctx, data, n * (long)dtype_size(t->h.type));
}

static void plain_finish(struct target *t)
{
	struct plain *p = t->ctx;

	if (p->packed) {
		pack(p, "", 0, Z_FINISH);
		deflateEnd(&p->z);
	}

	if (p->size_at > 0) {
		char text[PACKED_DIGITS + 1];

		snprintf(text, sizeof text, "%0*ld", PACKED_DIGITS, p->packed_bytes);

		if (0 != fseek(file_stream(p->header), p->size_at, SEEK_SET))
			file_failed(p->header, NULL);

		put(p->header, text, PACKED_DIGITS);
	}

	file_commit(p->data);

	if (p->header != p->data)
		file_commit(p->header);

	free(p->member);
	free(p);
}

static struct plain *plain_create(struct target *t, const char *data_path, enum packing packing)
{
	struct plain *p = NEW(struct plain);

	p->data = p->header = file_create(data_path);
	p->packed = PACK_NONE != packing;

	if (p->packed &&
	        Z_OK != deflateInit2(&p->z, 6, Z_DEFLATED, PACK_ZLIB == packing ? MAX_WBITS : MAX_WBITS + 16,
	                        8, Z_DEFAULT_STRATEGY))
		error("%s: zlib cannot be initialised", data_path);

	t->ctx = p;
	t->write = plain_write;
	t->finish = plain_finish;
	return p;
}

void target_packed_size(struct target *t, long at)
{
	((struct plain *)t->ctx)->size_at = at;
}

void target_plain(struct target *t, const void *header, long length, enum packing packing)
{
	struct plain *p = plain_create(t, t->path, packing);

	if (PACK_GZIP_ALL == packing)
		plain_bytes(p, header, length);
	else
		put(p->data, header, (size_t)length);
}

void target_detached(
        struct target *t, const void *header, long length, const char *data_path, enum packing packing)
{
	struct plain *p = plain_create(t, data_path, packing);

	p->header = file_create(t->path);
	put(p->header, header, (size_t)length);
}

static void raw_write_swapped(struct target *t, const void *data, long n)
{
	const size_t size = dtype_size(t->h.type), unit = dtype_unit(t->h.type);
	void *copy = mem_alloc((size_t)n * size);

	memcpy(copy, data, (size_t)n * size);
	foreign_swap(copy, n * (long)(size / unit), unit);
	plain_write(t, copy, n);
	free(copy);
}

void target_raw(struct target *t)
{
	target_plain(t, "", 0, PACK_NONE);

	if (t->o->big_endian)
		t->write = raw_write_swapped;
}

void target_npy(struct target *t)
{
	long length;
	char *header = container_npy.format(&t->h, &length, t->path);

	target_plain(t, header, length, PACK_NONE);
	free(header);
}

static void npz_finish(struct target *t)
{
	struct plain *p = t->ctx;
	long length;
	unsigned char *end = zip_end(p->member, p->bytes, p->crc, &length), crc[4];

	for (int i = 0; i < 4; i++)
		crc[i] = (unsigned char)(p->crc >> 8 * i);

	put(p->data, end, (size_t)length);

	if (0 != fseek(file_stream(p->data), ZIP_CRC_AT, SEEK_SET))
		file_failed(p->data, NULL);

	put(p->data, crc, sizeof crc);
	free(end);
	plain_finish(t);
}

void target_npz(struct target *t)
{
	long length, head;
	char *header = container_npy.format(&t->h, &length, t->path);
	char *member = mem_printf("%s.npy", t->o->inside ? t->o->inside : "arr_0");
	unsigned char *begin = zip_begin(member, length + hdr_bytes(&t->h, t->path), &head);

	target_plain(t, begin, head, PACK_NONE);

	struct plain *p = t->ctx;

	p->member = member;
	plain_bytes(p, header, length);
	t->finish = npz_finish;
	free(begin);
	free(header);
}
