#ifndef NUM_KERN_SIMILARITY_KERN_H
#define NUM_KERN_SIMILARITY_KERN_H

#include <stdbool.h>

/** The sums over a block of elements for similarity() of num/stat/similarity.h. */
struct similarity_part {
	bool correlated;       // means and deviations are wanted
	long n;                // elements compared
	long bad_ref, bad_img; // not finite
	double diff2, ref2;
	double diff, max;        // sum and largest of |img - ref|
	double min_ref, max_ref; // range
	double mean[2];          // of ref and img, magnitudes of complex ones
	double dev[3];           // sums of products of the deviations from them: ref ref, img img, ref img
};

/**
 * *p = the sums over n elements of type float32 (narrow) or float64, without a mask. Eight partial sums in
 * float64, by element number modulo 8, make results bit-identical for every instruction set. The kernels for
 * AVX2 and AVX-512 exist on x86-64 only. Returns false, with *p undefined, if an element is not finite or n
 * is not a multiple of 8.
 */
typedef bool similarity_kern(
        struct similarity_part *p, bool correlated, bool narrow, long n, const void *ref, const void *img);

extern similarity_kern similarity_kern_plain, similarity_kern_avx2, similarity_kern_avx512;

#endif
