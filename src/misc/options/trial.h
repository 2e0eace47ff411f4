#ifndef MISC_OPTIONS_TRIAL_H
#define MISC_OPTIONS_TRIAL_H

#include <stdbool.h>

/**
 * Measures the time of a command that cannot predict its time: under --plan the command computes a part of
 * its output into a temporary file. The time is extrapolated from the progress that the command reports
 * (misc/progress.h). The trial ends as soon as the progress suffices for a prediction: often after about a
 * second, and after 20 s at the latest. If the command completes earlier, the printed time is the measured
 * one.
 */

/** Prints `output`, the description of an output of `bytes` bytes. The first call starts the trial. */
extern void trial_start(const char *output, long bytes);

extern bool trial_is_on(void);

/** Called when the work is complete: prints the measured time, and ends the command. */
extern void trial_complete(void) __attribute__((noreturn));

#endif
