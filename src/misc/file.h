#ifndef MISC_FILE_H
#define MISC_FILE_H

#include <stddef.h>
#include <stdbool.h>

/** Reads and writes ordinary files, such as pictures, logs, texts and raw data. An output is written to a
 * temporary file in the same folder. The complete output replaces the old file. If the command fails or is
 * interrupted, the old file remains. */

/** Maps a whole file for reading. Sets *bytes to the size of the file. The result for an empty file is "".
 * Calls error() if the file cannot be read. Release the mapping with file_unmap(). The command ends with a
 * message if a page of the mapping cannot be read (misc/file/mapping.h). */
extern const void *file_map(const char *path, size_t *bytes);
extern void file_unmap(const void *p);

/** Reads a text file or a pipe, and adds a zero byte. The caller frees the text. The path may be /dev/stdin,
 * but "-" does not mean standard input. Calls error() if the text cannot be read or contains a zero byte.
 * Calls error() if no program writes to the pipe. */
extern char *file_read_text(const char *path);

/** Reads the whole file with descriptor fd, and adds a zero byte. Sets *bytes to the size of the file. The
 * caller frees the result. Calls error() if the file is not an ordinary file or has more than `max` bytes.
 * `path` names the file in messages. */
extern char *file_read_fd(int fd, long max, long *bytes, const char *path);

/** Opens a file for reading. Returns the descriptor. After a failure, sets errno and returns -1. The function
 * never waits, even if `path` is a pipe without a writer. Call file_size() after file_open() to make sure
 * that the file is an ordinary file. */
extern int file_open(const char *path);

/** Opens an ordinary file for reading. Returns the descriptor and sets *size to the size in bytes. Calls
 * error() if the file cannot be read or is not an ordinary file. Open every input with this function or with
 * file_open(). */
extern int file_open_regular(const char *path, long *size);

/** Reads n bytes of a file, starting at byte `at`. Returns the number of bytes read. Fewer than n bytes are
 * read at the end of the file or after a read error. */
extern long file_read_at(int fd, void *out, long n, long at);

/** Reads at most n bytes from the start of an ordinary file, to detect the file type. Returns the number of
 * bytes read, or 0 if the file cannot be read. */
extern long file_probe(const char *path, void *head, long n);

/** Returns the size of an open ordinary file in bytes. Calls error() if the file is a folder, a device or a
 * pipe. `path` names the file in messages. */
extern long file_size(int fd, const char *path);

/** Reads all numbers of a text file. Numbers are separated by blanks, commas or line ends. A comment begins
 * with # and ends at the end of the line. Calls error() with the line number if the file contains other text.
 * Returns an array of *n numbers. The caller frees the array. */
extern double *file_read_numbers(const char *path, long *n);

/**
 * These functions write an output file:
 *
 * - file_create(): creates a temporary file for the output `path`. The path "-" means standard output. With
 *   --no-clobber, an existing file is an error().
 * - file_stream(): returns the FILE * to which the output is written.
 */
struct file_out;
extern struct file_out *file_create(const char *path);
extern void *file_stream(struct file_out *f); // FILE *

/** Reserves the space of an output file of known size. Calls error() if the disk is full. The file must then
 * be written completely. */
extern void file_out_reserve(struct file_out *f, long bytes);

/** Like file_create(), for files that a command writes repeatedly, such as checkpoints. The file is replaced
 * even with --no-clobber. */
extern struct file_out *file_create_state(const char *path);

/** Calls error() if a file or folder with this name exists. Commands call this function if the user gave
 * --no-clobber. Standard output ("-"), devices and pipes are never refused. */
extern void file_refuse_existing(const char *path);

/**
 * Use these functions if a library opens the output file itself:
 *
 * - file_create_named(): works like file_create(), but the temporary file always has a name.
 * - file_out_path(): returns the path of the temporary file.
 */
extern struct file_out *file_create_named(const char *path);
extern const char *file_out_path(const struct file_out *f);

/** Reports that f cannot be written, and ends the command. The message contains the reason. `detail` is a
 * message of a library, or NULL. Prints nothing if f is standard output and the reader has closed the pipe.
 */
extern void file_failed(struct file_out *f, const char *detail) __attribute__((noreturn));

/** Completes an output file, and renames the temporary file to the final name. Frees f. Calls error() if the
 * file cannot be written or renamed. */
extern void file_commit(struct file_out *f);

/** Like file_commit(), but always flushes the file to the disk before renaming. The function file_commit()
 * flushes the file only with --sync. */
extern void file_commit_synced(struct file_out *f);

/** Removes a file from the list of temporary files, which the command deletes at the end. Call this function
 * when the file has been renamed or deleted. `slot` is the number of the file in the list. */
extern void file_temp_forget(int slot);

/** Empties the list of temporary files. A forked process calls this function, because the files belong to the
 * parent process. */
extern void file_temp_forget_all(void);

/** Deletes all temporary files in the list. A signal handler may call this function. */
extern void file_temp_remove_all(void);

/** Returns the folder for large temporary files. The folder is GANTRY_TMPDIR, else TMPDIR, else /tmp. */
extern const char *file_tmpdir(void);

/** Creates an unnamed temporary file in the folder file_tmpdir(). Reserves disk space for `bytes` bytes.
 * Returns the file descriptor. */
extern int file_spool(long bytes);

/** Reserves disk space for `bytes` bytes of a file. If the disk is full, an error() states how much space is
 * missing. If the file system cannot reserve space, the function checks the free space and sets the file
 * size. `path` names the file in messages. */
extern void file_reserve(int fd, long bytes, const char *path);

#endif
