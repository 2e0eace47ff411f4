#ifndef MISC_FILE_RING_H
#define MISC_FILE_RING_H

#include <stdbool.h>

/**
 * Elements of a stream in shared memory, between two commands that a pipe joins directly. The header always
 * goes through the pipe, and so do elements until the other end answers: the writer listens on a socket named
 * after the pipe, a reader of that pipe connects to it, and gets a ring of memory. The bytes and their order
 * are those of the pipe. Whatever else reads or writes the pipe never connects.
 */
struct ring;

/** Of the writer: listens for a reader of the pipe fd. NULL: it is no pipe, or that cannot be had. */
extern struct ring *ring_offer(int fd);

/** Of the reader: connects to the writer of the pipe fd. NULL: it does not listen. */
extern struct ring *ring_ask(int fd);

extern void ring_free(struct ring *r);

/** Of the writer, which has sent so many bytes through the pipe: whether a reader has connected. From then on
 * all others have to go through the ring. */
extern bool ring_accepts(struct ring *r, long sent);

/** Of the reader: waits until the writer has answered or something can be read from fd. *answered: the bytes
 * that come through the pipe in all, -1 where there is no answer yet. False: there will be none. */
extern bool ring_answered(struct ring *r, int fd, long *answered);

/** Of the writer: room for the next n bytes, when the reader has made it; NULL for n too large. *ended: the
 * reader has ended. */
extern void *ring_room(struct ring *r, long n, bool *ended);

/** Sends n bytes: those of ring_room(), or others, which are copied. False: the reader has ended. */
extern bool ring_write(struct ring *r, const void *data, long n);

/** Of the reader: the next n bytes in the ring, until the next call; NULL for n too large. *ended: the writer
 * has ended before. */
extern const void *ring_peek(struct ring *r, long n, bool *ended);

/** Copies the next n bytes to `data`, or fewer where the writer has ended. Returns how many. */
extern long ring_read(struct ring *r, void *data, long n);

#endif
