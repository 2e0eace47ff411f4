#ifndef MISC_TEMP_H
#define MISC_TEMP_H

#include <stdbool.h>

/**
 * A temporary file that is renamed to its target when it is complete. If the file system supports unnamed
 * files (O_TMPFILE), the file is unnamed, and a killed command leaves no file. On other file systems the file
 * is named `.gantry-*.tmp`, in the folder of its target, and locked by its process. The next command that
 * writes in the folder removes such files if they are not locked. GANTRY_TMPFILE=0 disables unnamed files.
 */
struct replacement {
	bool there; // zero-initialise: none
	int fd;     // keep it open until it has its name: it holds the lock
	char *temp; // NULL: without a name
	int slot;   // in the list of names to be removed when the command ends
};

/** Creates an empty temporary file for `target`; errors name the target. `named`: do not use an unnamed file.
 */
extern void temp_create(struct replacement *r, const char *target, bool named);

/** Registers a temporary file of another process: it is removed if this process fails. Returns a slot for
 * file_temp_forget(). */
extern int temp_watch(const char *path);

/** Renames the temporary file to a target, which may exist. Call under signals_hold(). Returns 0 or errno. */
extern int temp_replace(struct replacement *r, const char *target);

/** Like temp_replace() for a target that must not exist; returns EEXIST if it does. */
extern int temp_place(struct replacement *r, const char *target);

/** Closes the temporary file. A file that has not been renamed is removed, now or when the command ends. */
extern void temp_close(struct replacement *r);

/** Removes from a folder the named temporary files of this machine that no process has locked. `folder` is ""
 * or a path that ends with /. */
extern void temp_remove_orphans(const char *folder);

/** The path with a symbolic link in its last component resolved (malloc'd). The file need not exist. */
extern char *temp_resolve(const char *path);

/** error() if an output cannot replace the file at `target`, because it is read-only or not an ordinary file.
 */
extern void temp_check_target(const char *target);

/** Flushes a file to the disk; error() naming `path`. */
extern void temp_sync(int fd, const char *path);

/** Opens the folder that contains `path`; returns the descriptor, or -1 with errno set. */
extern int temp_folder_open(const char *path);

/** Flushes the file names in the folder of `path` to the disk. */
extern void temp_sync_folder(const char *path);

#endif
