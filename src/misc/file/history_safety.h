#ifndef MISC_FILE_HISTORY_SAFETY_H
#define MISC_FILE_HISTORY_SAFETY_H

#include "misc/file/history_line.h"
#include "misc/options/commands.h"

/**
 * Returns why a step of a history must not run unchecked, as a phrase for a comment (malloc'd). The history
 * may come from an untrusted source. Reasons: the command or an option is unknown, the step runs a program,
 * or the step writes files other than its arrays. The result is NULL for a step that only reads files and
 * creates arrays in the current folder.
 */
extern char *history_danger(const struct history_line *l, const struct commands *known);

/** Whether words[i] is an original that was read but is not on the command line (a frame of a stack);
 * `outputs`: number of outputs before this word. */
extern bool history_is_silent(const struct history_line *l, int i, int outputs);

#endif
