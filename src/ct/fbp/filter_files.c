/* Filtered projections from file to file, in batches of views. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_files.h"

#include "ct/geometry/views.h"
#include "ct/projector/xray.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/device/device.h"

/** The detector's columns of filtered lines: real parts, or real and imaginary parts interleaved. */
static void store(const struct fbp *f, const struct geom *g, enum dtype type, char *out,
        const char *const q[2], long lines)
{
	long part = (long)dtype_size(dtype_real(type));
	int parts = dtype_is_complex(type) ? 2 : 1;

	for (long l = 0; l < lines; l++)
		for (long a = 0; a < g->cols; a++)
			for (int p = 0; p < parts; p++)
				memcpy(out + ((l * g->cols + a) * parts + p) * part,
				        q[p] + (l * fbp_cols(f) + fbp_left(f) + a) * part, (size_t)part);
}

/** One part of n views; there[2]: room for both on the device, NULL: by the CPU. */
static void filter_part(struct fbp *f, const struct geom *g, enum dtype type, char *q, char *in, long first,
        long n, void *const there[2])
{
	const size_t lines = (size_t)(n * g->rows) * dtype_size(type);

	if (NULL == there[0]) {
		fbp_filter(f, type, q, in, first, n);
		return;
	}

	device_copy(there[0], in, lines * (size_t)g->cols);
	fbp_filter(f, type, there[1], there[0], first, n);
	device_copy(q, there[1], lines * (size_t)fbp_cols(f));
}

void fbp_files_filter(struct fbp *f, const struct geom *g, struct cfl *x, struct cfl *y)
{
	enum dtype type = y->hdr.type, real = dtype_real(type);
	int parts = dtype_is_complex(type) ? 2 : 1;
	long size = g->cols * g->rows, per = fbp_batch(f, real), views = x->count / size;
	char *in[2] = {NULL, NULL}, *q[2] = {NULL, NULL};
	void *there[2] = {NULL, NULL};
	const double transforms = 20. * (double)x->count * log2((double)fbp_cols(f) + 2.);

	if (device_worth(2. * (double)x->count * (double)dtype_size(type), transforms)) {
		there[0] = device_alloc((size_t)(per * size) * dtype_size(real));
		there[1] = device_alloc((size_t)(per * g->rows * fbp_cols(f)) * dtype_size(real));
	}

	for (int p = 0; p < parts; p++) {
		in[p] = mem_alloc((size_t)(per * size) * dtype_size(real));
		q[p] = mem_alloc((size_t)(per * g->rows * fbp_cols(f)) * dtype_size(real));
	}

	progress_start("filter", views);

	for (long k = 0, n; k < views; k += n) {
		long first = k % g->views;

		n = (g->views - first < per) ? g->views - first : per;
		views_next(x, real, size, k, n * size, in[0], in[1]);

		for (int p = 0; p < parts; p++)
			filter_part(f, g, real, q[p], in[p], first, n, there);

		void *out = cfl_slab(y, n * size);

		store(f, g, type, out, (const char *const *)q, n * g->rows);
		xray_expect_finite(type, n * size, out, x->name, "filtered values");
		progress_update(k + n);
	}

	progress_end();
	device_free(there[0]);
	device_free(there[1]);

	for (int p = 0; p < parts; p++) {
		free(in[p]);
		free(q[p]);
	}
}
