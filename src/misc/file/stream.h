#ifndef MISC_FILE_STREAM_H
#define MISC_FILE_STREAM_H

#include "misc/file/hdr.h"

/**
 * Arrays on standard input and output: the line "GANTRY-STREAM 1 N", N bytes of header text, the elements,
 * end of file. At most one of each per command. Between two commands that a pipe joins, elements go
 * through shared memory (ring.h). All functions end the command with one sentence when something is wrong.
 */

/** Claims standard input and reads the header. */
extern void stream_open(struct hdr *h);

/** The elements as a mapping, if standard input is an ordinary file: *map must be passed to mapping_free().
 * NULL for pipes. Instead of reading. */
extern unsigned char *stream_map(unsigned char **map);

/** Reads the next `bytes` bytes of elements; the end of the stream before is an error(). */
extern void stream_read(void *buffer, long bytes);

/** The same without a copy, valid until the next call; NULL where that is not possible: stream_read() then.
 */
extern const void *stream_peek(long bytes);

/** Reads the rest that a command left unread, so that a truncated stream is noticed, and checks that the
 * stream ends. Does nothing without a stream. */
extern void stream_finish(void);

/** Another command begins and may claim both again. */
extern void stream_reset(void);

/** Claims standard output and sends the header. */
extern void stream_create(const struct hdr *h);

/** Room for the next `bytes` bytes of elements, to be filled and given to stream_write(): it copies nothing
 * then. NULL where that is not possible. */
extern void *stream_room(long bytes);

/** Sends bytes of elements. */
extern void stream_write(const void *data, long bytes);

#endif
