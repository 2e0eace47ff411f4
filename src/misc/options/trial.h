#ifndef MISC_OPTIONS_TRIAL_H
#define MISC_OPTIONS_TRIAL_H

#include <stdbool.h>

/**
 * Under --plan, a trial predicts the time of a command from a part of the work. The command computes a part
 * of its output into a temporary file. The time is extrapolated from the progress that the command reports
 * (misc/progress.h). A trial takes at most 20 s, and often about 1 s. If the command ends earlier, the
 * measured time is printed.
 */

/** Prints the text `output`, which describes an output of `bytes` bytes. The first call starts the trial.
 */
extern void trial_start(const char *output, long bytes);

extern bool trial_is_on(void);

/** Prints the measured time and ends the process. The work must be complete. */
extern void trial_complete(void) __attribute__((noreturn));

#endif
