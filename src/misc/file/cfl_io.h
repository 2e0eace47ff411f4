#ifndef MISC_FILE_CFL_IO_H
#define MISC_FILE_CFL_IO_H

#include "misc/file/cfl.h"
#include "misc/file/container.h"
#include "misc/file/pair.h"
#include "misc/file/resident.h"

/** State that cfl.c (inputs) and cfl_out.c (outputs) keep for an open array. */
struct cfl_io {
	enum {
		IO_PAIR,
		IO_CONTAINER,
		IO_STREAM,
		IO_MEMORY, // misc/file/resident.h
		IO_SLICE   // of an output, in a loop
	} kind;
	bool output;
	long bytes; // of all elements
	long done;  // elements handed out by cfl_next() or cfl_slab()

	unsigned char *map;        // the mapped file, or NULL
	unsigned char *data;       // first element in it, or in memory
	struct resident *resident; // IO_MEMORY
	void *buffer;              // of cfl_next() and cfl_slab() where there is no mapping to point into
	long room;                 // its size in bytes

	long strs[DIMS]; // of inputs and slices: steps of the elements in the file [bytes], 0 where the
	                 // length is 1

	// inputs
	bool in_order; // those of dim 0 fastest, without gaps
	bool borrowed; // the mapping belongs to another (misc/looping/looping.h)

	// outputs
	struct pair pair; // IO_PAIR
	char tie[PAIR_TIE];
	char *target; // the file that holds the data
	int fd;       // its temporary
	long offset;  // of the first element in it
	struct replacement hdr, cfl, history;
	void *slab;            // of cfl_slab() for a stream: `buffer`, or room of the stream
	long pending;          // elements in it not sent yet
	int watched;           // slot of rank 0's temporary in the others (temp_watch)
	bool parts;            // several ranks write it, each its own
	bool through;          // the part of this rank is the file itself
	struct ranks_run *own; // of an array in memory: what this rank has written
	long owned, own_room;
	bool ready; // closed, waits for the other outputs

	// outputs of a loop, in the process of a slice
	int whole;    // the file of the whole
	long first;   // of the slice's first element in it, from that of the whole [bytes]
	bool scatter; // the slice is not in one piece there: it is written elsewhere first

	struct cfl *next; // in the list of inputs or outputs
};

/** Kind of the array of that name. For IO_CONTAINER, *c is the table of the format; for IO_PAIR, *stem
 * (malloc'd) is the name without extension. */
extern int cfl_kind(const char *name, const struct container **c, char **stem);

/** Reads the header of an input on disk, including a history in NAME.history, and opens its data. `data_path`
 * (malloc'd) is for messages and hashing. Returns the descriptor of the data; elements begin at *offset. */
extern int cfl_open_file(const char *name, struct hdr *h, long *offset, bool *c_order, char **data_path);

/** The part of cfl_close() for outputs. */
extern void cfl_close_output(struct cfl *f);

/** Discards outputs that were created and not committed; their temporary files are removed later. */
extern void cfl_abandon_outputs(void);

/** Called in a new process, since open outputs belong to the parent process. */
extern void cfl_forget_outputs(void);

/** Hooks of a loop over the command (misc/looping/looping.h) for arrays; cfl_loop is NULL without a loop.
 */
struct cfl_loop {
	/** Called before the first array is opened, when the command line is parsed and no thread has been
	 * started. Begins the loop. Returns only in the processes of the slices; the parent ends the command.
	 */
	void (*start)(void);
	/** The whole array of an input that the parent process has open, or NULL. */
	const struct cfl *(*input)(const char *name);
	/** In the process of a slice: restricts an open array to its slice without a copy; error() if it does
	 * not fit the loop. */
	void (*cut)(struct cfl *f);
	/** In the process of a slice: asks the parent to create the whole array, locates the slice in its
	 * file and returns true. */
	bool (*create)(struct cfl *f);
	/** Moves the elements of a non-contiguous slice to their places in the whole array.
	 */
	void (*scatter)(struct cfl *f);
};
extern const struct cfl_loop *cfl_loop;

/** For an array in memory of which ranks write parts. cfl_share_note() records that this rank has written
 * `bytes` bytes from byte `first` on; any thread may call it. cfl_share_gather() sends all parts to all
 * ranks. */
extern void cfl_share_note(struct cfl_io *io, long first, long bytes);
extern void cfl_share_gather(struct cfl_io *io);

/** Writes `bytes` bytes of data at byte `at` of a file. `target` names the file in messages. */
extern void cfl_write_bytes(int fd, const char *data, long bytes, long at, const char *target);

/** Buffer for n elements in io->buffer. */
extern void *cfl_buffer(struct cfl *f, long n);

#endif
