/** Memory allocation that ends the command on failure, growing strings, checked sizes. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"

enum { ALIGNMENT = 64 };

/** From here on [bytes] memory is asked for in huge pages: loops over several arrays at once spend up to a
 * fifth of their time on translating addresses of small ones. */
static const size_t huge = (size_t)64 << 20;

static _Noreturn void out_of_memory(size_t bytes)
{
	error("out of memory: %s more are needed", human_bytes((double)bytes));
}

/** A wish, of the whole pages within; where it cannot be granted nothing changes. */
static void ask_for_huge_pages(void *p, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t first = ((uintptr_t)p + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t)p + bytes) / page * page;

	madvise((void *)first, end - first, MADV_HUGEPAGE);
}

static bool is_aligned(const void *p)
{
	return 0 == (uintptr_t)p % ALIGNMENT;
}

/** At least so many bytes, a multiple of ALIGNMENT, or NULL. Up to version 2.38 of glibc, posix_memalign()
 * does not reuse the place of a freed block of the same size: it needs a few bytes more, and never joins the
 * ends that it cuts off. The heap would grow with each block, so malloc() is tried first. Together with its
 * header, a large block has a multiple of ALIGNMENT bytes: so the place behind it is as aligned as its own.
 * This is not for sizes that malloc() makes mappings of: these are never aligned. */
static void *aligned(size_t bytes)
{
	enum { LARGE = 64 << 10, PAGE = 4096, HEADER = 16 };
	static atomic_size_t largest; // of the blocks so far that are no mapping
	void *p;

	if (bytes >= LARGE)
		bytes += ALIGNMENT - HEADER;

	if (bytes >= LARGE && bytes <= largest) {
		p = malloc(bytes);

		if (p && is_aligned(p))
			return p;

		free(p);
	}

	if (0 != posix_memalign(&p, ALIGNMENT, bytes))
		return NULL;

	if (bytes > largest && (uintptr_t)p % PAGE != ALIGNMENT) // mappings begin with a page
		largest = bytes;

	return p;
}

void *mem_alloc(size_t bytes)
{
	if (bytes > SIZE_MAX - 2 * ALIGNMENT)
		out_of_memory(bytes);

	size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	void *p = aligned(rounded ? rounded : ALIGNMENT);
	if (!p)
		out_of_memory(bytes);
	if (bytes >= huge)
		ask_for_huge_pages(p, bytes);
	return p;
}

/** The head of a block of work space, which follows after ALIGNMENT bytes. */
struct work {
	size_t bytes;
};

static struct work *_Atomic kept;

void *mem_work(size_t bytes)
{
	struct work *w = atomic_exchange(&kept, NULL);

	if (w && (w->bytes < bytes || w->bytes / 2 > bytes)) {
		free(w);
		w = NULL;
	}
	if (!w) {
		w = mem_alloc(bytes < SIZE_MAX - ALIGNMENT ? bytes + ALIGNMENT : bytes);
		w->bytes = bytes;
	}

	return (char *)w + ALIGNMENT;
}

void mem_work_end(void *p)
{
	free(atomic_exchange(&kept, (struct work *)((char *)p - ALIGNMENT)));
}

void mem_work_free(void)
{
	free(atomic_exchange(&kept, NULL));
}

void *mem_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);
	if (!p)
		out_of_memory(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
	return p;
}

void *mem_realloc(void *p, size_t bytes)
{
	void *q = realloc(p, bytes ? bytes : 1);
	if (!q)
		out_of_memory(bytes);
	return q;
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(mem_realloc(NULL, n), s, n);
}

void str_vprintf(struct str *s, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		error("cannot format a message");

	char *text = mem_realloc(NULL, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	str_addn(s, text, (size_t)n);
	free(text);
}

char *mem_printf(const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	return s.data;
}

void str_addn(struct str *s, const char *text, size_t n)
{
	if (n > SIZE_MAX / 4 || s->len > SIZE_MAX / 4)
		out_of_memory(n);

	size_t need = s->len + n + 1;
	if (need > s->cap) {
		s->cap = need < 64 ? 64 : 2 * need;
		s->data = mem_realloc(s->data, s->cap);
	}
	if (n)
		memcpy(s->data + s->len, text, n);
	s->len += n;
	s->data[s->len] = 0;
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_printf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(s, fmt, ap);
	va_end(ap);
}

void str_add_double(struct str *s, double v, int digits)
{
	char text[40];

	do
		snprintf(text, sizeof text, "%.*g", digits, v);
	while (++digits <= 17 && strtod(text, NULL) != v);

	str_add(s, text);
}

void str_add_shell(struct str *s, const char *text)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%";

	// "@ID" is a word of the history, so a file name that begins with @ is quoted
	if (*text && *text != '@' && text[strspn(text, safe)] == 0) {
		str_add(s, text);
		return;
	}

	str_add(s, "'");
	for (const char *p = text; *p; p++) {
		if (*p == '\'')
			str_add(s, "'\\''");
		else
			str_addn(s, p, 1);
	}
	str_add(s, "'");
}

void str_add_json(struct str *s, const char *text)
{
	str_add(s, "\"");
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			str_printf(s, "\\%c", *p);
		else if (*p == '\n')
			str_add(s, "\\n");
		else if (*p == '\t')
			str_add(s, "\\t");
		else if (*p < 0x20 || *p == 0x7f)
			str_printf(s, "\\u%04x", *p);
		else
			str_addn(s, (const char *)p, 1);
	}
	str_add(s, "\"");
}

long mul_checked(long a, long b, const char *what)
{
	long r;

	if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &r))
		error("%s: %ld x %ld does not fit into 63 bits", what, a, b);
	return r;
}

long add_checked(long a, long b, const char *what)
{
	long r;

	if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &r))
		error("%s: %ld + %ld does not fit into 63 bits", what, a, b);
	return r;
}
