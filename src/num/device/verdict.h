#ifndef NUM_DEVICE_VERDICT_H
#define NUM_DEVICE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/** Verdicts of self-tests are files in the user's cache folder, one per family and device. A verdict of
 * another build or driver (`state`) counts as unknown. A folder that cannot be written is not an error. */
enum verdict { VERDICT_UNKNOWN, VERDICT_PASSED, VERDICT_FAILED };

/** These functions read and write a verdict. `why` describes what a failed test found and expected. */
extern enum verdict verdict_read(
        const char *family, const char *device, const char *state, char *why, size_t room);
extern void verdict_write(
        const char *family, const char *device, const char *state, bool passed, const char *why);

#endif
