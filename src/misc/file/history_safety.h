#ifndef MISC_FILE_HISTORY_SAFETY_H
#define MISC_FILE_HISTORY_SAFETY_H

#include "misc/file/history_line.h"
#include "misc/options/commands.h"

/**
 * Returns the reason why a step of a history may be dangerous to run. Histories may come from untrusted
 * sources. The reason is a short phrase. The caller frees the phrase. The result is NULL if the step only
 * reads files and creates arrays in the current folder. A step may be dangerous for these reasons:
 *
 * - The command or an option is unknown.
 * - The step runs another program.
 * - The step writes files other than its output arrays.
 */
extern char *history_danger(const struct history_line *l, const struct commands *known);

/** Returns whether words[i] is an original that was read but is not on the command line. For example, a
 * single image of a stack is not on the command line. `outputs` is the number of outputs before words[i]. */
extern bool history_is_silent(const struct history_line *l, int i, int outputs);

#endif
