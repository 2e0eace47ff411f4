#ifndef MISC_FILE_H
#define MISC_FILE_H

#include <stddef.h>
#include <stdbool.h>

/**
 * Ordinary files: pictures, logs, text lists, raw binary. Outputs go to a temporary name in the same folder
 * and are renamed when complete, like arrays; a command that fails or is interrupted leaves the old file.
 */

/** Maps a whole file read-only; error() naming it when it cannot be read. Size in *bytes; an empty file gives
 * "". Registered for the SIGBUS handler. */
extern const void *file_map(const char *path, size_t *bytes);
extern void file_unmap(const void *p);

/** Reads a text whole into a malloc'd, NUL-terminated string: of an ordinary file, or of a pipe that somebody
 * writes to (also /dev/stdin, /dev/fd/N). "-" is not special. */
extern char *file_read_text(const char *path);

/** Reads an open file whole, NUL-terminated, malloc'd; error() naming `path` when it is no ordinary file or
 * larger than `max` bytes. */
extern char *file_read_fd(int fd, long max, long *bytes, const char *path);

/** Opens a file for reading; the descriptor, or -1 with errno. Never waits: neither for the writer of a FIFO
 * nor for a device; what was opened is known to be an ordinary file by file_size() only. */
extern int file_open(const char *path);

/** Opens an ordinary file for reading; error() naming it when it cannot be read or is something else. Every
 * input is opened by this or file_open(). */
extern int file_open_regular(const char *path, long *size);

/** Reads n bytes from byte `at`, or as many as there are: how many. */
extern long file_read_at(int fd, void *out, long n, long at);

/** Reads the first bytes of an ordinary file, at most n, and closes it: how many; 0 for whatever cannot be
 * read. To find out what a file is. */
extern long file_probe(const char *path, void *head, long n);

/** Size of an open ordinary file [bytes]; error() naming `path` when it is anything else. */
extern long file_size(int fd, const char *path);

/** Numbers of a text file, one or more per line, separated by blanks or commas; '#' starts a comment. error()
 * names file and line of anything else. Returns a malloc'd array of *n numbers. */
extern double *file_read_numbers(const char *path, long *n);

/** Begins an output file under a temporary name; returns a FILE* opened "wb". path "-" is standard output. */
struct file_out;
extern struct file_out *file_create(const char *path);
extern void *file_stream(struct file_out *f); // FILE *

/** The same for a file that the command replaces while it runs, whatever --no-clobber says. */
extern struct file_out *file_create_state(const char *path);

/** error() when there is such a file, or a folder. "-" is standard output. */
extern void file_refuse_existing(const char *path);

/** The same for libraries that open files themselves, and the name under which it is being written. */
extern struct file_out *file_create_named(const char *path);
extern const char *file_out_path(const struct file_out *f);

/** After a failure to write: error() with the reason, which is errno or what else keeps the file from
 * growing; `detail` (NULL: none) is what a library says. Where the reader of standard output has ended,
 * quietly. */
extern void file_failed(struct file_out *f, const char *detail) __attribute__((noreturn));

/** Checks that everything was written and renames it to its name. */
extern void file_commit(struct file_out *f);

/** The same with everything on the disk before it gets its name, whatever --sync says. */
extern void file_commit_synced(struct file_out *f);

/** The temporary of that slot has got its name or is gone: it is not unlinked when the command ends. */
extern void file_temp_forget(int slot);

/** The same for all of them: in a new process, they are its parent's. */
extern void file_temp_forget_all(void);

/** Unlinks all registered temporaries; async-signal-safe. */
extern void file_temp_remove_all(void);

/** Directory for spools: GANTRY_TMPDIR, else TMPDIR, else /tmp. */
extern const char *file_tmpdir(void);

/** An unlinked temporary file of that size (space reserved) in file_tmpdir(); the file descriptor. */
extern int file_spool(long bytes);

/** Reserves space: fallocate(2), on EOPNOTSUPP statvfs + ftruncate; error() with the missing amount when the
 * disk is full. `path` for messages. */
extern void file_reserve(int fd, long bytes, const char *path);

#endif
