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
 * While the trial runs, the private memory of the process is measured. If much more memory is used than
 * tool_needs() stated, the plan gives the measured memory.
 */
extern void trial_start(const char *output, long bytes);

/** Turns off the measurement of memory. The driver of a device has private memory of its own. */
extern void trial_ignore_memory(void);

/** As trial_start(), for a command that writes text or a file other than an array (misc/options/plan_file.h).
 * During the trial, standard output is discarded. The trial takes at most 5 s. The trial is complete when the
 * command ends without an error. */
extern void trial_start_file(const char *output, long bytes);

extern bool trial_is_on(void);

/** Returns whether the trial discards standard output. */
extern bool trial_discards_output(void);

/** Prints the measured time and ends the process. The work must be complete. */
extern void trial_complete(void) __attribute__((noreturn));

#endif
