#ifndef MISC_FILE_H
#define MISC_FILE_H

#include <stddef.h>
#include <stdbool.h>

/**
 * Ordinary files: pictures, logs, text lists, raw binary. Outputs go to a temporary name in the same folder
 * and are renamed when complete, like arrays; if a command fails or is interrupted, the old file remains.
 */

/** Maps a whole file read-only; error() naming the file if it cannot be read. Size in *bytes; an empty file
 * gives "". The SIGBUS handler reports errors of this mapping (misc/file/mapping.h). */
extern const void *file_map(const char *path, size_t *bytes);
extern void file_unmap(const void *p);

/** Reads the whole text of an ordinary file, or of a pipe with a writer (also /dev/stdin, /dev/fd/N), into a
 * malloc'd, NUL-terminated string. "-" is the name of a file, not standard input. */
extern char *file_read_text(const char *path);

/** Reads an open file whole, NUL-terminated, malloc'd; error() naming `path` if it is not an ordinary file or
 * is larger than `max` bytes. */
extern char *file_read_fd(int fd, long max, long *bytes, const char *path);

/** Opens a file for reading; returns the descriptor, or -1 with errno set. Never blocks, neither on a FIFO
 * without a writer nor on a device; file_size() then ends the command unless the opened file is an ordinary
 * one. */
extern int file_open(const char *path);

/** Opens an ordinary file for reading; error() naming it if it cannot be read or is not an ordinary file. All
 * inputs are opened by this function or file_open(). */
extern int file_open_regular(const char *path, long *size);

/** Reads n bytes from byte `at`, or fewer at the end; returns how many. */
extern long file_read_at(int fd, void *out, long n, long at);

/** Reads the first bytes of an ordinary file, at most n, and closes the file. Returns the number of bytes
 * read, 0 if the file cannot be read. For detecting the type of a file. */
extern long file_probe(const char *path, void *head, long n);

/** Size of an open ordinary file [bytes]; error() naming `path` for other files. */
extern long file_size(int fd, const char *path);

/** Reads the numbers of a text file, one or more per line, separated by blanks or commas; '#' starts a
 * comment. Other text is an error() that names file and line. Returns a malloc'd array of *n numbers. */
extern double *file_read_numbers(const char *path, long *n);

/** Begins an output file under a temporary name; returns a FILE* opened "wb". path "-" is standard output. */
struct file_out;
extern struct file_out *file_create(const char *path);
extern void *file_stream(struct file_out *f); // FILE *

/** Like file_create(), for a file that the command replaces while it runs, also under --no-clobber. */
extern struct file_out *file_create_state(const char *path);

/** For --no-clobber: error() if a file or folder of this name exists. "-" (standard output), devices and
 * pipes are accepted. */
extern void file_refuse_existing(const char *path);

/** Like file_create(), for libraries that open files themselves: the library writes to the temporary file
 * file_out_path(). */
extern struct file_out *file_create_named(const char *path);
extern const char *file_out_path(const struct file_out *f);

/** After a failed write: error() with the reason, from errno or another cause; `detail` (NULL: none) is the
 * library's message. If the reader of standard output has closed the pipe, no message is printed.
 */
extern void file_failed(struct file_out *f, const char *detail) __attribute__((noreturn));

/** Checks that everything was written and renames the temporary file to its final name. */
extern void file_commit(struct file_out *f);

/** Like file_commit(), but flushes the file to disk before renaming, regardless of --sync. */
extern void file_commit_synced(struct file_out *f);

/** Called when the temporary file of this slot has been renamed or removed: the file is then not unlinked at
 * the end of the command. */
extern void file_temp_forget(int slot);

/** Like file_temp_forget() for all slots: in a new process, the temporary files belong to the parent process.
 */
extern void file_temp_forget_all(void);

/** Unlinks all registered temporaries; async-signal-safe. */
extern void file_temp_remove_all(void);

/** Directory for spools: GANTRY_TMPDIR, else TMPDIR, else /tmp. */
extern const char *file_tmpdir(void);

/** Creates an unlinked temporary file of `bytes` bytes (space reserved) in file_tmpdir(); returns the file
 * descriptor. */
extern int file_spool(long bytes);

/** Reserves space by fallocate(2), or by statvfs and ftruncate if that is not supported (EOPNOTSUPP). error()
 * with the missing amount if the disk is full; `path` is for messages. */
extern void file_reserve(int fd, long bytes, const char *path);

#endif
