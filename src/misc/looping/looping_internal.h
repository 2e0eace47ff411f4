#ifndef MISC_LOOPING_LOOPING_INTERNAL_H
#define MISC_LOOPING_LOOPING_INTERNAL_H

#include "misc/file/cfl.h"
#include "misc/mem.h"

/** Declarations shared by the files looping*.c. */

struct looping_dim {
	int d;
	const char *name;  // as typed
	const char *range; // as typed, or NULL
	long size;         // of the inputs
	long start, step;  // of the indices
	long count;        // how many
};

struct looping {
	const char *text; // as typed
	int n;
	struct looping_dim dim[DIMS];
	long slices, here; // all; those of this rank
	long jobs;
	int inputs;
	struct cfl **input; // opened by the parent

	// in the process of a slice
	bool active;
	bool shared; // ranks have slices each: files are written, not mapped by several
	long slice;
	int parent; // socket
};

extern struct looping looping;

/** The calls of struct cfl_loop (misc/file/cfl_io.h) in the process of a slice; in other processes they do
 * nothing. */
extern const struct cfl *looping_input(const char *name);
extern void looping_cut(struct cfl *f);
extern bool looping_create(struct cfl *f);
extern void looping_scatter(struct cfl *f);

/** Position of a slice along looped dim k, 0 .. count - 1. The first looped dim varies fastest. */
extern long looping_position(long slice, int k);

/** "z=3,channel=0"; malloc'd. */
extern char *looping_place(long slice);

/** Whether an input is cut along looped dim k. A geometry is never cut along its first two dims, since these
 * are not dims of data. */
extern bool looping_cuts(const struct hdr *h, int k);

/** Changes the header of the whole array to the header of a slice. */
extern void looping_cut_header(struct hdr *h, long slice);

/** Changes the header of a slice to the header of the whole array: sets the dims and the grid along the
 * looped dims. The grid along a dim is copied from the first input whose slice has the same grid along this
 * dim as the slice of the output. error() if the slice is longer than 1 along a looped dim. */
extern void looping_whole_header(struct hdr *h, long slice, const char *name);

/** The request of a slice that creates an output. */
struct looping_request {
	long slice;
	long bytes;     // private memory it needs
	double seconds; // 0 = unknown
	char *name;
	char *header;
	char *words; // opt_words_save()
	long words_n;
};

/** Send and receive requests over a socket. Receiving returns false if the other end is closed. */
extern void looping_send_request(int socket, const struct looping_request *r);
extern bool looping_receive_request(int socket, struct looping_request *r);
extern void looping_request_free(struct looping_request *r);
/** Send and receive the descriptor of the file of the whole output, whose elements begin at byte `offset`. */
extern bool looping_send_file(int socket, int fd, long offset);
extern int looping_receive_file(int socket, long *offset); // -1: the parent has gone

/** The whole output for this request. The first request creates the output; later requests must agree with
 * the first one. */
struct looping_output;
extern const struct looping_output *looping_output(const struct looping_request *r);
extern int looping_output_file(const struct looping_output *o, long *offset);
/** Commits all outputs; error() if a slice has not created an output that other slices have created. */
extern void looping_outputs_close(void);

#endif
