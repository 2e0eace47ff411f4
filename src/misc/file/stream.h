#ifndef MISC_FILE_STREAM_H
#define MISC_FILE_STREAM_H

#include "misc/file/hdr.h"

/**
 * Arrays on standard input and output: the line "GANTRY-STREAM 1 N", N bytes of header text, the elements,
 * end of file. At most one input and one output stream per command. Between two commands connected by a pipe,
 * elements are transferred through shared memory (ring.h). All functions end the command with error() if
 * something is wrong.
 */

/** Claims standard input and reads the header. */
extern void stream_open(struct hdr *h);

/** Whether an input of this command is a stream. */
extern bool stream_is_read(void);

/** Maps the elements if standard input is an ordinary file, and returns their address. Pass *map to
 * mapping_free() at the end. NULL if standard input is not an ordinary file: use stream_read(). */
extern unsigned char *stream_map(unsigned char **map);

/** Reads the next `bytes` bytes of elements; error() if the stream ends too early. */
extern void stream_read(void *buffer, long bytes);

/** Like stream_read() without a copy; the result is valid until the next call. NULL if the elements must be
 * copied: use stream_read(). */
extern const void *stream_peek(long bytes);

/** Reads the elements that the command has not read, to detect a truncated stream, and checks that no data
 * follow. Does nothing without a stream. */
extern void stream_finish(void);

/** Called when another command of this process begins: the new command may use standard input and output
 * again. */
extern void stream_reset(void);

/** Claims standard output and sends the header. */
extern void stream_create(const struct hdr *h);

/** Memory for the next `bytes` bytes of elements. If this memory is filled and passed to stream_write(),
 * nothing is copied. NULL if the output has no such memory. */
extern void *stream_room(long bytes);

/** Sends the next `bytes` bytes of elements. */
extern void stream_write(const void *data, long bytes);

#endif
