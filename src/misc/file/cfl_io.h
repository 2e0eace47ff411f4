#ifndef MISC_FILE_CFL_IO_H
#define MISC_FILE_CFL_IO_H

#include "misc/file/cfl.h"
#include "misc/file/container.h"
#include "misc/file/pair.h"
#include "misc/file/resident.h"

/** Internal state of an open array. The file cfl.c uses this state for inputs, and cfl_out.c for outputs. */
struct cfl_io {
	enum {
		IO_PAIR,
		IO_CONTAINER,
		IO_STREAM,
		IO_MEMORY, // misc/file/resident.h
		IO_SLICE   // slice of an output in a loop
	} kind;
	bool output;
	long bytes; // size of all elements
	long done;  // number of elements returned by cfl_next() or cfl_slab()

	unsigned char *map;        // the mapped file, or NULL
	unsigned char *data;       // first element in `map` or in memory
	struct resident *resident; // only for IO_MEMORY
	void *buffer;              // elements of cfl_next() and cfl_slab() if `map` cannot be used
	long room;                 // size of `buffer` in bytes

	long strs[DIMS]; // inputs and slices: distance in bytes between neighbours in the file, or 0
	                 // for a dim of length 1

	// inputs
	bool in_order; // dim 0 varies fastest, and there are no gaps
	bool borrowed; // `map` belongs to the parent process (misc/looping/looping.h)

	// outputs
	struct pair pair; // only for IO_PAIR
	char tie[PAIR_TIE];
	char *target; // the file that holds the data
	int fd;       // descriptor of the temporary file
	long offset;  // position of the first element in the file [bytes]
	struct replacement hdr, cfl, history;
	void *slab;            // result of cfl_slab() for a stream: `buffer`, or memory of the stream
	long pending;          // number of elements in `slab` that are not sent yet
	int watched;           // on ranks > 0: result of temp_watch() for the temporary file of rank 0
	bool parts;            // several ranks write parts of the output
	bool through;          // the part of this rank is mapped to the file
	struct ranks_run *own; // bytes of an array in memory that this rank has written
	long owned, own_room;  // number of runs in `own`, and allocated number
	bool ready;            // closed, but other outputs are still open

	// outputs in the process of a slice (loops)
	int whole;    // descriptor of the file of the whole output
	long first;   // distance from the first element of the output to that of the slice [bytes]
	bool scatter; // the slice is not contiguous in the file; a temporary file holds the slice first

	struct cfl *next; // next array in the list of inputs or outputs
};

/** Returns how the array `name` is stored, for example IO_PAIR. For IO_CONTAINER, sets *c to the functions of
 * the file format. For IO_PAIR, sets *stem to the name without extension. The caller frees *stem. */
extern int cfl_kind(const char *name, const struct container **c, char **stem);

/** Opens an input file and reads the header, including a history in NAME.history. Returns the descriptor of
 * the data file. The elements begin at byte *offset of the data file. Sets *c_order to true if the last dim
 * varies fastest. Sets *data_path to the path of the data file. The caller frees *data_path. */
extern int cfl_open_file(const char *name, struct hdr *h, long *offset, bool *c_order, char **data_path);

/** Closes an output; called by cfl_close(). */
extern void cfl_close_output(struct cfl *f);

/** Discards all outputs without committing them. Named temporary files are deleted when the command ends. */
extern void cfl_abandon_outputs(void);

/** Empties the list of outputs. A forked process calls this function, because the outputs belong to the
 * parent process. */
extern void cfl_forget_outputs(void);

/** A loop over slices uses these functions to open and create arrays (misc/looping/looping.h). The pointer
 * `cfl_loop` is NULL if the command runs without a loop. */
struct cfl_loop {
	/** Starts the loop before the first array is opened. The command line must be parsed, and no thread
	 * may run yet. Returns only in the processes of the slices. In the parent process, the command ends
	 * inside this function. */
	void (*start)(void);
	/** Returns the whole array `name` if the parent process has opened the array. Otherwise returns NULL.
	 */
	const struct cfl *(*input)(const char *name);
	/** Restricts an input to the slice of this process. No elements are copied. Calls error() if the
	 * input does not fit the loop. */
	void (*cut)(struct cfl *f);
	/** Asks the parent process to create the whole output. Finds the place of the slice in the file.
	 * Returns false if this process is not the process of a slice. */
	bool (*create)(struct cfl *f);
	/** Copies the elements of a slice to the file of the whole output. The function is used if the slice
	 * is not contiguous in the file. */
	void (*scatter)(struct cfl *f);
};
extern const struct cfl_loop *cfl_loop;

/**
 * Several ranks can write parts of an array in memory:
 *
 * - cfl_share_note(): records that this rank has written `bytes` bytes, starting at byte `first`. Several
 *   threads may call this function.
 * - cfl_share_gather(): sends all parts to all ranks. All ranks must call this function.
 */
extern void cfl_share_note(struct cfl_io *io, long first, long bytes);
extern void cfl_share_gather(struct cfl_io *io);

/** Writes `bytes` bytes of data to a file, starting at byte `at`. `target` names the file in messages. */
extern void cfl_write_bytes(int fd, const char *data, long bytes, long at, const char *target);

/** Returns the buffer of f, enlarged to n elements if necessary. Closing f frees the buffer. */
extern void *cfl_buffer(struct cfl *f, long n);

#endif
