#include "volume/mask_rows.h"

#include <stdlib.h>

#include "misc/mem.h"

static void mask_nonzero(const struct mask_rows *m, long first, long n, uint64_t *bits)
{
	const long nx = m->in->nx;
	const enum dtype t = m->in->type;
	const size_t size = dtype_size(t);
	char *buffer = mem_alloc((size_t)(n * nx) * (size + 1));
	const char *x = voxels_get(m->in, first * nx, n * nx, buffer);

	if (dtype_is_float(t) && voxels_count_nan(t, n * nx, x) > 0)
		voxels_refuse_nan(m->in->file);

	for (long r = 0; r < n; r++)
		bits_nonzero(bits + r * bits_words(nx), t, nx, x + (size_t)(r * nx) * size,
		        (unsigned char *)buffer + (size_t)(n * nx) * size);

	free(buffer);
}

static void mask_above(const struct mask_rows *m, long first, long n, uint64_t *bits)
{
	const long nx = m->in->nx, all = n * nx;
	double *buffer = mem_alloc((size_t)all * (8 + 16 + 1));
	char *raw = (char *)(buffer + all);
	const double *x = voxels_get_as(m->in, DT_FLOAT64, first * nx, all, buffer, raw);

	for (long r = 0; r < n; r++)
		bits_above(
		        bits + r * bits_words(nx), nx, x + r * nx, m->level, (unsigned char *)raw + 16 * all);

	free(buffer);
}

void mask_rows(void *ctx, long first, long n, uint64_t *bits)
{
	const struct mask_rows *m = ctx;

	if (m->by_level)
		mask_above(m, first, n, bits);
	else
		mask_nonzero(m, first, n, bits);

	for (long r = 0; r < n && m->invert; r++)
		bits_invert(bits + r * bits_words(m->in->nx), m->in->nx);
}
