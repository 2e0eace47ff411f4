#ifndef MISC_FILE_RING_H
#define MISC_FILE_RING_H

#include <stdbool.h>

/**
 * Transfers elements of a stream through shared memory (a ring buffer) between two commands that are directly
 * connected by a pipe. The writer listens on a socket named after the pipe; the reader of the pipe connects
 * to the socket and receives the ring buffer. The header is always sent through the pipe. Elements are sent
 * through the pipe until the reader has connected, then through the ring buffer. The bytes and their order
 * are the same with and without a ring buffer. Other programs that read or write the pipe do not connect and
 * use the pipe alone.
 */
struct ring;

/** Writer: listens for a reader of the pipe fd. NULL: fd is not a pipe, or the shared memory or the socket
 * cannot be created. */
extern struct ring *ring_offer(int fd);

/** Reader: connects to the writer of the pipe fd. NULL: the writer does not listen. */
extern struct ring *ring_ask(int fd);

extern void ring_free(struct ring *r);

/** Writer: whether a reader has connected. `sent`: number of bytes sent through the pipe so far. Once a
 * reader has connected, all further bytes must be sent through the ring buffer. */
extern bool ring_accepts(struct ring *r, long sent);

/** Reader: waits until the writer has answered or data can be read from fd. *answered: the total number of
 * bytes sent through the pipe, -1 if the writer has not answered yet. Returns false if the writer will not
 * answer. */
extern bool ring_answered(struct ring *r, int fd, long *answered);

/** Writer: waits for n free bytes in the ring buffer and returns their address; NULL if n is too large.
 * *ended: whether the reader has ended. */
extern void *ring_room(struct ring *r, long n, bool *ended);

/** Sends n bytes. Data that are not at the address of ring_room() are copied. Returns false if the reader has
 * ended. */
extern bool ring_write(struct ring *r, const void *data, long n);

/** Reader: address of the next n bytes in the ring buffer, valid until the next call; NULL if n is too large.
 * *ended: whether the writer has ended before these bytes. */
extern const void *ring_peek(struct ring *r, long n, bool *ended);

/** Reader: copies the next n bytes to `data`, fewer if the writer has ended. Returns the number of bytes. */
extern long ring_read(struct ring *r, void *data, long n);

#endif
