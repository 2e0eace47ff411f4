/** Data of another byte order or another order of dims, brought into ours. */

#include <byteswap.h>
#include <stdint.h>
#include <string.h>

#include "misc/foreign.h"

#define SWAP(bits)                                                                                           \
	for (long i = 0; i < units; i++) {                                                                   \
		uint##bits##_t x;                                                                            \
		memcpy(&x, p + i * (bits / 8), sizeof x);                                                    \
		x = bswap_##bits(x);                                                                         \
		memcpy(p + i * (bits / 8), &x, sizeof x);                                                    \
	}

void foreign_swap(void *data, long units, size_t unit)
{
	unsigned char *p = data;

	switch (unit) {
	case 2:
		SWAP(16);
		break;
	case 4:
		SWAP(32);
		break;
	case 8:
		SWAP(64);
		break;
	}
}

enum { BLOCK = 32 };

/* out[i + os * j] = in[is * i + j] for a block: strides in elements. */
static void transpose_block(
        unsigned char *out, long os, const unsigned char *in, long is, long ni, long nj, size_t size)
{
	for (long j = 0; j < nj; j++)
		for (long i = 0; i < ni; i++)
			memcpy(out + (size_t)(i + os * j) * size, in + (size_t)(is * i + j) * size, size);
}

void foreign_reorder(void *out, const void *in, const long dims[DIMS], size_t size)
{
	long in_stride[DIMS], out_stride[DIMS], index[DIMS] = {0};
	int last = DIMS - 1;

	while (last > 1 && 1 == dims[last])
		last--;

	out_stride[0] = in_stride[DIMS - 1] = 1;

	for (int d = 1; d < DIMS; d++) {
		out_stride[d] = out_stride[d - 1] * dims[d - 1];
		in_stride[DIMS - 1 - d] = in_stride[DIMS - d] * dims[DIMS - d];
	}

	// blocks over the dims that are fastest in one or the other, every index of those in between
	for (bool more = true; more;) {
		long from = 0, to = 0;

		for (int d = 1; d < last; d++) {
			from += index[d] * in_stride[d];
			to += index[d] * out_stride[d];
		}

		for (long j = 0; j < dims[last]; j += BLOCK)
			for (long i = 0; i < dims[0]; i += BLOCK)
				transpose_block(
				        (unsigned char *)out + (size_t)(to + i + j * out_stride[last]) * size,
				        out_stride[last],
				        (const unsigned char *)in +
				                (size_t)(from + i * in_stride[0] + j) * size,
				        in_stride[0], dims[0] - i < BLOCK ? dims[0] - i : BLOCK,
				        dims[last] - j < BLOCK ? dims[last] - j : BLOCK, size);

		more = false;

		for (int d = 1; d < last && !more; d++) {
			more = ++index[d] < dims[d];

			if (!more)
				index[d] = 0;
		}
	}
}
