#ifndef MISC_FILE_RING_H
#define MISC_FILE_RING_H

#include <stdbool.h>

/**
 * Sends elements through shared memory between two commands that are connected by a pipe. The shared memory
 * is a ring buffer. The writer listens on a socket that is named after the pipe. The reader connects to the
 * socket and receives the ring buffer.
 *
 * The header is always sent through the pipe. Elements are sent through the pipe until the reader has
 * connected. After the reader has connected, elements are sent through the ring buffer. The bytes are the
 * same as without a ring buffer. If the other program is not a Gantry command, all bytes go through the pipe.
 */
struct ring;

/** The writer opens a socket that is named after the pipe fd. Returns NULL if fd is not a pipe or the socket
 * cannot be created. */
extern struct ring *ring_offer(int fd);

/** The reader connects to the writer of the pipe fd. Returns NULL if no writer of the same user listens. */
extern struct ring *ring_ask(int fd);

extern void ring_free(struct ring *r);

/** The writer checks whether a reader has connected. Returns true if the reader will use the ring buffer.
 * `sent` is the number of bytes sent through the pipe so far. If the result is true, the writer must send all
 * further bytes through the ring buffer. */
extern bool ring_accepts(struct ring *r, long sent);

/** The reader waits for an answer of the writer or for data in the pipe fd. Sets *answered to the total
 * number of bytes sent through the pipe. If the writer has not answered yet, *answered is -1. Returns false
 * if the writer will not use the ring buffer. */
extern bool ring_answered(struct ring *r, int fd, long *answered);

/** The writer waits for n free bytes in the ring buffer. Returns the address of the free bytes. Returns NULL
 * if n is too large for the ring buffer. Sets *ended to true if the reader has ended. */
extern void *ring_room(struct ring *r, long n, bool *ended);

/** The writer sends n bytes. No copy is needed if the data are already at the address from ring_room().
 * Returns false if the reader has ended. */
extern bool ring_write(struct ring *r, const void *data, long n);

/** The reader waits for the next n bytes in the ring buffer. Returns the address of the bytes, which is valid
 * until the next call. Returns NULL if n is too large for the ring buffer. Sets *ended to true if the writer
 * ended before sending n bytes. */
extern const void *ring_peek(struct ring *r, long n, bool *ended);

/** The reader copies the next n bytes to `data`. Returns the number of copied bytes. The number is smaller
 * than n if the writer has ended. */
extern long ring_read(struct ring *r, void *data, long n);

#endif
