#ifndef LINOPS_SPECTRUM_H
#define LINOPS_SPECTRUM_H

#include "linops/scratch.h"

/** Multiplies arrays by real weights in the Fourier domain. Several filters use these functions. The
 * functions below share two complex arrays, called the first and the second complex array. */
struct spectrum {
	enum dtype type, complex_type; // of the arrays, of their transforms
	int D;
	long dims[DIMS], size;
	unsigned long flags; // dims that are transformed
	struct scratch work; // the two complex arrays
};

/** Sets up transforms of arrays with D dims along the dims in flags. `type` is real or complex. */
extern void spectrum_init(struct spectrum *s, enum dtype type, int D, const long dims[], unsigned long flags);
/** Frees the work space. */
extern void spectrum_free(struct spectrum *s);

/** Computes the unitary Fourier transform of src in the first complex array. Returns the first complex
 * array. */
extern void *spectrum_forward(struct spectrum *s, const void *src);

/** Multiplies the first complex array by w and writes the inverse transform to dst. A real dst receives the
 * real part. `w` has real weights in the precision of `type`. `wstrs` has the strides of w along the dims
 * [bytes]. `w` may be NULL, which means no weights. With weights, the second complex array is overwritten.
 * Without weights, the first complex array is overwritten. */
extern void spectrum_back(struct spectrum *s, void *dst, const void *w, const long wstrs[]);

/** Adds w times the transform of src to the second complex array. With `first`, the product replaces the
 * second complex array. The first complex array is overwritten. */
extern void spectrum_gather(
        struct spectrum *s, const void *src, const void *w, const long wstrs[], bool first);

/** Writes the inverse transform of the second complex array to dst. */
extern void spectrum_gathered(struct spectrum *s, void *dst);

#endif
