#ifndef MISC_TEMP_H
#define MISC_TEMP_H

#include <stdbool.h>

/**
 * A file that is being written and waits for its name. Where the file system has files without names
 * (O_TMPFILE), it is one, and a command that is killed leaves nothing; else it is `.gantry-*.tmp` in the
 * folder of its target, locked by its owner, and the next command that writes in the folder removes those
 * that nobody owns any more. GANTRY_TMPFILE=0 asks for names.
 */
struct replacement {
	bool there; // zero-initialise: none
	int fd;     // keep it open until it has its name: it holds the lock
	char *temp; // NULL: without a name
	int slot;   // in the list of names to be removed when the command ends
};

/** Creates it, empty, for `target`; error() naming that. `named`: with a name in any case. */
extern void temp_create(struct replacement *r, const char *target, bool named);

/** Removes a file of that name, another process's temporary, should this one fail; a slot for
 * file_temp_forget(). */
extern int temp_watch(const char *path);

/** Gives it the name of a target, which may exist. Call under signals_hold(). Returns 0 or errno. */
extern int temp_replace(struct replacement *r, const char *target);

/** Gives it the name of a target unless a file has that: then EEXIST. Under signals_hold(), too. */
extern int temp_place(struct replacement *r, const char *target);

/** Closes and forgets it; without its name it is gone, or will be when the command ends. */
extern void temp_close(struct replacement *r);

/** The path behind symbolic links (of the last component; malloc'd). The file need not exist. */
extern char *temp_resolve(const char *path);

/** error() when an output could not replace what is at `target`: something that is no ordinary file, or is
 * read-only. */
extern void temp_check_target(const char *target);

/** Flushes a file to the disk; error() naming `path`. */
extern void temp_sync(int fd, const char *path);

/** Opens the folder that holds `path`; -1 with errno. */
extern int temp_folder_open(const char *path);

/** Flushes the folder of `path` (its names) to the disk. */
extern void temp_sync_folder(const char *path);

#endif
