/* Copies between elements in memory (any type, step, byte order) and contiguous elements of a work type. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "num/kern/kern_internal.h"

/** Elements that pass through a buffer at a time. */
enum { PIECE = 512 };

struct piece {
	_Alignas(64) char bytes[PIECE * 16];
};

/* Backwards, and from a line of complex numbers, are steps that vectors know. */
#define MOVE(size, T)                                                                                        \
	static void gather##size(T *d, const char *s, long step, long n)                                     \
	{                                                                                                    \
		if (-size == step)                                                                           \
			for (long i = 0; i < n; i++)                                                         \
				memcpy(d + i, s - i * size, size);                                           \
		else if (2 * size == step)                                                                   \
			for (long i = 0; i < n; i++)                                                         \
				memcpy(d + i, s + i * 2 * size, size);                                       \
		else                                                                                         \
			for (long i = 0; i < n; i++)                                                         \
				memcpy(d + i, s + i * step, size);                                           \
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
			kern_set()->swap((size_t)unit, raw, m * (size / unit));

		if (work != t)
			convert(work, d, t, raw, m, NARROW_SATURATE);
	}

	return buf;
}

void kern_stream(void *dst, const void *src, size_t bytes)
{
	char *d = dst;
	const char *s = src;
	size_t head = -(uintptr_t)d % 64;

	if (head > bytes)
		head = bytes;

	if (0 != head)
		memcpy(d, s, head);

	size_t lines = (bytes - head) / 64, done = head + 64 * lines;

	kern_set()->stream(d + head, s + head, lines);

	if (done < bytes)
		memcpy(d + done, s + done, bytes - done);
}

void kern_fence(void)
{
#if defined(__x86_64__)
	_mm_sfence();
#endif
}

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
			kern_set()->swap((size_t)unit, raw, m * (size / unit));

		if (flat && stream)
			kern_stream(d, raw, (size_t)(m * size));
		else if (!flat)
			scatter((size_t)size, d, step, raw, m);
	}

	return lost;
}
