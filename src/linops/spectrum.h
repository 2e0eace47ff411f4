#ifndef LINOPS_SPECTRUM_H
#define LINOPS_SPECTRUM_H

#include "linops/scratch.h"

/** Multiplies real or complex arrays by real weights in the Fourier domain: shared by the filters. */
struct spectrum {
	enum dtype type, complex_type;
	int D;
	long dims[DIMS], size;
	unsigned long flags;
	struct scratch work; // two complex arrays
};

extern void spectrum_init(struct spectrum *s, enum dtype type, int D, const long dims[], unsigned long flags);
extern void spectrum_free(struct spectrum *s);

/** First complex array: the unitary transform of src. */
extern void *spectrum_forward(struct spectrum *s, const void *src);

/** dst = back-transform of w times the first array (w = NULL: of the array itself, which is overwritten);
 * real arrays get the real part. w: real numbers of the precision of the type, with dims and steps [bytes]
 * wstrs.
 */
extern void spectrum_back(struct spectrum *s, void *dst, const void *w, const long wstrs[]);

/** Second array = w times the transform of src, added to its content unless `first`. */
extern void spectrum_gather(
        struct spectrum *s, const void *src, const void *w, const long wstrs[], bool first);

/** dst = back-transform of the second array. */
extern void spectrum_gathered(struct spectrum *s, void *dst);

#endif
