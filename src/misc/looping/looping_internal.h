#ifndef MISC_LOOPING_LOOPING_INTERNAL_H
#define MISC_LOOPING_LOOPING_INTERNAL_H

#include "misc/file/cfl.h"
#include "misc/mem.h"

/** Declarations shared by the files looping*.c. */

struct looping_dim {
	int d;
	const char *name;  // as typed
	const char *range; // as typed, or NULL
	long size;         // length of the inputs
	long start, step;  // first index and step
	long count;        // number of indices
};

struct looping {
	const char *text; // as typed
	int n;
	struct looping_dim dim[DIMS];
	long slices, here; // number on all ranks, number on this rank
	long jobs;
	int inputs;
	struct cfl **input; // opened by the parent

	// in the process of a slice
	bool active;
	bool shared; // ranks share the slices; files are written, not mapped
	long slice;
	int parent; // socket of the parent process
};

extern struct looping looping;

/** These functions implement struct cfl_loop (misc/file/cfl_io.h) in the process of a slice. In other
 * processes, the functions do nothing. */
extern const struct cfl *looping_input(const char *name);
extern void looping_cut(struct cfl *f);
extern bool looping_create(struct cfl *f);
extern void looping_scatter(struct cfl *f);

/** Returns the position of a slice along looped dim k, from 0 to count - 1. The first looped dim varies
 * fastest.
 */
extern long looping_position(long slice, int k);

/** Returns the indices of a slice as text, such as "z=3,channel=0" (malloc'd). */
extern char *looping_place(long slice);

/** Returns whether the loop cuts an input along looped dim k. Dims 0 and 1 of a geometry are never cut. */
extern bool looping_cuts(const struct hdr *h, int k);

/** Changes the header of the whole array to the header of a slice. */
extern void looping_cut_header(struct hdr *h, long slice);

/** Changes the header of a slice to the header of the whole output. Spacing and origin along a looped dim are
 * copied from an input. The slices of this input and of the output have equal spacing and origin. A slice
 * longer than 1 along a looped dim is an error(). */
extern void looping_whole_header(struct hdr *h, long slice, const char *name);

/** A slice requests an output. */
struct looping_request {
	long slice;
	long bytes;     // needed private memory [bytes]
	double seconds; // estimated time [s], 0 if unknown
	char *name;
	char *header;
	char *words; // result of opt_words_save()
	long words_n;
};

/** These functions send and receive requests over a socket. Receiving returns false if the other process has
 * closed the socket. */
extern void looping_send_request(int socket, const struct looping_request *r);
extern bool looping_receive_request(int socket, struct looping_request *r);
extern void looping_request_free(struct looping_request *r);
/** These functions send and receive the file descriptor of the whole output. The elements begin at byte
 * `offset`. */
extern bool looping_send_file(int socket, int fd, long offset);
extern int looping_receive_file(int socket, long *offset); // -1 if the parent has ended

/** Returns the whole output for a request. The first request creates the output. A later request that differs
 * from the first one is an error(). */
struct looping_output;
extern const struct looping_output *looping_output(const struct looping_request *r);
extern int looping_output_file(const struct looping_output *o, long *offset);
/** Commits all outputs. An output that only some slices have created is an error(). */
extern void looping_outputs_close(void);

#endif
