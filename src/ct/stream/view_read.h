#ifndef CT_STREAM_VIEW_READ_H
#define CT_STREAM_VIEW_READ_H

#include "misc/error.h"
#include "misc/file/cfl.h"

/**
 * Reads views of a file into arrays of type float32 or float64. The arrays may be on the host or on the GPU.
 * Real parts are written to out[0]. Imaginary parts are written to out[1], which is NULL if the file is real.
 *
 * A value that is not finite is an error(), which names the file and the view. Values too large for float32
 * are not finite in an array of float32.
 */

/** The views to read. The views of one channel and time are called a stack. The same views are selected from
 * every stack. */
struct view_choice {
	const long *at; // numbers of the selected views within the stack; NULL means all views
	long n;         // number of selected views in a stack
	long views;     // number of views of a stack in the file
	bool in_order;  // the file is a stream: views that are not selected are skipped
	long position;  // in that stream [views]
};

/** Returns the number that selected view k has in the file. Selected views of all stacks are counted. Without
 * a selection, returns k. */
extern long view_place(const struct view_choice *choice, long k);

/** Reads the selected views [first, first + n), each of `size` elements. Without a selection, reads the next
 * n views of the file. */
extern void view_read(struct cfl *f, struct view_choice *choice, enum dtype type, long size, long first,
        long n, void *const out[2]);

/** Reads n elements of the file, starting at element `skip` of view `view`. The elements may extend into
 * later views. Views have `size` elements. A stream is first copied to a temporary file. */
extern void view_read_at(
        struct cfl *f, enum dtype type, long size, long view, long skip, long n, void *const out[2]);

/** Converts n elements on the host in the calling thread. Returns the index of the first element that is not
 * finite, or n if all are finite. */
extern long view_convert(enum dtype type, void *const out[2], enum dtype from, const void *in, long n);

/** Calls error() if one of the n elements at `in` is not finite. The first element belongs to view `view`.
 * The elements are on the host and have the type of the file, float32 or float64. */
extern void view_expect_finite(const struct cfl *f, long size, long view, long n, const void *in);

/** Calls error() with the message that an element of the file is not finite. The argument `at` is the index
 * of the element, counted from the start of view `view`. */
extern void view_refuse(const struct cfl *f, long size, long view, long at) NO_RETURN;

/** Warns that `lost` values were clipped to the range of the output's type, if `lost` is not 0. */
extern void view_report_clipped(const struct cfl *out, long lost);

#endif
