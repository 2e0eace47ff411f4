#ifndef LINOPS_SPECTRUM_H
#define LINOPS_SPECTRUM_H

#include "linops/scratch.h"

/** Multiplication of real or complex arrays by real weights in the Fourier domain; used by several filters.
 * Below, the first and the second complex array are work space (`work`). */
struct spectrum {
	enum dtype type, complex_type;
	int D;
	long dims[DIMS], size;
	unsigned long flags;
	struct scratch work; // two complex arrays
};

extern void spectrum_init(struct spectrum *s, enum dtype type, int D, const long dims[], unsigned long flags);
extern void spectrum_free(struct spectrum *s);

/** Stores the unitary Fourier transform of src in the first complex array and returns this array. */
extern void *spectrum_forward(struct spectrum *s, const void *src);

/** dst = inverse transform of w times the first complex array; a real dst gets the real part. w: weights,
 * float32 or float64 as in the type, with steps wstrs [bytes] along the dims; NULL: no weights. With weights
 * the second complex array is overwritten, without weights the first one. */
extern void spectrum_back(struct spectrum *s, void *dst, const void *w, const long wstrs[]);

/** Adds w times the transform of src to the second complex array; if `first` is set, the product replaces the
 * content of this array. The first complex array is overwritten. */
extern void spectrum_gather(
        struct spectrum *s, const void *src, const void *w, const long wstrs[], bool first);

/** dst = inverse transform of the second complex array. */
extern void spectrum_gathered(struct spectrum *s, void *dst);

#endif
