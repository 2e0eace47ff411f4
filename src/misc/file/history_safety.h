#ifndef MISC_FILE_HISTORY_SAFETY_H
#define MISC_FILE_HISTORY_SAFETY_H

#include "misc/file/history_line.h"
#include "misc/options/commands.h"

/**
 * Returns why a step of a history, which may come from an untrusted source, must not run unchecked: its
 * command or an option is unknown, it runs a program, or it writes files other than the arrays of the step.
 * The result is a phrase for a comment (malloc'd). The result is NULL for a step that only reads files and
 * creates arrays in the folder.
 */
extern char *history_danger(const struct history_line *l, const struct commands *known);

/** Whether words[i] is an original that was read but is not on the command line (a frame of a stack);
 * `outputs`: number of outputs before it. */
extern bool history_is_silent(const struct history_line *l, int i, int outputs);

#endif
