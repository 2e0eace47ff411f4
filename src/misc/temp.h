#ifndef MISC_TEMP_H
#define MISC_TEMP_H

#include <stdbool.h>

/**
 * A file that is being written and gets its name later. If the file system has unnamed files (O_TMPFILE), it
 * is one, and a killed command leaves nothing. Else it is `.gantry-*.tmp` in the folder of its target, locked
 * by its owner; the next command that writes in the folder removes those without an owner. GANTRY_TMPFILE=0
 * forces names.
 */
struct replacement {
	bool there; // zero-initialise: none
	int fd;     // keep it open until it has its name: it holds the lock
	char *temp; // NULL: without a name
	int slot;   // in the list of names to be removed when the command ends
};

/** Creates it, empty, for `target`; errors name the target. `named`: always with a name. */
extern void temp_create(struct replacement *r, const char *target, bool named);

/** Removes a file of that name, another process's temporary, if this process fails; returns a slot for
 * file_temp_forget(). */
extern int temp_watch(const char *path);

/** Renames it to a target, which may exist. Call under signals_hold(). Returns 0 or errno. */
extern int temp_replace(struct replacement *r, const char *target);

/** Renames it to a target that must not exist: else EEXIST. Under signals_hold(), too. */
extern int temp_place(struct replacement *r, const char *target);

/** Closes it; without a name it is removed, now or when the command ends. */
extern void temp_close(struct replacement *r);

/** The path with symbolic links resolved (of the last component; malloc'd). The file need not exist. */
extern char *temp_resolve(const char *path);

/** error() if an output could not replace the file at `target`: not an ordinary file, or read-only.
 */
extern void temp_check_target(const char *target);

/** Flushes a file to the disk; error() naming `path`. */
extern void temp_sync(int fd, const char *path);

/** Opens the folder that holds `path`; -1 with errno. */
extern int temp_folder_open(const char *path);

/** Flushes the folder of `path` (its names) to the disk. */
extern void temp_sync_folder(const char *path);

#endif
