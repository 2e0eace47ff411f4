#ifndef MISC_FILE_STREAM_H
#define MISC_FILE_STREAM_H

#include "misc/file/hdr.h"

/** Arrays on standard input and output. A stream consists of the line "GANTRY-STREAM 1 N", N bytes of header
 * text, and the elements. A command has at most one input stream and one output stream. Two Gantry commands
 * connected by a pipe can use shared memory (ring.h). On failure, all functions call error(). */

/** Reads the header of the input stream. */
extern void stream_open(struct hdr *h);

/** Returns whether this command reads an input stream. */
extern bool stream_is_read(void);

/** Returns the elements of standard input, mapped into memory. If standard input is not an ordinary file,
 * returns NULL; use stream_read() then. The caller passes *map to mapping_free(). */
extern unsigned char *stream_map(unsigned char **map);

/** Reads the next `bytes` bytes of elements. A truncated stream is an error(). */
extern void stream_read(void *buffer, long bytes);

/** Returns the next `bytes` bytes of elements without copying. The address is valid until the next call. If
 * the result is NULL, use stream_read() instead. */
extern const void *stream_peek(long bytes);

/** Skips the remaining elements of the input stream. A stream that is too short or too long is an error().
 * Does nothing without an input stream. */
extern void stream_finish(void);

/** Allows the next command of this process to use standard input and output. */
extern void stream_reset(void);

/** Writes the header of the output stream. */
extern void stream_create(const struct hdr *h);

/** Returns shared memory for the next `bytes` bytes of elements. Returns NULL if the output does not use
 * shared memory. If the caller fills this memory and passes the address to stream_write(), nothing is copied.
 */
extern void *stream_room(long bytes);

/** Writes the next `bytes` bytes of elements to standard output. */
extern void stream_write(const void *data, long bytes);

#endif
