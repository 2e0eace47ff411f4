#ifndef NUM_SHAPE_STACK_H
#define NUM_SHAPE_STACK_H

#include "misc/file/cfl.h"
#include "misc/formats/names.h"
#include "misc/formats/source.h"

/**
 * Files of other programs joined to one array. The files are joined along the dimension `along`: volumes
 * along the dim after their last dim, slices along dim 2. Frames are the positions along this dimension, over
 * all files.
 */
struct stack {
	int n;
	const struct named_file *files;
	const struct format *format;
	enum part part;
	int along;
	struct hdr h;         // of the whole, before frames are chosen and before --transpose
	long *first;          // [n + 1] frames before file k
	double (*rescale)[2]; // [n] slope and intercept
	bool has_rescale;
	enum quantity meaning;   // of the rescaled values
	double *angle;           // [n] degrees, of projections, one per file; NULL = unknown
	long start, step, count; // frames that are taken
};

/**
 * Opens all files, one after the other, and checks that dims and types are equal. along < 0: slices are
 * joined along dim 2, other files along the dim after their last dim. DICOM slices are sorted by position, or
 * by number if positions are missing, unless `keep_order`; the order of `files` changes accordingly. Returns
 * NULL if a file does not contain `part`.
 */
extern struct stack *stack_open(int n, struct named_file files[], enum part part, int along, bool keep_order);
extern void stack_free(struct stack *s);

/** The header of the array that stack_read() fills: frames are selected, the grid begins at the first
 * selected frame, and --transpose and --rescale (to float32, unless the data are float64) are applied. */
extern void stack_header(const struct stack *s, bool transpose, bool rescale, struct hdr *h);

/** Reads the frames into a new output with the header of stack_header(), in pieces of at most 64 MiB, but at
 * least one plane. */
extern void stack_read(const struct stack *s, bool transpose, bool rescale, struct cfl *out);

/** out(j, i, k) = in(i, j, k) for dims[3]. */
extern void stack_transpose(const long dims[3], void *out, const void *in, size_t size);

#endif
