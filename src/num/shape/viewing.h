#ifndef NUM_SHAPE_VIEWING_H
#define NUM_SHAPE_VIEWING_H

#include "misc/file/hdr.h"
#include "num/array/array.h"

/**
 * Views of an array in NumPy's notation:
 *
 *     [2:-2, ::-1, 5]             ranges START:STOP[:STEP], an index; a dim that has one keeps length 1
 *     [..., 0]                    all dims between
 *     [:, [0, 3, 5:9]]            a list of indices and ranges
 *     [:, index]  [:, mask]       the indices in an array, or where one is not 0
 *     .real  .imag  .T            the last reverses the dims
 *     .diagonal(x, y[, OFFSET])   elements (k, k + OFFSET), along the first dim; the second has length 1
 *     .flip(x, z)  .transpose(x, y)  .permute(2, 0, 1)  .reshape(4, -1)  .squeeze
 *
 * Each step is applied to the result of the step before; the first dot may be omitted. A list, index or mask
 * may be used once, in the last step: it copies elements (gather), while all other steps give views.
 */
struct viewing {
	const struct array *index, *mask; // what these names stand for; NULL where they are not known
	struct array *v;                  // the array so far
	struct hdr h;                     // and its header: dims, type, grid, quantity
	int gathered;                     // dim along which `picks` applies to v, -1 = none
	struct index *picks;
};

/** Runs the steps of a text. w->v and w->h describe the whole array before the call, and the view afterwards.
 * If the last step is a list, index or mask, w->h has the dims of the result, but w->v is the view before
 * that step. If the text is wrong, usage_error() names the position in it. */
extern void viewing_run(struct viewing *w, const char *text);

/** Copies the view into an array with the dims of w->h. */
extern void viewing_copy(struct array *out, const struct viewing *w);

/** Releases the view, its header and its list. */
extern void viewing_free(struct viewing *w);

#endif
