#ifndef MISC_MEM_H
#define MISC_MEM_H

#include <stdarg.h>
#include <stddef.h>

/** Allocates memory, or calls error() if memory is exhausted. Memory from mem_alloc() is aligned to 64 bytes.
 * Release all memory with free(). */
extern void *mem_alloc(size_t bytes);
extern void *mem_calloc(size_t count, size_t size);
extern void *mem_realloc(void *p, size_t bytes);
extern char *mem_strdup(const char *s);

/**
 * Work space of a function that is called repeatedly. The last block that was returned is kept for the next
 * call, so that no other block takes its place in between. Several threads may have work space at the same
 * time.
 *
 * - mem_work(): returns at least `bytes`, aligned to 64 bytes.
 * - mem_work_end(): returns work space.
 * - mem_work_free(): frees the block that is kept.
 */
extern void *mem_work(size_t bytes);
extern void mem_work_end(void *p);
extern void mem_work_free(void);

/** Returns a new string, formatted like printf(). */
extern char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define NEW(type) ((type *)mem_calloc(1, sizeof(type)))

/** A string that grows. Initialise with zeros. `data` is NULL while the string is empty. Release with
 * free(s.data). */
struct str {
	char *data;
	size_t len, cap;
};

extern void str_add(struct str *s, const char *text);
extern void str_addn(struct str *s, const char *text, size_t n);
extern void str_printf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

extern void str_vprintf(struct str *s, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/** Adds the shortest "%g" text that strtod() converts back to v. Numbers from 1e-4 to 10^digits have no
 * exponent. */
extern void str_add_double(struct str *s, double v, int digits);

/** Adds text for a POSIX shell, in single quotes if necessary. */
extern void str_add_shell(struct str *s, const char *text);

/** Adds text as a JSON string, with quotes. */
extern void str_add_json(struct str *s, const char *text);

/** For `a, b >= 0`, returns `a * b` or `a + b`. A result that does not fit into a long is an error() that
 * names `what`. */
extern long mul_checked(long a, long b, const char *what);
extern long add_checked(long a, long b, const char *what);

#endif
