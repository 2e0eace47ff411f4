#ifndef MISC_FILE_WARN_GRID_H
#define MISC_FILE_WARN_GRID_H

#include "misc/file/cfl.h"

/** Warns if elements of f have other positions than elements of the same index on the grid of h. The command
 * pairs them by index. `name` names the array of h. Dims 0 to 2 longer than 1 in both are compared. A header
 * without a grid fits any grid. */
extern void cfl_warn_grid(const struct cfl *f, const struct hdr *h, const char *name);

#endif
