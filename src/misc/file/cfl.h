#ifndef MISC_FILE_CFL_H
#define MISC_FILE_CFL_H

#include "misc/file/hdr.h"

/**
 * Arrays on disk and in pipes.
 *
 * A name is "NAME" (the pair NAME.hdr, NAME.cfl), "NAME.cfl", "NAME.hdr", "X.ra", "X.npy", or "-" (a stream
 * on standard input or output, at most one each). Elements are in column-major order, dimension 0 fastest.
 * All functions except cfl_raw() return data in native byte order and Fortran order, also if the file has
 * another order.
 *
 * Open all inputs before the first output is created: the output's history is made from the inputs opened so
 * far. All functions end the command with error() when something is wrong; existing files then remain
 * unchanged.
 */

struct cfl {
	struct hdr hdr;   // read only for inputs; for outputs complete at creation
	const char *name; // as the user typed it
	long count;       // elements
	struct cfl_io *io;
};

/** Opens an input: reads the header, checks the exact size of the data file and maps it (no copy). */
extern struct cfl *cfl_open(const char *name);

/** The whole array, elements [0, count). If cfl_is_mapped() is true, this is the mapping of the file.
 * Otherwise the elements are copied to an unlinked, mapped file in GANTRY_TMPDIR. */
extern const void *cfl_map(struct cfl *f);

/** Whether cfl_map() makes no copy. False for a stream from a pipe, a file of foreign byte order, a C-ordered
 * .npy, misaligned elements and a non-contiguous slice of a loop. */
extern bool cfl_is_mapped(const struct cfl *f);

/** The whole array as stored in the file, without a copy. strs: steps of the dims [bytes], 0 where the length
 * is 1. *swapped: whether units (dtype_unit()) are in foreign byte order. Arrays that cannot be read in place
 * (a stream from a pipe, misaligned elements) are spooled, as by cfl_map(). Do not call both cfl_map() and
 * cfl_raw() for one array. */
extern const void *cfl_raw(struct cfl *f, long strs[DIMS], bool *swapped);

/** The steps and byte order that cfl_raw() will return. Reads no elements. */
extern void cfl_raw_layout(const struct cfl *f, long strs[DIMS], bool *swapped);

/** Elements [first, first + n) of an array for which cfl_is_mapped() is true: copied into buffer, or a
 * pointer to the mapping. Any thread may call this function. For one pass over a file in cache-sized blocks,
 * cfl_block() is faster than cfl_map(), since no page is mapped and unmapped. */
extern const void *cfl_block(struct cfl *f, long first, long n, void *buffer);

/** The next n elements in order. n may be any size; reading past the end is a programming error. The result
 * is valid until the next call: a pointer into the mapping of a mapped file, or to a buffer of n elements of
 * a stream. So limit n for streams to a few MiB or one view. A stream that ends early is an error(). Do not
 * mix with cfl_map() on one file. */
extern const void *cfl_next(struct cfl *f, long n);

/** cfl_will_need() asks the kernel to read elements [first, first + n) ahead. cfl_done_with() asks the kernel
 * to drop the pages of these elements of a mapped file. */
extern void cfl_will_need(struct cfl *f, long first, long n);
extern void cfl_done_with(struct cfl *f, long first, long n);

/** Functions for elements [first, first + n) of files larger than memory. Call cfl_will_write() before these
 * elements of an output are changed: it maps exactly their pages. Without cfl_will_write(), the kernel also
 * maps and keeps neighbouring pages, including released ones. cfl_write_out() starts writing elements of an
 * output (mapped by cfl_map_out() or cfl_slab()) to disk. cfl_release() waits until these elements are
 * written and releases the memory of an input or output, including the page cache. Unmapped elements are not
 * affected. Released elements can be used again later; they are then read from disk. */
extern void cfl_will_write(struct cfl *f, long first, long n);
extern void cfl_write_out(struct cfl *f, long first, long n);
extern void cfl_release(struct cfl *f, long first, long n);

/** Creates an output with this header (type, dims, grid, quantity...). Command, files, creator and history
 * are filled in from the command line and the inputs opened so far. Space is reserved here: a full disk is an
 * error() before the work starts. Under --plan, the function prints the required memory and disk space, then
 * ends the command or starts a trial (misc/options/trial.h). */
extern struct cfl *cfl_create(const char *name, const struct hdr *h);

/** error() if an output of that name would replace an existing file. */
extern void cfl_refuse_existing(const char *name);

/** The whole output, zero-filled, for writing in any order; a stream is spooled and sent at close. */
extern void *cfl_map_out(struct cfl *f);

/** Memory for the next n elements, in order. For a stream, the elements are sent when the next slab is
 * requested, or at close. Not zero-filled for streams: write every element. Do not mix with cfl_map_out(). */
extern void *cfl_slab(struct cfl *f, long n);

/** The elements of an array in memory (misc/file/resident.h) on a device; NULL for a file or stream. `write`:
 * the array is an output, and all of its elements will be written on the device. */
struct resident_device;
extern void *cfl_on_device(struct cfl *f, const struct resident_device *d, bool write);

/** Whether cfl_put() works for an output: false for streams and for non-contiguous slices of a loop. */
extern bool cfl_takes_put(const struct cfl *f);

/** Writes elements [first, first + n) of an output file: in any order, by any thread, each element once. This
 * is the fastest way to fill a new file from blocks in cache, since no page faults occur and no pages are
 * zeroed. Do not mix with cfl_map_out() or cfl_slab(). */
extern void cfl_put(struct cfl *f, long first, long n, const void *data);

/** An output that several ranks (misc/ranks/ranks.h) write in parts. Each rank sees in cfl_map_out() and
 * cfl_slab() only what it has written itself; cfl_write_own() writes completed elements to the file. Without
 * cfl_in_parts(), only data of rank 0 are written. Call cfl_in_parts() before cfl_map_out(), cfl_slab() and
 * cfl_write_own(); it has no effect if the work is not shared. */
extern void cfl_in_parts(struct cfl *f);
extern void cfl_write_own(struct cfl *f, long first, long n);

/** Maps elements [first, first + n) of cfl_map_out() to the file itself, so that they take no private memory.
 * Has no effect unless ranks write the file in parts, all ranks run on this machine and the elements fill
 * whole pages. The previous values of the elements are lost. In all cases, call cfl_write_own() for the
 * elements when they are complete. */
extern void cfl_write_through(struct cfl *f, long first, long n);

/** Memory for elements [first, first + n) of an output. If ranks write the output in parts, calls may be in
 * any order. Otherwise each call must continue the previous one, as for cfl_slab(). */
extern void *cfl_slab_at(struct cfl *f, long first, long n);

/** Input: unmaps the file; a stream is read to its end, and data after the last element are an error. Output:
 * checks that every slab was written. When the last open output is closed, all are committed together under
 * their names (misc/file/pair.h). */
extern void cfl_close(struct cfl *f);

/** Commits an output file without waiting for other open outputs: for results saved while the work continues.
 */
extern void cfl_close_alone(struct cfl *f);

/** Called between two commands of one process: closes inputs that are still open and discards outputs that
 * were not closed. */
extern void cfl_end_command(void);

/** error() if the quantity of f is known but not in `allowed` (bit mask of 1 << enum quantity). The message
 * names the quantity, the allowed quantities and `advice` (the step to run first). With --force the error is
 * a warning. */
extern void cfl_expect(const struct cfl *f, unsigned allowed, const char *advice);

/** error() unless the first D dims of the arrays are equal; D = DIMS compares all dims. */
extern void cfl_same_dims(const struct cfl *a, const struct cfl *b, int D);

/** error() if f is complex, for commands that need real data. */
extern void cfl_expect_real(const struct cfl *f);

/** Installs the SIGBUS handler on its alternate stack, ignores SIGPIPE and SIGXFSZ, removes temporaries on
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT. Called by tool_init(). */
extern void cfl_install_signals(void);

#endif
