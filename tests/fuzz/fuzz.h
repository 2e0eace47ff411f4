#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * What the fuzz targets share (scripts/fuzz builds and runs them). In a target error() and its kin do not end
 * the process but fuzz_run(): tests/fuzz/ends.c stands in for src/misc/error.c.
 */

/** libFuzzer's entry, once per input. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Runs fn(ctx). 0, or the exit status with which it ended (1 error(), 2 usage_error()). What it allocated
 * and did not release is released when it ended with an error, and is a finding when it returned. */
extern int fuzz_run(void (*fn)(void *ctx), void *ctx);

/** The sentence with which the last fuzz_run() ended, or "". */
extern const char *fuzz_sentence(void);

/** A file in memory with these bytes, at its start; the same descriptor every time. */
extern int fuzz_file(const void *data, size_t size);

/** Names the finding and stops: libFuzzer keeps the input. */
#define FUZZ_EXPECT(condition, ...)                                                                          \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "finding: " __VA_ARGS__);                                            \
			fprintf(stderr, "\n");                                                               \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

#endif
