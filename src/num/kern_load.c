/* Between elements in memory (any type, step, byte order) and contiguous elements of a work type. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "num/kern_internal.h"

/** Elements that pass through a buffer at a time. */
enum { PIECE = 512 };

struct piece {
	_Alignas(64) char bytes[PIECE * 16];
};

#define MOVE(size, T)                                                                                        \
	static void gather##size(T *d, const char *s, long step, long n)                                     \
	{                                                                                                    \
		for (long i = 0; i < n; i++)                                                                 \
			memcpy(d + i, s + i * step, sizeof *d);                                              \
	}                                                                                                    \
	static void scatter##size(char *d, long step, const T *s, long n)                                    \
	{                                                                                                    \
		for (long i = 0; i < n; i++)                                                                 \
			memcpy(d + i * step, s + i, sizeof *s);                                              \
	}

struct cell16 {
	uint64_t a, b;
};

MOVE(1, uint8_t)
MOVE(2, uint16_t)
MOVE(4, uint32_t)
MOVE(8, uint64_t)
MOVE(16, struct cell16)

static void gather(size_t size, void *d, const char *s, long step, long n)
{
	switch (size) {
	case 1:
		gather1(d, s, step, n);
		return;
	case 2:
		gather2(d, s, step, n);
		return;
	case 4:
		gather4(d, s, step, n);
		return;
	case 8:
		gather8(d, s, step, n);
		return;
	default:
		gather16(d, s, step, n);
	}
}

static void scatter(size_t size, char *d, long step, const void *s, long n)
{
	switch (size) {
	case 1:
		scatter1(d, step, s, n);
		return;
	case 2:
		scatter2(d, step, s, n);
		return;
	case 4:
		scatter4(d, step, s, n);
		return;
	case 8:
		scatter8(d, step, s, n);
		return;
	default:
		scatter16(d, step, s, n);
	}
}

/* Reverses the bytes of n units in place. */
static void swap_units(size_t unit, void *p, long n)
{
	uint16_t *h = p;
	uint32_t *w = p;
	uint64_t *l = p;

	switch (unit) {
	case 2:
		for (long i = 0; i < n; i++)
			h[i] = __builtin_bswap16(h[i]);
		return;
	case 4:
		for (long i = 0; i < n; i++)
			w[i] = __builtin_bswap32(w[i]);
		return;
	case 8:
		for (long i = 0; i < n; i++)
			l[i] = __builtin_bswap64(l[i]);
		return;
	default:
		return;
	}
}

static bool aligned(enum dtype t, const void *p)
{
	return 0 == (uintptr_t)p % dtype_unit(t);
}

const void *kern_load(
        enum dtype work, void *buf, enum dtype t, bool swapped, const void *src, long step, long n)
{
	const long size = (long)dtype_size(t), unit = (long)dtype_unit(t), wide = (long)dtype_size(work);
	const bool flat = size == step && aligned(t, src);
	struct piece p;

	swapped = swapped && unit > 1;

	if (work == t && flat && !swapped)
		return src;

	for (long i = 0; i < n; i += PIECE) {
		const long m = (n - i < PIECE) ? n - i : PIECE;
		const char *s = (const char *)src + i * step;
		char *d = (char *)buf + i * wide;
		char *raw = (work == t) ? d : p.bytes;

		if (!flat || swapped)
			gather((size_t)size, raw, s, step, m);
		else
			raw = (char *)s;

		if (swapped)
			swap_units((size_t)unit, raw, m * (size / unit));

		if (work != t)
			convert(work, d, t, raw, m, NARROW_SATURATE);
	}

	return buf;
}

#if defined(__x86_64__)

/* Past the cache, in whole lines of 64 bytes. */
static void stream_copy(char *d, const char *s, size_t bytes)
{
	size_t head = (64 - (uintptr_t)d % 64) % 64;

	if (head > bytes)
		head = bytes;

	memcpy(d, s, head);

	for (bytes -= head, d += head, s += head; bytes >= 64; bytes -= 64, d += 64, s += 64)
		for (int k = 0; k < 64; k += 16)
			_mm_stream_si128((__m128i *)(d + k), _mm_loadu_si128((const __m128i *)(s + k)));

	memcpy(d, s, bytes);
}

void kern_fence(void)
{
	_mm_sfence();
}

#else

static void stream_copy(char *d, const char *s, size_t bytes)
{
	memcpy(d, s, bytes);
}

void kern_fence(void)
{
}

#endif

long kern_store(enum dtype t, bool swapped, void *dst, long step, enum dtype work, const void *src, long n,
        enum narrow mode, bool stream)
{
	const long size = (long)dtype_size(t), unit = (long)dtype_unit(t), wide = (long)dtype_size(work);
	const bool flat = size == step && aligned(t, dst);
	long lost = 0;
	struct piece p;

	swapped = swapped && unit > 1;

	for (long i = 0; i < n; i += PIECE) {
		const long m = (n - i < PIECE) ? n - i : PIECE;
		const char *s = (const char *)src + i * wide;
		char *d = (char *)dst + i * step;
		char *raw = (flat && !stream) ? d : p.bytes;

		if (work != t)
			lost += convert(t, raw, work, s, m, mode);
		else if (swapped || (flat && !stream))
			memcpy(raw, s, (size_t)(m * size));
		else
			raw = (char *)s;

		if (swapped)
			swap_units((size_t)unit, raw, m * (size / unit));

		if (flat && stream)
			stream_copy(d, raw, (size_t)(m * size));
		else if (!flat)
			scatter((size_t)size, d, step, raw, m);
	}

	return lost;
}
