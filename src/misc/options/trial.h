#ifndef MISC_OPTIONS_TRIAL_H
#define MISC_OPTIONS_TRIAL_H

#include <stdbool.h>

/**
 * Measures the time of a command that cannot predict it: under --plan the command computes a part of its
 * output into a temporary file, for about a second. The time is extrapolated from the progress that the
 * command reports (misc/progress.h), then the command ends. If the command is complete before this time, its
 * whole time has been measured.
 */

/** Prints the output and starts the trial. Outputs that follow are only printed. */
extern void trial_start(const char *output, long bytes);

extern bool trial_is_on(void);

/** The work is complete: prints the measured time, and ends the command. */
extern void trial_complete(void) __attribute__((noreturn));

#endif
