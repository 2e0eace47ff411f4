#ifndef NUM_SHAPE_REDUCE_TOOL_H
#define NUM_SHAPE_REDUCE_TOOL_H

#include "misc/options/opt.h"
#include "num/kern/ops.h"

/** Runs a command that reduces an array along dims by SUM, MEAN, MIN or MAX. `texts` contains the name and
 * help texts. */
extern _Noreturn void reduce_tool(const struct tool *texts, enum reduction red, int argc, char *argv[]);

#endif
