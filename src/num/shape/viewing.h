#ifndef NUM_SHAPE_VIEWING_H
#define NUM_SHAPE_VIEWING_H

#include "misc/file/hdr.h"
#include "num/array/array.h"

/**
 * Steps that make views of an array, in the notation of NumPy:
 *
 *     [2:-2, ::-1, 5]             ranges START:STOP[:STEP], or an index; an indexed dim keeps length 1
 *     [..., 0]                    all dims between
 *     [:, [0, 3, 5:9]]            a list of indices and ranges
 *     [:, index]  [:, mask]       indices from an array, or the nonzero elements of a mask
 *     .real  .imag  .T            the last reverses the dims
 *     .diagonal(x, y[, OFFSET])   elements (k, k + OFFSET), along the first dim; the second has length 1
 *     .flip(x, z)  .transpose(x, y)  .permute(2, 0, 1)  .reshape(4, -1)  .squeeze
 *
 * Every step applies to the result of the previous step. The first dot may be omitted. A list, index or mask
 * copies elements and may occur once, in the last step. All other steps give views.
 */
struct viewing {
	const struct array *index, *mask; // arrays for these names, or NULL
	struct array *v;                  // current view
	struct hdr h;                     // header of the result
	int gathered;                     // dim of v to which `picks` applies, or -1
	struct index *picks;
};

/** Applies the steps in `text` to the array w->v with header w->h. Afterwards, w->v is the view and w->h
 * describes the result. If the last step is a list, index or mask, w->v is the view before the last step.
 * Wrong text is a usage_error() that names the position in the text. */
extern void viewing_run(struct viewing *w, const char *text);

/** Copies the result into an array with the dims of w->h. */
extern void viewing_copy(struct array *out, const struct viewing *w);

/** Releases the view, the header and the list of indices. */
extern void viewing_free(struct viewing *w);

#endif
