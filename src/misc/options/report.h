#ifndef MISC_OPTIONS_REPORT_H
#define MISC_OPTIONS_REPORT_H

#include "misc/error.h"

/** Prints results to standard output. If an output of the command is written to standard output ("-"), prints
 * to standard error. Prints nothing in a trial (misc/options/trial.h). */
extern void tool_print(const char *fmt, ...) PRINTF_LIKE;

#endif
