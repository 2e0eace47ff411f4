#ifndef MISC_TEMP_H
#define MISC_TEMP_H

/**
 * Creates a file under a unique temporary name in the folder of `target`, registered for removal when the
 * command ends before file_temp_forget(*slot). Its path (malloc'd) goes to *path. Returns the descriptor;
 * error() naming `target`.
 */
extern int temp_create(const char *target, char **path, int *slot);

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
