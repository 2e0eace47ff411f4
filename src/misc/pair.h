#ifndef MISC_PAIR_H
#define MISC_PAIR_H

#include <stdbool.h>

/**
 * The files of an array, NAME.hdr, NAME.cfl and NAME.history (only for histories over 64 KiB), and the
 * protocol by which they are replaced together.
 *
 * A writer completes temporary files in the same folder, then renames, with signals blocked and the folder
 * locked:
 *   1. data -> NAME.cfl~, history -> NAME.history~
 *   2. header -> NAME.hdr~            this is the commit
 *   3. NAME.cfl~ -> NAME.cfl, NAME.history~ -> NAME.history
 *   4. NAME.hdr~ -> NAME.hdr
 * A reader that meets NAME.hdr~ reads it, with NAME.cfl~ if that exists, else with NAME.cfl; without
 * NAME.hdr~ it reads NAME.hdr and NAME.cfl and ignores a lone NAME.cfl~. A writer that meets NAME.hdr~ first
 * completes steps 3 and 4. So at every moment, whoever was killed wherever, there is exactly one array to be
 * seen, whole.
 *
 * Editors also keep a NAME.hdr~, their backup: a NAME.hdr~ that is older than NAME.hdr, in content and in
 * status, without a NAME.cfl~ is such a backup and ignored.
 */
struct pair {
	char *hdr, *cfl, *history; // symbolic links resolved
};

extern void pair_init(struct pair *p, const char *name);
extern void pair_free(struct pair *p);

/** An open pair: descriptors of header and data that belong together, and the paths they were found under
 * (malloc'd). */
struct pair_files {
	int hdr, cfl;
	int history[2]; // candidates for the history beside them; -1 where there is none
	char *hdr_path, *cfl_path;
};

/** Opens the pair for reading; error() naming what is missing. */
extern void pair_open(const struct pair *p, struct pair_files *f);

/** Closes all descriptors but that of the data, and frees the path of the header. */
extern void pair_opened(struct pair_files *f);

/** A complete output that waits for its name. */
struct replacement {
	char *temp; // NULL: none
	int slot;
};

/** Steps 1 to 4 for new files. Call under signals_hold(). Returns 0, or errno when nothing was changed. */
extern int pair_commit(
        const struct pair *p, struct replacement *hdr, struct replacement *cfl, struct replacement *history);

/** Renames one finished file to its name. Call under signals_hold(). Returns 0 or errno. */
extern int replace_file(struct replacement *r, const char *target);

#endif
