#ifndef CT_STREAM_VIEW_READ_H
#define CT_STREAM_VIEW_READ_H

#include "misc/error.h"
#include "misc/file/cfl.h"

/**
 * Views of a file as float32 or float64, in arrays on the host or on the GPU. Real parts are written to
 * out[0], imaginary parts to out[1], which is NULL unless the file is complex. A value that is not finite in
 * this type (for float32: also one that is too large) is an error(), which names the file and the view.
 */

/** Views selected from each stack; a stack is the views of one channel and time. */
struct view_choice {
	const long *at; // their places in it; NULL: all of them
	long n;         // how many
	long views;     // of a stack in the file
	bool in_order;  // they are taken from a stream, others are skipped
	long position;  // in that stream [views]
};

/** Position in the file of selected view k, counted over all stacks; choice NULL: k. */
extern long view_place(const struct view_choice *choice, long k);

/** Reads the selected views [first, first + n), each of `size` elements. If no views are selected (choice
 * NULL, or choice->at NULL), reads the next n views of the file. */
extern void view_read(struct cfl *f, struct view_choice *choice, enum dtype type, long size, long first,
        long n, void *const out[2]);

/** Reads n elements of the file, which begin with element `skip` of view `view` and may extend into later
 * views. The file is mapped; a stream is spooled. */
extern void view_read_at(
        struct cfl *f, enum dtype type, long size, long view, long skip, long n, void *const out[2]);

/** Converts n elements at `in`, on the host and by one thread. Returns the index of the first element that is
 * not finite, or n. */
extern long view_convert(enum dtype type, void *const out[2], enum dtype from, const void *in, long n);

/** error() if one of the n elements at `in` is not finite. The elements are on the host, have the type of the
 * file (float32 or float64), and begin with view `view`. */
extern void view_expect_finite(const struct cfl *f, long size, long view, long n, const void *in);

/** Ends the command with an error(): an element is not finite. `at` is the number of this element, counted
 * from the first element of view `view` of the file. */
extern void view_refuse(const struct cfl *f, long size, long view, long at) NO_RETURN;

/** Warns of `lost` values that were clipped to the range of the output's type. */
extern void view_report_clipped(const struct cfl *out, long lost);

#endif
