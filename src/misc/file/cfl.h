#ifndef MISC_FILE_CFL_H
#define MISC_FILE_CFL_H

#include "misc/file/hdr.h"

/**
 * Reads and writes arrays in files, pipes and memory. The name of an array has one of these forms:
 *
 * - "NAME", "NAME.cfl" or "NAME.hdr": The header is in the file NAME.hdr, and the elements are in NAME.cfl.
 * - "X.npy" or "X.ra": The array is in a file of another format (misc/file/container.h).
 * - "@NAME": The array is in memory. Only a recipe of `gantry run` has such arrays (misc/file/resident.h).
 * - "-": The array is a stream on standard input or output. A command has at most one input stream and one
 *   output stream.
 *
 * Elements are returned in column-major order: dim 0 varies fastest. Numbers are returned in the byte order
 * of the machine. Only cfl_raw() keeps the order and the byte order of the file.
 *
 * Open all inputs before the first output is created. The history of an output describes the inputs that are
 * already open. All functions call error() if something is wrong. After an error(), existing files remain
 * unchanged.
 */

struct cfl {
	struct hdr hdr;   // read from the file, or completed by cfl_create(); do not change
	const char *name; // as on the command line
	long count;       // number of elements
	struct cfl_io *io;
};

/** Opens an array for reading, and reads the header. The elements of a file are mapped, not copied. Calls
 * error() if the data file has the wrong size. */
extern struct cfl *cfl_open(const char *name);

/** Returns all elements of an input. If cfl_is_mapped() is false, the elements are first copied to a
 * temporary file in GANTRY_TMPDIR. */
extern const void *cfl_map(struct cfl *f);

/**
 * Returns whether cfl_map() returns the elements without a copy. The result is false in these cases:
 *
 * - The input is a stream from a pipe.
 * - The byte order of the file is not the byte order of the machine.
 * - In the file, the last dim varies fastest (C order).
 * - The elements are not aligned in memory.
 * - The input is a slice of a loop, and the slice is not contiguous.
 */
extern bool cfl_is_mapped(const struct cfl *f);

/** Returns all elements in the order and byte order of the file. Sets strs[d] to the distance in bytes
 * between neighbours along dim d. If dim d has length 1, strs[d] is 0. Sets *swapped to true if the byte
 * order is not that of the machine. Streams from a pipe and misaligned elements are copied to a temporary
 * file, as in cfl_map(). Do not call both cfl_map() and cfl_raw() for one array. */
extern const void *cfl_raw(struct cfl *f, long strs[DIMS], bool *swapped);

/** Sets strs and *swapped to the values that cfl_raw() will give. Reads no elements. */
extern void cfl_raw_layout(const struct cfl *f, long strs[DIMS], bool *swapped);

/** Returns elements [first, first + n) of an input. The result of cfl_is_mapped() must be true. The function
 * copies the elements to `buffer` or returns a pointer to the elements in memory. Several threads may call
 * this function at the same time. If blocks fit into the cache and are read once, cfl_block() is faster than
 * cfl_map(). */
extern const void *cfl_block(struct cfl *f, long first, long n, void *buffer);

/** Returns the next n elements of an input. Asking for elements after the last one is a programming error.
 * The result is valid until the next call. For a stream, the function allocates a buffer of n elements. For a
 * stream, limit n to a few MiB or to one view. Calls error() if a stream ends too early. Do not call both
 * cfl_next() and cfl_map() for one array. */
extern const void *cfl_next(struct cfl *f, long n);

/**
 * These functions advise the kernel about elements [first, first + n) of a mapped file:
 *
 * - cfl_will_need(): asks the kernel to read the elements from disk in advance.
 * - cfl_done_with(): tells the kernel that the pages of the elements are no longer needed.
 */
extern void cfl_will_need(struct cfl *f, long first, long n);
extern void cfl_done_with(struct cfl *f, long first, long n);

/**
 * These functions limit memory use for files larger than memory. Each function handles elements [first, first
 * + n):
 *
 * - cfl_will_write(): maps the pages of output elements before the elements are changed. Without
 *   cfl_will_write(), the kernel also maps neighbouring pages, even after cfl_release().
 * - cfl_write_out(): starts writing output elements to disk. The elements must be in memory from
 *   cfl_map_out() or cfl_slab().
 * - cfl_release(): releases the memory of the elements, including the page cache. The elements of an output
 *   are first written to disk.
 *
 * Released elements can still be used; the kernel then reads them from disk. The functions do nothing for
 * elements that are not mapped.
 */
extern void cfl_will_write(struct cfl *f, long first, long n);
extern void cfl_write_out(struct cfl *f, long first, long n);
extern void cfl_release(struct cfl *f, long first, long n);

/** Creates an output with the type, dims, grid and quantity of header h. The header fields command, files,
 * creator and history are set automatically. Disk space is reserved immediately, so a full disk is an error()
 * before the work starts. With --plan, the function prints the required memory and disk space. With --plan,
 * the command then ends or runs a trial to predict the time (misc/options/trial.h). */
extern struct cfl *cfl_create(const char *name, const struct hdr *h);

/** Calls error() if an output with this name would replace an existing file. */
extern void cfl_refuse_existing(const char *name);

/** Returns memory for the whole output, filled with zeros. The elements may be written in any order. A stream
 * is collected in a temporary file and sent when the output is closed. */
extern void *cfl_map_out(struct cfl *f);

/** Returns memory for the next n elements of an output. A stream sends these elements at the next call of
 * cfl_slab() or cfl_close(). Write every element, because the memory of a stream is not filled with zeros. Do
 * not call both cfl_slab() and cfl_map_out() for one output. */
extern void *cfl_slab(struct cfl *f, long n);

/** For an array "@NAME", returns the device address of the elements (misc/file/resident.h). Returns NULL for
 * a file or a stream. `write` must be true for an output and false for an input. All elements of an output
 * must be written on the device. */
struct resident_device;
extern void *cfl_on_device(struct cfl *f, const struct resident_device *d, bool write);

/** Returns whether cfl_put() can write an output. The result is false for streams and for slices of a loop
 * that are not contiguous. */
extern bool cfl_takes_put(const struct cfl *f);

/** Writes elements [first, first + n) of an output. Several threads may call this function, in any order.
 * Every element must be written exactly once. If the blocks are in cache, cfl_put() fills a new file fastest.
 * Do not use cfl_map_out() or cfl_slab() for the same output. */
extern void cfl_put(struct cfl *f, long first, long n, const void *data);

/**
 * Several ranks can write parts of one output (misc/ranks/ranks.h):
 *
 * - cfl_in_parts(): announces that every rank writes a part. Call this function before cfl_map_out(),
 *   cfl_slab() and cfl_write_own(). Without cfl_in_parts(), only the elements of rank 0 are written.
 * - cfl_write_own(): writes elements [first, first + n) of this rank to the file. Call this function only for
 *   complete elements.
 *
 * Memory from cfl_map_out() and cfl_slab() contains only the elements that this rank has written. If the
 * ranks do not share the work, the functions do nothing.
 */
extern void cfl_in_parts(struct cfl *f);
extern void cfl_write_own(struct cfl *f, long first, long n);

/**
 * Maps the memory of elements [first, first + n) directly to the file. The mapping saves private memory. The
 * function does nothing unless all of these conditions hold:
 *
 * - The ranks write parts of the output.
 * - All ranks run on this machine.
 * - The elements fill whole pages.
 *
 * The old values of the elements are lost. A call of cfl_write_own() for the complete elements is still
 * required.
 */
extern void cfl_write_through(struct cfl *f, long first, long n);

/** Returns memory for elements [first, first + n) of an output. If ranks write parts of the output, the calls
 * may have any order. Otherwise every call must begin where the previous call ended, as with cfl_slab(). */
extern void *cfl_slab_at(struct cfl *f, long first, long n);

/** Closes an array and frees f. The rest of an input stream is read. Data after the last element of a stream
 * are an error(). All elements of an output must have been written. When the last open output is closed, all
 * outputs get their final names together (misc/file/pair.h). */
extern void cfl_close(struct cfl *f);

/** Closes an output file, and gives the file its final name immediately. Use this function to save results
 * while the work continues. */
extern void cfl_close_alone(struct cfl *f);

/** Closes all open inputs and discards all open outputs. Call this function between two commands of one
 * process. */
extern void cfl_end_command(void);

/** Calls error() if the quantity of f is known but not allowed. In the mask `allowed`, bit `1 << q` is set
 * for every allowed quantity q. `advice` is part of the message and names the command to run first. `advice`
 * may be NULL. With --force, the function only prints a warning. */
extern void cfl_expect(const struct cfl *f, unsigned allowed, const char *advice);

/** Calls error() if any of the dims 0 to D - 1 differs between a and b. */
extern void cfl_same_dims(const struct cfl *a, const struct cfl *b, int D);

/** Warns about dimensions whose spacing differs between two arrays that are put side by side: no single
 * spacing is then right. */
extern void cfl_warn_spacing(const struct cfl *a, const struct cfl *b);

/** Calls error() if the elements of f are complex. */
extern void cfl_expect_real(const struct cfl *f);

/**
 * Installs the signal handlers of a command. Called by tool_init().
 *
 * - SIGBUS: The command ends with a message about the mapped file.
 * - SIGINT, SIGTERM, SIGHUP and SIGQUIT: The command ends after deleting its temporary files.
 * - SIGPIPE and SIGXFSZ: The signals are ignored.
 */
extern void cfl_install_signals(void);

#endif
