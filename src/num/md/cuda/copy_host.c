/* Copies in host memory, and between it and a file, by all threads. */

#include <string.h>

#include "misc/minmax.h"
#include "num/device/device.h"
#include "num/md/cuda/copy_host.h"

enum { SLICE = 1 << 20 }; // of a thread [bytes]

static void move_file(const struct gpu_rows *b)
{
	const struct device_part *f = b->file;
	char *buffer = (NULL != b->dst) ? b->dst : (char *)b->src;
	const long bytes = (long)b->width * b->rows, slice = f->in_order ? bytes : SLICE;

#pragma omp parallel for schedule(dynamic) if (slice < bytes)
	for (long i = 0; i < bytes; i += slice)
		f->move(f->file, b->at + i, min_long(slice, bytes - i), buffer + i);
}

void gpu_copy_host(const struct gpu_rows *b)
{
	const long bytes = (long)b->width * b->rows;

	if (NULL != b->file) {
		move_file(b);
		return;
	}

	if (1 == b->rows || ((size_t)b->dst_step == b->width && (size_t)b->src_step == b->width)) {
#pragma omp parallel for if (SLICE < bytes)
		for (long i = 0; i < bytes; i += SLICE)
			memcpy(b->dst + i, b->src + i, (size_t)min_long(SLICE, bytes - i));
	} else {
#pragma omp parallel for if (SLICE < bytes)
		for (long i = 0; i < b->rows; i++)
			memcpy(b->dst + i * b->dst_step, b->src + i * b->src_step, b->width);
	}
}
