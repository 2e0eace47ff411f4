#ifndef MISC_TEMP_H
#define MISC_TEMP_H

#include <stdbool.h>

/**
 * A temporary file is renamed to its target when the file is complete. If the file system supports unnamed
 * files (O_TMPFILE), the temporary file has no name. A killed command then leaves no temporary file.
 * GANTRY_TMPFILE=0 disables unnamed files. A named temporary file is `.gantry-*.tmp` in the folder of the
 * target. A process locks its named temporary files. The next command that creates a named temporary file in
 * the folder removes unlocked temporary files.
 */
struct replacement {
	bool there; // initialise with zeros
	int fd;     // holds the lock; keep open until the file is renamed
	char *temp; // NULL for an unnamed file
	int slot;   // number in the list of files to remove when the command ends
};

/** Creates an empty temporary file for `target`. Errors name the target. If `named` is true, the file has a
 * name.
 */
extern void temp_create(struct replacement *r, const char *target, bool named);

/** Registers a temporary file of another process. The file is removed when this process ends. Returns a
 * slot for file_temp_forget(). */
extern int temp_watch(const char *path);

/** Renames the temporary file to a target, which may exist. Call this function after signals_hold(). Returns
 * 0 or errno. */
extern int temp_replace(struct replacement *r, const char *target);

/** Like temp_replace(), but returns EEXIST if the target exists. */
extern int temp_place(struct replacement *r, const char *target);

/** Closes the temporary file. A file that has not been renamed is removed, at the latest when the command
 * ends. */
extern void temp_close(struct replacement *r);

/** Removes unlocked temporary files of this machine from a folder. `folder` is "" or a path that ends with
 * /. */
extern void temp_remove_orphans(const char *folder);

/** Returns the path after resolving symbolic links in the last component. The file need not exist. The caller
 * frees the path. */
extern char *temp_resolve(const char *path);

/** Calls error() if the existing file `target` is read-only or not an ordinary file. */
extern void temp_check_target(const char *target);

/** Flushes a file to the disk. A failure is an error() that names `path`. */
extern void temp_sync(int fd, const char *path);

/** Opens the folder that contains `path`. Returns the descriptor, or -1 and sets errno. */
extern int temp_folder_open(const char *path);

/** Flushes the file names in the folder of `path` to the disk. */
extern void temp_sync_folder(const char *path);

#endif
