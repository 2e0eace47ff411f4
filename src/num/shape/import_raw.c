/* Imports raw files, which contain only elements. */

#include <stdlib.h>

#include "num/shape/import.h"

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/md/multind.h"

static const long slab_bytes = 8L << 20; // moved at a time

void import_check_bools(const char *path, const unsigned char *p, long n)
{
	for (long i = 0; i < n; i++)
		if (p[i] > 1)
			error("%s contains a byte of value %d, expected 0 or 1 for type bool", path, p[i]);
}

static void check_raw(const char *path, const struct import_raw *l, long want)
{
	size_t bytes;
	const void *p = file_map(path, &bytes);

	file_unmap(p);

	if ((long)bytes == want)
		return;

	struct str shape = {0};

	for (int d = 0; d < l->rank; d++)
		str_printf(&shape, "%s%ld", d ? " x " : "", l->dims[d]);

	error("%s has %zu bytes, expected %ld: %s elements of %s%s", path, bytes, want, shape.data,
	        dtype_name(l->type), l->skip ? mem_printf(" after %ld bytes to skip", l->skip) : "");
}

/* Reverses the bytes of n units in place. */
static void swap_units(unsigned char *p, long n, size_t unit)
{
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		for (size_t a = 0, b = unit - 1; a < b; a++, b--) {
			unsigned char t = p[i * (long)unit + (long)a];

			p[i * (long)unit + (long)a] = p[i * (long)unit + (long)b];
			p[i * (long)unit + (long)b] = t;
		}
}

/* One file: pieces of elements, or of whole frames when they are transposed. */
static void read_raw(struct cfl *out, const char *path, const struct import_raw *l, bool transpose)
{
	size_t bytes, size = dtype_size(l->type);
	const char *base = file_map(path, &bytes);
	const char *src = base + l->skip;
	long count = md_calc_size(l->rank, l->dims);
	long frame = transpose ? l->dims[0] * l->dims[1] : 1;
	long piece = slab_bytes / (long)size / frame * frame;

	if (bytes != (size_t)(l->skip + count * (long)size))
		error("%s: changed while it was being read", path);

	if (0 == piece)
		piece = frame;

	for (long first = 0; first < count; first += piece) {
		long n = count - first < piece ? count - first : piece;
		char *dst = cfl_slab(out, n);

		if (transpose)
			stack_transpose((long[3]){l->dims[0], l->dims[1], n / frame}, dst, src, size);
		else
			md_copy(1, &n, dst, src, size);

		if (l->swap)
			swap_units((unsigned char *)dst, n * (long)(size / dtype_unit(l->type)),
			        dtype_unit(l->type));

		if (DT_BOOL == l->type)
			import_check_bools(path, (unsigned char *)dst, n);

		src += n * (long)size;
		progress_add(n);
	}

	file_unmap(base);
}

void import_raw(const char *name, struct hdr *h, const struct import_files *files, const struct import_raw *l,
        int along, bool transpose)
{
	long count = 1;

	for (int d = 0; d < l->rank; d++)
		count = mul_checked(count, l->dims[d], "--size");

	long want = add_checked(l->skip, mul_checked(count, (long)dtype_size(l->type), "--size"), "--skip");

	for (int k = 0; k < files->n; k++)
		check_raw(files->v[k].path, l, want);

	hdr_set_dims(h, l->rank, l->dims);
	h->dims[along] *= files->n;
	h->type = l->type;

	if (transpose) {
		h->dims[0] = l->dims[1];
		h->dims[1] = l->dims[0];
	}

	struct cfl *out = cfl_create(name, h);

	progress_start("importing", out->count);

	for (int k = 0; k < files->n; k++)
		read_raw(out, files->v[k].path, l, transpose);

	progress_end();
	cfl_close(out);
}
