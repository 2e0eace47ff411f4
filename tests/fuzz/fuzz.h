#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * Shared by the fuzz targets (scripts/fuzz builds and runs them). In a target, error() and similar functions
 * end fuzz_run() instead of the process: tests/fuzz/ends.c replaces src/misc/error.c.
 */

/** libFuzzer's entry, once per input. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Runs fn(ctx). Returns 0, or the exit status if it ended with an error (1 error(), 2 usage_error()). Memory
 * that it did not release is released after an error, and is a finding if fn() returned. */
extern int fuzz_run(void (*fn)(void *ctx), void *ctx);

/** The message with which the last fuzz_run() ended, or "". */
extern const char *fuzz_sentence(void);

/** A file in memory with these bytes, positioned at its start; always the same descriptor. */
extern int fuzz_file(const void *data, size_t size);

/** Prints the finding and aborts, so that libFuzzer stores the input. */
#define FUZZ_EXPECT(condition, ...)                                                                          \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "finding: " __VA_ARGS__);                                            \
			fprintf(stderr, "\n");                                                               \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

#endif
