#ifndef MISC_FILE_HISTORY_SAFETY_H
#define MISC_FILE_HISTORY_SAFETY_H

#include "misc/file/history_line.h"
#include "misc/options/commands.h"

/**
 * Why a step of a history, which may come from anybody, must not run unseen: its command or an option is
 * unknown, it runs a program, or writes anything but the arrays of the step. A malloc'd phrase for a comment,
 * or NULL for a step that reads files and makes arrays in the folder, and does nothing else.
 */
extern char *history_danger(const struct history_line *l, const struct commands *known);

/** Is words[i], behind so many outputs, an original that was read but stands on no command line (a frame of a
 * stack)? */
extern bool history_is_silent(const struct history_line *l, int i, int outputs);

#endif
