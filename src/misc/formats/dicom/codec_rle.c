/**
 * RLE compression of DICOM [1]: the bytes of the elements are separated, the most significant ones first,
 * each segment packed like PackBits.
 *
 * [1] DICOM PS3.5, annex G
 */

#include <stdbool.h>

#include "misc/formats/dicom/codec.h"
#include "misc/mem.h"

enum { HEADER = 64 };

static uint32_t number(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* `count` bytes, `step` apart in the output; false when the segment ends before. */
static bool unpack(const unsigned char *p, const unsigned char *end, unsigned char *out, long count, int step)
{
	long i = 0;

	while (i < count && p < end) {
		const int n = (int8_t)*p++;

		if (-128 == n)
			continue;

		const long length = n < 0 ? 1 - n : 1 + n, m = length < count - i ? length : count - i;

		if (end - p < (n < 0 ? 1 : m))
			return false;

		for (long k = 0; k < m; k++)
			out[(i + k) * step] = p[n < 0 ? 0 : k];

		p += n < 0 ? 1 : m;
		i += m;
	}

	return i == count;
}

char *rle_decode(const struct picture *s, const unsigned char *p, size_t n, void *out)
{
	const int bytes = s->bits / 8;
	const uint32_t segments = n < HEADER ? 0 : number(p);

	if (segments != (uint32_t)bytes)
		return mem_printf(
		        "RLE: %u segments, expected %d of elements of %d bits", segments, bytes, s->bits);

	for (int k = 0; k < bytes; k++) {
		const size_t first = number(p + 4 + 4 * k), end = k + 1 < bytes ? number(p + 8 + 4 * k) : n;

		if (first < HEADER || first > end || end > n)
			return mem_printf("RLE: segment %d at bytes %zu to %zu of %zu", k + 1, first, end, n);

		// little-endian elements: the most significant byte is the last one
		if (!unpack(p + first, p + end, (unsigned char *)out + bytes - 1 - k, s->cols * s->rows,
		            bytes))
			return mem_printf("RLE: segment %d ends before the last pixel", k + 1);
	}

	return NULL;
}
