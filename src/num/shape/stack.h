#ifndef NUM_SHAPE_STACK_H
#define NUM_SHAPE_STACK_H

#include "misc/file/cfl.h"
#include "misc/formats/names.h"
#include "misc/formats/source.h"

/** Files of other programs that are joined to one array along dim `along`. A frame is one position along dim
 * `along`, counted over all files. */
struct stack {
	int n;
	const struct named_file *files;
	const struct format *format;
	enum part part;
	int along;
	struct hdr h;         // of all frames, before --transpose
	long *first;          // [n + 1] number of frames before file k
	double (*rescale)[2]; // [n] slope and intercept
	bool has_rescale;
	enum quantity meaning;   // quantity of the rescaled values
	double *angle;           // [n] angle of the projection in each file [degrees], or NULL
	long start, step, count; // frames to read
};

/** Opens all files. Types and all dims except `along` must be equal, else error(). If `along` is negative,
 * slices are joined along dim 2, and volumes along a new last dim. If `keep_order` is false, DICOM slices are
 * sorted by position. Slices without positions are sorted by number. The order of `files` changes
 * accordingly. Returns NULL if a file does not contain `part`. */
extern struct stack *stack_open(int n, struct named_file files[], enum part part, int along, bool keep_order);
extern void stack_free(struct stack *s);

/** Sets h to the header of the array that stack_read() writes. The origin is at the first selected frame.
 * With `transpose`, dims 0 and 1 are exchanged. With `rescale`, rescaled values are float64 for float64 data,
 * else float32. */
extern void stack_header(const struct stack *s, bool transpose, bool rescale, struct hdr *h);

/** Reads the selected frames into a new output with the header of stack_header(). Data are read in pieces of
 * at most 64 MiB, or one slice if larger. */
extern void stack_read(const struct stack *s, bool transpose, bool rescale, struct cfl *out);

/** Writes out(j, i, k) = in(i, j, k) for elements of `size` bytes. */
extern void stack_transpose(const long dims[3], void *out, const void *in, size_t size);

#endif
