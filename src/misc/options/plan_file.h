#ifndef MISC_OPTIONS_PLAN_FILE_H
#define MISC_OPTIONS_PLAN_FILE_H

/** For a command that writes a file other than an array: prints the plan and ends the command, or starts a
 * trial (misc/options/trial.h). Does nothing without --plan. `output` describes the file of `bytes` bytes.
 * Must be called after the inputs are opened. */
extern void tool_plan_file(const char *output, long bytes);

#endif
