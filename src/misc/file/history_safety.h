#ifndef MISC_FILE_HISTORY_SAFETY_H
#define MISC_FILE_HISTORY_SAFETY_H

#include "misc/file/history_line.h"
#include "misc/options/commands.h"

/**
 * Why a step of a history, which may come from an untrusted source, must not run unchecked: its command
 * or an option is unknown, it runs a program, or it writes files other than the arrays of the step. A
 * malloc'd phrase for a comment, or NULL for a step that only reads files and makes arrays in the
 * folder.
 */
extern char *history_danger(const struct history_line *l, const struct commands *known);

/** Is words[i], after so many outputs, an original that was read but is not on a command line (a frame of a
 * stack)? */
extern bool history_is_silent(const struct history_line *l, int i, int outputs);

#endif
